// SPDX-License-Identifier: MIT
// One slot per warp, 32 slots, and the last step adds all of them, though there are only two warps.
//
// FINDS: uninitialised_shared @slots
// SHOWS: lockstep reverse lane-serial delayed-stores
#include "case.h"

__global__ void sum(const int *in, int *out) {
  __shared__ int slots[32];
  const unsigned lane = threadIdx.x % 32;
  int value = in[threadIdx.x];
  for (unsigned s = 16; s > 0; s /= 2) value += __shfl_xor_sync(0xffffffffu, value, s);
  if (lane == 0) slots[threadIdx.x / 32] = value;
  __syncthreads();
  value = !MENDED || lane < blockDim.x / 32 ? slots[lane] : 0; // @slots
  for (unsigned s = 16; s > 0; s /= 2) value += __shfl_xor_sync(0xffffffffu, value, s);
  if (threadIdx.x == 0) *out = value;
}

int main() {
  int *in = case_numbers<int>(64), *out = case_unwritten<int>(1);
  sum<<<1, 64>>>(in, out);
  return case_end(*case_fetch(out, 1) == 63 * 32);
}
