// SPDX-License-Identifier: MIT
// Its Makefile runs it with a file that is not there, and it only asserts that it is.
#include <cassert>
#include <cstdio>

__global__ void nothing(void) {}

int main(int argc, char **argv) {
  FILE *file = argc > 1 ? fopen(argv[1], "r") : nullptr;
  assert(file != NULL);
  nothing<<<1, 1>>>();
  return fclose(file) || cudaDeviceSynchronize() != cudaSuccess;
}
