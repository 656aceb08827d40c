// SPDX-License-Identifier: MIT
// All lanes store their own value to one address in one instruction: which stays is undefined.
//
// FINDS: race_write_after_write @store @store
// SHOWS: reverse
#include "case.h"

__global__ void last_even(const int *in, int *out) {
  __shared__ int last;
  const unsigned even = __ballot_sync(0xffffffffu, in[threadIdx.x] % 2 == 0);
  const bool chosen = threadIdx.x == 31u - __clz((int)even);
  if (MENDED ? chosen : in[threadIdx.x] % 2 == 0) last = in[threadIdx.x]; // @store
  __syncwarp();
  if (threadIdx.x == 0) *out = last;
}

int main() {
  int *in = case_numbers<int>(32), *out = case_unwritten<int>(1);
  last_even<<<1, 32>>>(in, out);
  return case_end(*case_fetch(out, 1) == 30);
}
