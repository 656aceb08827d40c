// SPDX-License-Identifier: MIT
// hip_runtime.h - HIP programs on the software GPU: HIP's runtime API and device functions.
//
// Shuffles and votes have HIP's names and signatures, without a mask: the lanes that execute them
// together take part. A ballot has 64 bits, of which lanes 0 to 31 fill the lower ones. For C++; in
// device code compiled by simtcc or by simt-nvcc (nvcc).
#ifndef SIMT_HIP_RUNTIME_H
#define SIMT_HIP_RUNTIME_H

#include "hip_runtime_api.h"

#ifndef __HIPCC__
#define __HIPCC__ 1
#endif
#ifdef __CUDA_ARCH__
#define __HIP_DEVICE_COMPILE__ 1
#endif

// ---- Launches.
#ifdef __CUDACC__
#define HIP_KERNEL_NAME(...) __VA_ARGS__
#define HIP_TEMPLATE_KERNEL_NAME(...) __VA_ARGS__
#define HIP_DYNAMIC_SHARED(type, name) extern __shared__ type name[];
#define HIP_DYNAMIC_SHARED_ATTRIBUTE
#define SIMT_HIP_LAUNCH(kernel, grid, block, shared_bytes, stream, ...)                            \
  do { kernel<<<(grid), (block), (shared_bytes), (stream)>>>(__VA_ARGS__); } while (0)
#ifdef HIP_TEMPLATE_KERNEL_LAUNCH
template <typename... Parameters, typename Kernel = void (*)(Parameters...)>
static inline void hipLaunchKernelGGL(Kernel kernel, const dim3 &grid, const dim3 &block,
                                      unsigned shared_bytes, hipStream_t stream,
                                      Parameters... values) {
  kernel<<<grid, block, shared_bytes, stream>>>(values...);
}
#else
#define hipLaunchKernelGGL(kernel, ...) SIMT_HIP_LAUNCH((kernel), __VA_ARGS__)
#endif

#define hipThreadIdx_x threadIdx.x
#define hipThreadIdx_y threadIdx.y
#define hipThreadIdx_z threadIdx.z
#define hipBlockIdx_x blockIdx.x
#define hipBlockIdx_y blockIdx.y
#define hipBlockIdx_z blockIdx.z
#define hipBlockDim_x blockDim.x
#define hipBlockDim_y blockDim.y
#define hipBlockDim_z blockDim.z
#define hipGridDim_x gridDim.x
#define hipGridDim_y gridDim.y
#define hipGridDim_z gridDim.z

// ---- Device functions.
#ifdef __clang__
#define SIMT_HIP_DEVICE static __device__ __attribute__((always_inline, convergent)) inline
#else
#define SIMT_HIP_DEVICE static __device__ __forceinline__
#endif

#define SIMT_HIP_SHUFFLE(name, sync, arg_type)                                                     \
  template <typename T> SIMT_HIP_DEVICE T name(T value, arg_type arg, int width = 32) {            \
    assert(width <= 32 && "a shuffle is at most as wide as a warp, which has 32 lanes here");      \
    return sync(__activemask(), value, arg, width);                                                \
  }
SIMT_HIP_SHUFFLE(simt_hip_shfl, __shfl_sync, int)
SIMT_HIP_SHUFFLE(simt_hip_shfl_up, __shfl_up_sync, unsigned)
SIMT_HIP_SHUFFLE(simt_hip_shfl_down, __shfl_down_sync, unsigned)
SIMT_HIP_SHUFFLE(simt_hip_shfl_xor, __shfl_xor_sync, int)
#undef SIMT_HIP_SHUFFLE
SIMT_HIP_DEVICE int simt_hip_all(int predicate) { return __all_sync(__activemask(), predicate); }
SIMT_HIP_DEVICE int simt_hip_any(int predicate) { return __any_sync(__activemask(), predicate); }
SIMT_HIP_DEVICE unsigned long long simt_hip_ballot(int predicate) {
  return __ballot_sync(__activemask(), predicate);
}
#define __shfl simt_hip_shfl
#define __shfl_up simt_hip_shfl_up
#define __shfl_down simt_hip_shfl_down
#define __shfl_xor simt_hip_shfl_xor
#define __all simt_hip_all
#define __any simt_hip_any
#define __ballot simt_hip_ballot

SIMT_HIP_DEVICE unsigned __lane_id() {
  unsigned lane;
  asm("mov.u32 %0, %%laneid;" : "=r"(lane));
  return lane;
}
SIMT_HIP_DEVICE long long __clock64() { return clock64(); }
// On AMD's GPUs these differ from atomicAdd(); CUDA has one kind of atomic addition.
template <typename T> SIMT_HIP_DEVICE T unsafeAtomicAdd(T *address, T value) {
  return atomicAdd(address, value);
}
template <typename T> SIMT_HIP_DEVICE T safeAtomicAdd(T *address, T value) {
  return atomicAdd(address, value);
}
template <typename T> SIMT_HIP_DEVICE void atomicAddNoRet(T *address, T value) {
  atomicAdd(address, value);
}
#endif // __CUDACC__

#endif
