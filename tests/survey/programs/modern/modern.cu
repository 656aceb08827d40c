// SPDX-License-Identifier: MIT
// Has code for today's devices only; its Makefile names one that no compiler takes any more.
#include <cstdio>

__global__ void architecture(int *found) {
#if __CUDA_ARCH__ >= 900
  *found = 1;
#else
  *found = 0;
#endif
}

int main(void) {
  int *found = nullptr;
  if (cudaMallocManaged(&found, sizeof(int)) != cudaSuccess) { return 1; }
  architecture<<<1, 1>>>(found);
  if (cudaDeviceSynchronize() != cudaSuccess) { return 1; }
  printf(*found ? "passed\n" : "FAILED\n");
  return *found == 0;
}
