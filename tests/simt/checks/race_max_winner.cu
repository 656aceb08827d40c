// SPDX-License-Identifier: MIT
// The greatest value and where it is. A plain read that only spares an atomicMax which would change
// nothing is no race, and the right one has value and place in one word. The wrong one stores the
// place beside the atomic: what it read decides about that as well.
//
// FINDS: race_atomic @max @read
// MAY FIND: race_write_after_write @place @place
#include "case.h"

enum { N = 256 };

__device__ int value_at(int i) { return i * 37 % N; }

__global__ void separate(int *most, int *place) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x, x = value_at(i);
  if (x > *most) {      // @read
    atomicMax(most, x); // @max
    *place = i;         // @place
  }
}

__global__ void together(unsigned long long *most) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned long long both = (unsigned long long)value_at(i) << 32 | i;
  if (both > *most) atomicMax(most, both);
}

int main() {
  unsigned long long *both = case_zeros<unsigned long long>(1);
  int *most = case_zeros<int>(1), *place = case_zeros<int>(1);
  if (MENDED) together<<<4, 64>>>(both);
  else separate<<<4, 64>>>(most, place);
  const unsigned long long found = case_fetch(both, 1)[0];
  const int value = MENDED ? (int)(found >> 32) : case_fetch(most, 1)[0];
  const int at = MENDED ? (int)(found & 0xffffffff) : case_fetch(place, 1)[0];
  return case_end(value == N - 1 && at * 37 % N == N - 1);
}
