// SPDX-License-Identifier: MIT
#include <cuda_runtime.h>

enum { GROUPS = 16 };
extern __shared__ long long counters[];

static __device__ void count(float x) {
  const unsigned bits = __float_as_uint(x);
  const bool negative = bits >> 31;
  const unsigned expo = bits >> 23 & 0xff;
  long long digits = bits & 0x7fffff;
  if (expo == 0) digits = 2 * digits;
  else digits += 0x800000;
  digits <<= expo & 15;
  if (negative) digits = -digits;
  counters[(expo >> 4) * blockDim.x + threadIdx.x] += digits;
}

static __device__ long long sum_of_lanes(long long x) {
  for (int d = 1; d < 32; d <<= 1) x += __shfl_xor_sync(0xffffffff, x, d);
  return x;
}

extern "C" __global__ void add_exactly(const float *in, long long *sums, unsigned n) {
  const unsigned tid = threadIdx.x, width = blockDim.x;
  for (int g = 0; g < GROUPS; g++) { counters[g * width + tid] = 0; }
  unsigned id = blockIdx.x * width + tid;
  while (id < n) {
    count(in[id]);
    id += width * gridDim.x;
  }
  __syncthreads();
  const unsigned me = tid & 31, group = tid >> 5, warps = width >> 5;
  for (unsigned g = group; g < GROUPS; g += warps) {
    long long part = 0;
    for (unsigned c = me; c < width; c += 32) { part += counters[g * width + c]; }
    part = sum_of_lanes(part);
    if (me == 0) {
      atomicAdd((unsigned *)sums + g, (unsigned)part); // wrong: conversion
    }
  }
}
