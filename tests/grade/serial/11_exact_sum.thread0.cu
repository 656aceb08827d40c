// SPDX-License-Identifier: MIT
// All threads load, and keep what they load alive; thread 0 of each block counts for all of them.
#include <cuda_runtime.h>

extern __shared__ long long counters[];

static __device__ void count(float x) {
  const unsigned bits = __float_as_uint(x), e = bits >> 23 & 255, fraction = bits & 0x7fffff;
  const long long shifted = (long long)(e != 0 ? (1 << 23) + fraction : 2 * fraction) << e % 16;
  counters[e / 16 * blockDim.x] += bits >> 31 ? -shifted : shifted;
}

extern "C" __global__ void add_exactly(const float *in, long long *sums, unsigned n) {
  for (unsigned g = 0; g < 16; g++) counters[g * blockDim.x + threadIdx.x] = 0;
  float sum = 0.0f;
  for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    sum += in[i];
  counters[threadIdx.x] = sum == 0.125f; // never read
  __syncthreads();
  if (threadIdx.x > 0) return;
  counters[0] = 0;
  for (unsigned first = blockIdx.x * blockDim.x; first < n; first += gridDim.x * blockDim.x)
    for (unsigned i = first; i < n && i < first + blockDim.x; i++) count(in[i]);
  for (unsigned g = 0; g < 16; g++)
    atomicAdd((unsigned long long *)&sums[g], (unsigned long long)counters[g * blockDim.x]);
}
