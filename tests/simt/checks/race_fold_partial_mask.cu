// SPDX-License-Identifier: MIT
// __syncwarp() with a mask of the lanes that add, which leaves out those that stored what they add.
//
// FINDS: race_read_after_write @store @fold
// MAY FIND: uninitialised_shared @fold
// SHOWS: lane-serial delayed-stores
#include "case.h"

__global__ void sum(const int *in, int *out) {
  __shared__ int tile[32];
  const unsigned t = threadIdx.x;
  tile[t] = in[t]; // @store
  if (MENDED) __syncwarp();
  if (t < 16) {
    for (unsigned s = 16; s > 0; s /= 2) {
      __syncwarp(0x0000ffff);
      if (t < s) tile[t] += tile[t + s]; // @fold
    }
  }
  if (t == 0) *out = tile[0];
}

int main() {
  int *in = case_numbers<int>(32), *out = case_unwritten<int>(1);
  sum<<<1, 32>>>(in, out);
  return case_end(*case_fetch(out, 1) == 496);
}
