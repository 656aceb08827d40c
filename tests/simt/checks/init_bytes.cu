// SPDX-License-Identifier: MIT
// A row of 61 bytes in a pitch of 64: the kernel reads the padding too.
//
// FINDS: uninitialised_global @load
// SHOWS: lockstep reverse lane-serial delayed-stores
#include "case.h"

__global__ void sum(const unsigned char *in, unsigned pitch, unsigned width, int *out) {
  int sum = 0;
  for (unsigned x = 0; x < (MENDED ? width : pitch); x++)
    sum += in[threadIdx.x * pitch + x]; // @load
  out[threadIdx.x] = sum;
}

int main() {
  unsigned char host[4][61], *in = case_unwritten<unsigned char>(4 * 64);
  int *out = case_unwritten<int>(4);
  memset(host, 1, sizeof host);
  cudaMemcpy2D(in, 64, host, 61, 61, 4, cudaMemcpyHostToDevice);
  sum<<<1, 4>>>(in, 64, 61, out);
  return case_end(case_fetch(out, 4)[3] == 61);
}
