// SPDX-License-Identifier: MIT
// stderr: cudaErrorIllegalAddress: fault_bounds.cu:14
// stderr: out-of-bounds global store of 4 bytes
// stderr: 0 bytes past the end of allocation #1 (400 bytes
// stderr: block (3,0,0), thread (4,0,0)
//
// An access past the end of an allocation, inside a function that is inlined.
#include <cuda_runtime.h>

#include <cstdio>

template <typename T> __device__ __forceinline__ void put(T *p, int i, T v) {
  // A line of its own: the message must name it.
  p[i] = v;
}
__global__ void fill(float *p) { put(p, blockIdx.x * blockDim.x + threadIdx.x, 1.0f); }

int main() {
  float *p;
  cudaMalloc(&p, 100 * sizeof(float));
  fill<<<4, 32>>>(p);
  printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
  printf("%s\n", cudaGetErrorName(cudaFree(p))); // sticks
  // Becomes 86:
  return 0;
}
// hardware: a GPU notices no access that stays within its page
