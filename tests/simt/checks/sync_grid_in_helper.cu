// SPDX-License-Identifier: MIT
// grid.sync() in a helper, called by a kernel that was never meant to be cooperative.
//
// FINDS: invalid_grid_sync @sync
// SHOWS: lockstep reverse lane-serial delayed-stores
#include <cooperative_groups.h>

#include "case.h"

static __device__ void wait_for_all() {
  cooperative_groups::grid_group grid = cooperative_groups::this_grid();
  grid.sync(); // @sync
}

__global__ void total(const int *in, int *sum, int *out) {
  atomicAdd(sum, in[threadIdx.x]);
  wait_for_all();
  out[threadIdx.x] = atomicAdd(sum, 0);
}

int main() {
  int *in = case_numbers<int>(64), *sum = case_zeros<int>(1), *out = case_unwritten<int>(64);
  if (MENDED) case_together(total, 1, 64, (const int *)in, sum, out);
  else total<<<1, 64>>>(in, sum, out);
  return case_end(case_fetch(out, 64)[63] == 63 * 32);
}
