// SPDX-License-Identifier: MIT
// Its own check fails: the kernel leaves the last element out.
#include <cstdio>

__global__ void fill(int *x, int n) {
  if (threadIdx.x < n - 1) x[threadIdx.x] = 7;
}

int main() {
  int host[32], *device, bad = 0;
  cudaMalloc(&device, sizeof host);
  cudaMemset(device, 0, sizeof host);
  fill<<<1, 32>>>(device, 32);
  cudaMemcpy(host, device, sizeof host, cudaMemcpyDeviceToHost);
  for (int i = 0; i < 32; i++) bad += host[i] != 7;
  printf("%d mismatches\n", bad);
  cudaFree(device);
  return 0;
}
