// SPDX-License-Identifier: MIT
// An array that is never freed.
//
// FINDS: leak
#include "case.h"

__global__ void fill(int *array) { array[threadIdx.x] = 1; }

int main() {
  int *array = nullptr;
  cudaMalloc(&array, 32 * sizeof(int));
  fill<<<1, 32>>>(array);
  cudaDeviceSynchronize();
  if (MENDED) cudaFree(array);
  return case_end(true);
}
