// SPDX-License-Identifier: MIT
#include <cuda_runtime.h>
#include <math.h>

extern "C" __global__ void dot_partials(const float *a, const float *b, float *partials,
                                        unsigned n) {
  extern __shared__ float prod[];
  int tid = threadIdx.x;
  int pos = blockIdx.x * blockDim.x + tid;
  prod[tid] = pos < n ? a[pos] * b[pos] : 0.f;
  __syncthreads();
  for (int w = blockDim.x >> 1; w >= 1; w >>= 1) {
    if (tid < w) prod[tid] = prod[tid] + prod[tid + w];
    __syncthreads();
  }
  if (tid == 0) atomicAdd(partials, prod[0]); // wrong: index: added to it
}
