// SPDX-License-Identifier: MIT
// The kernel traps on a value that it cannot handle.
//
// FINDS: device_fault @trap
// SHOWS: lockstep reverse lane-serial delayed-stores
#include "case.h"

__global__ void roots(const int *in, int *out) {
  const int x = in[threadIdx.x] - (MENDED ? 0 : 1);
  if (x < 0) __trap(); // @trap
  out[threadIdx.x] = x;
}

int main() {
  int *in = case_numbers<int>(32), *out = case_unwritten<int>(32);
  roots<<<1, 32>>>(in, out);
  return case_end(case_fetch(out, 32)[31] == 31);
}
