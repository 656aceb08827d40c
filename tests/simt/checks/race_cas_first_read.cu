// SPDX-License-Identifier: MIT
// A sum by compare-and-swap, whose plain first read is no race while it only makes a guess for the
// swap. The wrong one returns what it read, as the value from before the addition.
//
// FINDS: race_atomic @swap @read
#include "case.h"

__device__ int add(int *address, int value) {
  int old = *address, assumed; // @read
  const int first = old;
  do {
    assumed = old;
    old = atomicCAS(address, assumed, assumed + value); // @swap
  } while (assumed != old);
  return MENDED ? old : first;
}

__global__ void tickets(int *next, int *out) { out[blockIdx.x] = add(next, 2); }

int main() {
  int *next = case_zeros<int>(1), *out = case_unwritten<int>(64);
  tickets<<<64, 1>>>(next, out);
  return case_end(case_fetch(next, 1)[0] == 128 && case_fetch(out, 64)[63] % 2 == 0);
}
