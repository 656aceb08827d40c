// SPDX-License-Identifier: MIT
#include <cuda_runtime.h>

extern "C" __global__ void dot_partials(const float *a, const float *b, float *partials,
                                        unsigned n) {
  extern __shared__ float values[];
  const int lid = threadIdx.x;
  const unsigned pos = lid + blockIdx.x * blockDim.x;
  float product = 0.0f;
  if (pos < n) { product = a[pos] * b[pos]; }
  values[lid] = product;
  for (int width = blockDim.x / 2; width >= 1; width >> 1) { // wrong: operator
    __syncthreads();
    if (lid < width) {
      const float there = values[lid + width];
      product += there;
      values[lid] = product;
    }
  }
  if (lid == 0) { partials[blockIdx.x] = product; }
}
