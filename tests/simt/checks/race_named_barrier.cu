// SPDX-License-Identifier: MIT
// Two warps hand over by barrier 1, which the producer reaches before it stores.
//
// FINDS: race_read_after_write @produce @consume
// MAY FIND: uninitialised_shared @consume
#include "case.h"

__global__ void hand_over(const int *in, int *out) {
  __shared__ int tile[32];
  const unsigned lane = threadIdx.x % 32;
  if (threadIdx.x < 32) {
    if (!MENDED) asm volatile("bar.arrive 1, 64;" ::: "memory");
    tile[lane] = 2 * in[lane]; // @produce
    if (MENDED) asm volatile("bar.arrive 1, 64;" ::: "memory");
  } else {
    asm volatile("bar.sync 1, 64;" ::: "memory");
    out[lane] = tile[lane]; // @consume
  }
}

int main() {
  int *in = case_numbers<int>(32), *out = case_unwritten<int>(32);
  hand_over<<<1, 64>>>(in, out);
  const int *got = case_fetch(out, 32);
  bool right = true;
  for (int t = 0; t < 32; t++) right &= got[t] == 2 * t;
  return case_end(right);
}
