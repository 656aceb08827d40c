// SPDX-License-Identifier: MIT
// hip_runtime_api.h - HIP's runtime API on the software GPU, or on CUDA's: the platform that HIP
// calls NVIDIA, with warps of 32 lanes. For C++; with simtcc and with simt-nvcc.
//
// Names that mean what CUDA's do are in cuda_names.h; what differs from CUDA is here. A name that
// neither declares is not supported: the compiler reports it as an error.
#ifndef SIMT_HIP_RUNTIME_API_H
#define SIMT_HIP_RUNTIME_API_H

#ifndef __cplusplus
#error "the software GPU's HIP needs C++: compile this file as C++, or call CUDA's names from C"
#endif
#if defined(__HIP_PLATFORM_AMD__) || defined(__HIP_PLATFORM_HCC__)
#error "this is HIP's NVIDIA platform, with warps of 32 lanes: leave out -D__HIP_PLATFORM_AMD__"
#endif
#ifndef __HIP_PLATFORM_NVIDIA__
#define __HIP_PLATFORM_NVIDIA__ 1
#endif
#ifndef __HIP_PLATFORM_NVCC__
#define __HIP_PLATFORM_NVCC__ 1 // its older name
#endif

#include <cassert>
#include <cstdio>
#include <cstring>
#include <cuda.h>
#include <cuda_runtime.h>

#include "cuda_names.h"
#include "hip_version.h"

#define HIPRT_CB
#define HIP_SYMBOL(symbol) symbol

// ---- Errors.
static inline const char *hipGetErrorString(hipError_t error) { return cudaGetErrorString(error); }
static inline const char *hipGetErrorName(hipError_t error) {
#define SIMT_HIP_ERROR(name)                                                                       \
  case name: return #name;
  switch (error) {
#include "hip_errors.def"
  default: return "hipErrorUnknown";
  }
#undef SIMT_HIP_ERROR
}

// ---- Devices. Properties that CUDA 13 has removed are read as attributes.
struct hipDeviceArch_t {
  unsigned hasGlobalInt32Atomics : 1, hasGlobalFloatAtomicExch : 1, hasSharedInt32Atomics : 1,
      hasSharedFloatAtomicExch : 1, hasFloatAtomicAdd : 1, hasGlobalInt64Atomics : 1,
      hasSharedInt64Atomics : 1, hasDoubles : 1, hasWarpVote : 1, hasWarpBallot : 1,
      hasWarpShuffle : 1, hasFunnelShift : 1, hasThreadFenceSystem : 1, hasSyncThreadsExt : 1,
      hasSurfaceFuncs : 1, has3dGrid : 1, hasDynamicParallelism : 1;
};
struct hipDeviceProp_t : cudaDeviceProp {
  int clockRate, memoryClockRate; // kHz
  int clockInstructionRate;       // kHz: what clock64() counts
  int computeMode, kernelExecTimeoutEnabled, cooperativeMultiDeviceLaunch;
  int deviceOverlap, maxTexture1DLinear, isLargeBar, asicRevision;
  size_t maxSharedMemoryPerMultiProcessor; // bytes
  hipDeviceArch_t arch;
  char gcnArchName[256]; // of an NVIDIA GPU: "sm_90"
};
static inline int simt_hip_attribute(cudaDeviceAttr attribute, int device) {
  int value = 0;
  return cudaDeviceGetAttribute(&value, attribute, device) == cudaSuccess ? value : 0;
}
static inline hipDeviceArch_t simt_hip_arch() {
  hipDeviceArch_t arch;
  memset(&arch, 0xff, sizeof arch); // every feature of a GPU with shuffles
  arch.hasDynamicParallelism = 0;
  return arch;
}
static inline hipError_t hipGetDeviceProperties(hipDeviceProp_t *properties, int device) {
  if (!properties) return hipErrorInvalidValue;
  memset(static_cast<void *>(properties), 0, sizeof *properties);
  const hipError_t error = cudaGetDeviceProperties(properties, device);
  if (error != hipSuccess) return error;
  properties->clockRate = simt_hip_attribute(cudaDevAttrClockRate, device);
  properties->clockInstructionRate = properties->clockRate;
  properties->memoryClockRate = simt_hip_attribute(cudaDevAttrMemoryClockRate, device);
  properties->computeMode = simt_hip_attribute(cudaDevAttrComputeMode, device);
  properties->kernelExecTimeoutEnabled = simt_hip_attribute(cudaDevAttrKernelExecTimeout, device);
  properties->deviceOverlap = properties->asyncEngineCount > 0;
  properties->maxTexture1DLinear = properties->maxTexture1D;
  properties->maxSharedMemoryPerMultiProcessor = properties->sharedMemPerMultiprocessor;
  properties->arch = simt_hip_arch();
  snprintf(properties->gcnArchName, sizeof properties->gcnArchName, "sm_%d%d", properties->major,
           properties->minor);
  return hipSuccess;
}
// Calls of CUDA's driver API, which has to be initialised and needs a context.
template <typename Call> static inline hipError_t simt_hip_driver(Call call) {
  CUresult result = cuInit(0);
  const cudaError_t error = cudaFree(0);
  if (error != cudaSuccess) return error;
  if (result == CUDA_SUCCESS) result = call();
  return static_cast<hipError_t>(result);
}
typedef CUdevice hipDevice_t;
static inline hipError_t hipInit(unsigned int flags) {
  return static_cast<hipError_t>(cuInit(flags));
}
static inline hipError_t hipDeviceGet(hipDevice_t *device, int ordinal) {
  return simt_hip_driver([=] { return cuDeviceGet(device, ordinal); });
}
static inline hipError_t hipDeviceGetName(char *name, int bytes, hipDevice_t device) {
  return simt_hip_driver([=] { return cuDeviceGetName(name, bytes, device); });
}
static inline hipError_t hipDeviceTotalMem(size_t *bytes, hipDevice_t device) {
  return simt_hip_driver([=] { return cuDeviceTotalMem(bytes, device); });
}

