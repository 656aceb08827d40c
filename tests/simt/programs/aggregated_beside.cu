// SPDX-License-Identifier: MIT
// One atomic for all lanes that come together, in a header: see aggregated_atomics.cu.
#include "aggregated_beside.h"

#include <cstdio>

__global__ void filter(int n, int *counter, int *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && i % 3 == 1) out[next_of_mask(counter)] = i;
}

int main() {
  enum { N = 1000 };
  static int out[N];
  int *device_out, *counter, counted, sum = 0;
  cudaMalloc(&device_out, sizeof out);
  cudaMalloc(&counter, sizeof *counter);
  cudaMemset(device_out, 0, sizeof out);
  cudaMemset(counter, 0, sizeof *counter);
  filter<<<(N + 127) / 128, 128>>>(N, counter, device_out);
  cudaMemcpy(&counted, counter, sizeof counted, cudaMemcpyDeviceToHost);
  cudaMemcpy(out, device_out, sizeof out, cudaMemcpyDeviceToHost);
  for (int value : out) sum += value;
  printf("%d threads, sum %d\n", counted, sum);
  cudaFree(device_out);
  cudaFree(counter);
}
