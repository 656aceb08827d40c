// SPDX-License-Identifier: MIT
// Warp 0 goes on alone with what the other warps have stored, and does not wait for them.
//
// FINDS: race_write_after_read @fold @store
// MAY FIND: uninitialised_shared @fold
// SHOWS: lockstep lane-serial delayed-stores
#include "case.h"

__global__ void sum(const int *in, int *out) {
  __shared__ int tile[64];
  const unsigned t = threadIdx.x;
  tile[t] = in[t]; // @store
  if (MENDED) __syncthreads();
  if (t >= 32) return;
  int value = tile[t] + tile[t + 32]; // @fold
  for (unsigned s = 16; s > 0; s /= 2) value += __shfl_down_sync(0xffffffffu, value, s);
  if (t == 0) *out = value;
}

int main() {
  int *in = case_numbers<int>(64), *out = case_unwritten<int>(1);
  sum<<<1, 64>>>(in, out);
  return case_end(*case_fetch(out, 1) == 63 * 32);
}
