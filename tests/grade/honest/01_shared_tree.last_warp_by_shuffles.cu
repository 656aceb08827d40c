// SPDX-License-Identifier: MIT
// A tree whose last steps, in one warp, are shuffles.
#include <cuda_runtime.h>
#include <math.h>

extern "C" __global__ void block_max(const float *in, float *maxima, unsigned n) {
  extern __shared__ float values[];
  const unsigned t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
  values[t] = i < n ? fmaxf(-INFINITY, in[i]) : -INFINITY;
  __syncthreads();
  unsigned left = blockDim.x;
  for (; left > 32; left = (left + 1) / 2) {
    const unsigned half = (left + 1) / 2;
    if (t + half < left) values[t] = fmaxf(values[t], values[t + half]);
    __syncthreads();
  }
  const unsigned lanes = blockDim.x < 32 ? blockDim.x : 32;
  if (t >= lanes) return;
  const unsigned mask = lanes == 32 ? 0xffffffff : (1u << lanes) - 1;
  float best = t < left ? values[t] : -INFINITY;
  for (unsigned s = 16; s > 0; s /= 2) {
    const float other = __shfl_down_sync(mask, best, s);
    if (t + s < lanes) best = fmaxf(best, other);
  }
  if (t == 0) maxima[blockIdx.x] = best;
}
