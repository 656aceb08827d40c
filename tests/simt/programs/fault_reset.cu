// SPDX-License-Identifier: MIT
// stderr: cudaErrorIllegalAddress
//
// After a fault and a reset the process gets no context again. The expected output is an H100's.
#include <cuda_runtime.h>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>
#include <string>
#define E(...)                                                                                     \
  do {                                                                                             \
    cudaError_t e_ = (__VA_ARGS__);                                                                \
    printf("%s -> %s\n", #__VA_ARGS__, cudaGetErrorName(e_));                                      \
  } while (0)
__global__ void bad(int *p) { *p = 1; }
__global__ void ok(int *p) { *p = 5; }
static int unbuffered = setvbuf(stdout, nullptr, _IONBF, 0);
int main() {
  int *d, h = 0, n = 0;
  E(cudaMalloc(&d, 4));
  bad<<<1, 1>>>(nullptr);
  E(cudaDeviceSynchronize());
  E(cudaGetLastError());
  E(cudaPeekAtLastError());
  E(cudaDeviceReset());
  E(cudaPeekAtLastError());
  E(cudaGetLastError());
  E(cudaGetLastError());
  E(cudaGetDeviceCount(&n));
  E(cudaGetDevice(&n));
  E(cudaSetDevice(0));
  E(cudaFree(0));
  E(cudaMalloc(&d, 4));
  ok<<<1, 1>>>(d);
  E(cudaGetLastError());
  E(cudaMemcpy(&h, d, 4, cudaMemcpyDeviceToHost));
  E(cudaDeviceReset());
  E(cudaMalloc(&d, 4));
  E(cudaGetLastError());
  cudaDeviceProp p;
  E(cudaGetDeviceProperties(&p, 0));
  size_t a, b;
  E(cudaMemGetInfo(&a, &b));
}
