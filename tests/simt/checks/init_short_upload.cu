// SPDX-License-Identifier: MIT
// The host copies bytes where it means elements: three quarters of the input were never written.
//
// FINDS: uninitialised_global @load
// SHOWS: lockstep reverse lane-serial delayed-stores
#include "case.h"

__global__ void twice(const int *in, int *out) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = 2 * in[i]; // @load
}

int main() {
  int host[128], *in = case_unwritten<int>(128), *out = case_unwritten<int>(128);
  for (int i = 0; i < 128; i++) host[i] = i;
  cudaMemcpy(in, host, MENDED ? sizeof host : 128, cudaMemcpyHostToDevice);
  twice<<<2, 64>>>(in, out);
  const int *got = case_fetch(out, 128);
  bool right = true;
  for (int i = 0; i < 128; i++) right &= got[i] == 2 * i;
  return case_end(right);
}
