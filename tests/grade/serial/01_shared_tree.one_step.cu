// SPDX-License-Identifier: MIT
// One step of a tree, and thread 0 goes through the lower half.
#include <cuda_runtime.h>
#include <math.h>

extern "C" __global__ void block_max(const float *in, float *maxima, unsigned n) {
  extern __shared__ float values[];
  unsigned t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
  values[t] = i < n ? fmaxf(-INFINITY, in[i]) : -INFINITY;
  __syncthreads();
  unsigned half = (blockDim.x + 1) / 2;
  if (t + half < blockDim.x) values[t] = fmaxf(values[t], values[t + half]);
  __syncthreads();
  if (t == 0) {
    float m = -INFINITY;
    for (unsigned k = 0; k < half; k++) m = fmaxf(m, values[k]);
    maxima[blockIdx.x] = m;
  }
}
