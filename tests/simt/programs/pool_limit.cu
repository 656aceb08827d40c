// SPDX-License-Identifier: MIT
//
// A pool that may not grow beyond its size: what does not fit is refused, and what is there stays.
#include <cuda_runtime.h>

#include <cstdio>

static cudaMemPool_t pool;

static void report(const char *what) {
  unsigned long long reserved = 0, used = 0;
  cudaMemPoolGetAttribute(pool, cudaMemPoolAttrReservedMemCurrent, &reserved);
  cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemCurrent, &used);
  printf("%s: reserved %llu used %llu\n", what, reserved, used);
}

int main() {
  cudaMemPoolProps props = {};
  props.allocType = cudaMemAllocationTypePinned;
  props.location.type = cudaMemLocationTypeDevice;
  props.maxSize = 64 << 20;
  printf("%s\n", cudaGetErrorName(cudaMemPoolCreate(&pool, &props)));
  cudaStream_t s;
  cudaStreamCreate(&s);
  void *first = nullptr, *second = nullptr;
  printf("%s\n", cudaGetErrorName(cudaMallocFromPoolAsync(&first, 40 << 20, pool, s)));
  report("one");
  printf("%s\n", cudaGetErrorName(cudaMallocFromPoolAsync(&second, 40 << 20, pool, s)));
  report("two");
  printf("%s\n", cudaGetErrorName(cudaFreeAsync(first, s)));
  printf("%s\n", cudaGetErrorName(cudaStreamSynchronize(s)));
  printf("%s\n", cudaGetErrorName(cudaMemPoolDestroy(pool)));
  cudaStreamDestroy(s);
  return 0;
}
