// SPDX-License-Identifier: MIT
// A kernel with dynamic shared memory, launched without the third number.
//
// FINDS: out_of_bounds @store
// SHOWS: lockstep reverse lane-serial delayed-stores
#include "case.h"

__global__ void reverse(const int *in, int *out) {
  extern __shared__ int values[];
  values[threadIdx.x] = in[threadIdx.x]; // @store
  __syncthreads();
  out[threadIdx.x] = values[blockDim.x - 1 - threadIdx.x];
}

int main() {
  int *in = case_numbers<int>(64), *out = case_unwritten<int>(64);
  reverse<<<1, 64, MENDED ? 64 * sizeof(int) : 0>>>(in, out);
  return case_end(case_fetch(out, 64)[0] == 63);
}
