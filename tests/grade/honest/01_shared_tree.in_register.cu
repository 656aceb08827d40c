// SPDX-License-Identifier: MIT
// A thread keeps what it has folded in a register.
#include <cuda_runtime.h>
#include <math.h>

extern "C" __global__ void block_max(const float *in, float *maxima, unsigned n) {
  extern __shared__ float values[];
  unsigned t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
  float mine = i < n ? fmaxf(-INFINITY, in[i]) : -INFINITY;
  values[t] = mine;
  __syncthreads();
  for (unsigned left = blockDim.x; left > 1;) {
    unsigned half = (left + 1) / 2;
    if (t + half < left) values[t] = mine = fmaxf(mine, values[t + half]);
    __syncthreads();
    left = half;
  }
  if (t == 0) maxima[blockIdx.x] = mine;
}
