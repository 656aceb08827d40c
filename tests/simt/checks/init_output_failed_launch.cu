// SPDX-License-Identifier: MIT
// A launch that is refused (too many threads), its error never looked at, and the result copied all
// the same.
//
// FINDS: output_never_written
// SHOWS: lockstep reverse lane-serial delayed-stores
#include "case.h"

__global__ void twice(const int *in, int *out) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = 2 * in[i];
}

int main() {
  int *in = case_numbers<int>(2048), *out = case_unwritten<int>(2048);
  twice<<<MENDED ? 2 : 1, MENDED ? 1024 : 2048>>>(in, out);
  cudaGetLastError();
  return case_end(case_fetch(out, 2048)[2047] == 4094);
}
