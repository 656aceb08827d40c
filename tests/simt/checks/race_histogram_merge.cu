// SPDX-License-Identifier: MIT
// A histogram in shared memory that is read before all threads have counted.
//
// FINDS: race_atomic @merge @count
// SHOWS: lockstep reverse lane-serial delayed-stores
#include "case.h"

__global__ void histogram(const int *in, int *bins) {
  __shared__ int counts[64];
  const unsigned t = threadIdx.x;
  counts[t] = 0;
  __syncthreads();
  atomicAdd(&counts[63 - in[t]], 1); // @count
  if (MENDED) __syncthreads();
  bins[t] = counts[t]; // @merge
}

int main() {
  int *in = case_numbers<int>(64), *bins = case_unwritten<int>(64);
  histogram<<<1, 64>>>(in, bins);
  const int *got = case_fetch(bins, 64);
  bool right = true;
  for (int t = 0; t < 64; t++) right &= got[t] == 1;
  return case_end(right);
}
