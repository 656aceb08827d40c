// SPDX-License-Identifier: MIT
// The unrolled last warp with `volatile`: the order of one lane's accesses is kept, but since Volta
// nothing promises that the lanes take their steps together.
//
// FINDS: race_read_after_write @fold @fold
// SHOWS: lane-serial
#include "case.h"

__global__ void sum(const float *in, float *out) {
  __shared__ float tile[64];
  const unsigned t = threadIdx.x;
  tile[t] = in[t];
  __syncthreads();
  if (t >= 32) return;
  tile[t] += tile[t + 32];
  __syncwarp();
  volatile float *v = tile;
#pragma unroll 1
  for (unsigned s = 16; s > 0; s /= 2) {
    if (t < s) v[t] = v[t] + v[t + s]; // @fold
    if (MENDED) __syncwarp();
  }
  if (t == 0) *out = tile[0];
}

int main() {
  float *in = case_numbers<float>(64), *out = case_unwritten<float>(1);
  sum<<<1, 64>>>(in, out);
  return case_end(*case_fetch(out, 1) == 63 * 32);
}
