// SPDX-License-Identifier: MIT
#include <cuda_runtime.h>
#include <math.h>

extern "C" __global__ void block_max(const float *in, float *maxima, unsigned n) {
  extern __shared__ float cache[];
  int tid = threadIdx.x;
  int gid = blockIdx.x * blockDim.x + tid;
  cache[tid] = -INFINITY;
  if (gid < n) cache[tid] = fmaxf(cache[tid], in[gid]);
  __syncthreads();
  int active = blockDim.x;
  while (active > 1) {
    int rest = active / 2; // wrong: stride
    if (tid < rest) cache[tid] = fmaxf(cache[tid], cache[tid + rest]);
    __syncthreads();
    active = rest;
  }
  if (tid == 0) maxima[blockIdx.x] = cache[0];
}
