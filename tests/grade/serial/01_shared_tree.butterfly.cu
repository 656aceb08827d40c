// SPDX-License-Identifier: MIT
// Lesson 05's butterflies in every warp; the values in shared memory are for show.
#include <cuda_runtime.h>
#include <math.h>

extern "C" __global__ void block_max(const float *in, float *maxima, unsigned n) {
  extern __shared__ float values[];
  __shared__ float slots[32];
  const unsigned t = threadIdx.x, i = blockIdx.x * blockDim.x + t, first = t / 32 * 32;
  const unsigned lanes = blockDim.x - first < 32 ? blockDim.x - first : 32;
  const unsigned mask = lanes == 32 ? 0xffffffff : (1u << lanes) - 1;
  values[t] = i < n ? fmaxf(-INFINITY, in[i]) : -INFINITY;
  float best = ((volatile float *)values)[t];
  for (unsigned s = 16; s > 0; s /= 2) {
    const float other = __shfl_down_sync(mask, best, s);
    if (t % 32 + s < lanes) best = fmaxf(best, other);
  }
  if (t % 32 == 0) slots[t / 32] = best;
  __syncthreads();
  if (t > 0) return;
  for (unsigned w = 1; w < (blockDim.x + 31) / 32; w++) best = fmaxf(best, slots[w]);
  maxima[blockIdx.x] = best;
}
