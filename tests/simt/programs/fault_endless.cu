// SPDX-License-Identifier: MIT
// env: SIMT_MAX_WARP_INSTRUCTIONS=100000
// stderr: cudaErrorLaunchTimeout
// stderr: fault_endless.cu:12
//
// A loop that never ends.
#include <cuda_runtime.h>

#include <cstdio>

__global__ void spin(volatile int *flag) {
  while (*flag == 0) {}
}

int main() {
  int *flag;
  cudaMalloc(&flag, 4);
  cudaMemset(flag, 0, 4);
  spin<<<1, 32>>>(flag);
  printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
  return 0;
}
