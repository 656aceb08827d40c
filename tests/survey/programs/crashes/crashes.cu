// SPDX-License-Identifier: MIT
// Crashes behind a kernel. That a file is not there which it is run with has nothing to do with it.
#include <cstdio>

__global__ void set(int *value) { *value = 5; }

int main(int argc, char **argv) {
  volatile int *nothing = argc > 9 ? &argc : nullptr;
  int *value = nullptr;
  if (cudaMallocManaged(&value, sizeof(int)) != cudaSuccess) { return 1; }
  set<<<1, 1>>>(value);
  if (cudaDeviceSynchronize() != cudaSuccess) { printf("no kernel\n"); }
  return *nothing;
}
