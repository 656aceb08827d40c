// SPDX-License-Identifier: MIT
// exit: 3
// A device fault that the program asks for and lives with: no reset, and an exit status of its own.
#include <cassert>
#include <cstdio>

__global__ void check(int n) { assert(n == 1); }

int main() {
  check<<<1, 1>>>(1);
  printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
  check<<<1, 1>>>(2);
  cudaError_t error = cudaDeviceSynchronize();
  printf("%s\n", cudaGetErrorName(error));
  printf("%s\n", cudaGetErrorString(error));
  return error == cudaErrorAssert ? 3 : 1;
}
