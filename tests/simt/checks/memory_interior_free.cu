// SPDX-License-Identifier: MIT
// Freed by a pointer that was moved on.
//
// FINDS: invalid_free
// MAY FIND: leak
#include "case.h"

int main() {
  int *array = nullptr;
  cudaMalloc(&array, 64);
  cudaMemset(array, 0, 64);
  cudaFree(MENDED ? array : array + 1);
  if (!MENDED) cudaFree(array);
  cudaGetLastError();
  return case_end(true);
}
