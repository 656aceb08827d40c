// SPDX-License-Identifier: MIT
// The same array is freed twice.
//
// FINDS: invalid_free
#include "case.h"

int main() {
  int *array = nullptr;
  cudaMalloc(&array, 64);
  cudaFree(array);
  if (!MENDED) cudaFree(array);
  cudaGetLastError();
  return case_end(true);
}
