// SPDX-License-Identifier: MIT
// A vote brings the lanes of a warp together, but it does not order their memory accesses.
//
// FINDS: race_read_after_write @store @load
// SHOWS: delayed-stores
#include "case.h"

__global__ void reverse(const int *in, int *out) {
  __shared__ int tile[32];
  const unsigned t = threadIdx.x;
  tile[t] = in[t]; // @store
  const bool any = __any_sync(0xffffffffu, tile[t] > 0);
  if (MENDED) __syncwarp();
  out[t] = any ? tile[31 - t] : 0; // @load
}

int main() {
  int *in = case_numbers<int>(32), *out = case_unwritten<int>(32);
  reverse<<<1, 32>>>(in, out);
  const int *got = case_fetch(out, 32);
  bool right = true;
  for (int t = 0; t < 32; t++) right &= got[t] == 31 - t;
  return case_end(right);
}
