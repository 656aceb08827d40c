// SPDX-License-Identifier: MIT
// A barrier in a loop that some threads leave a round earlier than others.
//
// FINDS: exited_threads @barrier
// MAY FIND: race_atomic @add @read
#include "case.h"

__global__ void sums(const int *in, int *out, unsigned n) {
  __shared__ int total;
  const unsigned t = threadIdx.x;
  if (t == 0) total = 0;
  __syncthreads();
  for (unsigned first = 0; first + (MENDED ? 0 : t) < n; first += blockDim.x) {
    if (first + t < n) atomicAdd(&total, in[first + t]); // @add
    __syncthreads();                                     // @barrier
  }
  out[t] = total; // @read
}

int main() {
  int *in = case_numbers<int>(160), *out = case_unwritten<int>(64);
  sums<<<1, 64>>>(in, out, 160);
  return case_end(case_fetch(out, 64)[0] == 159 * 80);
}
