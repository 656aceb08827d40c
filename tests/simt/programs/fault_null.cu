// SPDX-License-Identifier: MIT
// unmeasured: nvcc makes a trap of the access, and a trap's error an H100 has printed
//
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
