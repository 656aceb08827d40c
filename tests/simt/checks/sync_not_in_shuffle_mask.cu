// SPDX-License-Identifier: MIT
// The mask was computed before the lane joined: the lane shuffles without being in it.
//
// FINDS: unnamed_lane @shuffle
// SHOWS: lockstep reverse lane-serial delayed-stores
#include "case.h"

__global__ void first_of_group(const int *in, int *out) {
  const unsigned t = threadIdx.x;
  const unsigned below_ten = __ballot_sync(0xffffffffu, in[t] < 10);
  int least = -1;
  if (in[t] < (MENDED ? 10 : 12)) least = __shfl_sync(below_ten, in[t], 0); // @shuffle
  out[t] = least;
}

int main() {
  int *in = case_numbers<int>(32), *out = case_zeros<int>(32);
  first_of_group<<<1, 32>>>(in, out);
  return case_end(case_fetch(out, 32)[9] == 0);
}
