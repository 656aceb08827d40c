// SPDX-License-Identifier: MIT
// A histogram for each warp: its lanes share it, so they have to wait for each other's zeros.
//
// FINDS: race_atomic @zero @count
// MAY FIND: uninitialised_shared @count
// SHOWS: lane-serial delayed-stores
#include "case.h"

__global__ void histogram(const int *in, int *bins) {
  __shared__ int counts[2][32];
  const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  counts[warp][lane] = 0; // @zero
  if (MENDED) __syncwarp();
  atomicAdd(&counts[warp][31 - in[threadIdx.x] % 32], 1); // @count
  __syncthreads();
  if (warp == 0) bins[lane] = counts[0][lane] + counts[1][lane];
}

int main() {
  int *in = case_numbers<int>(64), *bins = case_unwritten<int>(32);
  histogram<<<1, 64>>>(in, bins);
  const int *got = case_fetch(bins, 32);
  bool right = true;
  for (int t = 0; t < 32; t++) right &= got[t] == 2;
  return case_end(right);
}
