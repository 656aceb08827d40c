// SPDX-License-Identifier: MIT
// Value and index are one number of 64 bits, whose order is that of the pairs.
#include <cuda_runtime.h>
#include <math.h>
typedef unsigned long long u64;
static __device__ u64 key(float v, unsigned at) {
  v += 0.0f;
  unsigned u = __float_as_uint(v);
  u = u >> 31 ? ~u : u | 0x80000000u;
  return (u64)u << 32 | ~at;
}
static __device__ u64 best(u64 k) {
  for (int d = 16; d; d >>= 1) {
    u64 o = __shfl_xor_sync(~0u, k, d);
    k = o > k ? o : k;
  }
  return k;
}
extern "C" __global__ void block_argmax(const float *in, float *maxima, unsigned *indices,
                                        unsigned n) {
  __shared__ u64 slot[32];
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  u64 k = key(-INFINITY, n);
  if (i < n && in[i] == in[i]) k = key(in[i], i);
  k = best(k);
  if (threadIdx.x % 32 == 0) slot[threadIdx.x / 32] = k;
  __syncthreads();
  if (threadIdx.x < 32) {
    k = best(threadIdx.x < blockDim.x / 32 ? slot[threadIdx.x] : 0);
    if (threadIdx.x == 0) {
      unsigned u = k >> 32;
      maxima[blockIdx.x] = __uint_as_float(u >> 31 ? u & 0x7fffffff : ~u);
      indices[blockIdx.x] = ~(unsigned)k;
    }
  }
}
