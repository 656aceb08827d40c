// SPDX-License-Identifier: MIT
// Every block reports "something has changed" by storing the same 1.
//
// FINDS: race_same_value @report @report
#include "case.h"

__global__ void relax(const int *in, int *changed) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (in[i] % 32 != 3) return;
  if (MENDED) atomicExch(changed, 1);
  else *changed = 1; // @report
}

int main() {
  int *in = case_numbers<int>(128), *changed = case_zeros<int>(1);
  relax<<<4, 32>>>(in, changed);
  return case_end(*case_fetch(changed, 1) == 1);
}
