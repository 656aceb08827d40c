// SPDX-License-Identifier: MIT
// Memory is freed by a pointer that was advanced.
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
