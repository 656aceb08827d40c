// SPDX-License-Identifier: MIT
// flags: -lcuda
//
//
// Answers of the runtime as an H100 gives them: limits that are rounded, fixed or unknown, pools
// that keep all they have, events for other processes, images that are no PTX, negated NaNs, and a
// conversion of printf that prints a percent sign.
#include <cstdio>
#include <cstdint>
#include <cstring>
#include <cuda.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>

static const char *name(cudaError_t error) { return cudaGetErrorName(error); }

static __global__ void touch(int *p) { p[threadIdx.x] = 1; }

template <class T> static __device__ unsigned bits(T x) {
  unsigned short b;
  memcpy(&b, &x, sizeof b);
  return b;
}

static __global__ void print(float x) {
  unsigned n_warps;
  asm("mov.u32 %0, %%nwarpid;" : "=r"(n_warps));
  printf("%5%|%-3%|%d\n", n_warps);
  printf("%04x %04x %04x %04x\n", bits(-__float2half(x)), bits(-__float2bfloat16(x)),
         bits(-__float2half(-2.0f)), bits(-__float2bfloat16(1.0f)));
}

static void limits() {
  size_t value;
  printf("%s", name(cudaDeviceSetLimit(cudaLimitStackSize, 3000)));
  cudaDeviceGetLimit(&value, cudaLimitStackSize);
  printf(" %zu\n", value);
  printf("%s", name(cudaDeviceSetLimit(cudaLimitMallocHeapSize, 12345678)));
  cudaDeviceGetLimit(&value, cudaLimitMallocHeapSize);
  printf(" %zu\n", value);
  printf("%s\n", name(cudaDeviceSetLimit((cudaLimit)99, 1)));
  print<<<1, 1>>>(__builtin_nanf(""));
  cudaDeviceSynchronize();
  cudaDeviceGetLimit(&value, cudaLimitPrintfFifoSize);
  printf("%s\n", name(cudaDeviceSetLimit(cudaLimitPrintfFifoSize, value / 4)));
  cudaGetLastError();
}

static void pools() {
  cudaMemPool_t pool;
  uint64_t all = UINT64_MAX, used = 0, reserved = 0;
  cudaDeviceGetDefaultMemPool(&pool, 0);
  cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &all);
  int *p;
  cudaMallocAsync((void **)&p, 4000, 0);
  touch<<<1, 32>>>(p);
  cudaStreamSynchronize(0);
  cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemCurrent, &used);
  cudaMemPoolGetAttribute(pool, cudaMemPoolAttrReservedMemCurrent, &reserved);
  printf("used %d, reserved %d\n", (int)used, reserved >= used);
  cudaFreeAsync(p, 0);
}

static void images() {
  CUmodule module;
  char log[256] = "";
  CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
  void *values[] = {log, (void *)sizeof log};
  printf("%d\n", cuModuleLoadData(&module, "not PTX at all"));
  printf("%d", cuModuleLoadDataEx(&module, "garbage", 2, options, values));
  printf(" %d\n", log[0] != 0);
  printf("%d\n", cuModuleLoadData(&module, ".version 7.0\n.target sm_70\n.address_size 64\n"
                                           ".entry k() { bogus.u32 r; }\n"));
}

static void host_memory() {
  void *host;
  unsigned flags = 0;
  cudaHostAlloc(&host, 128, cudaHostAllocMapped | cudaHostAllocWriteCombined);
  cudaHostGetFlags(&flags, host);
  printf("flags %u\n", flags);
  cudaFreeHost(host);
}

int main() {
  limits();
  pools();
  cudaEvent_t event;
  printf("%s", name(cudaEventCreateWithFlags(&event, cudaEventInterprocess)));
  printf(" %s\n",
         name(cudaEventCreateWithFlags(&event, cudaEventInterprocess | cudaEventDisableTiming)));
  printf("%s\n", name(cudaFuncGetAttributes(nullptr, (const void *)touch)));
  printf("%s\n", name(cudaDeviceEnablePeerAccess(0, 0)));
  images();
  host_memory();
}
