// SPDX-License-Identifier: MIT
// env: SIMT_DEVICES=2
// stderr: cudaErrorIllegalAddress
//
// After a fault on one device, calls on every device of the process fail.
#include <cstdio>

__global__ void store(int *a, int value) { a[threadIdx.x] = value; }

static void show(const char *what, cudaError_t error) {
  printf("%s: %s\n", what, cudaGetErrorName(error));
}

int main() {
  int *a = nullptr, *b = nullptr, value = 5;
  for (int device = 0; device < 2; device++) {
    cudaSetDevice(device);
    show("cudaMalloc", cudaMalloc(device ? &b : &a, 32 * sizeof *a));
    store<<<1, 32>>>(device ? b : a, device + 1);
    show("synchronise", cudaDeviceSynchronize());
  }
  cudaSetDevice(0);
  store<<<1, 32>>>(nullptr, 1);
  show("null pointer on device 0", cudaDeviceSynchronize());
  cudaSetDevice(1);
  store<<<1, 32>>>(b, 3);
  show("launch on device 1", cudaGetLastError());
  show("synchronise it", cudaDeviceSynchronize());
  show("copy", cudaMemcpy(&value, b, sizeof value, cudaMemcpyDeviceToHost));
  printf("%d\n", value);
}
