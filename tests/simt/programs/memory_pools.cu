// SPDX-License-Identifier: MIT
//
// Memory pools: allocations in stream order, what a pool counts, its threshold, pools of one's own;
// copies and peers with one device.
#include <cstdio>

__global__ void fill(int *a, int value) { a[blockIdx.x * blockDim.x + threadIdx.x] = value; }

static unsigned long long ask(cudaMemPool_t pool, cudaMemPoolAttr attribute) {
  unsigned long long value = 0;
  cudaMemPoolGetAttribute(pool, attribute, &value);
  return value;
}

int main() {
  int supported = 0;
  cudaDeviceGetAttribute(&supported, cudaDevAttrMemoryPoolsSupported, 0);
  printf("supported %d\n", supported);
  cudaMemPool_t pool, current;
  cudaDeviceGetDefaultMemPool(&pool, 0);
  cudaDeviceGetMemPool(&current, 0);
  printf("default is current: %d\n", pool == current);
  unsigned long long threshold = 1ull << 40;
  cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &threshold);
  printf("threshold %llu\n", ask(pool, cudaMemPoolAttrReleaseThreshold));

  cudaStream_t stream;
  cudaStreamCreate(&stream);
  const size_t bytes = 1 << 20;
  int *a, *b, first = 0;
  cudaMallocAsync(&a, bytes, stream);
  cudaMallocAsync(&b, 2 * bytes, stream);
  fill<<<bytes / 4 / 256, 256, 0, stream>>>(a, 42);
  cudaMemcpyAsync(b, a, bytes, cudaMemcpyDeviceToDevice, stream);
  cudaMemcpyAsync(&first, b, sizeof first, cudaMemcpyDeviceToHost, stream);
  cudaError_t error = cudaStreamSynchronize(stream);
  printf("%s %d, used %llu\n", cudaGetErrorName(error), first,
         ask(pool, cudaMemPoolAttrUsedMemCurrent));
  cudaFreeAsync(a, stream);
  cudaFreeAsync(b, stream);
  cudaStreamSynchronize(stream);
  printf("used %llu, high %llu\n", ask(pool, cudaMemPoolAttrUsedMemCurrent),
         ask(pool, cudaMemPoolAttrUsedMemHigh));
  cudaMemPoolTrimTo(pool, 0);
  printf("reserved %llu\n", ask(pool, cudaMemPoolAttrReservedMemCurrent));

  cudaMemPoolProps props = {};
  props.allocType = cudaMemAllocationTypePinned;
  props.location.type = cudaMemLocationTypeDevice;
  props.location.id = 0;
  cudaMemPool_t own;
  error = cudaMemPoolCreate(&own, &props);
  printf("create: %s\n", cudaGetErrorName(error));
  cudaMallocFromPoolAsync((void **)&a, bytes, own, stream);
  fill<<<1, 256, 0, stream>>>(a, 7);
  cudaMemcpyAsync(&first, a, sizeof first, cudaMemcpyDeviceToHost, stream);
  cudaStreamSynchronize(stream);
  printf("%d, used %llu and %llu\n", first, ask(own, cudaMemPoolAttrUsedMemCurrent),
         ask(pool, cudaMemPoolAttrUsedMemCurrent));
  cudaFreeAsync(a, stream);
  cudaStreamSynchronize(stream);
  error = cudaMemPoolDestroy(own);
  printf("destroy: %s\n", cudaGetErrorName(error));
  error = cudaMemPoolDestroy(pool);
  printf("destroy the default: %s\n", cudaGetErrorName(error));
  cudaGetLastError();

  int can = 5;
  cudaDeviceCanAccessPeer(&can, 0, 0);
  printf("peer of itself: %d\n", can);
  cudaMalloc(&a, 64);
  cudaMalloc(&b, 64);
  int values[16];
  for (int i = 0; i < 16; i++) values[i] = i;
  cudaMemcpy(a, values, 64, cudaMemcpyHostToDevice);
  error = cudaMemcpyPeer(b, 0, a, 0, 64);
  cudaMemcpy(values, b, 64, cudaMemcpyDeviceToHost);
  printf("peer copy: %s %d\n", cudaGetErrorName(error), values[15]);
  cudaFree(a);
  cudaFree(b);
  cudaStreamDestroy(stream);
}
