// SPDX-License-Identifier: MIT
// A thread reads from global memory what its neighbour in the block has just stored there.
//
// FINDS: race_write_after_read @load @store
// MAY FIND: uninitialised_global @load
// SHOWS: lockstep reverse lane-serial delayed-stores
#include "case.h"

__global__ void shift(const int *in, int *steps, int *out) {
  const unsigned t = threadIdx.x;
  steps[t] = 3 * in[t]; // @store
  if (MENDED) __syncthreads();
  out[t] = steps[(t + 1) % blockDim.x]; // @load
}

int main() {
  int *in = case_numbers<int>(64), *steps = case_unwritten<int>(64), *out = case_unwritten<int>(64);
  shift<<<1, 64>>>(in, steps, out);
  const int *got = case_fetch(out, 64);
  bool right = true;
  for (int t = 0; t < 64; t++) right &= got[t] == 3 * ((t + 1) % 64);
  return case_end(right);
}
