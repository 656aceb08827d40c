// SPDX-License-Identifier: MIT
// Thread 0 takes the next piece of work while slower threads still look at the one before.
//
// FINDS: race_write_after_read @look @take
// MAY FIND: race_write_after_read @look_again @take
// MAY FIND: divergent_barrier @look
// MAY FIND: exited_threads @barrier
// SHOWS: lockstep reverse lane-serial delayed-stores
#include "case.h"

__global__ void work(int *next, int *out, int n) {
  __shared__ int piece;
  for (;;) {
    if (threadIdx.x == 0) piece = atomicAdd(next, 1); // @take
    __syncthreads();                                  // @barrier
    if (piece >= n) break;                            // @look
    atomicAdd(&out[piece], 1);                        // @look_again
    if (MENDED) __syncthreads();
  }
}

int main() {
  int *next = case_zeros<int>(1), *out = case_zeros<int>(8);
  work<<<1, 96>>>(next, out, 8);
  const int *got = case_fetch(out, 8);
  bool right = true;
  for (int i = 0; i < 8; i++) right &= got[i] == 96;
  return case_end(right);
}
