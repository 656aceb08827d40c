// SPDX-License-Identifier: MIT
#include <cuda_runtime.h>
#include <math.h>

extern "C" __global__ void block_max(const float *in, float *maxima, unsigned n) {
  extern __shared__ float cache[];
  int id = blockIdx.x * blockDim.x + threadIdx.x;
  cache[id] = id < n ? in[id] : -INFINITY; // wrong: index: shared memory is the block's own
  __syncthreads();
  int left = blockDim.x;
  while (left > 1) {
    int half = (left + 1) / 2;
    if (threadIdx.x + half < left)
      cache[threadIdx.x] = fmaxf(cache[threadIdx.x], cache[threadIdx.x + half]);
    __syncthreads();
    left = half;
  }
  if (threadIdx.x == 0) maxima[blockIdx.x] = cache[0];
}
