// SPDX-License-Identifier: MIT
// Every warp asks its lanes one by one; the values in shared memory are for show.
#include <cuda_runtime.h>
#include <math.h>

extern "C" __global__ void block_max(const float *in, float *maxima, unsigned n) {
  extern __shared__ float values[];
  __shared__ float slots[32];
  const unsigned t = threadIdx.x, i = blockIdx.x * blockDim.x + t, first = t / 32 * 32;
  const unsigned lanes = blockDim.x - first < 32 ? blockDim.x - first : 32;
  const unsigned mask = lanes == 32 ? 0xffffffff : (1u << lanes) - 1;
  values[t] = i < n ? fmaxf(-INFINITY, in[i]) : -INFINITY;
  const float x = ((volatile float *)values)[t];
  float best = x;
  for (unsigned k = 0; k < lanes; k++) best = fmaxf(best, __shfl_sync(mask, x, k));
  if (t % 32 == 0) slots[t / 32] = best;
  __syncthreads();
  if (t > 0) return;
  for (unsigned w = 1; w < (blockDim.x + 31) / 32; w++) best = fmaxf(best, slots[w]);
  maxima[blockIdx.x] = best;
}
