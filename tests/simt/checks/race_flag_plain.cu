// SPDX-License-Identifier: MIT
// Block 1 waits for a flag that is an ordinary int, and so may be read once and kept in a register.
//
// FINDS: race_read_after_write @raise @wait
// FINDS (lockstep reverse lane-serial random:1 random:2 random:3): race_read_after_write @data @use
// MAY FIND: device_fault @wait
// MAY FIND: deadlock @wait
// MAY FIND: race_write_after_read @wait @raise
// SHOWS: delayed-stores
#include "case.h"

__global__ void pass_on(int *data, int *flag, int *out) {
  const unsigned t = threadIdx.x;
  if (blockIdx.x == 0) {
    data[t] = 5 * (int)t; // @data
    __syncthreads();
    if (t > 0) return;
    __threadfence();
    if (MENDED) atomicExch(flag, 1);
    else *flag = 1; // @raise
    return;
  }
  if (t == 0) {
    if (MENDED)
      while (atomicAdd(flag, 0) == 0) {}
    else
      while (*flag == 0) asm volatile("" ::: "memory"); // @wait
    if (MENDED) __threadfence();
  }
  __syncthreads();
  out[t] = data[t]; // @use
}

int main() {
  int *data = case_unwritten<int>(64), *flag = case_zeros<int>(1), *out = case_unwritten<int>(64);
  case_together(pass_on, 2, 64, data, flag, out);
  const int *got = case_fetch(out, 64);
  bool right = true;
  for (int t = 0; t < 64; t++) right &= got[t] == 5 * t;
  return case_end(right);
}
