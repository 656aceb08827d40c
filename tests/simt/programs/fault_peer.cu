// SPDX-License-Identifier: MIT
// env: SIMT_DEVICES=2
// stderr: memory of device 1; the kernel runs on device 0, for which peer access is not enabled
// stderr: fault_peer.cu:10
//
// Without peer access a kernel that touches the other device's memory faults. As on an H200 the
// fault stands on every device of the process.
#include <cstdio>

__global__ void store(int *a, int value) { a[threadIdx.x] = value; }

int main() {
  int *a, value = 0;
  cudaSetDevice(1);
  cudaMalloc(&a, 32 * sizeof *a);
  cudaSetDevice(0);
  store<<<1, 32>>>(a, 1);
  printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
  cudaSetDevice(1);
  store<<<1, 32>>>(a, 2);
  printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
  printf("%s\n", cudaGetErrorName(cudaMemcpy(&value, a, sizeof value, cudaMemcpyDeviceToHost)));
  printf("%d\n", value);
  cudaSetDevice(0);
  printf("%s\n", cudaGetErrorName(cudaMalloc(&a, 4)));
  printf("%s\n", cudaGetErrorName(cudaDeviceReset()));
}
