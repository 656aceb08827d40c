// SPDX-License-Identifier: MIT
// Its Makefile runs it with more repetitions than a software GPU has time for.
#include <cstdio>
#include <cstdlib>

__global__ void fill(int *x) { x[threadIdx.x] = 7; }

int main(int argc, char **argv) {
  const int n = argc > 2 ? atoi(argv[1]) : 0, repeats = argc > 2 ? atoi(argv[2]) : 0;
  int *device, host = 0;
  cudaMalloc(&device, n * sizeof host);
  for (int i = 0; i < repeats; i++) {
    fill<<<1, n>>>(device);
    cudaDeviceSynchronize();
  }
  cudaMemcpy(&host, device + n - 1, sizeof host, cudaMemcpyDeviceToHost);
  cudaFree(device);
  puts(host == 7 ? "Test passed" : "Test failed");
  return 0;
}
