// SPDX-License-Identifier: MIT
// Threads without an element store nothing, and the tree adds what was there before.
//
// FINDS: uninitialised_shared @fold
// SHOWS: lockstep reverse lane-serial delayed-stores
#include "case.h"

__global__ void sum(const int *in, int *out, unsigned n) {
  __shared__ int tile[64];
  const unsigned t = threadIdx.x;
  if (MENDED) tile[t] = 0;
  if (t < n) tile[t] = in[t];
  __syncthreads();
  for (unsigned s = 32; s > 0; s /= 2) {
    if (t < s) tile[t] += tile[t + s]; // @fold
    __syncthreads();
  }
  if (t == 0) *out = tile[0];
}

int main() {
  int *in = case_numbers<int>(64), *out = case_unwritten<int>(1);
  sum<<<1, 64>>>(in, out, 50);
  return case_end(*case_fetch(out, 1) == 49 * 25);
}
