// SPDX-License-Identifier: MIT
// A lane calls __syncwarp() in a branch with a mask that does not include it.
//
// FINDS: unnamed_lane @sync
// SHOWS: lockstep reverse lane-serial delayed-stores
#include "case.h"

__global__ void wait(const int *in, int *out) {
  const unsigned t = threadIdx.x;
  if (t < 24) __syncwarp(MENDED ? 0x00ffffffu : 0x007fffffu); // @sync
  out[t] = in[t];
}

int main() {
  int *in = case_numbers<int>(32), *out = case_unwritten<int>(32);
  wait<<<1, 32>>>(in, out);
  return case_end(case_fetch(out, 32)[31] == 31);
}
