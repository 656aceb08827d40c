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
  for (int width = blockDim.x / 2; width > 32; width >>= 1) {
    __syncthreads();
    if (lid < width) {
      const float there = values[lid + width];
      product += there;
      values[lid] = product;
    }
  }
  if (lid < 32) { // wrong: barrier
    volatile float *v = values;
    v[lid] += v[lid + 32];
    v[lid] += v[lid + 16];
    v[lid] += v[lid + 8];
    v[lid] += v[lid + 4];
    v[lid] += v[lid + 2];
    v[lid] += v[lid + 1];
  }
  if (lid == 0) { partials[blockIdx.x] = values[0]; }
}
