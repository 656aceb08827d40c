// SPDX-License-Identifier: MIT
// exit: -11
// stderr: host code reads or writes device memory at 0x
// stderr: in or near allocation #1 (256 bytes)
// stderr: cudaMallocManaged()
//
// The host cannot follow a pointer to device memory: on a GPU as well the program ends with SIGSEGV
// there, without a word.
#include <cstdio>
__global__ void fill(int *out) { out[threadIdx.x] = (int)threadIdx.x; }

int main() {
  int *numbers;
  cudaMalloc(&numbers, 64 * sizeof(int));
  fill<<<1, 64>>>(numbers);
  printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
  fflush(stdout);
  printf("%d\n", numbers[3]);
}
