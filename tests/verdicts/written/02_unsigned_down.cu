// SPDX-License-Identifier: MIT
#include <cuda_runtime.h>
extern "C" __global__ void dot_partials(const float *a, const float *b, float *partials,
                                        unsigned n) {
  extern __shared__ float tmp[];
  unsigned t = threadIdx.x, g = blockIdx.x * blockDim.x + t;
  tmp[t] = 0.0f;
  if (g < n) tmp[t] = a[g] * b[g];
  for (unsigned s = blockDim.x / 2; s >= 0; s >>= 1) { // wrong: operator
    __syncthreads();
    if (t < s) tmp[t] += tmp[t + s];
  }
  if (t == 0) partials[blockIdx.x] = tmp[0];
}
