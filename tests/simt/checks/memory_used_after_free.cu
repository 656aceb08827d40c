// SPDX-License-Identifier: MIT
// The input is freed before the kernel that reads it is launched.
//
// FINDS: use_after_free @load
// SHOWS: lockstep reverse lane-serial delayed-stores
#include "case.h"

__global__ void twice(const int *in, int *out) {
  out[threadIdx.x] = 2 * in[threadIdx.x]; // @load
}

int main() {
  int host[32], *in = nullptr, *out = case_unwritten<int>(32);
  for (int i = 0; i < 32; i++) host[i] = i;
  cudaMalloc(&in, sizeof host);
  cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice);
  if (!MENDED) cudaFree(in);
  twice<<<1, 32>>>(in, out);
  const int *got = case_fetch(out, 32);
  if (MENDED) cudaFree(in);
  return case_end(got[31] == 62);
}
