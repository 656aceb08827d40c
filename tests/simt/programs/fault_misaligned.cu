// SPDX-License-Identifier: MIT
// exit: 3
// stderr: cudaErrorMisalignedAddress
// stderr: fault_misaligned.cu:11
//
// A 16-byte load from an address that is no multiple of 16; the program's own exit status stands.
#include <cuda_runtime.h>

#include <cstdio>

__global__ void load(const float *p, float4 *out) { *out = *(const float4 *)(p + 1); }

int main() {
  float *p;
  cudaMalloc(&p, 256);
  load<<<1, 1>>>(p, (float4 *)(p + 32));
  const cudaError_t error = cudaDeviceSynchronize();
  printf("%s: %s\n", cudaGetErrorName(error), cudaGetErrorString(error));
  return 3;
}
