// SPDX-License-Identifier: MIT
// Checks its own result and says so.
#include <cstdio>

__global__ void twice(int *x) { x[threadIdx.x] *= 2; }

int main() {
  int host[64], *device, bad = 0;
  for (int i = 0; i < 64; i++) host[i] = i;
  cudaMalloc(&device, sizeof host);
  cudaMemcpy(device, host, sizeof host, cudaMemcpyHostToDevice);
  twice<<<1, 64>>>(device);
  cudaMemcpy(host, device, sizeof host, cudaMemcpyDeviceToHost);
  for (int i = 0; i < 64; i++) bad += host[i] != 2 * i;
  printf("%d errors\n%s\n", bad, bad ? "FAILED" : "PASSED");
  cudaFree(device);
  return bad != 0;
}
