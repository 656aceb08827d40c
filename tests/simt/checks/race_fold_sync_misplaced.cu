// SPDX-License-Identifier: MIT
// All lanes fold, and __syncwarp() stands between the read and the addition only: what one lane
// stores the next step reads unordered.
//
// FINDS: race_read_after_write @store @load
// SHOWS: lane-serial delayed-stores
#include "case.h"

__global__ void sum(const int *in, int *out) {
  __shared__ int tile[64];
  const unsigned t = threadIdx.x;
  tile[t] = in[t];
  tile[t + 32] = 0;
  __syncwarp();
#pragma unroll 1
  for (unsigned s = 16; s > 0; s /= 2) {
    const int other = tile[t + s]; // @load
    __syncwarp();
    tile[t] += other; // @store
    if (MENDED) __syncwarp();
  }
  if (t == 0) *out = tile[0];
}

int main() {
  int *in = case_numbers<int>(32), *out = case_unwritten<int>(1);
  sum<<<1, 32>>>(in, out);
  return case_end(*case_fetch(out, 1) == 496);
}
