// SPDX-License-Identifier: MIT
#include <cuda_runtime.h>
#include <math.h>
#include <stdio.h>

extern "C" __global__ void dot_partials(const float *a, const float *b, float *partials,
                                        unsigned n) {
  extern __shared__ float s[];
  unsigned t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
  s[t] = i < n ? a[i] * b[i] : 0.0f;
  if (i < n) printf("thread %u: %f\n", i, s[t]);
  __syncthreads();
  for (unsigned half = blockDim.x / 2; half > 1; half /= 2) { // wrong: stride: one step too few
    if (t < half) s[t] += s[t + half];
    __syncthreads();
  }
  if (t == 0) partials[blockIdx.x] = s[0];
}
