// SPDX-License-Identifier: MIT
// Each thread stores a word of a table in constant memory, which only the host may write.
//
// FINDS: constant_store @store
// SHOWS: lockstep reverse lane-serial delayed-stores
#include "case.h"

__constant__ int table[32];
__device__ int writable[32];

__global__ void fill(int *to, int *out) {
  const int t = (int)threadIdx.x;
  to[t] = t; // @store
  out[t] = table[31 - t] + t;
}

int main() {
  int zeros[32] = {0}, *out = case_unwritten<int>(32);
  void *address = nullptr;
  cudaMemcpyToSymbol(table, zeros, sizeof zeros);
  if (MENDED) cudaGetSymbolAddress(&address, writable);
  else cudaGetSymbolAddress(&address, table);
  fill<<<1, 32>>>((int *)address, out);
  return case_end(case_fetch(out, 32)[31] == 31);
}
