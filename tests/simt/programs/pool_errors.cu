// SPDX-License-Identifier: MIT
// found: is not the start of an allocation
//
// Pools misused: wrong devices and properties, frees of what is not theirs, access, attributes.
// The expected output is an H100's.
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
static void show(cudaMemPool_t p) {
  for (int a = 0; a < 10; a++) {
    unsigned long long v = 0;
    cudaError_t e = cudaMemPoolGetAttribute(p, (cudaMemPoolAttr)a, &v);
    printf("%d:%s=%llu ", a, e ? cudaGetErrorName(e) : "", v);
  }
  printf("\n");
}
int main() {
  cudaMemPool_t def, cur, own;
  E(cudaDeviceGetDefaultMemPool(&def, 0));
  E(cudaDeviceGetDefaultMemPool(&def, 3));
  E(cudaDeviceGetMemPool(&cur, 0));
  printf("%d\n", def == cur);
  show(def);
  cudaMemPoolProps p = {};
  E(cudaMemPoolCreate(&own, &p));
  p.allocType = cudaMemAllocationTypePinned;
  E(cudaMemPoolCreate(&own, &p));
  p.location.type = cudaMemLocationTypeDevice;
  p.location.id = 4;
  E(cudaMemPoolCreate(&own, &p));
  p.location.id = 0;
  E(cudaMemPoolCreate(&own, &p));
  show(own);
  E(cudaMemPoolCreate(nullptr, &p));
  int *a = nullptr, *b = nullptr;
  E(cudaMallocFromPoolAsync(&a, 100, own, 0));
  show(own);
  show(def);
  E(cudaDeviceSetMemPool(0, own));
  E(cudaDeviceGetMemPool(&cur, 0));
  printf("%d\n", cur == own);
  E(cudaMallocAsync(&b, 100, 0));
  show(own);
  E(cudaMallocAsync(&b, 0, 0));
  printf("%d\n", b == nullptr);
  E(cudaMallocAsync((void **)nullptr, 10, 0));
  E(cudaMallocAsync(&b, (size_t)1 << 50, 0));
  E(cudaFreeAsync(nullptr, 0));
  int x;
  E(cudaFreeAsync(&x, 0));
  E(cudaFreeAsync(a + 1, 0));
  E(cudaFreeAsync(a, 0));
  E(cudaFreeAsync(a, 0));
  E(cudaMalloc(&a, 100));
  E(cudaFreeAsync(a, 0));
  E(cudaStreamSynchronize(0));
  int v = 0;
  E(cudaMemPoolSetAttribute(own, cudaMemPoolReuseFollowEventDependencies, &v));
  E(cudaMemPoolSetAttribute(own, cudaMemPoolReuseAllowOpportunistic, &v));
  E(cudaMemPoolSetAttribute(own, (cudaMemPoolAttr)77, &v));
  E(cudaMemPoolGetAttribute(own, cudaMemPoolReuseAllowInternalDependencies, &v));
  printf("%d\n", v);
  show(own);
  cudaMemAccessDesc d = {{cudaMemLocationTypeDevice, 0}, cudaMemAccessFlagsProtReadWrite};
  E(cudaMemPoolSetAccess(own, &d, 1));
  d.flags = cudaMemAccessFlagsProtNone;
  E(cudaMemPoolSetAccess(own, &d, 1));
  cudaMemLocation l = {cudaMemLocationTypeDevice, 0};
  cudaMemAccessFlags f;
  E(cudaMemPoolGetAccess(&f, own, &l));
  printf("%d\n", f);
  E(cudaMemPoolDestroy(own));
  E(cudaDeviceGetMemPool(&cur, 0));
  printf("%d\n", cur == def);
  E(cudaMemPoolDestroy(def));
  E(cudaMemPoolTrimTo(def, 0));
  E(cudaGetLastError());
}
