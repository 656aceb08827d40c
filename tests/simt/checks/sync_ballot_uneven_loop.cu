// SPDX-License-Identifier: MIT
// A vote of all lanes in a loop from which lanes drop out one after the other.
//
// FINDS: absent_lane @vote
// SHOWS: lockstep reverse lane-serial delayed-stores
#include "case.h"

__global__ void steps(const int *in, int *out) {
  const unsigned t = threadIdx.x;
  int left = in[t] % 5, rounds = 0;
  unsigned still = 0;
  while (MENDED ? __any_sync(0xffffffffu, left > 0) : left > 0) {
    still = __ballot_sync(0xffffffffu, left > 0); // @vote
    left--;
    rounds++;
  }
  if (MENDED) __syncwarp();
  out[t] = rounds + (still != 0);
}

int main() {
  int *in = case_numbers<int>(32), *out = case_unwritten<int>(32);
  steps<<<1, 32>>>(in, out);
  return case_end(case_fetch(out, 32)[0] == 5);
}
