// SPDX-License-Identifier: MIT
// A barrier is told to wait for 48 threads, which is not a whole number of warps.
//
// FINDS: invalid_barrier @barrier
// SHOWS: lockstep reverse lane-serial delayed-stores
#include "case.h"

__global__ void wait(int *out) {
  if (MENDED) asm volatile("bar.sync 1, 64;" ::: "memory");
  else asm volatile("bar.sync 1, %0;" ::"r"(blockDim.x - 16) : "memory"); // @barrier
  out[threadIdx.x] = 1;
}

int main() {
  int *out = case_zeros<int>(64);
  wait<<<1, 64>>>(out);
  return case_end(case_fetch(out, 64)[63] == 1);
}
