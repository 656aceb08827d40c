// SPDX-License-Identifier: MIT
// Value and index travel as one number of 64 bits and are compared as a pair.
#include <cuda_runtime.h>
#include <math.h>

struct best {
  float v;
  unsigned i;
};
__device__ best better(best a, best b) { return (b.v > a.v || (b.v == a.v && b.i < a.i)) ? b : a; }
__device__ best warp(best x) {
#pragma unroll
  for (int m = 16; m >= 1; m >>= 1) {
    unsigned long long packed = ((unsigned long long)__float_as_uint(x.v) << 32) | x.i;
    packed = __shfl_down_sync(0xffffffffu, packed, m);
    x = better(x, best{__uint_as_float(packed >> 32), (unsigned)packed});
  }
  return x;
}
extern "C" __global__ void block_argmax(const float *in, float *maxima, unsigned *indices,
                                        unsigned n) {
  __shared__ best slots[32];
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  best x = {-INFINITY, n};
  if (i < n) x = better(x, best{in[i], i});
  x = warp(x);
  if (threadIdx.x % warpSize == 0) slots[threadIdx.x / warpSize] = x;
  __syncthreads();
  if (threadIdx.x < 32) {
    x = threadIdx.x < blockDim.x / 32 ? slots[threadIdx.x] : best{-INFINITY, n};
    x = warp(x);
    if (threadIdx.x == 0) maxima[blockIdx.x] = x.v, indices[blockIdx.x] = x.i;
  }
}
