// SPDX-License-Identifier: MIT
// A program whose host code is in C and in C++ with OpenMP, beside a file of device code.
#include <cstdio>

__device__ void store(int *to, int value);
extern "C" int in_c(int x);
int parallel_sum(int n);

__global__ void start(int *to) { store(to, 40); }

int main() {
  int *value, got = 0;
  cudaMalloc(&value, sizeof(int));
  start<<<1, 1>>>(value);
  cudaMemcpy(&got, value, sizeof(int), cudaMemcpyDeviceToHost);
  printf("%d %d\n", in_c(got), parallel_sum(100));
}
