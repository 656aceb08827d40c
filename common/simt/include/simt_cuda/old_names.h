// SPDX-License-Identifier: MIT
// old_names.h - names of older CUDA versions that tutorials and books still use. simtcc takes them
// with a warning that says what to write today (-Werror=deprecated makes it an error); nvcc 13 has
// none of them.
//
// Warp functions without a mask meant the lanes that happened to execute them together: their mask
// is that of __activemask().
#ifndef SIMT_CUDA_OLD_NAMES_H
#define SIMT_CUDA_OLD_NAMES_H

#include "../cuda_runtime_api.h"

#define SIMT_OLD_CALL(name, now, parameters, arguments)                                            \
  SIMT_DEPRECATED("call " #now) static inline cudaError_t name parameters { return now arguments; }
SIMT_OLD_CALL(cudaThreadSynchronize, cudaDeviceSynchronize, (), ())
SIMT_OLD_CALL(cudaThreadExit, cudaDeviceReset, (), ())
SIMT_OLD_CALL(cudaThreadGetLimit, cudaDeviceGetLimit, (size_t * value, enum cudaLimit limit),
              (value, limit))
SIMT_OLD_CALL(cudaThreadSetLimit, cudaDeviceSetLimit, (enum cudaLimit limit, size_t value),
              (limit, value))
SIMT_OLD_CALL(cudaThreadGetCacheConfig, cudaDeviceGetCacheConfig, (enum cudaFuncCache * config),
              (config))
SIMT_OLD_CALL(cudaThreadSetCacheConfig, cudaDeviceSetCacheConfig, (enum cudaFuncCache config),
              (config))
SIMT_OLD_CALL(cudaMemPrefetchAsync_v2, cudaMemPrefetchAsync,
              (const void *pointer, size_t bytes, struct cudaMemLocation location, unsigned flags,
               cudaStream_t stream),
              (pointer, bytes, location, flags, stream))
SIMT_OLD_CALL(cudaMemAdvise_v2, cudaMemAdvise,
              (const void *pointer, size_t bytes, enum cudaMemoryAdvise advice,
               struct cudaMemLocation location),
              (pointer, bytes, advice, location))
#undef SIMT_OLD_CALL

// Memory hints by the number of a device, or cudaCpuDeviceId.
static inline struct cudaMemLocation simt_location_of(int device) {
  struct cudaMemLocation location;
  location.type = device == cudaCpuDeviceId ? cudaMemLocationTypeHost : cudaMemLocationTypeDevice;
  location.id = device == cudaCpuDeviceId ? 0 : device;
  return location;
}
SIMT_DEPRECATED("pass a cudaMemLocation and flags: cudaMemPrefetchAsync(pointer, bytes, "
                "{cudaMemLocationTypeDevice, device}, 0, stream)")
static inline cudaError_t cudaMemPrefetchAsync(const void *pointer, size_t bytes, int device,
                                               cudaStream_t stream = 0) {
  return cudaMemPrefetchAsync(pointer, bytes, simt_location_of(device), 0, stream);
}
SIMT_DEPRECATED("pass a cudaMemLocation: cudaMemAdvise(pointer, bytes, advice, "
                "{cudaMemLocationTypeDevice, device})")
static inline cudaError_t cudaMemAdvise(const void *pointer, size_t bytes,
                                        enum cudaMemoryAdvise advice, int device) {
  return cudaMemAdvise(pointer, bytes, advice, simt_location_of(device));
}

#if defined(__CUDA__) && defined(__clang__)
#define SIMT_OLD_SHUFFLE(name, arg_type)                                                           \
  template <typename T>                                                                            \
  SIMT_DEPRECATED("call " #name "_sync with the mask of the lanes that take part, 0xffffffff for " \
                  "a whole warp")                                                                  \
  SIMT_DEVICE_TOGETHER T                                                                           \
  name(T value, arg_type arg, int width = 32) {                                                    \
    return name##_sync(__activemask(), value, arg, width);                                         \
  }
SIMT_OLD_SHUFFLE(__shfl, int)
SIMT_OLD_SHUFFLE(__shfl_up, unsigned)
SIMT_OLD_SHUFFLE(__shfl_down, unsigned)
SIMT_OLD_SHUFFLE(__shfl_xor, int)
#undef SIMT_OLD_SHUFFLE
#define SIMT_OLD_VOTE(type, name)                                                                  \
  SIMT_DEPRECATED("call " #name "_sync with the mask of the lanes that take part, 0xffffffff for " \
                  "a whole warp")                                                                  \
  SIMT_DEVICE_TOGETHER type name(int predicate) { return name##_sync(__activemask(), predicate); }
SIMT_OLD_VOTE(int, __all)
SIMT_OLD_VOTE(int, __any)
SIMT_OLD_VOTE(unsigned, __ballot)
#undef SIMT_OLD_VOTE
#endif

#endif
