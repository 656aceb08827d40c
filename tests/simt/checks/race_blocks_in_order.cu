// SPDX-License-Identifier: MIT
// Block b adds to the sum of block b - 1, as if blocks ran in order.
//
// FINDS: race_read_after_write @sum @before
// SHOWS: reverse delayed-stores
#include "case.h"

__global__ void chain(const int *in, int *sums, unsigned block) {
  const unsigned b = MENDED ? block : blockIdx.x;
  int value = in[b * 32 + threadIdx.x];
  for (unsigned s = 16; s > 0; s /= 2) value += __shfl_xor_sync(0xffffffffu, value, s);
  const int before = b > 0 ? sums[b - 1] : 0;     // @before
  if (threadIdx.x == 0) sums[b] = before + value; // @sum
}

int main() {
  int *in = case_numbers<int>(128), *sums = case_zeros<int>(4);
  if (MENDED)
    for (unsigned b = 0; b < 4; b++) chain<<<1, 32>>>(in, sums, b);
  else chain<<<4, 32>>>(in, sums, 0);
  return case_end(case_fetch(sums, 4)[3] == 127 * 64);
}
