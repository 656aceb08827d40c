// SPDX-License-Identifier: MIT
#include <cuda_runtime.h>

extern "C" __global__ void dot_partials(const float *a, const float *b, float *partials,
                                        unsigned n) {
  extern __shared__ float values[];
  int tid = threadIdx.x;
  unsigned pos = blockIdx.x * blockDim.x + threadIdx.x;
  float product = 0;
  if (pos < n) { product = a[pos] * b[pos]; }
  values[tid] = product;
  int active = blockDim.x;
  while (active > 1) {
    active = active / 2;
    __syncthreads();
    if (tid < active) {
      float mine = values[tid];
      float other = values[tid + 1]; // wrong: index
      values[tid] = mine + other;
    }
  }
  if (tid == 0) { partials[blockIdx.x] = values[0]; }
}
