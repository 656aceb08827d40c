// SPDX-License-Identifier: MIT
// Each block takes 48 elements but the next one begins 32 further on: two blocks store to one
// place.
//
// FINDS: race_write_after_write @store @store
// SHOWS: lockstep reverse lane-serial delayed-stores
#include "case.h"

__global__ void stamp(int *out, unsigned step) {
  out[blockIdx.x * step + threadIdx.x] = 1 + (int)blockIdx.x; // @store
}

int main() {
  int *out = case_zeros<int>(4 * 48);
  stamp<<<4, 48>>>(out, MENDED ? 48 : 32);
  const int *got = case_fetch(out, 4 * 48);
  bool right = true;
  for (int i = 0; i < 4 * 48; i++) right &= got[i] == 1 + i / 48;
  return case_end(right);
}
