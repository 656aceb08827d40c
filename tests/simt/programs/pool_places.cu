// SPDX-License-Identifier: MIT
//
// A pool of the program's own as a device's current one; pools by place; attributes that can be
// set.
#include <cuda_runtime.h>
#include "runtime_calls.h"

__global__ void fill(int *p, int n, int v) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) p[i] = v + i;
}
int main() {
  cudaMemPool_t def, cur, mine, got;
  E(cudaDeviceGetDefaultMemPool(&def, 0));
  E(cudaDeviceGetMemPool(&cur, 0));
  printf("same %d\n", def == cur);
  cudaMemPoolProps pr = {};
  pr.allocType = cudaMemAllocationTypePinned;
  pr.location.type = cudaMemLocationTypeDevice;
  pr.location.id = 0;
  pr.maxSize = 0;
  E(cudaMemPoolCreate(&mine, &pr));
  E(cudaDeviceSetMemPool(0, mine));
  E(cudaDeviceGetMemPool(&cur, 0));
  printf("mine %d\n", cur == mine);
  cudaStream_t s;
  CK(cudaStreamCreate(&s));
  int *p;
  E(cudaMallocAsync((void **)&p, 4000, s));
  fill<<<4, 256, 0, s>>>(p, 1000, 5);
  int h[3];
  CK(cudaMemcpyAsync(h, p + 997, 12, cudaMemcpyDeviceToHost, s));
  CK(cudaStreamSynchronize(s));
  printf("%d %d %d\n", h[0], h[1], h[2]);
  unsigned long long u;
  E(cudaMemPoolGetAttribute(mine, cudaMemPoolAttrUsedMemCurrent, &u));
  printf("used %llu\n", (unsigned long long)u);
  E(cudaMemPoolGetAttribute(def, cudaMemPoolAttrUsedMemCurrent, &u));
  printf("default used %llu\n", (unsigned long long)u);
  cudaPointerAttributes a;
  E(cudaPointerGetAttributes(&a, p));
  printf("%d %d %d %d\n", a.type, a.device, a.devicePointer == p, a.hostPointer == nullptr);
  E(cudaFreeAsync(p, s));
  CK(cudaStreamSynchronize(s));
  E(cudaMemPoolGetAttribute(mine, cudaMemPoolAttrUsedMemCurrent, &u));
  printf("used %llu\n", (unsigned long long)u);
  E(cudaMemPoolGetAttribute(mine, cudaMemPoolAttrUsedMemHigh, &u));
  printf("high %llu\n", (unsigned long long)u);
  u = 0;
  E(cudaMemPoolSetAttribute(mine, cudaMemPoolAttrUsedMemHigh, &u));
  E(cudaMemPoolGetAttribute(mine, cudaMemPoolAttrUsedMemHigh, &u));
  printf("high %llu\n", (unsigned long long)u);
  u = 5;
  E(cudaMemPoolSetAttribute(mine, cudaMemPoolAttrUsedMemHigh, &u));
  E(cudaMemPoolSetAttribute(mine, cudaMemPoolAttrUsedMemCurrent, &u));
  int f = -1;
  E(cudaMemPoolGetAttribute(mine, cudaMemPoolReuseFollowEventDependencies, &f));
  printf("%d\n", f);
  E(cudaMemPoolGetAttribute(mine, cudaMemPoolReuseAllowOpportunistic, &f));
  printf("%d\n", f);
  f = 0;
  E(cudaMemPoolSetAttribute(mine, cudaMemPoolReuseAllowInternalDependencies, &f));
  f = 7;
  E(cudaMemPoolGetAttribute(mine, cudaMemPoolReuseAllowInternalDependencies, &f));
  printf("%d\n", f);
  u = ~0ull;
  E(cudaMemPoolSetAttribute(mine, cudaMemPoolAttrReleaseThreshold, &u));
  u = 0;
  E(cudaMemPoolGetAttribute(mine, cudaMemPoolAttrReleaseThreshold, &u));
  printf("%llx\n", (unsigned long long)u);
  E(cudaDeviceSetMemPool(0, def));
  E(cudaMallocFromPoolAsync((void **)&p, 64, mine, s));
  E(cudaFreeAsync(p, s));
  E(cudaMemPoolDestroy(mine));
  E(cudaMemPoolDestroy(def));
  cudaMemLocation loc = {cudaMemLocationTypeDevice, 0};
  E(cudaMemGetDefaultMemPool(&got, &loc, cudaMemAllocationTypePinned));
  printf("%d\n", got == def);
  E(cudaMemGetMemPool(&got, &loc, cudaMemAllocationTypePinned));
  printf("%d\n", got == def);
  E(cudaMemSetMemPool(&loc, cudaMemAllocationTypePinned, def));
  E(cudaMallocAsync((void **)&p, 0, s));
  E(cudaFreeAsync(nullptr, s));
  return 0;
}
