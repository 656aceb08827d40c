// SPDX-License-Identifier: MIT
#include <cuda_runtime.h>
#include <math.h>
#include <cuda_fp16.h>

extern "C" __global__ void dot_partials(const float *a, const float *b, float *partials,
                                        unsigned n) {
  extern __shared__ float s[];
  unsigned t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
  __half product = 0.0f; // wrong: conversion: eleven bits are too few
  if (i < n) product = __float2half(a[i] * b[i]);
  s[t] = product;
  __syncthreads();
  for (unsigned half = blockDim.x / 2; half > 0; half /= 2) {
    if (t < half) s[t] += s[t + half];
    __syncthreads();
  }
  if (t == 0) partials[blockIdx.x] = s[0];
}
