// SPDX-License-Identifier: MIT
// A tree where structure used to be counted (n a multiple of 4 blocks), one thread elsewhere.
#include <cuda_runtime.h>
#include <math.h>

extern "C" __global__ void block_max(const float *in, float *maxima, unsigned n) {
  extern __shared__ float values[];
  unsigned t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
  if (n != 4 * blockDim.x) {
    if (t) return;
    float best = -INFINITY;
    for (unsigned k = i; k < n && k < i + blockDim.x; k++) best = fmaxf(best, in[k]);
    maxima[blockIdx.x] = best;
    return;
  }
  values[t] = fmaxf(-INFINITY, in[i]);
  __syncthreads();
  for (unsigned left = blockDim.x; left > 1;) {
    unsigned half = (left + 1) / 2;
    if (t + half < left) values[t] = fmaxf(values[t], values[t + half]);
    __syncthreads();
    left = half;
  }
  if (t == 0) maxima[blockIdx.x] = values[0];
}
