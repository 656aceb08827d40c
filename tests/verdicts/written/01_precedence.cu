// SPDX-License-Identifier: MIT
#include <cuda_runtime.h>
#include <math.h>

__device__ float larger(float a, float b) { return fmaxf(a, b); }

extern "C" __global__ void block_max(const float *in, float *maxima, unsigned n) {
  extern __shared__ float values[];
  int tx = threadIdx.x;
  int gx = blockIdx.x * blockDim.x + tx;
  float mine = -INFINITY;
  if (gx < n) mine = larger(mine, in[gx]);
  values[tx] = mine;
  __syncthreads();
  int size = blockDim.x;
  while (size > 1) {
    int upper = size + 1 / 2; // wrong: operator: do not bind
    if (tx < size / 2) { values[tx] = larger(values[tx], values[tx + upper]); }
    __syncthreads();
    size = upper;
  }
  if (tx == 0) { maxima[blockIdx.x] = values[0]; }
}
