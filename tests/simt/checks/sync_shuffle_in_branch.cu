// SPDX-License-Identifier: MIT
// A shuffle in both branches, each with the full mask: the lanes meet at two different lines.
//
// FINDS: divergent_collective @low @high
#include "case.h"

__global__ void exchange(const int *in, int *out) {
  const unsigned t = threadIdx.x;
  int got;
  if (MENDED) {
    got = __shfl_xor_sync(0xffffffffu, in[t] + (t < 16 ? 0 : 100), 16);
  } else if (t < 16) {
    got = __shfl_xor_sync(0xffffffffu, in[t], 16); // @low
    out[t + 32] = got;
  } else {
    got = __shfl_xor_sync(0xffffffffu, in[t] + 100, 16); // @high
  }
  out[t] = got;
}

int main() {
  int *in = case_numbers<int>(32), *out = case_zeros<int>(64);
  exchange<<<1, 32>>>(in, out);
  return case_end(case_fetch(out, 32)[31] == 15);
}
