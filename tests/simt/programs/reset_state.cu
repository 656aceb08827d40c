// SPDX-License-Identifier: MIT
//
// What a reset leaves: attributes of kernels, managed values, a pool's threshold. The expected
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
// What a reset leaves: graphs, variables, limits, flags, attributes of kernels
__device__ int v = 4;
__managed__ int m = 6;
__constant__ int c = 8;
__global__ void k(int *p) {
  *p = v + m + c;
  v++;
  m++;
}
int main() {
  int *d, h;
  cudaMalloc(&d, 4);
  k<<<1, 1>>>(d);
  k<<<1, 1>>>(d);
  E(cudaMemcpy(&h, d, 4, cudaMemcpyDeviceToHost));
  printf("%d %d\n", h, m);
  int nine = 9;
  E(cudaMemcpyToSymbol(c, &nine, 4));
  E(cudaFuncSetAttribute(k, cudaFuncAttributeMaxDynamicSharedMemorySize, 65536));
  E(cudaSetDeviceFlags(cudaDeviceScheduleSpin));
  unsigned f;
  E(cudaGetDeviceFlags(&f));
  printf("%u\n", f);
  E(cudaDeviceSetLimit(cudaLimitStackSize, 4096));
  E(cudaDeviceSetCacheConfig(cudaFuncCachePreferL1));
  E(cudaDeviceReset());
  size_t s;
  E(cudaDeviceGetLimit(&s, cudaLimitStackSize));
  printf("%zu\n", s);
  E(cudaGetDeviceFlags(&f));
  printf("%u\n", f);
  cudaFuncAttributes fa;
  E(cudaFuncGetAttributes(&fa, k));
  printf("%d\n", fa.maxDynamicSharedSizeBytes);
  cudaFuncCache fc;
  E(cudaDeviceGetCacheConfig(&fc));
  printf("%d\n", fc);
  E(cudaMalloc(&d, 4));
  k<<<1, 1>>>(d);
  E(cudaMemcpy(&h, d, 4, cudaMemcpyDeviceToHost));
  printf("%d %d\n", h, m);
  m = 100;
  k<<<1, 1>>>(d);
  E(cudaMemcpy(&h, d, 4, cudaMemcpyDeviceToHost));
  printf("%d %d\n", h, m);
  cudaMemPool_t pool;
  E(cudaDeviceGetDefaultMemPool(&pool, 0));
  unsigned long long keep = 12345;
  E(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &keep));
  E(cudaDeviceReset());
  E(cudaDeviceGetDefaultMemPool(&pool, 0));
  E(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &keep));
  printf("%llu\n", keep);
  cudaSetDevice(0);
  E(cudaDeviceReset());
  E(cudaStreamQuery(0));
  E(cudaGetLastError());
}
