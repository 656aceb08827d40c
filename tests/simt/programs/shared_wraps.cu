// SPDX-License-Identifier: MIT
// An index that wraps around: addresses of shared memory have 32 bits, so that it comes out right
// there although pointers have 64.
#include <cstdio>
#include <cuda_runtime.h>

__global__ void backwards(unsigned *out) {
  __shared__ unsigned numbers[66];
  const unsigned t = threadIdx.x;
  numbers[t + 1] = 100 + t;
  __syncthreads();
  const unsigned *end = numbers + 66;
  out[t] = end[~(t + 1)]; // -(t + 2), as an unsigned number
}

int main() {
  unsigned *out, host[64];
  cudaMalloc(&out, sizeof host);
  backwards<<<1, 64>>>(out);
  cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
  unsigned wrong = 0;
  for (unsigned t = 0; t < 64; t++) wrong += host[t] != 163 - t;
  printf("%s, %u wrong\n", cudaGetErrorString(cudaGetLastError()), wrong);
  return 0;
}
