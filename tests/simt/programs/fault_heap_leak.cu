// SPDX-License-Identifier: MIT
// env: SIMT_CHECK=all
// stderr: memory never freed
// stderr: malloc() or new in a kernel, 12 bytes
// stderr: 0 errors and 1 note
//
// What a kernel allocates and no kernel frees is a leak; a twin that frees it is none.
#include <cstdio>

__global__ void use(int **keep, bool frees) {
  int *array = new int[3];
  array[0] = 1;
  if (keep) *keep = array;
  if (frees) delete[] array;
}

int main() {
  use<<<1, 1>>>(nullptr, true);
  int **keep;
  cudaMalloc(&keep, sizeof *keep);
  use<<<1, 1>>>(keep, false);
  printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
  cudaFree(keep);
}
