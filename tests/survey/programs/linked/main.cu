// SPDX-License-Identifier: MIT
// Is linked from a file in a folder below it, one beside that, and one in C: its Makefile says so.
// Nothing else names them, and the file beside this one defines the same function.
#include <cstdio>
#include <cstdlib>

__device__ int scaled(int value);
extern "C" int offset(int value);
int limit(void);

__global__ void apply(int *values) { values[threadIdx.x] = scaled(threadIdx.x); }

int main(int argc, char **argv) {
  int *values = nullptr;
  int n = argc > 1 ? atoi(argv[1]) : 0;
  int bad = n != 32 || limit() != 7;
  if (cudaMallocManaged(&values, 32 * sizeof(int)) != cudaSuccess) { return 1; }
  apply<<<1, 32>>>(values);
  if (cudaDeviceSynchronize() != cudaSuccess) { return 1; }
  for (int i = 0; i < 32; i++) { bad += offset(values[i]) != 3 * i + 1; }
  printf(bad ? "FAILED\n" : "passed\n");
  return bad != 0;
}
