// SPDX-License-Identifier: MIT
// A compare-and-swap loop beside a plain store to the same word.
//
// FINDS: race_atomic @store @swap
// MAY FIND: race_read_after_write @store @read
// MAY FIND: race_write_after_read @read @store
// MAY FIND: race_atomic @read @swap
#include "case.h"

__global__ void most(const int *in, int *out) {
  const unsigned t = threadIdx.x;
  if (MENDED && t == 0) atomicMax(out, in[0]);
  if (!MENDED && t == 0) *out = in[0]; // @store
  int old = *out, assumed;             // @read
  do {
    assumed = old;
    old = atomicCAS(out, assumed, assumed > in[t] ? assumed : in[t]); // @swap
  } while (assumed != old);
}

int main() {
  int *in = case_numbers<int>(64), *out = case_zeros<int>(1);
  most<<<1, 64>>>(in, out);
  return case_end(*case_fetch(out, 1) == 63);
}
