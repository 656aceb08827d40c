// SPDX-License-Identifier: MIT
#include <cuda_runtime.h>
#include <math.h>

extern "C" __global__ void dot_partials(const float *a, const float *b, float *partials,
                                        unsigned n) {
  extern __shared__ float prod[];
  int tid = threadIdx.x;
  int start = blockIdx.x * blockDim.x;
  prod[tid] = 0;
  if (start + tid < n) prod[tid] = a[start + tid] * b[tid]; // wrong: index
  __syncthreads();
  for (int w = blockDim.x >> 1; w >= 1; w >>= 1) {
    if (tid < w) prod[tid] = prod[tid] + prod[tid + w];
    __syncthreads();
  }
  if (tid == 0) partials[blockIdx.x] = prod[0];
}
