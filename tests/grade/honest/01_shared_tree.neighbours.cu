// SPDX-License-Identifier: MIT
// The upper half is folded as a mirror image onto the lower one.
#include <cuda_runtime.h>
#include <math.h>

extern "C" __global__ void block_max(const float *in, float *maxima, unsigned n) {
  extern __shared__ float values[];
  const unsigned t = threadIdx.x;
  const size_t i = (size_t)blockIdx.x * blockDim.x + t;
  float x = -INFINITY;
  if (i < n && in[i] > x) x = in[i];
  values[t] = x;
  unsigned left = blockDim.x;
  do {
    __syncthreads();
    if (t < left / 2) {
      float other = values[left - 1 - t];
      values[t] = fmaxf(other, values[t]);
    }
    left -= left / 2;
  } while (left > 1);
  if (t == 0) { maxima[blockIdx.x] = values[0]; }
}
