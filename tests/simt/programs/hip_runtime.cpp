// SPDX-License-Identifier: MIT
// HIP's runtime API: a C++ file that includes hip/hip_runtime.h is a HIP program.
// nvcc: -x cu
// hardware: modelled devices and times
#include <hip/hip_complex.h>
#include <hip/hip_cooperative_groups.h>
#include <hip/hip_fp16.h>
#include <hip/hip_runtime.h>

#include <cstdio>
#include <cstring>

#if !defined(__HIP_PLATFORM_NVIDIA__) || defined(__HIP_PLATFORM_AMD__) || !defined(__HIPCC__)
#error "the platform is not defined"
#endif

__constant__ float scale;
__device__ int counter;

__global__ void scaled(float *values, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) values[i] *= scale;
  if (i == 0) atomicAdd(&counter, 5);
  unsafeAtomicAdd(&counter, 1);
#ifndef __HIP_DEVICE_COMPILE__
  counter = -1000;
#endif
}

__global__ void grouped(int *out) {
  namespace cg = cooperative_groups;
  const auto tile = cg::tiled_partition<16>(cg::this_thread_block());
  int value = threadIdx.x;
  for (int delta = 8; delta > 0; delta /= 2) value += tile.shfl_down(value, delta);
  if (tile.thread_rank() == 0) out[threadIdx.x / 16] = value;
}

__global__ void halves(__half *value) { *value = __hadd(*value, __float2half(0.5f)); }

static void called(void *text) { printf("host function: %s\n", (const char *)text); }

static void errors() {
  printf("%s = %d: %s\n", hipGetErrorName(hipErrorInvalidValue), hipErrorInvalidValue,
         hipGetErrorString(hipErrorInvalidValue));
  printf("%s, %s, %s, %s\n", hipGetErrorName(hipErrorMemoryAllocation),
         hipGetErrorName(hipErrorLaunchTimeOut), hipGetErrorName(hipErrorIllegalAddress),
         hipGetErrorName((hipError_t)12345));
  void *much = nullptr;
  printf("%s\n", hipGetErrorName(hipMalloc(&much, (size_t)1 << 50)));
  printf("%s\n", hipGetErrorName(hipGetLastError()));
  printf("%s\n", hipGetErrorName(hipSetDevice(99)));
  printf("%s\n", hipGetErrorName(hipGetLastError()));
  printf("%s\n", hipGetErrorName(hipGetDeviceProperties(nullptr, 0)));
  hipGetLastError();
}

static void device() {
  hipDeviceProp_t properties = {};
  int n = 0, lanes = 0, khz = 0, device = -1;
  hipError_t error = hipGetDeviceCount(&n);
  error = error ? error : hipGetDeviceProperties(&properties, 0);
  error = error ? error : hipDeviceGetAttribute(&lanes, hipDeviceAttributeWarpSize, 0);
  error = error ? error : hipDeviceGetAttribute(&khz, hipDeviceAttributeClockRate, 0);
  error = error ? error : hipGetDevice(&device);
  printf("%s: %d, device %d, warps of %d and %d, %s\n", hipGetErrorName(error), n > 0, device,
         lanes, properties.warpSize, properties.gcnArchName[0] == 's' ? "sm" : "?");
  printf("clocks %s, shared %d, shuffles %d, children %d\n",
         properties.clockRate == khz && properties.memoryClockRate > 0 ? "agree" : "differ",
         properties.maxSharedMemoryPerMultiProcessor >= properties.sharedMemPerBlock,
         properties.arch.hasWarpShuffle, properties.arch.hasDynamicParallelism);
}

int main() {
  errors();
  device();
  const int n = 100;
  float *values, host[n];
  const float three = 3;
  hipStream_t stream;
  hipEvent_t done;
  hipError_t error = hipMallocManaged(&values, n * sizeof(float));
  error = error ? error : hipStreamCreateWithFlags(&stream, hipStreamNonBlocking);
  error = error ? error : hipEventCreateWithFlags(&done, hipEventDisableTiming);
  error = error ? error : hipMemcpyToSymbol(HIP_SYMBOL(scale), &three, sizeof three);
  error = error ? error : hipMemAdvise(values, n * sizeof(float), hipMemAdviseSetReadMostly, 0);
  error = error ? error : hipMemPrefetchAsync(values, n * sizeof(float), 0, stream);
  printf("%s\n", hipGetErrorName(error));
  for (int i = 0; i < n; i++) values[i] = i;
  hipLaunchKernelGGL(scaled, dim3(4), dim3(32), 0, stream, values, n);
  error = hipEventRecord(done, stream);
  error = error ? error : hipLaunchHostFunc(stream, called, (void *)"after the kernel");
  error = error ? error : hipStreamWaitEvent(stream, done, 0);
  error = error ? error : hipStreamSynchronize(stream);
  error = error ? error : hipMemcpyWithStream(host, values, sizeof host, hipMemcpyDefault, stream);
  int counted = 0;
  error = error ? error : hipMemcpyFromSymbol(&counted, HIP_SYMBOL(counter), sizeof counted);
  printf("%s: %g %g, counted %d\n", hipGetErrorName(error), host[1], host[99], counted);

  hipModule_t module = nullptr;
  error = hipModuleLoadData(&module, "this is no module");
  printf("a module: %s\n", error == hipSuccess ? "loaded" : "refused");
  int *sums, pattern[4];
  int blocks = 0, least = 0, best = 0;
  error = hipMalloc(&sums, 4 * sizeof(int));
  error = error ? error : hipMemsetD32(sums, 0x01020304, 4);
  error = error ? error : hipMemcpyDtoH(pattern, sums, sizeof pattern);
  printf("%s: %x\n", hipGetErrorName(error), pattern[3]);
  void *arguments[] = {&sums};
  error = hipLaunchCooperativeKernel((void *)grouped, dim3(1), dim3(64), arguments, 0, 0);
  error = error ? error : hipMemcpy(pattern, sums, sizeof pattern, hipMemcpyDeviceToHost);
  printf("%s: %d %d\n", hipGetErrorName(error), pattern[0], pattern[3]);
  error = hipOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, grouped, 64, 0);
  error = error ? error : hipOccupancyMaxPotentialBlockSize(&least, &best, grouped, 0, 0);
  printf("%s: %d %d\n", hipGetErrorName(error), blocks > 0, best >= 64 && least > 0);

  __half *half, back = __float2half(1.25f);
  error = hipMalloc(&half, sizeof back);
  error = error ? error : hipMemcpy(half, &back, sizeof back, hipMemcpyHostToDevice);
  halves<<<1, 1>>>(half);
  error = error ? error : hipMemcpy(&back, half, sizeof back, hipMemcpyDeviceToHost);
  const hipFloatComplex product = hipCmulf(make_hipFloatComplex(1, 2), make_hipFloatComplex(3, -1));
  printf("%s: %g, %g%+gi\n", hipGetErrorName(error), __half2float(back), hipCrealf(product),
         hipCimagf(product));
  scaled<<<1, 2048>>>(values, n); // more threads than a block may have
  printf("%s\n", hipGetErrorName(hipGetLastError()));
  hipFree(values);
  hipFree(sums);
  hipFree(half);
  hipEventDestroy(done);
  hipStreamDestroy(stream);
  return hipDeviceReset();
}
