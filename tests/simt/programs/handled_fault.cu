// SPDX-License-Identifier: MIT
// A program that expects a device fault, asks for it and resets the device: its exit status is its
// own. (What works after the reset is tested elsewhere: the H100 at hand refused a new context.)
#include <cstdio>

__global__ void store(int *at, int value) { *at = value; }

static void show(const char *what, cudaError_t error) {
  printf("%s: %s\n", what, cudaGetErrorName(error));
}

static void use_device(int value) {
  int *word = nullptr, got = 0;
  show("cudaMalloc", cudaMalloc(&word, sizeof *word));
  store<<<1, 1>>>(word, value);
  show("launch", cudaGetLastError());
  show("cudaMemcpy", cudaMemcpy(&got, word, sizeof got, cudaMemcpyDeviceToHost));
  show("cudaFree", cudaFree(word));
  printf("got %d\n", got);
}

int main() {
  use_device(5);
  store<<<1, 1>>>(nullptr, 1);
  show("after a null pointer", cudaDeviceSynchronize());
  int *word;
  show("it stays", cudaMalloc(&word, 4));
  show("and stays", cudaGetLastError());
  show("cudaDeviceReset", cudaDeviceReset());
  show("cudaGetLastError", cudaGetLastError());
  return 0;
}
