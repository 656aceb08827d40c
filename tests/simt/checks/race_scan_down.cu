// SPDX-License-Identifier: MIT
// Blelloch's scan: the barrier between the way up and the way down is missing.
//
// FINDS: race_write_after_write @root @down_store
// MAY FIND: race_read_after_write @root @down
// SHOWS: reverse
#include "case.h"

__global__ void scan(int *data) {
  __shared__ int tile[64];
  const unsigned t = threadIdx.x;
  tile[t] = data[t];
  for (unsigned s = 1; s < 64; s *= 2) {
    const unsigned right = 2 * s * (t + 1) - 1;
    __syncthreads();
    if (right < 64) tile[right] += tile[right - s]; // @up
  }
  __syncthreads();
  if (t == 63) tile[63] = 0; // @root
#pragma unroll 1
  for (unsigned s = 32; s > 0; s /= 2) {
    const unsigned right = 2 * s * (t + 1) - 1;
    if (MENDED || s < 32) __syncthreads();
    if (right < 64) {
      const int left_sum = tile[right - s], before = tile[right]; // @down
      tile[right - s] = before;                                   // @down_store
      tile[right] = before + left_sum;                            // @down_store
    }
  }
  __syncthreads();
  data[t] = tile[t];
}

int main() {
  int *data = case_numbers<int>(64);
  scan<<<1, 64>>>(data);
  const int *got = case_fetch(data, 64);
  bool right = true;
  for (int t = 0; t < 64; t++) right &= got[t] == t * (t - 1) / 2;
  return case_end(right);
}
