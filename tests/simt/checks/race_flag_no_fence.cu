// SPDX-License-Identifier: MIT
// The flag is volatile, but no fence keeps the data ahead of it.
//
// FINDS: race_read_after_write @data @use
// SHOWS: delayed-stores
#include "case.h"

__global__ void pass_on(int *data, volatile int *flag, int *out) {
  const unsigned t = threadIdx.x;
  if (blockIdx.x == 0) {
    data[t] = 5 * (int)t; // @data
    __syncthreads();
    if (t > 0) return;
    if (MENDED) __threadfence();
    *flag = 1;
    return;
  }
  if (t == 0) {
    while (*flag == 0) {}
    if (MENDED) __threadfence();
  }
  __syncthreads();
  out[t] = data[t]; // @use
}

int main() {
  int *data = case_unwritten<int>(64), *flag = case_zeros<int>(1), *out = case_unwritten<int>(64);
  case_together(pass_on, 2, 64, data, (volatile int *)flag, out);
  const int *got = case_fetch(out, 64);
  bool right = true;
  for (int t = 0; t < 64; t++) right &= got[t] == 5 * t;
  return case_end(right);
}
