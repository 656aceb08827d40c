// SPDX-License-Identifier: MIT
// Counts down by shifts; the last product needs no second barrier.
#include <cuda_runtime.h>

extern "C" __global__ void dot_partials(const float *a, const float *b, float *partials,
                                        unsigned n) {
  extern __shared__ float values[];
  unsigned t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
  float product = 0.0f;
  if (i < n) product = a[i] * b[i];
  values[t] = product;
  __syncthreads();
  for (unsigned s = blockDim.x >> 1; s; s >>= 1) {
    if (t < s) {
      product += values[t + s];
      values[t] = product;
    }
    __syncthreads();
  }
  if (!t) partials[blockIdx.x] = product;
}
