// SPDX-License-Identifier: MIT
// stderr: cudaErrorAssert
// stderr: i < 40
// stderr: fault_assert.cu
// stderr: thread (8,0,0)
//
// A device assert that fails, after a printf that must not be lost.
#include <cuda_runtime.h>

#include <cassert>
#include <cstdio>

__global__ void check() {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i == 33) printf("thread 33 was here\n");
  assert(i < 40);
}

int main() {
  check<<<2, 32>>>();
  printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
  return 0;
}
