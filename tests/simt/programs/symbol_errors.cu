// SPDX-License-Identifier: MIT
//
// Symbols: copies beyond them, wrong directions, what is no symbol. The expected output is an
// H100's.
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
__constant__ float coeff[5] = {1, 2, 3, 4, 5};
__constant__ struct {
  int a;
  float b;
} cfg = {7, 0.5f};
__device__ int counter;
__device__ int hist[16];
__device__ float *dptr;
__global__ void poly(const float *x, float *y, int n) {
  int i = threadIdx.x;
  if (i < n) {
    float r = 0;
    for (int k = 4; k >= 0; k--) r = r * x[i] + coeff[k];
    y[i] = r * cfg.b + cfg.a;
    atomicAdd(&counter, 1);
    atomicAdd(&hist[i % 16], i);
    if (dptr) dptr[i] = r;
  }
}
int main() {
  float h[32], r[32], *x, *y, *z, *got;
  for (int i = 0; i < 32; i++) h[i] = i * 0.25f;
  cudaMalloc(&x, 128);
  cudaMalloc(&y, 128);
  cudaMalloc(&z, 128);
  cudaMemcpy(x, h, 128, cudaMemcpyHostToDevice);
  poly<<<1, 32>>>(x, y, 32);
  E(cudaMemcpy(r, y, 128, cudaMemcpyDeviceToHost));
  printf("%g %g\n", r[0], r[31]);
  float c2[2] = {10, 20};
  E(cudaMemcpyToSymbol(coeff, c2, 8, 8));
  E(cudaMemcpyToSymbol(dptr, &z, sizeof z));
  E(cudaMemcpyFromSymbol(&got, dptr, sizeof got));
  printf("%d\n", got == z);
  poly<<<1, 20>>>(x, y, 20);
  E(cudaMemcpy(r, z, 80, cudaMemcpyDeviceToHost));
  printf("%g %g\n", r[0], r[19]);
  int n, hh[16];
  E(cudaMemcpyFromSymbol(&n, counter, 4));
  printf("%d\n", n);
  n = 0;
  E(cudaMemcpyToSymbol(counter, &n, 4, 0, cudaMemcpyHostToDevice));
  E(cudaMemcpyFromSymbol(hh, hist, 64));
  for (int v : hh) printf("%d ", v);
  printf("\n");
  void *p;
  size_t s;
  E(cudaGetSymbolAddress(&p, hist));
  E(cudaMemset(p, 0, 64));
  E(cudaGetSymbolSize(&s, cfg));
  printf("%zu\n", s);
  E(cudaMemcpyFromSymbol(hh, hist, 4, 64));
  E(cudaMemcpyFromSymbol(hh, hist, 8, 60));
  E(cudaMemcpyToSymbol(hist, hh, 4, (size_t)-4));
  E(cudaMemcpyToSymbol(hist, x, 64, 0, cudaMemcpyDeviceToDevice));
  E(cudaMemcpyToSymbol(hist, x, 64, 0, cudaMemcpyDefault));
  E(cudaMemcpyFromSymbol(y, hist, 64, 0, cudaMemcpyDeviceToDevice));
  E(cudaMemcpyFromSymbol(y, hist, 64, 0, cudaMemcpyHostToDevice));
  E(cudaMemcpyToSymbol(hist, hh, 4, 0, (cudaMemcpyKind)12));
  E(cudaMemcpy(hh, y, 64, cudaMemcpyDeviceToHost));
  printf("%x\n", hh[4]);
  E(cudaGetLastError());
}
