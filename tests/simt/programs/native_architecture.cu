// SPDX-License-Identifier: MIT
// Code compiled for the device at hand finds that device's architecture.
// simtcc: -arch=native
// nvcc: -arch=sm_90
#include <cstdio>

__global__ void architecture(int *out) {
#ifdef __CUDA_ARCH__
  *out = __CUDA_ARCH__;
#endif
}

int main() {
  int *out;
  cudaDeviceProp device;
  cudaMallocManaged(&out, sizeof *out);
  architecture<<<1, 1>>>(out);
  if (cudaDeviceSynchronize() != cudaSuccess) return 1;
  cudaGetDeviceProperties(&device, 0);
  printf("%s\n", *out == 100 * device.major + 10 * device.minor ? "the device's" : "another");
  printf("%d\n", *out);
  cudaFree(out);
}
