// SPDX-License-Identifier: MIT
//
// Objects that own device memory: those from before the runtime's first call are destroyed after
// it. The expected output is an H100's.
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
// objects with static storage that own device memory
struct Buf {
  int *p = nullptr;
  const char *n;
  Buf(const char *n, size_t b) : n(n) {
    printf("%s alloc %s\n", n, cudaGetErrorName(cudaMalloc(&p, b)));
  }
  ~Buf() { printf("%s free %s\n", n, cudaGetErrorName(cudaFree(p))); }
};
struct Lazy {
  int *p = nullptr;
  ~Lazy() { printf("lazy free %s\n", cudaGetErrorName(cudaFree(p))); }
};
static Lazy lazy;
static Buf early("early", 100);
static Buf &late() {
  static Buf b("late", 200);
  return b;
}
__global__ void k(int *p) { *p = 3; }
int main() {
  int h = 0;
  cudaMalloc(&lazy.p, 64);
  k<<<1, 1>>>(late().p);
  E(cudaMemcpy(&h, late().p, 4, cudaMemcpyDeviceToHost));
  printf("%d\n", h);
  atexit([] { printf("atexit %s\n", cudaGetErrorName(cudaDeviceSynchronize())); });
  return 0;
}
