// SPDX-License-Identifier: MIT
// The last block adds up the partial sums; nothing says that a partial sum is seen before the
// count.
//
// FINDS: race_read_after_write @partial @total
// SHOWS: delayed-stores
#include "case.h"

__global__ void sum(const int *in, int *partial, unsigned *count, int *out) {
  int value = in[blockIdx.x * 32 + threadIdx.x];
  for (unsigned s = 16; s > 0; s /= 2) value += __shfl_xor_sync(0xffffffffu, value, s);
  if (threadIdx.x != 0) return;
  partial[blockIdx.x] = value; // @partial
  if (MENDED) __threadfence();
  if (atomicAdd(count, 1) != gridDim.x - 1) return;
  if (MENDED) __threadfence();
  int total = 0;
  for (unsigned b = 0; b < gridDim.x; b++) total += partial[b]; // @total
  *out = total;
}

int main() {
  int *in = case_numbers<int>(128), *partial = case_unwritten<int>(4),
      *out = case_unwritten<int>(1);
  unsigned *count = case_zeros<unsigned>(1);
  sum<<<4, 32>>>(in, partial, count, out);
  return case_end(*case_fetch(out, 1) == 127 * 64);
}
