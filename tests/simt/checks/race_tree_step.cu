// SPDX-License-Identifier: MIT
// A tree without the barrier after each step.
//
// FINDS: race_write_after_read @fold @fold
// MAY FIND: race_read_after_write @fold @fold
// SHOWS: lockstep reverse lane-serial delayed-stores
#include "case.h"

__global__ void sum(const int *in, int *out) {
  __shared__ int tile[256];
  const unsigned t = threadIdx.x;
  tile[t] = in[t];
  __syncthreads();
  for (unsigned s = 128; s > 0; s /= 2) {
    if (t < s) tile[t] += tile[t + s]; // @fold
    if (MENDED) __syncthreads();
  }
  if (t == 0) *out = tile[0];
}

int main() {
  int *in = case_numbers<int>(256), *out = case_unwritten<int>(1);
  sum<<<1, 256>>>(in, out);
  return case_end(*case_fetch(out, 1) == 255 * 128);
}
