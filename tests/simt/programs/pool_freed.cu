// SPDX-License-Identifier: MIT
// stderr: which has been freed
// hardware: an H100's pool keeps its memory for a while, so that the kernel finds it
//
// A kernel uses memory of a pool that has been freed before it in the same stream.
#include <cstdio>

__global__ void fill(int *p, int value) { p[threadIdx.x] = value; }

int main() {
  int *a;
  cudaMallocAsync(&a, 128, 0);
  fill<<<1, 32>>>(a, 1);
  cudaFreeAsync(a, 0);
  fill<<<1, 32>>>(a, 2);
  printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
}
