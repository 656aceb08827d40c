// SPDX-License-Identifier: MIT
// Needs a header of another folder, a file beside it and a macro of the Makefile above.
#include <cstdio>

#include "shift.h"

int main() {
  int *device, host = 1;
  cudaMalloc(&device, sizeof *device);
  cudaMemcpy(device, &host, sizeof host, cudaMemcpyHostToDevice);
  apply(device);
  cudaMemcpy(&host, device, sizeof host, cudaMemcpyDeviceToHost);
  printf("%s\n", host == 1 << SHIFT && FROM_MAKEFILE == 5 ? "Test passed" : "Test failed");
  cudaFree(device);
  return 0;
}
