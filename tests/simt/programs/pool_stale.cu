// SPDX-License-Identifier: MIT
// found: uninitialised
// hardware: what is read is what the former owner of the memory has left there
//
// Memory that a pool gives out again is new to initcheck: what its former owner wrote is not its
// contents. Twin: with an argument the kernel writes first.
#include <cstdio>

__global__ void fill(int *p, int value) { p[threadIdx.x] = value; }
__global__ void count(const int *p, int *out) {
  if (p[threadIdx.x] == 77) atomicAdd(out, 1);
}

int main(int argc, char **) {
  int *a, *b, *out, result = -1;
  cudaMalloc(&out, sizeof *out);
  cudaMemset(out, 0, sizeof *out);
  cudaMallocAsync(&a, 128, 0);
  fill<<<1, 32>>>(a, 1);
  cudaFreeAsync(a, 0);
  cudaMallocAsync(&b, 128, 0);
  if (argc > 1) fill<<<1, 32>>>(b, 2);
  count<<<1, 32>>>(b, out);
  cudaMemcpy(&result, out, sizeof result, cudaMemcpyDeviceToHost);
  printf("same %d, %d\n", a == b, result);
  cudaFreeAsync(b, 0);
  cudaFree(out);
}
