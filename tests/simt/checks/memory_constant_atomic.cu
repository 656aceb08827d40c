// SPDX-License-Identifier: MIT
// An atomic addition to a counter in constant memory, whose address the host has asked for.
//
// FINDS: constant_store @add
// SHOWS: lockstep reverse lane-serial delayed-stores
#include "case.h"

__constant__ int limits[2];
__device__ int counter;

__global__ void count(int *counter, int *out) {
  atomicAdd(counter, 1); // @add
  if (threadIdx.x == 0) *out = limits[0];
}

int main() {
  int values[2] = {5, 6}, *out = case_unwritten<int>(1);
  void *address = nullptr;
  cudaMemcpyToSymbol(limits, values, sizeof values);
  if (MENDED) cudaGetSymbolAddress(&address, counter);
  else cudaGetSymbolAddress(&address, limits);
  count<<<1, 32>>>((int *)address, out);
  return case_end(*case_fetch(out, 1) == 5);
}
