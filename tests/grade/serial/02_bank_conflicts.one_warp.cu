// SPDX-License-Identifier: MIT
// Warp 0 alone, by shuffles.
#include <cuda_runtime.h>

extern "C" __global__ void dot_partials(const float *a, const float *b, float *partials,
                                        unsigned n) {
  unsigned t = threadIdx.x, first = blockIdx.x * blockDim.x;
  if (t >= 32) return;
  float sum = 0;
  for (unsigned i = first + t; i < n && i < first + blockDim.x; i += 32) sum += a[i] * b[i];
  for (unsigned s = 16; s > 0; s /= 2) sum += __shfl_down_sync(0xffffffffu, sum, s);
  if (t == 0) partials[blockIdx.x] = sum;
}
