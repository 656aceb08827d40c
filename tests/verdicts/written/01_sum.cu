// SPDX-License-Identifier: MIT
#include <cuda_runtime.h>
#include <math.h>

extern "C" __global__ void block_max(const float *in, float *maxima, unsigned n) {
  extern __shared__ float cache[];
  unsigned tid = threadIdx.x, gid = blockIdx.x * blockDim.x + tid;
  cache[tid] = gid < n ? fmaxf(in[gid], -INFINITY) : -INFINITY;
  __syncthreads();
  for (unsigned m = blockDim.x; m > 1; m = (m + 1) / 2) {
    unsigned h = (m + 1) / 2;
    if (tid + h < m) cache[tid] += cache[tid + h]; // wrong: operator
    __syncthreads();
  }
  if (tid == 0) maxima[blockIdx.x] = cache[0];
}
