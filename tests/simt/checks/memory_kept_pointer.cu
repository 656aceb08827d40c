// SPDX-License-Identifier: MIT
// A pointer kept in a device variable outlives what it points to.
//
// FINDS: use_after_free @store
// SHOWS: lockstep reverse lane-serial delayed-stores
#include "case.h"

__device__ int *kept;

__global__ void keep(int *memory) { kept = memory; }
__global__ void use() {
  kept[threadIdx.x] = (int)threadIdx.x; // @store
}

int main() {
  int *memory = nullptr;
  cudaMalloc(&memory, 32 * sizeof(int));
  keep<<<1, 1>>>(memory);
  cudaDeviceSynchronize();
  if (!MENDED) cudaFree(memory);
  use<<<1, 32>>>();
  cudaDeviceSynchronize();
  if (MENDED) cudaFree(memory);
  return case_end(true);
}
