// SPDX-License-Identifier: MIT
// Threads without an element return; the shuffles that follow name all 32 lanes all the same.
//
// FINDS: absent_lane @shuffle
// MAY FIND: shuffle_source @shuffle
#include "case.h"

__global__ void sum(const int *in, int *out, unsigned n) {
  const unsigned t = threadIdx.x;
  if (!MENDED && t >= n) return;
  int value = t < n ? in[t] : 0;
#pragma unroll 1
  for (unsigned s = 16; s > 0; s /= 2) value += __shfl_down_sync(0xffffffffu, value, s); // @shuffle
  if (t == 0) *out = value;
}

int main() {
  int *in = case_numbers<int>(32), *out = case_unwritten<int>(1);
  sum<<<1, 32>>>(in, out, 20);
  return case_end(*case_fetch(out, 1) == 190);
}
