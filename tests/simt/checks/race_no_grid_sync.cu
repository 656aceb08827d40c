// SPDX-License-Identifier: MIT
// A cooperative kernel without the grid barrier between the partial sums and their sum.
//
// FINDS: race_write_after_read @total @partial
// MAY FIND: race_read_after_write @partial @total
// MAY FIND: uninitialised_global @total
// SHOWS: lockstep reverse lane-serial delayed-stores
#include <cooperative_groups.h>

#include "case.h"

__global__ void sum(const int *in, int *partial, int *out) {
  int value = in[blockIdx.x * 32 + threadIdx.x];
  for (unsigned s = 16; s > 0; s /= 2) value += __shfl_xor_sync(0xffffffffu, value, s);
  if (threadIdx.x == 0) partial[blockIdx.x] = value; // @partial
  if (MENDED) cooperative_groups::this_grid().sync();
  if (blockIdx.x > 0 || threadIdx.x > 0) return;
  int total = 0;
  for (unsigned b = 0; b < gridDim.x; b++) total += partial[b]; // @total
  *out = total;
}

int main() {
  int *in = case_numbers<int>(128), *partial = case_unwritten<int>(4),
      *out = case_unwritten<int>(1);
  case_together(sum, 4, 32, (const int *)in, partial, out);
  return case_end(*case_fetch(out, 1) == 127 * 64);
}
