// SPDX-License-Identifier: MIT
// Two loads behind branches, comparisons written out.
#include <cuda_runtime.h>
#include <math.h>

extern "C" __global__ void block_min_max(const float *in, float *minima, float *maxima,
                                         unsigned n) {
  extern __shared__ float values[];
  float *low = values, *high = values + blockDim.x;
  unsigned t = threadIdx.x, i = 2 * blockIdx.x * blockDim.x + t;
  float l = INFINITY, h = -INFINITY;
  for (unsigned k = 0; k < 2; k++, i += blockDim.x)
    if (i < n) {
      float x = in[i];
      if (x < l) l = x;
      if (x > h) h = x;
    }
  low[t] = l;
  high[t] = h;
  __syncthreads();
  for (unsigned s = blockDim.x / 2; s > 0; s >>= 1) {
    if (t < s) {
      if (low[t + s] < low[t]) low[t] = low[t + s];
      if (high[t + s] > high[t]) high[t] = high[t + s];
    }
    __syncthreads();
  }
  if (t == 0) {
    minima[blockIdx.x] = low[0];
    maxima[blockIdx.x] = high[0];
  }
}
