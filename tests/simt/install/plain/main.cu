// SPDX-License-Identifier: MIT
#include <cstdio>

extern __device__ int twice(int x); // parts.cu
int next(int x);                    // host.cpp

__global__ void fill(int *out) { out[threadIdx.x] = twice((int)threadIdx.x) + ADDEND; }

int main() {
  int *out, values[32];
  cudaMalloc(&out, sizeof values);
  fill<<<1, 32>>>(out);
  cudaMemcpy(values, out, sizeof values, cudaMemcpyDeviceToHost);
  cudaFree(out);
  printf("%d %d %d\n", values[0], values[31], next(3));
  return 0;
}
