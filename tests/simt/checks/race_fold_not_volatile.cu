// SPDX-License-Identifier: MIT
// The famous unrolled last warp, without `volatile` and without __syncwarp().
//
// FINDS: race_read_after_write @fold @fold
// SHOWS: lane-serial delayed-stores
#include "case.h"

template <typename number> __device__ void fold(number *tile, unsigned t) {
#pragma unroll
  for (unsigned s = 16; s > 0; s /= 2) {
    if (t < s) tile[t] += tile[t + s]; // @fold
    if (MENDED) __syncwarp();
  }
}

__global__ void sum(const float *in, float *out) {
  __shared__ float tile[64];
  const unsigned t = threadIdx.x;
  tile[t] = in[t];
  __syncthreads();
  if (t < 32) {
    tile[t] += tile[t + 32];
    __syncwarp();
    fold(tile, t);
  }
  if (t == 0) *out = tile[0];
}

int main() {
  float *in = case_numbers<float>(64), *out = case_unwritten<float>(1);
  sum<<<1, 64>>>(in, out);
  return case_end(*case_fetch(out, 1) == 63 * 32);
}
