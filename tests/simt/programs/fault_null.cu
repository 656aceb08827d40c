// SPDX-License-Identifier: MIT
// A store through a literal null pointer: compilers take what follows for unreachable, and nvcc's
// code traps there.
#include <cuda_runtime.h>

#include <cstdio>

__global__ void store() {
  int *p = nullptr;
  printf("before\n");
  *p = 1;
  printf("behind\n");
}

int main() {
  store<<<1, 1>>>();
  printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
}
