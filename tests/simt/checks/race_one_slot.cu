// SPDX-License-Identifier: MIT
// Every warp stores its sum into the same slot.
//
// FINDS: race_write_after_write @slot @slot
// SHOWS: lockstep reverse lane-serial delayed-stores
#include "case.h"

__global__ void sum(const int *in, int *out) {
  __shared__ int slots[2];
  int value = in[threadIdx.x];
  for (unsigned s = 16; s > 0; s /= 2) value += __shfl_xor_sync(0xffffffffu, value, s);
  if (threadIdx.x % 32 == 0) slots[MENDED ? threadIdx.x / 32 : 0] = value; // @slot
  __syncthreads();
  if (threadIdx.x == 0) *out = slots[0] + slots[MENDED];
}

int main() {
  int *in = case_numbers<int>(64), *out = case_unwritten<int>(1);
  sum<<<1, 64>>>(in, out);
  return case_end(*case_fetch(out, 1) == 63 * 32);
}
