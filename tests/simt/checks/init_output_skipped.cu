// SPDX-License-Identifier: MIT
// A thread that has nothing to add leaves its output as it was.
//
// FINDS: output_never_written
// SHOWS: lockstep reverse lane-serial delayed-stores
#include "case.h"

__global__ void positive_part(const int *in, int *out) {
  const int x = in[threadIdx.x] - 16;
  if (x > 0) out[threadIdx.x] = x;
  else if (MENDED) out[threadIdx.x] = 0;
}

int main() {
  int *in = case_numbers<int>(32), *out = case_unwritten<int>(32);
  positive_part<<<1, 32>>>(in, out);
  const int *got = case_fetch(out, 32);
  bool right = true;
  for (int t = 0; t < 32; t++) right &= got[t] == (t > 16 ? t - 16 : 0);
  return case_end(right);
}
