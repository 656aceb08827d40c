// SPDX-License-Identifier: MIT
// Its other file is C as it was written before 1999, which gcc only warns of.
#include <cstdio>

extern "C" int twice(int n);

__global__ void kernel(int *x) { *x += 1; }

int main() {
  int *device, host = twice(20);
  cudaMalloc(&device, sizeof host);
  cudaMemcpy(device, &host, sizeof host, cudaMemcpyHostToDevice);
  kernel<<<1, 1>>>(device);
  cudaMemcpy(&host, device, sizeof host, cudaMemcpyDeviceToHost);
  cudaFree(device);
  puts(host == 41 ? "Test passed" : "Test failed");
  return 0;
}
