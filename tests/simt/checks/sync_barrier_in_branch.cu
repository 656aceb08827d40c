// SPDX-License-Identifier: MIT
// The barrier stands in a branch that only one warp takes, and the other warp may leave before or
// after it has stored what the first one reads.
//
// FINDS: exited_threads @barrier
#include "case.h"

__global__ void first_half(const int *in, int *out) {
  __shared__ int tile[64];
  const unsigned t = threadIdx.x;
  tile[t] = in[t];
  if (MENDED || t < 32) __syncthreads(); // @barrier
  if (t < 32) out[t] = tile[t] + tile[t + 32];
}

int main() {
  int *in = case_numbers<int>(64), *out = case_unwritten<int>(32);
  first_half<<<1, 64>>>(in, out);
  return case_end(case_fetch(out, 32)[31] == 94);
}
