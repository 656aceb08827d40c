// SPDX-License-Identifier: MIT
#include <cuda_runtime.h>

extern "C" __global__ void dot_partials(const float *a, const float *b, float *partials,
                                        unsigned n) {
  extern __shared__ float s[];
  int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
  s[t] = i < n ? a[i] * b[i] : 0;
  __syncthreads();
  for (int k = blockDim.x / 2; k >= 16; k /= 2) {
    if (t < k) s[t] += s[t + k];
    __syncthreads();
  }
  if (t == 0) {
    float sum = 0;
    for (int k = 0; k <= 16; k++) sum += s[k]; // wrong: bound
    partials[blockIdx.x] = sum;
  }
}
