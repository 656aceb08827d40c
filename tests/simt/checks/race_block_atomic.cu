// SPDX-License-Identifier: MIT
// atomicAdd_block() is atomic for the threads of one block, and several blocks add.
//
// FINDS: race_scope @add @add
#include "case.h"

__global__ void count(const int *in, int *out) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (in[i] % 2) return;
  if (MENDED) atomicAdd(out, 1);
  else atomicAdd_block(out, 1); // @add
}

int main() {
  int *in = case_numbers<int>(128), *out = case_zeros<int>(1);
  count<<<4, 32>>>(in, out);
  return case_end(*case_fetch(out, 1) == 64);
}
