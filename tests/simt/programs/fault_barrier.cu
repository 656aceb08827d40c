// SPDX-License-Identifier: MIT
// stderr: cudaErrorLaunchTimeout
// stderr: fault_barrier.cu:13
//
// Half of the block skips a barrier that the other half waits at.
#include <cuda_runtime.h>

#include <cstdio>

__global__ void skips(int *p) {
  __shared__ int s[64];
  s[threadIdx.x] = threadIdx.x;
  if (threadIdx.x < 32) __syncthreads();
  else
    while (*(volatile int *)p == 0) {}
  p[threadIdx.x] = s[63 - threadIdx.x];
}

int main() {
  int *p;
  cudaMalloc(&p, 256);
  cudaMemset(p, 0, 256);
  skips<<<1, 64>>>(p);
  printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
  return 0;
}
// hardware: a GPU waits for ever
