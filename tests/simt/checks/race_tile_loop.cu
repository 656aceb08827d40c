// SPDX-License-Identifier: MIT
// The inner loop of a tiled product: the next tile is loaded while the last one is still being
// used.
//
// FINDS: race_write_after_read @use @load
// MAY FIND: race_read_after_write @load @use
// SHOWS: lockstep reverse lane-serial delayed-stores
#include "case.h"

__global__ void row_times_column(const int *a, const int *b, int *out) {
  __shared__ int tile_a[64], tile_b[64];
  const unsigned t = threadIdx.x;
  int sum = 0;
  for (unsigned first = 0; first < 256; first += 64) {
    tile_a[t] = a[first + t]; // @load
    tile_b[t] = b[first + t]; // @load
    __syncthreads();
    for (unsigned k = 0; k < 64; k++) sum += tile_a[k] * tile_b[63 - k]; // @use
    if (MENDED) __syncthreads();
  }
  out[t] = sum;
}

int main() {
  int *a = case_numbers<int>(256), *b = case_numbers<int>(256), *out = case_unwritten<int>(64);
  row_times_column<<<1, 64>>>(a, b, out);
  int expected = 0;
  for (int first = 0; first < 256; first += 64)
    for (int k = 0; k < 64; k++) expected += (first + k) * (first + 63 - k);
  const int *got = case_fetch(out, 64);
  bool right = true;
  for (int t = 0; t < 64; t++) right &= got[t] == expected;
  return case_end(right);
}
