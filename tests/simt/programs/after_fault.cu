// SPDX-License-Identifier: MIT
//
// After a fault most calls return it; what needs no device answers as before.
#include <cuda_runtime.h>

#include <cstdio>

__global__ void fail(int *p) { *p = 1; }

#define SAY(call) printf("%s: %s\n", #call, cudaGetErrorName(call))

int main() {
  int *memory;
  cudaMalloc(&memory, 64);
  fail<<<1, 1>>>((int *)16);
  SAY(cudaDeviceSynchronize());
  SAY(cudaMalloc((void **)nullptr, 4));
  SAY(cudaMalloc(&memory, 4));
  cudaPointerAttributes attributes;
  SAY(cudaPointerGetAttributes(&attributes, memory));
  cudaGraph_t graph;
  SAY(cudaGraphCreate(&graph, 0));
  cudaMemPool_t pool;
  SAY(cudaDeviceGetDefaultMemPool(&pool, 0));
  size_t bytes;
  SAY(cudaDeviceGetLimit(&bytes, cudaLimitStackSize));
  SAY(cudaMemset(memory, 0, 4));
  SAY(cudaDeviceReset());
  return 0;
}
