// SPDX-License-Identifier: MIT
// Each thread that finds a 7 stores 1, all of them the same: harmless, and said as a note.
//
// FINDS: race_same_value @found @found
#include "case.h"

__global__ void any_seven(const int *in, int *out) {
  __shared__ int found;
  if (threadIdx.x == 0) found = 0;
  __syncthreads();
  if (MENDED) {
    const int any = __syncthreads_or(in[threadIdx.x] % 10 == 7);
    if (threadIdx.x == 0) found = any;
  } else if (in[threadIdx.x] % 10 == 7) {
    found = 1; // @found
  }
  __syncthreads();
  if (threadIdx.x == 0) *out = found;
}

int main() {
  int *in = case_numbers<int>(64), *out = case_unwritten<int>(1);
  any_seven<<<1, 64>>>(in, out);
  return case_end(*case_fetch(out, 1) == 1);
}
