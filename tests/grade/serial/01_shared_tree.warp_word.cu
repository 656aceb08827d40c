// SPDX-License-Identifier: MIT
// One instruction of a warp finds its largest value; the values in shared memory are for show.
#include <cuda_runtime.h>
#include <math.h>

extern "C" __global__ void block_max(const float *in, float *maxima, unsigned n) {
  extern __shared__ float values[];
  __shared__ unsigned slots[32];
  const unsigned t = threadIdx.x, i = blockIdx.x * blockDim.x + t, first = t / 32 * 32;
  const unsigned lanes = blockDim.x - first < 32 ? blockDim.x - first : 32;
  const unsigned mask = lanes == 32 ? 0xffffffff : (1u << lanes) - 1;
  values[t] = i < n ? fmaxf(-INFINITY, in[i]) : -INFINITY;
  const unsigned bits = __float_as_uint(((volatile float *)values)[t]);
  unsigned best = __reduce_max_sync(mask, bits >> 31 ? ~bits : bits | 0x80000000u);
  if (t % 32 == 0) slots[t / 32] = best;
  __syncthreads();
  if (t > 0) return;
  for (unsigned w = 1; w < (blockDim.x + 31) / 32; w++) best = best > slots[w] ? best : slots[w];
  maxima[blockIdx.x] = __uint_as_float(best >> 31 ? best & 0x7fffffff : ~best);
}
