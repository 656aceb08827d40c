// SPDX-License-Identifier: MIT
// A counter that others still add to is read as if it were an ordinary int.
//
// FINDS: race_atomic @add @read
// SHOWS: reverse
#include "case.h"

__global__ void count(const int *in, int *counter, int *out) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (in[i] % 2 == 0) atomicAdd(counter, 1);                       // @add
  if (!MENDED && i == gridDim.x * blockDim.x - 1) *out = *counter; // @read
}

__global__ void copy(const int *counter, int *out) { *out = *counter; }

int main() {
  int *in = case_numbers<int>(128), *counter = case_zeros<int>(1), *out = case_unwritten<int>(1);
  count<<<4, 32>>>(in, counter, out);
  if (MENDED) copy<<<1, 1>>>(counter, out);
  return case_end(*case_fetch(out, 1) == 64);
}
