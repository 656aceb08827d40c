// SPDX-License-Identifier: MIT
// Warp 0 waits for warp 1 by a flag in shared memory; what warp 1 stored before is not ordered with
// it.
//
// FINDS: race_read_after_write @data @use
// MAY FIND: race_read_after_write @raise @wait
// MAY FIND: race_write_after_read @wait @raise
#include "case.h"

__global__ void pass_on(int *out) {
  __shared__ int data[32];
  __shared__ volatile int flag;
  const unsigned lane = threadIdx.x % 32;
  if (threadIdx.x == 0) flag = 0;
  __syncthreads();
  if (threadIdx.x >= 32) {
    data[lane] = 7 * (int)lane; // @data
    __syncwarp();
    if (MENDED) __threadfence_block();
    if (lane == 0) flag = 1; // @raise
  } else {
    while (flag == 0) { // @wait
    }
    if (MENDED) __threadfence_block();
    out[lane] = data[lane]; // @use
  }
}

int main() {
  int *out = case_unwritten<int>(32);
  pass_on<<<1, 64>>>(out);
  const int *got = case_fetch(out, 32);
  bool right = true;
  for (int t = 0; t < 32; t++) right &= got[t] == 7 * t;
  return case_end(right);
}
