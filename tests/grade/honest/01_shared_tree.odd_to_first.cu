// SPDX-License-Identifier: MIT
// The odd value of a step is folded by thread 0, which does two in such a step.
#include <cuda_runtime.h>
#include <math.h>

extern "C" __global__ void block_max(const float *in, float *maxima, unsigned n) {
  extern __shared__ float values[];
  unsigned t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
  float mine = i < n ? fmaxf(in[i], -INFINITY) : -INFINITY;
  values[t] = mine;
  __syncthreads();
  for (unsigned left = blockDim.x; left > 1; left /= 2) {
    unsigned half = left / 2;
    if (t < half) {
      mine = fmaxf(mine, values[t + half]);
      if (t == 0 && left % 2) mine = fmaxf(mine, values[left - 1]);
      values[t] = mine;
    }
    __syncthreads();
  }
  if (t == 0) maxima[blockIdx.x] = mine;
}
