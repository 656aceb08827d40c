// SPDX-License-Identifier: MIT
// exit: 1
// stderr: waits in a loop for memory
// stderr: one that waits for the host, or for a kernel launched later in another stream
// hardware: there the kernel and the host run at the same time, and both end
//
// A kernel that waits for the host is stopped, and the reason named.
#include <cstdio>
__global__ void wait_for(volatile int *flag, int *out) {
  while (*flag == 0) {}
  *out = 1;
}

int main() {
  int *flag, *out;
  cudaMallocHost(&flag, sizeof *flag);
  cudaMalloc(&out, sizeof *out);
  *flag = 0;
  wait_for<<<1, 1>>>(flag, out);
  *(volatile int *)flag = 1;
  const cudaError_t error = cudaDeviceSynchronize();
  printf("%s\n", cudaGetErrorName(error));
  return error != cudaSuccess;
}
