// SPDX-License-Identifier: MIT
// All threads read; one per block adds up and writes what they have stored.
#include <cuda_runtime.h>

extern "C" __global__ void butterfly_step(float *mine, const float *other, unsigned n,
                                          unsigned rank, unsigned levels, unsigned step) {
  __shared__ float here[1024], there[1024];
  const bool halving = step < levels;
  const unsigned k = halving ? step : 2 * levels - 1 - step, who = halving ? rank : rank ^ 1u << k;
  unsigned first = 0, end = n;
  for (unsigned h = 0; h <= k; h++) {
    const unsigned middle = first + (end - first) / 2;
    if (who >> h & 1) first = middle;
    else end = middle;
  }
  for (unsigned b = first + blockIdx.x * blockDim.x; b < end; b += gridDim.x * blockDim.x) {
    const unsigned i = b + threadIdx.x;
    __syncthreads();
    if (i < end) here[threadIdx.x] = halving ? mine[i] : 0, there[threadIdx.x] = other[i];
    __syncthreads();
    if (threadIdx.x == 0)
      for (unsigned j = 0; j < blockDim.x && b + j < end; j++) mine[b + j] = here[j] + there[j];
  }
}
