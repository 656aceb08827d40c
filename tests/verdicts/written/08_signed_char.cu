// SPDX-License-Identifier: MIT
#include <cuda_runtime.h>
extern "C" __global__ void byte_histogram(const unsigned char *in, unsigned *bins, unsigned n) {
  __shared__ unsigned h[256];
  for (unsigned k = threadIdx.x; k < 256; k += blockDim.x) h[k] = 0;
  __syncthreads();
  const signed char *p = (const signed char *)in; // wrong: conversion
  for (unsigned base = blockIdx.x * blockDim.x; base < n; base += gridDim.x * blockDim.x) {
    unsigned i = base + threadIdx.x;
    int v = i < n ? p[i] : 999;
    unsigned peers = __match_any_sync(0xffffffffu, v);
    if (i < n && threadIdx.x % 32 == __ffs(peers) - 1) atomicAdd(&h[v], __popc(peers));
  }
  __syncthreads();
  for (unsigned v = threadIdx.x; v < 256; v += blockDim.x)
    if (h[v]) atomicAdd(&bins[v], h[v]);
}
