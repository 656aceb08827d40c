// SPDX-License-Identifier: MIT
#include <cuda_runtime.h>
#include <math.h>
extern "C" __global__ void block_min_max(const float *in, float *minima, float *maxima,
                                         unsigned n) {
  extern __shared__ float sh[];
  float *mn = sh, *mx = sh + blockDim.x;
  unsigned t = threadIdx.x;
  unsigned i = blockIdx.x * blockDim.x * 2 + t;
  float lo = INFINITY, hi = -INFINITY;
  for (int k = 0; k < 2; k++, i += blockDim.x)
    if (i < n) {
      float x = in[i];
      if (x < lo) lo = x;
      else if (x > hi) hi = x; // wrong: order
    }
  mn[t] = lo;
  mx[t] = hi;
  __syncthreads();
  for (unsigned s = blockDim.x / 2; s > 0; s >>= 1) {
    if (t < s) {
      mn[t] = fminf(mn[t], mn[t + s]);
      mx[t] = fmaxf(mx[t], mx[t + s]);
    }
    __syncthreads();
  }
  if (t == 0) {
    minima[blockIdx.x] = mn[0];
    maxima[blockIdx.x] = mx[0];
  }
}