// ---- Memory.
// Whether an AMD GPU caches the memory, and on which node of the host it lies: ignored here.
#define hipHostMallocNumaUser 0x20000000
#define hipHostMallocCoherent 0x40000000
#define hipHostMallocNonCoherent 0x80000000
template <typename T>
static inline hipError_t hipHostMalloc(T **pointer, size_t bytes, unsigned int flags = 0) {
  return cudaHostAlloc(reinterpret_cast<void **>(pointer), bytes, flags & 0x7);
}
static inline cudaMemLocation simt_hip_location(int device) {
  cudaMemLocation location = {};
  location.type = device == cudaCpuDeviceId ? cudaMemLocationTypeHost : cudaMemLocationTypeDevice;
  location.id = device == cudaCpuDeviceId ? 0 : device;
  return location;
}
static inline hipError_t hipMemPrefetchAsync(const void *pointer, size_t bytes, int device,
                                             hipStream_t stream = 0) {
  return cudaMemPrefetchAsync(pointer, bytes, simt_hip_location(device), 0, stream);
}
static inline hipError_t hipMemAdvise(const void *pointer, size_t bytes, hipMemoryAdvise advice,
                                      int device) {
  return cudaMemAdvise(pointer, bytes, advice, simt_hip_location(device));
}
typedef void *hipDeviceptr_t;
static inline hipError_t hipMemcpyHtoD(hipDeviceptr_t to, const void *from, size_t bytes) {
  return cudaMemcpy(to, from, bytes, cudaMemcpyHostToDevice);
}
static inline hipError_t hipMemcpyDtoH(void *to, hipDeviceptr_t from, size_t bytes) {
  return cudaMemcpy(to, from, bytes, cudaMemcpyDeviceToHost);
}
static inline hipError_t hipMemcpyDtoD(hipDeviceptr_t to, hipDeviceptr_t from, size_t bytes) {
  return cudaMemcpy(to, from, bytes, cudaMemcpyDeviceToDevice);
}
static inline hipError_t hipMemcpyWithStream(void *to, const void *from, size_t bytes,
                                             hipMemcpyKind kind, hipStream_t stream) {
  const hipError_t error = cudaMemcpyAsync(to, from, bytes, kind, stream);
  return error == hipSuccess ? cudaStreamSynchronize(stream) : error;
}
static inline hipError_t hipMemsetD8(hipDeviceptr_t to, unsigned char value, size_t count) {
  return simt_hip_driver(
      [=] { return cuMemsetD8(reinterpret_cast<CUdeviceptr>(to), value, count); });
}
static inline hipError_t hipMemsetD16(hipDeviceptr_t to, unsigned short value, size_t count) {
  return simt_hip_driver(
      [=] { return cuMemsetD16(reinterpret_cast<CUdeviceptr>(to), value, count); });
}
static inline hipError_t hipMemsetD32(hipDeviceptr_t to, int value, size_t count) {
  return simt_hip_driver([=] {
    return cuMemsetD32(reinterpret_cast<CUdeviceptr>(to), static_cast<unsigned>(value), count);
  });
}

// ---- Modules: PTX text, as `simtcc --genco` writes it.
typedef CUmodule hipModule_t;
typedef CUfunction hipFunction_t;
#define HIP_LAUNCH_PARAM_BUFFER_POINTER CU_LAUNCH_PARAM_BUFFER_POINTER
#define HIP_LAUNCH_PARAM_BUFFER_SIZE CU_LAUNCH_PARAM_BUFFER_SIZE
#define HIP_LAUNCH_PARAM_END CU_LAUNCH_PARAM_END
static inline hipError_t hipModuleLoad(hipModule_t *module, const char *file) {
  return simt_hip_driver([=] { return cuModuleLoad(module, file); });
}
static inline hipError_t hipModuleLoadData(hipModule_t *module, const void *image) {
  return simt_hip_driver([=] { return cuModuleLoadData(module, image); });
}
static inline hipError_t hipModuleUnload(hipModule_t module) {
  return simt_hip_driver([=] { return cuModuleUnload(module); });
}
static inline hipError_t hipModuleGetFunction(hipFunction_t *function, hipModule_t module,
                                              const char *name) {
  return simt_hip_driver([=] { return cuModuleGetFunction(function, module, name); });
}
static inline hipError_t hipModuleLaunchKernel(hipFunction_t function, unsigned gx, unsigned gy,
                                               unsigned gz, unsigned bx, unsigned by, unsigned bz,
                                               unsigned shared_bytes, hipStream_t stream,
                                               void **parameters, void **extra) {
  return simt_hip_driver([=] {
    return cuLaunchKernel(function, gx, gy, gz, bx, by, bz, shared_bytes, stream, parameters,
                          extra);
  });
}

#endif
