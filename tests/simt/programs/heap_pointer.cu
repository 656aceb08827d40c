// SPDX-License-Identifier: MIT
//
// Memory of malloc() in a kernel is not the host's to copy or free.
#include <cuda_runtime.h>

#include <cstdio>

__global__ void make(void **out) { *out = malloc(64); }
__global__ void drop(void **out) { free(*out); }

#define SAY(call) printf("%s: %s\n", #call, cudaGetErrorName(call))

int main() {
  void **slot, *memory;
  cudaMallocManaged(&slot, sizeof(void *));
  cudaMalloc(&memory, 64);
  make<<<1, 1>>>(slot);
  SAY(cudaDeviceSynchronize());
  char host[64];
  SAY(cudaMemcpy(memory, *slot, 64, cudaMemcpyDeviceToDevice));
  SAY(cudaMemcpy(host, *slot, 64, cudaMemcpyDeviceToHost));
  SAY(cudaMemset(*slot, 0, 64));
  cudaPointerAttributes a;
  SAY(cudaPointerGetAttributes(&a, *slot));
  printf("%d\n", a.type);
  drop<<<1, 1>>>(slot);
  SAY(cudaDeviceSynchronize());
  cudaFree(slot);
  cudaFree(memory);
  return 0;
}
