// SPDX-License-Identifier: MIT
// Tickets drawn by atomicAdd_block() from a counter that all blocks share may be drawn twice.
//
// FINDS: race_scope @draw @draw
#include "case.h"

__global__ void keep_even(const int *in, int *next, int *out) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (in[i] % 2) return;
  const int place = MENDED ? atomicAdd(next, 1) : atomicAdd_block(next, 1); // @draw
  out[place] = in[i];
}

int main() {
  int *in = case_numbers<int>(128), *next = case_zeros<int>(1), *out = case_zeros<int>(64);
  keep_even<<<2, 64>>>(in, next, out);
  const int *got = case_fetch(out, 64);
  int sum = 0;
  for (int i = 0; i < 64; i++) sum += got[i];
  return case_end(sum == 63 * 64);
}
