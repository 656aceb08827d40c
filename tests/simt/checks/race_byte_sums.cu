// SPDX-License-Identifier: MIT
// Bytes and words over the same memory: each thread stores a byte, one reads four of them at a
// time.
//
// FINDS: race_write_after_read @words @bytes
// MAY FIND: uninitialised_shared @words
// SHOWS: lockstep lane-serial delayed-stores
#include "case.h"

__global__ void pack(const unsigned char *in, unsigned *out) {
  __shared__ unsigned words[32];
  const unsigned t = threadIdx.x;
  ((unsigned char *)words)[t] = in[t]; // @bytes
  if (MENDED) __syncthreads();
  if (t < 32) out[t] = words[t]; // @words
}

int main() {
  unsigned char *in = case_numbers<unsigned char>(128);
  unsigned *out = case_unwritten<unsigned>(32);
  pack<<<1, 128>>>(in, out);
  const unsigned char *got = (const unsigned char *)case_fetch(out, 32);
  bool right = true;
  for (int t = 0; t < 128; t++) right &= got[t] == t;
  return case_end(right);
}
