// SPDX-License-Identifier: MIT
// The whole warp shuffles with the mask of its lower half: the lanes of the upper half read what
// they want all the same, on the GPUs of today.
//
// FINDS: unnamed_lane @shuffle
#include "case.h"

__global__ void move_up(const int *in, int *out) {
  const unsigned t = threadIdx.x;
  out[t] = __shfl_up_sync(MENDED ? 0xffffffffu : 0x0000ffffu, in[t], 16); // @shuffle
}

int main() {
  int *in = case_numbers<int>(32), *out = case_unwritten<int>(32);
  move_up<<<1, 32>>>(in, out);
  return case_end(case_fetch(out, 32)[31] == 15);
}
