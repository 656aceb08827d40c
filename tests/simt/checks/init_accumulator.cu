// SPDX-License-Identifier: MIT
// The sum in global memory is added to, but it was never set to zero.
//
// FINDS: uninitialised_global @add
// SHOWS: lockstep reverse lane-serial delayed-stores
#include "case.h"

__global__ void sum(const int *in, int *out) {
  atomicAdd(out, in[threadIdx.x]); // @add
}

int main() {
  int *in = case_numbers<int>(64), *out = MENDED ? case_zeros<int>(1) : case_unwritten<int>(1);
  sum<<<1, 64>>>(in, out);
  return case_end(*case_fetch(out, 1) == 63 * 32);
}
