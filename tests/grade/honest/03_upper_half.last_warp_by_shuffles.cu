// SPDX-License-Identifier: MIT
// One tree for both results, whose last steps, in one warp, are shuffles.
#include <cuda_runtime.h>
#include <math.h>

extern "C" __global__ void block_min_max(const float *in, float *minima, float *maxima,
                                         unsigned n) {
  extern __shared__ float values[];
  float *low = values, *high = values + blockDim.x;
  const unsigned t = threadIdx.x, i = blockIdx.x * (2 * blockDim.x) + t;
  const float first = i < n ? in[i] : NAN;
  const float second = i + blockDim.x < n ? in[i + blockDim.x] : NAN;
  low[t] = fminf(fminf(INFINITY, first), second);
  high[t] = fmaxf(fmaxf(-INFINITY, first), second);
  __syncthreads();
  for (unsigned half = blockDim.x / 2; half >= 32; half /= 2) {
    if (t < half) {
      low[t] = fminf(low[t], low[t + half]);
      high[t] = fmaxf(high[t], high[t + half]);
    }
    __syncthreads();
  }
  if (t >= 32) return;
  float least = low[t], most = high[t];
  for (unsigned s = 16; s > 0; s /= 2) {
    least = fminf(least, __shfl_down_sync(0xffffffff, least, s));
    most = fmaxf(most, __shfl_down_sync(0xffffffff, most, s));
  }
  if (t == 0) {
    minima[blockIdx.x] = least;
    maxima[blockIdx.x] = most;
  }
}
