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
  while (size > 64) {
    int upper = size - size / 2;
    if (tx < size / 2) { values[tx] = larger(values[tx], values[tx + upper]); }
    __syncthreads();
    size = upper;
  }
  if (tx < 32) { // wrong: barrier
    volatile float *v = values;
    v[tx] = larger(v[tx], v[tx + 32]);
    v[tx] = larger(v[tx], v[tx + 16]);
    v[tx] = larger(v[tx], v[tx + 8]);
    v[tx] = larger(v[tx], v[tx + 4]);
    v[tx] = larger(v[tx], v[tx + 2]);
    v[tx] = larger(v[tx], v[tx + 1]);
  }
  if (tx == 0) { maxima[blockIdx.x] = values[0]; }
}
