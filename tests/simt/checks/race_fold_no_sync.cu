// SPDX-License-Identifier: MIT
// The last warp's fold "needs no barrier, as a warp runs in lockstep". It does need one: the
// compiler may read tile[t + 8] before it has been stored, and lanes need not run together.
//
// FINDS: race_read_after_write @sixteen @eight
// SHOWS: lane-serial delayed-stores
#include "case.h"

__global__ void sum(const int *in, int *out) {
  __shared__ int tile[32];
  const unsigned t = threadIdx.x;
  tile[t] = in[t];
  __syncwarp();
  if (t < 16) tile[t] += tile[t + 16]; // @sixteen
  if (MENDED) __syncwarp();
  if (t < 8) tile[t] += tile[t + 8]; // @eight
  __syncwarp();
  if (t == 0) {
    int total = 0;
    for (unsigned k = 0; k < 8; k++) total += tile[k];
    *out = total;
  }
}

int main() {
  int *in = case_numbers<int>(32), *out = case_unwritten<int>(1);
  sum<<<1, 32>>>(in, out);
  return case_end(*case_fetch(out, 1) == 496);
}
