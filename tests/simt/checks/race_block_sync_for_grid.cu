// SPDX-License-Identifier: MIT
// A block barrier where a grid barrier is needed: a ring of blocks that read their neighbours.
//
// FINDS: race_write_after_read @read @write
// MAY FIND: race_read_after_write @write @read
// SHOWS: lockstep reverse lane-serial delayed-stores
#include <cooperative_groups.h>

#include "case.h"

__global__ void rotate(int *ring, int rounds) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x, n = gridDim.x * blockDim.x;
  const cooperative_groups::grid_group grid = cooperative_groups::this_grid();
  for (int r = 0; r < rounds; r++) {
    const int from = ring[(i + 1) % n]; // @read
    if (MENDED) grid.sync();
    else __syncthreads();
    ring[i] = from; // @write
    if (MENDED) grid.sync();
    else __syncthreads();
  }
}

int main() {
  int *ring = case_numbers<int>(128);
  case_together(rotate, 4, 32, ring, 3);
  const int *got = case_fetch(ring, 128);
  bool right = true;
  for (int i = 0; i < 128; i++) right &= got[i] == (i + 3) % 128;
  return case_end(right);
}
