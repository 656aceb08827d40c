// SPDX-License-Identifier: MIT
// Block 0 zeroes the sum to which all blocks add; nothing makes them wait for it.
//
// FINDS: race_atomic @zero @add
// SHOWS: reverse
#include "case.h"

__global__ void sum(const int *in, int *out) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (!MENDED) {
    if (i == 0) *out = 0; // @zero
    __syncthreads();
  }
  atomicAdd(out, in[i]); // @add
}

int main() {
  int *in = case_numbers<int>(128), *out = case_zeros<int>(1);
  sum<<<4, 32>>>(in, out);
  return case_end(*case_fetch(out, 1) == 127 * 64);
}
