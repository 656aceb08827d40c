// SPDX-License-Identifier: MIT
// An int stored at an odd byte of shared memory.
//
// FINDS: misaligned @store
// SHOWS: lockstep reverse lane-serial delayed-stores
#include "case.h"

__global__ void records(int *out) {
  __shared__ __align__(8) unsigned char bytes[32 * 8];
  unsigned char *record = bytes + (MENDED ? 8 : 5) * threadIdx.x;
  *(int *)record = (int)threadIdx.x; // @store
  __syncwarp();
  out[threadIdx.x] = bytes[(MENDED ? 8 : 5) * (31 - threadIdx.x)];
}

int main() {
  int *out = case_unwritten<int>(32);
  records<<<1, 32>>>(out);
  return case_end(case_fetch(out, 32)[31] == 0);
}
