// SPDX-License-Identifier: MIT
// A block of 20 threads: its warp has 20 lanes, and the butterfly reads lanes that never existed.
//
// FINDS: shuffle_source @shuffle
#include "case.h"

__global__ void sum(const int *in, int *out) {
  int value = in[threadIdx.x];
#pragma unroll 1
  for (unsigned s = 16; s > 0; s /= 2) value += __shfl_xor_sync(0xffffffffu, value, s); // @shuffle
  if (threadIdx.x == 0) *out = value;
}

int main() {
  const int n = MENDED ? 32 : 20;
  int *in = case_numbers<int>(n), *out = case_unwritten<int>(1);
  sum<<<1, n>>>(in, out);
  return case_end(*case_fetch(out, 1) == n * (n - 1) / 2);
}
