// SPDX-License-Identifier: MIT
// Hillis and Steele's scan without the barrier "all have read".
//
// FINDS: race_read_after_write @store @load
// MAY FIND: race_write_after_read @load @store
// SHOWS: lockstep reverse lane-serial delayed-stores
#include "case.h"

__global__ void scan(int *data) {
  __shared__ int tile[128];
  const unsigned t = threadIdx.x;
  tile[t] = data[t];
  __syncthreads();
  for (unsigned d = 1; d < 128; d *= 2) {
    const int left = t >= d ? tile[t - d] : 0; // @load
    if (MENDED) __syncthreads();
    tile[t] += left; // @store
    __syncthreads();
  }
  data[t] = tile[t];
}

int main() {
  int *data = case_numbers<int>(128);
  scan<<<1, 128>>>(data);
  const int *got = case_fetch(data, 128);
  bool right = true;
  for (int t = 0; t < 128; t++) right &= got[t] == t * (t + 1) / 2;
  return case_end(right);
}
