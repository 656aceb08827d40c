// SPDX-License-Identifier: MIT
// The host fills the first of two arrays in managed memory; the kernel reads both.
//
// FINDS: uninitialised_global @read
#include "case.h"

__global__ void sum(const float *x, const float *y, float *out) {
  const unsigned t = threadIdx.x;
  out[t] = x[t] + y[t]; // @read
}

int main() {
  enum { N = 32 };
  float *x, *y, *out = case_unwritten<float>(N);
  cudaMallocManaged(&x, N * sizeof *x);
  cudaMallocManaged(&y, N * sizeof *y);
  for (int i = 0; i < N; i++) x[i] = (float)i;
  for (int i = 0; i < N && MENDED; i++) y[i] = 0.0f;
  sum<<<1, N>>>(x, y, out);
  bool right = case_fetch(out, N)[31] == 31.0f;
  cudaFree(x);
  cudaFree(y);
  return case_end(right);
}
