// SPDX-License-Identifier: MIT
// An array of the host is handed to the kernel.
//
// FINDS: host_pointer @load
// SHOWS: lockstep reverse lane-serial delayed-stores
#include "case.h"

__global__ void twice(const int *in, int *out) {
  out[threadIdx.x] = 2 * in[threadIdx.x]; // @load
}

int main() {
  int host[32], *in = case_numbers<int>(32), *out = case_unwritten<int>(32);
  for (int i = 0; i < 32; i++) host[i] = i;
  twice<<<1, 32>>>(MENDED ? in : host, out);
  return case_end(case_fetch(out, 32)[31] == 62);
}
