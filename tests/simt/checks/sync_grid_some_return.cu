// SPDX-License-Identifier: MIT
// Blocks without work return, and the others wait for them at the grid barrier forever.
//
// FINDS: deadlock @sync
// SHOWS: lockstep reverse lane-serial delayed-stores
#include <cooperative_groups.h>

#include "case.h"

__global__ void shift(int *data, unsigned n) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (!MENDED && i >= n) return;
  const int next = i < n ? data[(i + 1) % n] : 0;
  cooperative_groups::this_grid().sync(); // @sync
  if (i < n) data[i] = next;
}

int main() {
  int *data = case_numbers<int>(64);
  case_together(shift, 3, 32, data, 64u);
  return case_end(case_fetch(data, 64)[63] == 0);
}
