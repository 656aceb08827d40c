// SPDX-License-Identifier: MIT
// split_lanes.cu - stores whose lanes reach two allocations, from blocks that all write to both:
// the software GPU's host threads find that the blocks depend on each other in the middle of such
// a store, give up and run them in order.
// env: SIMT_THREADS=8
// unmeasured: nothing of it depends on the GPU.
#include <cstdio>

#include <cuda_runtime.h>

enum { BLOCKS = 256, THREADS = 256, TIMES = 20, WORDS = 64 };

__global__ void scatter(unsigned *even, unsigned *odd, unsigned launch) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  for (unsigned turn = 0; turn < 8; turn++) {
    unsigned *to = i % 2 == 0 ? even : odd;
    const unsigned found = to[(i / 3 + turn) % WORDS];
    to[(i / 2 + turn) % WORDS] = found > TIMES ? found : launch; // it never is
  }
}

int main() {
  unsigned *even, *odd, host[2][WORDS], wrong = 0;
  if (cudaMalloc(&even, sizeof host[0]) || cudaMalloc(&odd, sizeof host[1])) return 1;
  if (cudaMemset(even, 0, sizeof host[0]) || cudaMemset(odd, 0, sizeof host[1])) return 1;
  for (unsigned launch = 1; launch <= TIMES; launch++) {
    scatter<<<BLOCKS, THREADS>>>(even, odd, launch);
    cudaMemcpy(host[0], even, sizeof host[0], cudaMemcpyDeviceToHost);
    cudaMemcpy(host[1], odd, sizeof host[1], cudaMemcpyDeviceToHost);
    for (int k = 0; k < 2 * WORDS; k++) wrong += host[k / WORDS][k % WORDS] != launch;
  }
  printf("wrong: %u, %s\n", wrong, cudaGetErrorName(cudaDeviceSynchronize()));
  return 0;
}
