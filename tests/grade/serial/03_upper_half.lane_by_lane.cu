// SPDX-License-Identifier: MIT
// Every warp asks its lanes one by one; the values in shared memory are for show.
#include <cuda_runtime.h>
#include <math.h>

extern "C" __global__ void block_min_max(const float *in, float *minima, float *maxima,
                                         unsigned n) {
  extern __shared__ float values[];
  __shared__ float lows[32], highs[32];
  const unsigned t = threadIdx.x, i = blockIdx.x * (2 * blockDim.x) + t;
  const float first = i < n ? in[i] : NAN;
  const float second = i + blockDim.x < n ? in[i + blockDim.x] : NAN;
  values[t] = fminf(fminf(INFINITY, first), second);
  values[blockDim.x + t] = fmaxf(fmaxf(-INFINITY, first), second);
  const float mine = ((volatile float *)values)[t];
  const float other = ((volatile float *)values)[blockDim.x + t];
  float low = mine, high = other;
  for (unsigned k = 0; k < 32; k++) {
    low = fminf(low, __shfl_sync(0xffffffff, mine, k));
    high = fmaxf(high, __shfl_sync(0xffffffff, other, k));
  }
  if (t % 32 == 0) lows[t / 32] = low, highs[t / 32] = high;
  __syncthreads();
  if (t > 0) return;
  for (unsigned w = 1; w < blockDim.x / 32; w++) {
    low = fminf(low, lows[w]);
    high = fmaxf(high, highs[w]);
  }
  minima[blockIdx.x] = low;
  maxima[blockIdx.x] = high;
}
