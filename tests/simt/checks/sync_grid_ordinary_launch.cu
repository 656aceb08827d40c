// SPDX-License-Identifier: MIT
// grid.sync() in a kernel that was launched with <<<>>>.
//
// FINDS: invalid_grid_sync @sync
// SHOWS: lockstep reverse lane-serial delayed-stores
#include <cooperative_groups.h>

#include "case.h"

__global__ void shift(int *data) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x, n = gridDim.x * blockDim.x;
  const int next = data[(i + 1) % n];
  cooperative_groups::this_grid().sync(); // @sync
  data[i] = next;
}

int main() {
  int *data = case_numbers<int>(64);
  if (MENDED) case_together(shift, 2, 32, data);
  else shift<<<2, 32>>>(data);
  return case_end(case_fetch(data, 64)[63] == 0);
}
