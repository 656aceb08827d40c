// SPDX-License-Identifier: MIT
// Prints values and judges nothing.
#include <cstdio>

__global__ void greet() { printf("thread %d\n", threadIdx.x); }

int main() {
  greet<<<1, 4>>>();
  cudaDeviceSynchronize();
  return 0;
}
