// SPDX-License-Identifier: MIT
// Code that asks for its architecture, of a command line that names none, finds what nvcc 13 has.
// unmeasured: what nvcc's documentation says
#include <cstdio>
#include <nv/target>

__global__ void architecture() {
#if __CUDA_ARCH__ >= 800
  printf("new: ");
#else
  printf("old: ");
#endif
  NV_IF_ELSE_TARGET(NV_PROVIDES_SM_80, (printf("at least 8.0, ");), (printf("before 8.0, ");))
#ifdef __CUDA_ARCH__
  printf("%d\n", __CUDA_ARCH__);
#endif
}

int main() {
  architecture<<<1, 1>>>();
  return cudaDeviceSynchronize() != cudaSuccess;
}
