// SPDX-License-Identifier: MIT
// An index beyond the end of one shared array meets the next one: inside shared memory, but wrong.
//
// FINDS: outside_array @load
// SHOWS: lockstep reverse lane-serial delayed-stores
#include "case.h"

__global__ void stencil(const int *in, int *out) {
  __shared__ int values[64];
  __shared__ int scales[64];
  const unsigned t = threadIdx.x;
  values[t] = in[t];
  scales[63 - t] = 2;
  __syncthreads();
  const unsigned next = MENDED ? min(t + 1, 63u) : t + 1;
  out[t] = values[next] * scales[t]; // @load
}

int main() {
  int *in = case_numbers<int>(64), *out = case_unwritten<int>(64);
  stencil<<<1, 64>>>(in, out);
  return case_end(case_fetch(out, 64)[63] == 126);
}
