// SPDX-License-Identifier: MIT
// split_lanes.cu - stores whose lanes reach two allocations, which all blocks read and write: the
// software GPU's host threads take the blocks for dependent, may find so in the middle of such a
// store, and give up; the blocks then run in order.
// env: SIMT_THREADS=8
#include <cstdio>

#include <cuda_runtime.h>

enum { BLOCKS = 128, THREADS = 256, TIMES = 20, WORDS = BLOCKS * THREADS / 2 };

__global__ void count(unsigned *even, unsigned *odd) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned *to = i % 2 == 0 ? even : odd;
  to[i / 2] = to[i / 2] + i;
}

int main() {
  static unsigned host[2][WORDS];
  unsigned *even, *odd, wrong = 0;
  if (cudaMalloc(&even, sizeof host[0]) || cudaMalloc(&odd, sizeof host[1])) return 1;
  if (cudaMemset(even, 0, sizeof host[0]) || cudaMemset(odd, 0, sizeof host[1])) return 1;
  for (unsigned launch = 1; launch <= TIMES; launch++) {
    count<<<BLOCKS, THREADS>>>(even, odd);
    cudaMemcpy(host[0], even, sizeof host[0], cudaMemcpyDeviceToHost);
    cudaMemcpy(host[1], odd, sizeof host[1], cudaMemcpyDeviceToHost);
    for (unsigned i = 0; i < 2 * WORDS; i++) wrong += host[i % 2][i / 2] != launch * i;
  }
  printf("wrong: %u, %s\n", wrong, cudaGetErrorName(cudaDeviceSynchronize()));
  cudaFree(even);
  cudaFree(odd);
  return 0;
}
