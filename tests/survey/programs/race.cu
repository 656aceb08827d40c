// SPDX-License-Identifier: MIT
// Runs to its end with a result that looks right; the checkers find the missing barrier.
#include <cstdio>

__global__ void reverse(int *x) {
  __shared__ int s[64];
  s[threadIdx.x] = x[threadIdx.x];
  x[threadIdx.x] = s[63 - threadIdx.x]; // the race
}

int main() {
  int host[64], *device;
  for (int i = 0; i < 64; i++) host[i] = i;
  cudaMalloc(&device, sizeof host);
  cudaMemcpy(device, host, sizeof host, cudaMemcpyHostToDevice);
  reverse<<<1, 64>>>(device);
  cudaMemcpy(host, device, sizeof host, cudaMemcpyDeviceToHost);
  printf("%d\n", host[0]);
  cudaFree(device);
  return 0;
}
