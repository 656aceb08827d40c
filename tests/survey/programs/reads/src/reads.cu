// SPDX-License-Identifier: MIT
// Reads a file below its Makefile's folder, in which it is run.
#include <cstdio>

__global__ void add(int *value) { *value += 1; }

int main(int argc, char **argv) {
  FILE *file = argc > 1 ? fopen(argv[1], "r") : nullptr;
  int *value = nullptr;
  if (!file || cudaMallocManaged(&value, sizeof(int)) != cudaSuccess ||
      fscanf(file, "%d", value) != 1) {
    printf("no input\n");
    return 1;
  }
  add<<<1, 1>>>(value);
  int good = cudaDeviceSynchronize() == cudaSuccess && *value == 42;
  printf(good ? "passed\n" : "FAILED\n");
  return !good;
}
