// SPDX-License-Identifier: MIT
// A vote in both branches, each with the full mask: the lanes meet at two different lines.
//
// FINDS: divergent_collective @even @odd
#include "case.h"

__global__ void votes(const int *in, unsigned *out) {
  const unsigned t = threadIdx.x;
  unsigned seen;
  if (MENDED) {
    seen = __ballot_sync(0xffffffffu, t % 2 ? in[t] < 16 : in[t] > 8);
  } else if (t % 2 == 0) {
    seen = __ballot_sync(0xffffffffu, in[t] > 8); // @even
    out[t + 32] = seen;
  } else {
    seen = __ballot_sync(0xffffffffu, in[t] < 16); // @odd
  }
  out[t] = seen;
}

int main() {
  int *in = case_numbers<int>(32);
  unsigned *out = case_zeros<unsigned>(64);
  votes<<<1, 32>>>(in, out);
  return case_end(case_fetch(out, 64)[31] == case_fetch(out, 64)[0]);
}
