// SPDX-License-Identifier: MIT
// flags: -lcuda
//
// Virtual memory: addresses set aside, physical memory put there, moved and seen at two places.
#include <cuda.h>
#include <cstdio>
#include <vector>

__global__ void fill(int *to, int n) {
  for (int i = threadIdx.x; i < n; i += blockDim.x) to[i] = i;
}
__global__ void add(int *to, int by) { to[threadIdx.x] += by; }

static const char *name_of(CUresult result) {
  const char *name = "?";
  cuGetErrorName(result, &name);
  return name;
}
#define SAY(call) printf("%s: %s\n", #call, name_of(call))

int main() {
  cudaFree(0); // the runtime's context is current
  CUdevice device;
  SAY(cuCtxGetDevice(&device));
  CUmemAllocationProp p = {}, got = {};
  p.type = CU_MEM_ALLOCATION_TYPE_PINNED;
  p.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
  p.location.id = device;
  size_t piece = 0;
  SAY(cuMemGetAllocationGranularity(&piece, &p, CU_MEM_ALLOC_GRANULARITY_MINIMUM));
  printf("a piece: %zu\n", piece);
  CUdeviceptr range;
  CUmemGenericAllocationHandle first, second, again;
  SAY(cuMemAddressReserve(&range, 4 * piece, 0, 0, 0));
  SAY(cuMemCreate(&first, piece, &p, 0));
  SAY(cuMemCreate(&second, piece, &p, 0));
  SAY(cuMemCreate(&again, piece + 1, &p, 0));
  SAY(cuMemMap(range, piece, 0, first, 0));
  SAY(cuMemMap(range + piece, piece, 0, second, 0));
  SAY(cuMemMap(range + piece, piece, 0, second, 0));
  CUmemAccessDesc access = {};
  access.location = p.location;
  access.flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
  SAY(cuMemSetAccess(range, 2 * piece, &access, 1));
  unsigned long long flags = 9;
  SAY(cuMemGetAccess(&flags, &p.location, range));
  printf("flags %llu\n", flags);

  const int n = (int)(2 * piece / sizeof(int));
  std::vector<int> host(n);
  fill<<<1, 256>>>((int *)range, n); // over both pieces
  SAY(cuMemcpyDtoH(host.data(), range, 2 * piece));
  printf("%d %d %d\n", host[0], host[n / 2], host[n - 1]);

  SAY(cuMemMap(range + 2 * piece, piece, 0, first, 0)); // seen at a second place
  SAY(cuMemSetAccess(range + 2 * piece, piece, &access, 1));
  add<<<1, 32>>>((int *)(range + 2 * piece), 1000);
  SAY(cuMemcpyDtoH(host.data(), range, 128));
  printf("%d %d\n", host[0], host[31]);
  SAY(cuMemUnmap(range, piece));
  SAY(cuMemcpyDtoH(host.data(), range + 2 * piece, 128));
  printf("%d\n", host[5]);
  SAY(cuMemRetainAllocationHandle(&again, (void *)(range + piece)));
  SAY(cuMemGetAllocationPropertiesFromHandle(&got, again));
  printf("the second: %d, of device %d\n", again == second, got.location.id);
  SAY(cuMemRelease(again));
  SAY(cuMemUnmap(range + piece, 2 * piece));
  SAY(cuMemRelease(first));
  SAY(cuMemRelease(second));
  SAY(cuMemAddressFree(range, 4 * piece));
}
