// SPDX-License-Identifier: MIT
// env: SIMT_DEVICES=2
// env: SIMT_CHECK=all
// exit: 86
// stderr: race: write after read
// stderr: launch 2 on device 1
// stderr: allocation #2 (cudaMalloc on device 1, 256 bytes) was never freed
//
// The checkers say on which device a mistake is: the same kernel is right on device 0, with one
// warp, and has a data race on device 1, with two; what is never freed belongs to device 1.
#include <cstdio>

__global__ void reverse(int *a) {
  __shared__ int copy[64];
  copy[threadIdx.x] = (int)threadIdx.x;
  __syncwarp();
  a[threadIdx.x] = copy[blockDim.x - 1 - threadIdx.x];
}

int main() {
  int *a, *b, value[2];
  cudaMalloc(&a, 64 * sizeof *a);
  reverse<<<1, 32>>>(a);
  cudaMemcpy(&value[0], a, sizeof value[0], cudaMemcpyDeviceToHost);
  cudaFree(a);
  cudaSetDevice(1);
  cudaMalloc(&b, 64 * sizeof *b);
  reverse<<<1, 64>>>(b);
  printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
}
