// SPDX-License-Identifier: MIT
// All threads of a block store partial results, thread 0 counts the block - without waiting for the
// others.
//
// FINDS: race_read_after_write @partial @total
// MAY FIND: uninitialised_global @total
// MAY FIND: race_write_after_read @total @partial
// SHOWS: delayed-stores
#include "case.h"

__global__ void sum(const int *in, int *partial, unsigned *count, int *out) {
  __shared__ bool last;
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  partial[i] = 2 * in[i]; // @partial
  if (MENDED) {
    __threadfence();
    __syncthreads();
  }
  if (threadIdx.x == 0) {
    __threadfence();
    last = atomicAdd(count, 1) == gridDim.x - 1;
    __threadfence();
  }
  __syncthreads();
  if (!last || threadIdx.x > 0) return;
  int total = 0;
  for (unsigned k = 0; k < gridDim.x * blockDim.x; k++) total += partial[k]; // @total
  *out = total;
}

int main() {
  int *in = case_numbers<int>(256), *partial = case_unwritten<int>(256),
      *out = case_unwritten<int>(1);
  unsigned *count = case_zeros<unsigned>(1);
  sum<<<4, 64>>>(in, partial, count, out);
  return case_end(*case_fetch(out, 1) == 255 * 256);
}
