// SPDX-License-Identifier: MIT
// The histogram's bin -1, which is the last word of the array before it.
//
// FINDS: outside_array @count
// SHOWS: lockstep reverse lane-serial delayed-stores
#include "case.h"

__global__ void histogram(const int *in, int *bins) {
  __shared__ int totals[32];
  __shared__ int counts[32];
  const unsigned t = threadIdx.x;
  totals[t] = 0;
  counts[t] = 0;
  __syncthreads();
  if (!MENDED || in[t] > 0) atomicAdd(&counts[in[t] - 1], 1); // @count
  __syncthreads();
  bins[t] = counts[t] + totals[t];
}

int main() {
  int *in = case_numbers<int>(32), *bins = case_unwritten<int>(32);
  histogram<<<1, 32>>>(in, bins);
  return case_end(case_fetch(bins, 32)[31] == 0);
}
