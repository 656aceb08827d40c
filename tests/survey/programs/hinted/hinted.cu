// SPDX-License-Identifier: MIT
// Wants a number, which the note beside it names.
#include <cstdio>
#include <cstdlib>

__global__ void twice(int *x) { *x *= 2; }

int main(int argc, char **argv) {
  if (argc != 2) {
    printf("usage: %s N\n", argv[0]);
    return 1;
  }
  int *device, host = atoi(argv[1]);
  cudaMalloc(&device, sizeof host);
  cudaMemcpy(device, &host, sizeof host, cudaMemcpyHostToDevice);
  twice<<<1, 1>>>(device);
  cudaMemcpy(&host, device, sizeof host, cudaMemcpyDeviceToHost);
  cudaFree(device);
  puts(host == 42 ? "Test passed" : "Test failed");
  return 0;
}
