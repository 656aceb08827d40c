// SPDX-License-Identifier: MIT
// A shuffle among the lower 16 lanes that reads the upper 16. In the mended one the upper 8 read
// beyond the mask as well, but do not use what they get.
//
// FINDS: shuffle_source @shuffle
// SHOWS: lockstep reverse lane-serial delayed-stores
#include "case.h"

__global__ void pairs(const int *in, int *out) {
  const unsigned t = threadIdx.x;
  if (t >= 16) return;
  const int other = __shfl_down_sync(0x0000ffffu, in[t], MENDED ? 8 : 16); // @shuffle
  out[t] = in[t] + (!MENDED || t < 8 ? other : 0);
}

int main() {
  int *in = case_numbers<int>(32), *out = case_unwritten<int>(16);
  pairs<<<1, 32>>>(in, out);
  return case_end(case_fetch(out, 16)[0] == 8);
}
