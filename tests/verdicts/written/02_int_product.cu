// SPDX-License-Identifier: MIT
#include <cuda_runtime.h>
#include <math.h>

extern "C" __global__ void dot_partials(const float *a, const float *b, float *partials,
                                        unsigned n) {
  extern __shared__ float s[];
  const int tid = threadIdx.x;
  const int at = blockDim.x * blockIdx.x + tid;
  int product = 0; // wrong: conversion
  if (at < n) product = a[at] * b[at];
  s[tid] = product;
  for (int d = blockDim.x >> 1; d > 0; d >>= 1) {
    __syncthreads();
    if (tid < d) {
      float other = s[tid + d];
      s[tid] = s[tid] + other;
    }
  }
  if (tid == 0) partials[blockIdx.x] = s[0];
}
