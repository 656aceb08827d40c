// SPDX-License-Identifier: MIT
//
// Where memory that is read as a texture may begin, and how far apart its rows may lie.
#include <cuda_runtime.h>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>
#include <string>
#define E(...)                                                                                     \
  do {                                                                                             \
    cudaError_t e_ = (__VA_ARGS__);                                                                \
    printf("%s -> %s\n", #__VA_ARGS__, cudaGetErrorName(e_));                                      \
  } while (0)
static int unbuffered = setvbuf(stdout, nullptr, _IONBF, 0);
__global__ void f1(cudaTextureObject_t t, float *o) {
  o[threadIdx.x] = tex1Dfetch<float>(t, threadIdx.x);
}
__global__ void sw(cudaSurfaceObject_t s, float *o) {
  float v = surf2Dread<float>(s, threadIdx.x * 4, 1);
  o[threadIdx.x] = v;
  surf2Dwrite(v + 100, s, threadIdx.x * 4, 1);
}
int main() {
  float *d, *o, h[512], r[64];
  for (int i = 0; i < 512; i++) h[i] = i;
  cudaMalloc(&d, 8192);
  cudaMalloc(&o, 256);
  cudaMemcpy(d, h, 2048, cudaMemcpyHostToDevice);
  cudaChannelFormatDesc f = cudaCreateChannelDesc<float>();
  for (int off : {0, 4, 8, 16, 32, 64, 128, 256, 512, 516}) {
    cudaResourceDesc rd = {};
    rd.resType = cudaResourceTypeLinear;
    rd.res.linear.devPtr = (char *)d + off;
    rd.res.linear.desc = f;
    rd.res.linear.sizeInBytes = 256;
    cudaTextureDesc td = {};
    cudaTextureObject_t x = 0;
    cudaError_t e = cudaCreateTextureObject(&x, &rd, &td, nullptr);
    printf("linear +%d %s", off, cudaGetErrorName(e));
    if (!e) {
      f1<<<1, 4>>>(x, o);
      cudaMemcpy(r, o, 16, cudaMemcpyDeviceToHost);
      printf(" %g %g", r[0], r[3]);
    }
    rd.resType = cudaResourceTypePitch2D;
    rd.res.pitch2D.devPtr = (char *)d + off;
    rd.res.pitch2D.desc = f;
    rd.res.pitch2D.width = 8;
    rd.res.pitch2D.height = 4;
    rd.res.pitch2D.pitchInBytes = 64;
    printf(" pitch %s\n", cudaGetErrorName(cudaCreateTextureObject(&x, &rd, &td, nullptr)));
  }
  for (int p : {16, 32, 48, 64, 100, 128, 160}) {
    cudaResourceDesc rd = {};
    rd.resType = cudaResourceTypePitch2D;
    rd.res.pitch2D.devPtr = d;
    rd.res.pitch2D.desc = f;
    rd.res.pitch2D.width = 4;
    rd.res.pitch2D.height = 4;
    rd.res.pitch2D.pitchInBytes = p;
    cudaTextureDesc td = {};
    cudaTextureObject_t x;
    printf("pitch %d %s\n", p, cudaGetErrorName(cudaCreateTextureObject(&x, &rd, &td, nullptr)));
  }
  cudaArray_t a;
  cudaMallocArray(&a, &f, 8, 4);
  cudaMemcpy2DToArray(a, 0, 0, h, 32, 32, 4, cudaMemcpyHostToDevice);
  cudaResourceDesc rd = {};
  rd.resType = cudaResourceTypeArray;
  rd.res.array.array = a;
  cudaSurfaceObject_t s;
  E(cudaCreateSurfaceObject(&s, &rd));
  sw<<<1, 8>>>(s, o);
  E(cudaMemcpy(r, o, 32, cudaMemcpyDeviceToHost));
  printf("%g %g\n", r[0], r[7]);
  E(cudaMemcpy2DFromArray(r, 32, a, 0, 1, 32, 1, cudaMemcpyDeviceToHost));
  printf("%g %g\n", r[0], r[7]);
}
