// SPDX-License-Identifier: MIT
// Source of clang14_inlined.ptx and clang19_inlined.ptx (simtcc -O2 -ptx): a load inlined twice.
#include <cuda_runtime.h>
__device__ float inner(const float *p, int i) {
  return p[i];
}
__device__ float outer(const float *p, int i) {
  float a = 1;
  if (i > 5) a = 2;
  return a * inner(p, i * 2);
}
__global__ void k(const float *a, float *b, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  b[i] =
     outer(a, i);
}
