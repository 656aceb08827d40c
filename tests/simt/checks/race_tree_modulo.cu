// SPDX-License-Identifier: MIT
// A modulo tree over a two-dimensional block; the barrier stands before the addition but not after.
//
// FINDS: race_read_after_write @fold @write
// SHOWS: reverse
#include "case.h"

__global__ void sum(const float *in, float *out) {
  __shared__ float tile[16 * 16];
  const unsigned t = threadIdx.y * blockDim.x + threadIdx.x;
  tile[t] = in[t];
  for (unsigned s = 1; s < 256; s *= 2) {
    __syncthreads();
    if (t % (2 * s) == 0) tile[t] += tile[t + s]; // @fold
  }
  if (MENDED) __syncthreads();
  if (t == 255) *out = tile[0]; // @write
}

int main() {
  float *in = case_numbers<float>(256), *out = case_unwritten<float>(1);
  sum<<<1, dim3(16, 16)>>>(in, out);
  return case_end(*case_fetch(out, 1) == 255 * 128);
}
