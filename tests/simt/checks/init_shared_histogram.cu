// SPDX-License-Identifier: MIT
// Counters in dynamic shared memory that are never set to zero.
//
// FINDS: uninitialised_shared @count
// SHOWS: lockstep reverse lane-serial delayed-stores
#include "case.h"

__global__ void histogram(const int *in, int *bins) {
  extern __shared__ int counters[];
  const unsigned t = threadIdx.x;
  if (MENDED) {
    counters[t] = 0;
    __syncthreads();
  }
  atomicAdd(&counters[in[t] / 2], 1); // @count
  __syncthreads();
  bins[t] = t < 32 ? counters[t] : 0;
}

int main() {
  int *in = case_numbers<int>(64), *bins = case_unwritten<int>(64);
  histogram<<<1, 64, 64 * sizeof(int)>>>(in, bins);
  return case_end(case_fetch(bins, 64)[31] == 2);
}
