// SPDX-License-Identifier: MIT
// A lane calls __syncwarp() with a mask that does not include it.
//
// FINDS: unnamed_lane @sync
// SHOWS: lockstep reverse lane-serial delayed-stores
#include "case.h"

__global__ void wait(const int *in, int *out) {
  const unsigned t = threadIdx.x;
  __syncwarp(MENDED ? 0xffffffffu : 0x7fffffffu); // @sync
  out[t] = in[t];
}

int main() {
  int *in = case_numbers<int>(32), *out = case_unwritten<int>(32);
  wait<<<1, 32>>>(in, out);
  return case_end(case_fetch(out, 32)[31] == 31);
}
