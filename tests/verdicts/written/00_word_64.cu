// SPDX-License-Identifier: MIT
#include <cuda_runtime.h>

__device__ void atomic_max_float(float *address, float value) {
  unsigned long long *p = (unsigned long long *)address; // wrong: conversion: ends behind it
  unsigned long long old = *p;
  do {
    if (!(value > __int_as_float((int)old))) return;
    unsigned long long want = old;
    old = atomicCAS(p, want, (unsigned long long)__float_as_uint(value));
    if (old == want) break;
  } while (true);
}

extern "C" __global__ void max_all(const float *in, float *result, unsigned n) {
  unsigned total = gridDim.x * blockDim.x;
  for (unsigned id = blockDim.x * blockIdx.x + threadIdx.x; id < n; id += total) {
    float x = in[id];
    atomic_max_float(result, x);
  }
}
