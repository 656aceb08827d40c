// SPDX-License-Identifier: MIT
// Kernels that parents.cu launches, and one that it cannot name.
#include "children.h"

static __global__ void own(int *p) { atomicAdd(p + 1, 100); }
__global__ void there(int *p) {
  atomicAdd(p, 1);
  if (threadIdx.x == 0) own<<<1, 2>>>(p);
}
__device__ void launch_there(int *p) {
  there<<<2, 1>>>(p);
  add<int><<<1, 5>>>(p + 2, 1);
}
