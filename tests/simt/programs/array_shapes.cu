// SPDX-License-Identifier: MIT
//
// Arrays: their greatest sizes, formats that there are not, copies at their edges. The expected
// output is an H100's.
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
int main() {
  cudaChannelFormatDesc f = cudaCreateChannelDesc<float>(), r;
  printf("%d %d %d %d %d\n", f.x, f.y, f.z, f.w, f.f);
  f = cudaCreateChannelDesc<uchar4>();
  printf("%d %d %d %d %d\n", f.x, f.y, f.z, f.w, f.f);
  f = cudaCreateChannelDesc<short2>();
  printf("%d %d %d %d %d\n", f.x, f.y, f.z, f.w, f.f);
  f = cudaCreateChannelDesc(32, 0, 0, 0, cudaChannelFormatKindFloat);
  cudaArray_t a, b, c, l;
  cudaExtent e;
  unsigned flags;
  E(cudaMallocArray(&a, &f, 16, 8));
  E(cudaArrayGetInfo(&r, &e, &flags, a));
  printf("%d %zu %zu %zu %u\n", r.x, e.width, e.height, e.depth, flags);
  E(cudaMallocArray(&b, &f, 16));
  E(cudaArrayGetInfo(&r, &e, &flags, b));
  printf("%d %zu %zu %zu %u\n", r.x, e.width, e.height, e.depth, flags);
  E(cudaMalloc3DArray(&c, &f, make_cudaExtent(4, 5, 6), cudaArraySurfaceLoadStore));
  E(cudaArrayGetInfo(&r, &e, &flags, c));
  printf("%d %zu %zu %zu %u\n", r.x, e.width, e.height, e.depth, flags);
  E(cudaMalloc3DArray(&l, &f, make_cudaExtent(4, 5, 6), cudaArrayLayered));
  E(cudaArrayGetInfo(&r, &e, &flags, l));
  printf("%d %zu %zu %zu %u\n", r.x, e.width, e.height, e.depth, flags);
  cudaArray_t bad;
  E(cudaMallocArray(&bad, &f, 0, 8));
  E(cudaMallocArray(&bad, &f, 1 << 20, 8));
  E(cudaMallocArray(&bad, nullptr, 8, 8));
  cudaChannelFormatDesc three = {32, 32, 32, 0, cudaChannelFormatKindFloat},
                        odd = {12, 0, 0, 0, cudaChannelFormatKindSigned};
  E(cudaMallocArray(&bad, &three, 8, 8));
  E(cudaMallocArray(&bad, &odd, 8, 8));
  E(cudaMalloc3DArray(&bad, &f, make_cudaExtent(4, 4, 5), cudaArrayCubemap));
  E(cudaMalloc3DArray(&bad, &f, make_cudaExtent(4, 5, 6), cudaArrayCubemap));
  E(cudaMalloc3DArray(&bad, &f, make_cudaExtent(4, 4, 6), cudaArrayCubemap));
  E(cudaFreeArray(bad));
  float h[128], g[128] = {};
  for (int i = 0; i < 128; i++) h[i] = i;
  E(cudaMemcpy2DToArray(a, 0, 0, h, 64, 64, 8, cudaMemcpyHostToDevice));
  E(cudaMemcpy2DFromArray(g, 32, a, 8, 2, 32, 4, cudaMemcpyDeviceToHost));
  printf("%g %g %g %g\n", g[0], g[7], g[8], g[31]);
  E(cudaMemcpyToArray(b, 8, 0, h, 16, cudaMemcpyHostToDevice));
  E(cudaMemcpyFromArray(g, b, 8, 0, 16, cudaMemcpyDeviceToHost));
  printf("%g %g\n", g[0], g[3]);
  E(cudaMemcpy2DToArray(a, 0, 0, h, 32, 64, 8, cudaMemcpyHostToDevice));
  E(cudaMemcpy2DToArray(a, 4, 0, h, 64, 64, 8, cudaMemcpyHostToDevice));
  E(cudaMemcpy2DToArray(a, 0, 1, h, 64, 64, 8, cudaMemcpyHostToDevice));
  E(cudaMemcpy2DToArray(a, 2, 0, h, 64, 4, 1, cudaMemcpyHostToDevice));
  E(cudaMemcpy2DArrayToArray(a, 0, 4, a, 0, 0, 64, 4, cudaMemcpyDeviceToDevice));
  E(cudaMemcpy2DFromArray(g, 64, a, 0, 0, 64, 8, cudaMemcpyDefault));
  printf("%g %g %g\n", g[0], g[64], g[127]);
  cudaMemcpy3DParms p = {};
  float v[120], w[120];
  for (int i = 0; i < 120; i++) v[i] = i * 2;
  p.srcPtr = make_cudaPitchedPtr(v, 16, 4, 5);
  p.dstArray = c;
  p.extent = make_cudaExtent(4, 5, 6);
  p.kind = cudaMemcpyHostToDevice;
  E(cudaMemcpy3D(&p));
  cudaMemcpy3DParms q = {};
  q.srcArray = c;
  q.srcPos = make_cudaPos(1, 2, 3);
  q.dstPtr = make_cudaPitchedPtr(w, 16, 4, 5);
  q.extent = make_cudaExtent(3, 2, 2);
  q.kind = cudaMemcpyDeviceToHost;
  E(cudaMemcpy3D(&q));
  printf("%g %g %g\n", w[0], w[4], w[20]);
  q.extent = make_cudaExtent(4, 2, 2);
  E(cudaMemcpy3D(&q));
  E(cudaFreeArray(a));
  E(cudaFreeArray(nullptr));
  E(cudaGetLastError());
}
