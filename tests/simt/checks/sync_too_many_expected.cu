// SPDX-License-Identifier: MIT
// A barrier that waits for more threads than the block has.
//
// FINDS: deadlock @barrier
// SHOWS: lockstep reverse lane-serial delayed-stores
#include "case.h"

__global__ void wait(int *out, unsigned count) {
  asm volatile("bar.sync 2, %0;" ::"r"(count) : "memory"); // @barrier
  out[threadIdx.x] = 1;
}

int main() {
  int *out = case_zeros<int>(64);
  wait<<<1, 64>>>(out, MENDED ? 64 : 128);
  return case_end(case_fetch(out, 64)[63] == 1);
}
