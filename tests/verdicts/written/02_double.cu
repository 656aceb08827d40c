// SPDX-License-Identifier: MIT
#include <cuda_runtime.h>
extern "C" __global__ void dot_partials(const float *a, const float *b, float *partials,
                                        unsigned n) {
  extern __shared__ double values[]; // wrong: conversion
  const unsigned t = threadIdx.x;
  const unsigned i = blockIdx.x * blockDim.x + t;
  float product = 0;
  if (i < n) product = a[i] * b[i];
  values[t] = product;
  for (unsigned s = blockDim.x >> 1; s; s >>= 1) {
    __syncthreads();
    if (t < s) values[t] = values[t] + values[t + s];
  }
  if (t == 0) partials[blockIdx.x] = values[t];
}
