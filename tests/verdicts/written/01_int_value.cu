// SPDX-License-Identifier: MIT
#include <cuda_runtime.h>
#include <math.h>

extern "C" __global__ void block_max(const float *in, float *maxima, unsigned n) {
  extern __shared__ float cache[];
  int tid = threadIdx.x;
  unsigned gid = blockIdx.x * blockDim.x + tid;
  float mine = -INFINITY;
  if (gid < n) mine = fmaxf(mine, (int)in[gid]); // wrong: conversion
  cache[tid] = mine;
  __syncthreads();
  int width = blockDim.x;
  while (width > 1) {
    int upper = (width + 1) >> 1;
    if (tid < width - upper) cache[tid] = fmaxf(cache[tid], cache[tid + upper]);
    __syncthreads();
    width = upper;
  }
  if (tid == 0) maxima[blockIdx.x] = cache[0];
}
