// SPDX-License-Identifier: MIT
#include <cuda_runtime.h>
#include <math.h>

extern "C" __global__ void block_max(const float *in, float *maxima, unsigned n) {
  extern __shared__ float cache[];
  int tid = threadIdx.x;
  int gid = blockIdx.x * blockDim.x + tid;
  float own = 0.0f; // wrong: identity
  if (gid < n) own = fmaxf(own, in[gid]);
  cache[tid] = own;
  __syncthreads();
  for (int m = blockDim.x; m > 1;) {
    int h = (m + 1) >> 1;
    if (tid + h < m) cache[tid] = fmaxf(cache[tid], cache[tid + h]);
    __syncthreads();
    m = h;
  }
  if (tid == 0) maxima[blockIdx.x] = cache[0];
}
