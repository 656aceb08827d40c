// SPDX-License-Identifier: MIT
// Even and odd lanes wait at two different __syncthreads(): the hardware counts them as one, here;
// it need not.
//
// FINDS: divergent_barrier @even @odd
// MAY FIND: barrier_lines @even @odd
#include "case.h"

__global__ void swap(const int *in, int *out) {
  __shared__ int tile[64];
  const unsigned t = threadIdx.x;
  if (MENDED) {
    tile[t] = t % 2 ? -in[t] : in[t];
    __syncthreads();
  } else if (t % 2 == 0) {
    tile[t] = in[t];
    __syncthreads(); // @even
  } else {
    tile[t] = -in[t];
    __syncthreads(); // @odd
  }
  out[t] = tile[t ^ 1];
}

int main() {
  int *in = case_numbers<int>(64), *out = case_unwritten<int>(64);
  swap<<<1, 64>>>(in, out);
  return case_end(case_fetch(out, 64)[0] == -1);
}
