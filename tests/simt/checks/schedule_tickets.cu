// SPDX-License-Identifier: MIT
// Places are handed out by an atomic: all elements are kept, but their order is not defined.
//
// SCHEDULES: sweep:8
// FINDS: schedule_dependent_atomics
#include "case.h"

__global__ void keep(const int *in, int *next, int *out) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (MENDED) out[i] = in[i];
  else out[atomicAdd(next, 1)] = in[i];
}

int main() {
  int *in = case_numbers<int>(128), *next = case_zeros<int>(1), *out = case_unwritten<int>(128);
  keep<<<4, 32>>>(in, next, out);
  const int *got = case_fetch(out, 128);
  int sum = 0;
  for (int i = 0; i < 128; i++) sum += got[i];
  return case_end(sum == 127 * 64);
}
