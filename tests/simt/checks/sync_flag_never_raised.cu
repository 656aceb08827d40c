// SPDX-License-Identifier: MIT
// Each warp waits for the one before it; warp 0 has none, waits all the same, and so no warp comes
// through.
//
// FINDS: deadlock @wait
// SHOWS: lockstep reverse lane-serial delayed-stores
#include "case.h"

__global__ void chain(int *out) {
  __shared__ volatile int done[4], sums[4];
  const unsigned warp = threadIdx.x / 32, before = (warp + 3) % 4;
  if (threadIdx.x % 32 == 0) done[warp] = 0;
  __syncthreads();
  if (threadIdx.x % 32 != 0) return;
  if (!MENDED || warp > 0) {
    while (done[before] == 0) { // @wait
    }
    __threadfence_block();
  }
  sums[warp] = 1 + (warp > 0 ? sums[before] : 0);
  __threadfence_block();
  done[warp] = 1;
  if (warp == 3) *out = sums[warp];
}

int main() {
  int *out = case_zeros<int>(1);
  chain<<<1, 128>>>(out);
  return case_end(*case_fetch(out, 1) == 4);
}
