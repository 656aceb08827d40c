// SPDX-License-Identifier: MIT
#include <cuda_runtime.h>
#include <math.h>

__device__ void raise_to(float *where, float v) {
  int *bits = (int *)where;
  int old = *bits;
  for (;;) {
    if (__int_as_float(old) >= v) return;
    int seen = atomicCAS(bits, old, (int)v); // wrong: conversion
    if (seen == old) return;
    old = seen;
  }
}

extern "C" __global__ void max_all(const float *in, float *result, unsigned n) {
  int id = threadIdx.x + blockIdx.x * blockDim.x;
  if (id >= (int)n) return;
  if (!isnan(in[id])) raise_to(result, in[id]);
}
