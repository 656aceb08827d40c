// SPDX-License-Identifier: MIT
// stderr: cudaErrorIllegalAddress
//
// After a fault calls that only submit work succeed, until one waits: from then on all fail. The
// expected output is an H100's.
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
// where the error of an asynchronous fault first shows
__global__ void ok(int *p) { *p = 1; }
__global__ void bad(int *p) { p[1 << 28] = 1; }
int main() {
  int *d, *pin, h;
  cudaStream_t s, t;
  cudaEvent_t e;
  cudaMalloc(&d, 64);
  cudaMallocHost(&pin, 64);
  cudaStreamCreate(&s);
  cudaStreamCreate(&t);
  cudaEventCreate(&e);
  ok<<<1, 1, 0, s>>>(d);
  E(cudaStreamSynchronize(s));
  bad<<<1, 1, 0, s>>>(d);
  E(cudaGetLastError());
  E(cudaMemsetAsync(d, 0, 64, s));
  E(cudaMemcpyAsync(pin, d, 64, cudaMemcpyDeviceToHost, s));
  E(cudaEventRecord(e, s));
  E(cudaStreamWaitEvent(t, e, 0));
  ok<<<1, 1, 0, t>>>(d);
  E(cudaPeekAtLastError());
  ok<<<1, 5000, 0, t>>>(d);
  E(cudaGetLastError());
  E(cudaMalloc((void **)&h, 0));
  E(cudaStreamSynchronize(t));
  E(cudaEventQuery(e));
  E(cudaEventSynchronize(e));
  E(cudaStreamQuery(s));
  E(cudaMemcpy(&h, pin, 4, cudaMemcpyHostToHost));
  E(cudaFreeHost(pin));
  E(cudaStreamDestroy(s));
  E(cudaEventDestroy(e));
  float ms;
  E(cudaEventElapsedTime(&ms, e, e));
  E(cudaFuncSetAttribute(ok, cudaFuncAttributeMaxDynamicSharedMemorySize, 1000));
  cudaFuncAttributes a;
  E(cudaFuncGetAttributes(&a, ok));
  int n;
  E(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&n, ok, 32, 0));
  E(cudaGetSymbolSize((size_t *)&ms, n));
  E(cudaGetLastError());
}
