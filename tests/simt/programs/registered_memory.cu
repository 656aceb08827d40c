// SPDX-License-Identifier: MIT
// stderr: read-only
// found: was allocated by another kind of call
//
// Pinned and registered memory: flags, parts, and a kernel that writes what was registered as
// read-only. The expected output is an H100's.
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
__global__ void inc(int *p) { atomicAdd(p, 1); }
int main() {
  void *p, *dp;
  unsigned f;
  for (unsigned flags : {0u, 1u, 2u, 4u, 3u, 7u, 8u, 16u}) {
    p = nullptr;
    cudaError_t e = cudaHostAlloc(&p, 100, flags);
    printf("alloc %u: %s\n", flags, cudaGetErrorName(e));
    if (e) continue;
    E(cudaHostGetFlags(&f, p));
    printf("flags %u\n", f);
    E(cudaHostGetDevicePointer(&dp, p, 0));
    printf("same %d\n", dp == p);
    *(int *)p = 5;
    inc<<<1, 3>>>((int *)dp);
    E(cudaDeviceSynchronize());
    printf("%d\n", *(int *)p);
    E(cudaFreeHost(p));
  }
  int stack[4] = {};
  E(cudaHostGetFlags(&f, stack));
  E(cudaHostGetDevicePointer(&dp, stack, 0));
  E(cudaHostGetDevicePointer(&dp, nullptr, 0));
  void *m = aligned_alloc(4096, 16384);
  memset(m, 0, 16384);
  for (unsigned flags : {0u, 1u, 2u, 3u, 8u, 32u}) {
    cudaError_t e = cudaHostRegister(m, 16384, flags);
    printf("register %u: %s\n", flags, cudaGetErrorName(e));
    if (e) continue;
    E(cudaHostRegister(m, 16384, flags));
    E(cudaHostRegister((char *)m + 4096, 4096, flags));
    E(cudaHostGetFlags(&f, m));
    printf("flags %u\n", f);
    E(cudaHostGetDevicePointer(&dp, m, 0));
    printf("same %d\n", dp == m);
    E(cudaHostGetDevicePointer(&dp, (char *)m + 100, 0));
    printf("offset %d\n", (int)((char *)dp - (char *)m));
    inc<<<1, 3>>>((int *)m);
    E(cudaDeviceSynchronize());
    E(cudaHostUnregister((char *)m + 4096));
    E(cudaFreeHost(m));
    E(cudaHostUnregister(m));
    E(cudaHostUnregister(m));
  }
  printf("%d\n", *(int *)m);
  E(cudaHostRegister(nullptr, 16, 0));
  E(cudaHostRegister(m, 0, 0));
  E(cudaHostRegister((char *)m + 3, 100, 0));
  E(cudaHostUnregister((char *)m + 3));
  E(cudaHostUnregister(nullptr));
  E(cudaGetLastError());
  free(m);
}
