// SPDX-License-Identifier: MIT
// refused: __managed__ variables are not available with simtcc
// refused: use cudaMallocManaged and pass the pointer to the kernel
// nvcc: skip
//
// clang has no managed variables for CUDA: refused where one is used, with the way out (which
// spaces.cu goes). As nvcc compiles them they work.
#include <cuda_runtime.h>

__managed__ int counter = 7;

__global__ void count() { counter++; }

int main() {
  count<<<1, 1>>>();
  return cudaDeviceSynchronize();
}
