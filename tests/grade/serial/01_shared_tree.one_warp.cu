// SPDX-License-Identifier: MIT
// Warp 0 reads the whole block's part, 32 elements at a time; the other warps do nothing.
#include <cuda_runtime.h>
#include <math.h>

extern "C" __global__ void block_max(const float *in, float *maxima, unsigned n) {
  unsigned t = threadIdx.x, first = blockIdx.x * blockDim.x;
  unsigned width = blockDim.x < 32 ? blockDim.x : 32;
  __shared__ float slots[32];
  if (t >= 32) return;
  float best = -INFINITY;
  for (unsigned i = first + t; i < n && i < first + blockDim.x; i += width)
    best = fmaxf(best, in[i]);
  slots[t] = best;
  __syncwarp(width == 32 ? 0xffffffffu : (1u << width) - 1);
  if (t) return;
  for (unsigned k = 1; k < width; k++) best = fmaxf(best, slots[k]);
  maxima[blockIdx.x] = best;
}
