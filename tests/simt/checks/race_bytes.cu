// SPDX-License-Identifier: MIT
// Threads mark bytes. Neighbouring bytes may be marked at the same time; one byte may not be.
//
// FINDS: race_write_after_write @mark @mark
// SHOWS: lockstep reverse lane-serial delayed-stores
#include "case.h"

__global__ void mark(unsigned char *out) {
  __shared__ unsigned char marks[128];
  const unsigned t = threadIdx.x;
  marks[MENDED ? t : t / 2] = (unsigned char)t; // @mark
  __syncthreads();
  out[t] = marks[MENDED ? t : t / 2];
}

int main() {
  unsigned char *out = case_unwritten<unsigned char>(64);
  mark<<<1, 64>>>(out);
  const unsigned char *got = case_fetch(out, 64);
  bool right = true;
  for (int t = 0; t < 64; t++) right &= got[t] == t;
  return case_end(right);
}
