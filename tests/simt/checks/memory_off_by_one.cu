// SPDX-License-Identifier: MIT
// A grid-stride loop with <= where < is meant.
//
// FINDS: out_of_bounds @load
// SHOWS: lockstep reverse lane-serial delayed-stores
#include "case.h"

__global__ void sum(const int *in, unsigned n, int *out) {
  int sum = 0;
  for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; MENDED ? i < n : i <= n;
       i += gridDim.x * blockDim.x)
    sum += in[i]; // @load
  atomicAdd(out, sum);
}

int main() {
  int *in = case_numbers<int>(128), *out = case_zeros<int>(1);
  sum<<<2, 32>>>(in, 128, out);
  return case_end(*case_fetch(out, 1) == 127 * 64);
}
