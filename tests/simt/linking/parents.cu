// SPDX-License-Identifier: MIT
// Kernels that launch kernels of this file and of children.cu, which has one of the same name.
#include <cstdio>

#include "children.h"

static __global__ void own(int *p) { atomicAdd(p + 1, 1); }
__global__ void parent(int *p) {
  there<<<1, 32>>>(p);
  add<int><<<1, 2>>>(p + 2, 3);
  own<<<1, 1>>>(p);
  launch_there(p);
}

int main() {
  int *p;
  if (cudaMallocManaged(&p, 3 * sizeof(int)) != cudaSuccess) return 1;
  p[0] = p[1] = p[2] = 0;
  parent<<<1, 1>>>(p);
  const cudaError_t error = cudaDeviceSynchronize();
  printf("%s %d %d %d\n", cudaGetErrorName(error), p[0], p[1], p[2]);
  return 0;
}
