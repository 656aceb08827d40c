// SPDX-License-Identifier: MIT
// n / block blocks instead of the next whole number: the last elements are never computed.
//
// FINDS: output_never_written
// SHOWS: lockstep reverse lane-serial delayed-stores
#include "case.h"

__global__ void twice(const int *in, int *out, unsigned n) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = 2 * in[i] + 1;
}

int main() {
  const unsigned n = 100;
  int *in = case_numbers<int>(n), *out = case_unwritten<int>(n);
  twice<<<MENDED ? (n + 31) / 32 : n / 32, 32>>>(in, out, n);
  const int *got = case_fetch(out, n);
  bool right = true;
  for (unsigned i = 0; i < n; i++) right &= got[i] == (int)(2 * i + 1);
  return case_end(right);
}
