// SPDX-License-Identifier: MIT
// A width of 64, right on a GPU whose warps have 64 lanes: said as what it is, no wrong sum.
// exit: 1
// stderr: a shuffle is at most as wide as a warp, which has 32 lanes here
// hardware: an NVIDIA GPU prints the assertion in other words
#include <hip/hip_runtime.h>

#include <cstdio>

__global__ void sum(int *out) {
  int value = 1;
  for (int delta = 32; delta > 0; delta /= 2) value += __shfl_down(value, delta, 64);
  if (threadIdx.x == 0) *out = value;
}

int main() {
  int *out;
  if (hipMalloc(&out, sizeof(int)) != hipSuccess) return 2;
  hipLaunchKernelGGL(sum, 1, 64, 0, 0, out);
  const hipError_t error = hipDeviceSynchronize();
  printf("%s\n", hipGetErrorName(error));
  return error == hipErrorAssert;
}
