// SPDX-License-Identifier: MIT
// __syncwarp() where the block has more than one warp: right with 32 threads, wrong with 64.
//
// FINDS: race_write_after_read @load @store
// MAY FIND: uninitialised_shared @load
// SHOWS: lockstep reverse lane-serial delayed-stores
#include "case.h"

__global__ void reverse(const int *in, int *out) {
  __shared__ int tile[64];
  const unsigned t = threadIdx.x;
  tile[t] = in[t]; // @store
  __syncwarp();
  out[t] = tile[blockDim.x - 1 - t]; // @load
}

int main() {
  const int n = MENDED ? 32 : 64;
  int *in = case_numbers<int>(n), *out = case_unwritten<int>(n);
  reverse<<<1, n>>>(in, out);
  const int *got = case_fetch(out, n);
  bool right = true;
  for (int t = 0; t < n; t++) right &= got[t] == n - 1 - t;
  return case_end(right);
}
