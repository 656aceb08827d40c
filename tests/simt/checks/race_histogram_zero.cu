// SPDX-License-Identifier: MIT
// A histogram in shared memory: threads count before all counters are zero.
//
// FINDS: race_atomic @zero @count
// MAY FIND: uninitialised_shared @count
// SHOWS: lockstep reverse lane-serial delayed-stores
#include "case.h"

__global__ void histogram(const int *in, int *bins) {
  __shared__ int counts[128];
  const unsigned t = threadIdx.x;
  counts[t] = 0; // @zero
  if (MENDED) __syncthreads();
  atomicAdd(&counts[127 - in[t]], 1); // @count
  __syncthreads();
  bins[t] = counts[t];
}

int main() {
  int *in = case_numbers<int>(128), *bins = case_unwritten<int>(128);
  histogram<<<1, 128>>>(in, bins);
  const int *got = case_fetch(bins, 128);
  bool right = true;
  for (int t = 0; t < 128; t++) right &= got[t] == 1;
  return case_end(right);
}
