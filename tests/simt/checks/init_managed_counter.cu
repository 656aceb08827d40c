// SPDX-License-Identifier: MIT
// A counter in managed memory that the program never sets: it happens to begin as zero.
//
// FINDS: uninitialised_global @count
#include "case.h"

__global__ void even(const int *in, int *n) {
  if (in[threadIdx.x] % 2 == 0) atomicAdd(n, 1); // @count
}

int main() {
  int *in = case_numbers<int>(64), *n;
  cudaMallocManaged(&n, sizeof *n);
  if (MENDED) *n = 0;
  even<<<1, 64>>>(in, n);
  cudaDeviceSynchronize();
  bool right = *n == 32;
  cudaFree(n);
  return case_end(right);
}
