// SPDX-License-Identifier: MIT
// The largest key, bit by bit, with 32 barriers that ask all threads.
#include <cuda_runtime.h>
#include <math.h>

extern "C" __global__ void block_max(const float *in, float *maxima, unsigned n) {
  extern __shared__ float values[];
  unsigned t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
  values[t] = i < n ? fmaxf(-INFINITY, in[i]) : -INFINITY;
  float x = ((volatile float *)values)[t];
  unsigned key = __float_as_uint(x);
  key = key >> 31 ? ~key : key | 0x80000000u;
  unsigned most = 0;
#pragma unroll
  for (int bit = 31; bit >= 0; bit--) {
    unsigned with = most | 1u << bit;
    if (__syncthreads_or(key >= with)) most = with;
  }
  if (t == 0) maxima[blockIdx.x] = __uint_as_float(most >> 31 ? most & 0x7fffffffu : ~most);
}
