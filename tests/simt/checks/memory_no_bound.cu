// SPDX-License-Identifier: MIT
// One thread for each element, rounded up, and no `if (i < n)`: bytes, at the end of the
// allocation.
//
// FINDS: out_of_bounds @store
// SHOWS: lockstep reverse lane-serial delayed-stores
#include "case.h"

__global__ void invert(const unsigned char *in, unsigned char *out, unsigned n) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (MENDED && i >= n) return;
  out[i] = (unsigned char)~i; // @store
}

int main() {
  unsigned char *in = case_numbers<unsigned char>(500), *out = case_unwritten<unsigned char>(500);
  invert<<<2, 256>>>(in, out, 500);
  return case_end(case_fetch(out, 500)[255] == 0);
}
