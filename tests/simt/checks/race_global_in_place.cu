// SPDX-License-Identifier: MIT
// A smoothing step in place: a block reads what its neighbour block may already have replaced.
//
// FINDS: race_read_after_write @store @load
// MAY FIND: race_write_after_read @load @store
// SHOWS: lockstep lane-serial
#include "case.h"

__global__ void smooth(const int *in, int *out, unsigned n) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  const int left = i > 0 ? in[i - 1] : 0; // @load
  __syncthreads();
  if (i < n) out[i] = in[i] + left; // @store
}

int main() {
  int *data = case_numbers<int>(128), *other = case_unwritten<int>(128);
  int *out = MENDED ? other : data;
  smooth<<<4, 32>>>(data, out, 128);
  const int *got = case_fetch(out, 128);
  bool right = true;
  for (int i = 1; i < 128; i++) right &= got[i] == 2 * i - 1;
  return case_end(right);
}
