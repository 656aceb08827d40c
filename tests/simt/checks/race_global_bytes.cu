// SPDX-License-Identifier: MIT
// A bit for each thread, packed by hand into bytes of global memory: read, change, write.
//
// FINDS: race_write_after_write @set @set
// MAY FIND: race_read_after_write @set @set
// MAY FIND: race_write_after_read @set @set
// SHOWS: lockstep reverse delayed-stores
#include "case.h"

__global__ void flags(const int *in, unsigned char *bytes, unsigned *words) {
  const unsigned t = threadIdx.x;
  if (in[t] % 3) return;
  if (MENDED) atomicOr(&words[t / 32], 1u << t % 32);
  else bytes[t / 8] |= (unsigned char)(1u << t % 8); // @set
}

int main() {
  int *in = case_numbers<int>(64);
  unsigned *words = case_zeros<unsigned>(2);
  flags<<<1, 64>>>(in, (unsigned char *)words, words);
  const unsigned *got = case_fetch(words, 2);
  bool right = true;
  for (int t = 0; t < 64; t++) right &= (got[t / 32] >> t % 32 & 1) == (t % 3 == 0);
  return case_end(right);
}
