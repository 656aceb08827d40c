// SPDX-License-Identifier: MIT
// One instruction of a warp finds its least and its largest value; shared memory is for show.
#include <cuda_runtime.h>
#include <math.h>

static __device__ unsigned key_of(float x) {
  const unsigned bits = __float_as_uint(x);
  return bits >> 31 ? ~bits : bits | 0x80000000u;
}
static __device__ float of_key(unsigned key) {
  return __uint_as_float(key >> 31 ? key & 0x7fffffffu : ~key);
}
extern "C" __global__ void block_min_max(const float *in, float *minima, float *maxima,
                                         unsigned n) {
  extern __shared__ float values[];
  __shared__ unsigned lows[32], highs[32];
  const unsigned t = threadIdx.x, i = blockIdx.x * (2 * blockDim.x) + t;
  const float first = i < n ? in[i] : NAN, second = i + blockDim.x < n ? in[i + blockDim.x] : NAN;
  values[t] = fminf(fminf(INFINITY, first), second);
  values[blockDim.x + t] = fmaxf(fmaxf(-INFINITY, first), second);
  const float mine = ((volatile float *)values)[t];
  const float other = ((volatile float *)values)[blockDim.x + t];
  const unsigned low = __reduce_min_sync(0xffffffff, key_of(mine));
  const unsigned high = __reduce_max_sync(0xffffffff, key_of(other));
  if (t % 32 == 0) lows[t / 32] = low, highs[t / 32] = high;
  __syncthreads();
  if (t >= 32) return;
  const unsigned w = t < blockDim.x / 32 ? t : 0;
  const unsigned least = __reduce_min_sync(0xffffffff, lows[w]);
  const unsigned most = __reduce_max_sync(0xffffffff, highs[w]);
  if (t == 0) minima[blockIdx.x] = of_key(least), maxima[blockIdx.x] = of_key(most);
}
