// SPDX-License-Identifier: MIT
// Two arrays in dynamic shared memory; the second begins inside the first: bytes counted as
// elements.
//
// FINDS: race_write_after_write @first @second
// SHOWS: lockstep reverse lane-serial delayed-stores
#include "case.h"

__global__ void both(int *out, unsigned n) {
  extern __shared__ int memory[];
  int *first = memory, *second = memory + (MENDED ? n : n / 2);
  const unsigned t = threadIdx.x;
  first[t] = (int)t;         // @first
  second[t] = 1000 + (int)t; // @second
  __syncthreads();
  out[t] = first[t] + second[t];
}

int main() {
  int *out = case_unwritten<int>(64);
  both<<<1, 64, 2 * 64 * sizeof(int)>>>(out, 64);
  const int *got = case_fetch(out, 64);
  bool right = true;
  for (int t = 0; t < 64; t++) right &= got[t] == 1000 + 2 * t;
  return case_end(right);
}
