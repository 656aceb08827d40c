// SPDX-License-Identifier: MIT
#include <cuda_runtime.h>

__device__ void atomic_max_float(float *address, float value) {
  int *p = (int *)address;
  int old = *(volatile int *)p;
  do {
    if (!(value > __int_as_float(old))) return;
    int want = old;
    old = atomicCAS(p, want, __float_as_int(value));
    if (old == want) break;
  } while (true);
}

extern "C" __global__ void max_all(const float *in, float *result, unsigned n) {
  unsigned total = gridDim.x * blockDim.x;
  for (unsigned id = blockDim.x * blockIdx.x + threadIdx.x; id < n; id += total) {
    float x = in[id];
    atomicMax((int *)result, (int)x); // wrong: conversion
  }
}
