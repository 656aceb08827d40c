// SPDX-License-Identifier: MIT
// stderr: cudaErrorIllegalAddress: fault_heap.cu:13
// stderr: out-of-bounds global store of 4 bytes
// stderr: 0 bytes past the end of allocation
//
// One element too many of an array that a kernel has allocated.
#include <cstdio>

__global__ void overrun(int n) {
  int *array = (int *)malloc(n * sizeof *array);
  if (!array) return;
  volatile int *elements = array;
  for (int i = 0; i <= n; i++) elements[i] = i;
  free(array);
}

int main() {
  overrun<<<1, 1>>>(10);
  printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
}
// hardware: a GPU does not notice it
