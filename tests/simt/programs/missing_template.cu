// SPDX-License-Identifier: MIT
// Device code whose author left out `template` before a member template of a dependent type, which
// nvcc takes, here and in a header.
#include <cstdio>

#include "missing_template.h"

template <class To, class From, int n> __device__ void convert_here(To *to, const From *from) {
  conversion<To, From>::run<n>(to, from);
}
__global__ void convert(float *to, const int *from) {
  convert_here<float, int, 4>(to, from);
  convert_there<float, int, 4>(to + 4, from);
}

int main() {
  float *to;
  int *from;
  if (cudaMallocManaged(&to, 8 * sizeof *to) || cudaMallocManaged(&from, 4 * sizeof *from))
    return 1;
  for (int i = 0; i < 4; i++) from[i] = i * i;
  convert<<<1, 1>>>(to, from);
  cudaDeviceSynchronize();
  for (int i = 0; i < 8; i++) printf("%g%c", (double)to[i], i < 7 ? ' ' : '\n');
  cudaFree(to);
  cudaFree(from);
  return 0;
}
