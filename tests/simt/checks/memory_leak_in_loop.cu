// SPDX-License-Identifier: MIT
// Allocated again in every round; only the last one is freed.
//
// FINDS: leak
#include "case.h"

int main() {
  int *array = nullptr;
  for (int round = 0; round < 3; round++) {
    if (MENDED) cudaFree(array);
    cudaMalloc(&array, 256);
    cudaMemset(array, round, 256);
  }
  cudaFree(array);
  return case_end(true);
}
