// SPDX-License-Identifier: MIT
// Does not look at what malloc() gives: the Makefile's size is too large for the survey's limit.
#include <cstdio>
#include <cstdlib>

__global__ void set(int *value) { *value = 5; }

int main(int argc, char **argv) {
  size_t n = argc > 1 ? atoi(argv[1]) : 0;
  volatile char *bytes = (volatile char *)malloc(n << 24);
  bytes[63] = 1;
  int *value = nullptr;
  if (cudaMallocManaged(&value, sizeof(int)) != cudaSuccess) { return 1; }
  set<<<1, 1>>>(value);
  int good = cudaDeviceSynchronize() == cudaSuccess && *value == 5 && bytes[63] == 1;
  printf(good ? "passed\n" : "FAILED\n");
  return !good;
}
