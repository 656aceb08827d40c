// SPDX-License-Identifier: MIT
// Thread 0 chooses, and all threads read the choice without waiting.
//
// FINDS: race_read_after_write @choose @use
// MAY FIND: uninitialised_shared @use
// SHOWS: lockstep reverse delayed-stores
#include "case.h"

__global__ void shift(const int *in, int *out) {
  __shared__ int offset;
  if (threadIdx.x == 0) offset = in[7]; // @choose
  if (MENDED) __syncthreads();
  out[threadIdx.x] = in[threadIdx.x] + offset; // @use
}

int main() {
  int *in = case_numbers<int>(128), *out = case_unwritten<int>(128);
  shift<<<1, 128>>>(in, out);
  const int *got = case_fetch(out, 128);
  bool right = true;
  for (int t = 0; t < 128; t++) right &= got[t] == t + 7;
  return case_end(right);
}
