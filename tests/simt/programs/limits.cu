// SPDX-License-Identifier: MIT
//
// Limits of the device: steps, least and greatest values. The expected output is an H100's.
// env: SIMT_DEVICE=h100
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
__device__ int depth(int n) {
  volatile int a[16];
  a[n & 15] = n;
  return n ? depth(n - 1) + a[n & 15] : 0;
}
__global__ void rec(int *o, int n) { *o = depth(n); }
__global__ void heap(int *o, size_t n) {
  void *p = malloc(n);
  *o = p != nullptr;
  free(p);
}
int main() {
  size_t v;
  for (int l : {0, 2, 3, 4, 5, 6, 7}) {
    cudaError_t e = cudaDeviceGetLimit(&v, (cudaLimit)l);
    printf("%d %s", l, cudaGetErrorName(e));
    if (!e && l != 1) printf(" %zu", v);
    printf("\n");
  }
  for (size_t s : {(size_t)0, (size_t)1, (size_t)1024, (size_t)2000, (size_t)8192, (size_t)100000,
                   (size_t)524288}) {
    cudaError_t e = cudaDeviceSetLimit(cudaLimitStackSize, s);
    cudaDeviceGetLimit(&v, cudaLimitStackSize);
    printf("stack %zu: %s %zu\n", s, cudaGetErrorName(e), v);
  }
  cudaDeviceSetLimit(cudaLimitStackSize, 32768);
  int *d, h;
  cudaMalloc(&d, 4);
  rec<<<1, 1>>>(d, 100);
  E(cudaMemcpy(&h, d, 4, cudaMemcpyDeviceToHost));
  printf("%d\n", h);
  E(cudaDeviceSetLimit(cudaLimitMallocHeapSize, 1 << 20));
  E(cudaDeviceGetLimit(&v, cudaLimitMallocHeapSize));
  printf("%zu\n", v);
  heap<<<1, 1>>>(d, 1000);
  E(cudaMemcpy(&h, d, 4, cudaMemcpyDeviceToHost));
  printf("%d\n", h);
  heap<<<1, 1>>>(d, 100 << 20);
  E(cudaMemcpy(&h, d, 4, cudaMemcpyDeviceToHost));
  printf("%d\n", h);
  E(cudaDeviceSetLimit(cudaLimitMallocHeapSize, 128 << 20));
  E(cudaDeviceGetLimit(nullptr, cudaLimitMallocHeapSize));
  E(cudaDeviceSetLimit(cudaLimitMaxL2FetchGranularity, 64));
  E(cudaDeviceGetLimit(&v, cudaLimitMaxL2FetchGranularity));
  printf("%zu\n", v);
  E(cudaDeviceSetLimit(cudaLimitMaxL2FetchGranularity, 300));
  E(cudaDeviceGetLimit(&v, cudaLimitMaxL2FetchGranularity));
  printf("%zu\n", v);
  E(cudaDeviceSetLimit(cudaLimitPersistingL2CacheSize, 10 << 20));
  E(cudaDeviceGetLimit(&v, cudaLimitPersistingL2CacheSize));
  printf("%zu\n", v);
  E(cudaDeviceSetLimit(cudaLimitPrintfFifoSize, 8 << 20));
  E(cudaDeviceSetLimit(cudaLimitDevRuntimeSyncDepth, 4));
  E(cudaDeviceSetLimit(cudaLimitDevRuntimePendingLaunchCount, 4096));
  E(cudaDeviceGetLimit(&v, cudaLimitDevRuntimePendingLaunchCount));
  printf("%zu\n", v);
  E(cudaGetLastError());
}
