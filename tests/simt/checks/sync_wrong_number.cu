// SPDX-License-Identifier: MIT
// Barrier 16: a block has barriers 0 to 15.
//
// FINDS: invalid_barrier @barrier
// SHOWS: lockstep reverse lane-serial delayed-stores
#include "case.h"

__global__ void wait(int *out) {
  const unsigned number = blockDim.x / (MENDED ? 32 : 4);
  asm volatile("bar.sync %0, 64;" ::"r"(number) : "memory"); // @barrier
  out[threadIdx.x] = 1;
}

int main() {
  int *out = case_zeros<int>(64);
  wait<<<1, 64>>>(out);
  return case_end(case_fetch(out, 64)[63] == 1);
}
