// SPDX-License-Identifier: MIT
// A __syncwarp() for all lanes in a branch that half of them take; the others have already exited.
//
// FINDS: absent_lane @sync
#include "case.h"

__global__ void half(const int *in, int *out) {
  __shared__ int tile[32];
  const unsigned t = threadIdx.x;
  if (t < 16) {
    tile[t] = in[t];
    if (MENDED) __syncwarp(0x0000ffff);
    else __syncwarp(); // @sync
    out[t] = tile[15 - t];
  }
}

int main() {
  int *in = case_numbers<int>(32), *out = case_unwritten<int>(16);
  half<<<1, 32>>>(in, out);
  return case_end(case_fetch(out, 16)[0] == 15);
}
