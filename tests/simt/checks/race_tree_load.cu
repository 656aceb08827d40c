// SPDX-License-Identifier: MIT
// A tree in shared memory that begins before all threads have stored their element.
//
// FINDS: race_write_after_read @fold @store
// MAY FIND: uninitialised_shared @fold
// SHOWS: lockstep lane-serial delayed-stores
#include "case.h"

__global__ void sum(const int *in, int *out) {
  __shared__ int tile[256];
  const unsigned t = threadIdx.x;
  tile[t] = in[t]; // @store
  if (MENDED) __syncthreads();
  for (unsigned s = 128; s > 0; s /= 2) {
    if (t < s) tile[t] += tile[t + s]; // @fold
    __syncthreads();
  }
  if (t == 0) *out = tile[0];
}

int main() {
  int *in = case_numbers<int>(256), *out = case_unwritten<int>(1);
  sum<<<1, 256>>>(in, out);
  return case_end(*case_fetch(out, 1) == 255 * 128);
}
