// SPDX-License-Identifier: MIT
// Eight threads add up an eighth each, thread 0 their sums.
#include <cuda_runtime.h>

extern "C" __global__ void dot_partials(const float *a, const float *b, float *partials,
                                        unsigned n) {
  extern __shared__ float values[];
  unsigned t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
  values[t] = i < n ? a[i] * b[i] : 0.0f;
  __syncthreads();
  if (t < 8) {
    float s = 0;
    for (unsigned k = t; k < blockDim.x; k += 8) s += values[k];
    values[t] = s;
  }
  __syncthreads();
  if (t == 0) {
    float s = 0;
    for (unsigned k = 0; k < 8; k++) s += values[k];
    partials[blockIdx.x] = s;
  }
}
