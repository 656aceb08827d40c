// SPDX-License-Identifier: MIT
//
// What a kernel prints is seen where the host waits for it: not after a call that only submits, nor
// after waiting for a stream that has had no work; before a host function that comes after it; and
// not at all where the program ends first.
#include <cuda_runtime.h>

#include <cstdio>

__global__ void say(int i) { printf("kernel %d\n", i); }

static void speak(void *) { printf("host function\n"); }

int main() {
  int *memory, host[4];
  cudaStream_t busy, idle;
  cudaStreamCreate(&busy);
  cudaStreamCreate(&idle);
  say<<<1, 1>>>(7);
  cudaMalloc(&memory, sizeof host); // the first block of device memory
  printf("after an allocation\n");
  cudaMemset(memory, 0, sizeof host);
  say<<<1, 1>>>(0);
  cudaDeviceSynchronize();
  say<<<1, 1>>>(1);
  cudaMemcpyAsync(host, memory, sizeof host, cudaMemcpyDeviceToHost, 0);
  printf("after a copy that does not wait\n");
  cudaDeviceSynchronize();
  say<<<1, 1, 0, busy>>>(2);
  cudaStreamSynchronize(idle);
  printf("after an idle stream\n");
  cudaStreamSynchronize(busy);
  printf("after the stream\n");
  say<<<1, 1, 0, busy>>>(3);
  cudaLaunchHostFunc(busy, speak, nullptr);
  cudaStreamSynchronize(busy);
  say<<<1, 1>>>(4);
  cudaDeviceSetLimit(cudaLimitStackSize, 2048);
  printf("after a limit\n");
  say<<<1, 1>>>(5);
  cudaMemcpy(host, memory, sizeof host, cudaMemcpyDeviceToHost);
  printf("after a copy\n");
  cudaFree(memory);
  cudaStreamDestroy(busy);
  cudaStreamDestroy(idle);
  say<<<1, 1>>>(6);
  printf("the end\n");
  return 0;
}
