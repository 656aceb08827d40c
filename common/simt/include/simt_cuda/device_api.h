// SPDX-License-Identifier: MIT
// simt_cuda/device_api.h - the functions of CUDA's runtime that device code may call. Included by
// cuda_runtime.h, behind the host's.
//
// The software GPU provides them (decode/device_calls.def). Without -rdc=true some only return an
// error, as NVIDIA's do.
#ifndef SIMT_CUDA_DEVICE_API_H
#define SIMT_CUDA_DEVICE_API_H

#define SIMT_DEVICE_CALL(result, name, arguments)                                                  \
  __device__ result cuda##name arguments __asm__("__cudaCDP2" #name);
#ifdef __CUDACC_RDC__
#define SIMT_LINKED_CALL SIMT_DEVICE_CALL
#define SIMT_BUFFER_CALL(name, arguments) SIMT_DEVICE_CALL(void *, name, arguments)
#ifdef CUDA_API_PER_THREAD_DEFAULT_STREAM
#define SIMT_STREAM_CALL(result, name, arguments)                                                  \
  __device__ result cuda##name arguments __asm__("__cudaCDP2" #name "_ptsz");
#else
#define SIMT_STREAM_CALL SIMT_DEVICE_CALL
#endif
#else
#define SIMT_STREAM_CALL SIMT_LINKED_CALL
#define SIMT_BUFFER_CALL(name, arguments)                                                          \
  SIMT_DEVICE void *cuda##name arguments { return 0; }
#define SIMT_LINKED_CALL(result, name, arguments)                                                  \
  SIMT_DEVICE result cuda##name arguments { return cudaErrorUnknown; }
#endif

extern "C" {
SIMT_DEVICE_CALL(const char *, GetErrorString, (cudaError_t error))
SIMT_DEVICE_CALL(const char *, GetErrorName, (cudaError_t error))
SIMT_DEVICE_CALL(cudaError_t, GetLastError, (void))
SIMT_DEVICE_CALL(cudaError_t, PeekAtLastError, (void))

SIMT_LINKED_CALL(cudaError_t, Malloc, (void **memory, size_t bytes))
SIMT_DEVICE_CALL(cudaError_t, Free, (void *memory))
SIMT_DEVICE_CALL(cudaError_t, MemcpyAsync,
                 (void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind,
                  cudaStream_t stream))
SIMT_DEVICE_CALL(cudaError_t, Memcpy2DAsync,
                 (void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width,
                  size_t height, enum cudaMemcpyKind kind, cudaStream_t stream))
SIMT_DEVICE_CALL(cudaError_t, MemsetAsync,
                 (void *memory, int value, size_t bytes, cudaStream_t stream))
SIMT_DEVICE_CALL(cudaError_t, Memset2DAsync,
                 (void *memory, size_t pitch, int value, size_t width, size_t height,
                  cudaStream_t stream))

SIMT_DEVICE_CALL(cudaError_t, StreamCreateWithFlags, (cudaStream_t * stream, unsigned flags))
SIMT_DEVICE_CALL(cudaError_t, StreamDestroy, (cudaStream_t stream))
SIMT_DEVICE_CALL(cudaError_t, StreamWaitEvent,
                 (cudaStream_t stream, cudaEvent_t event, unsigned flags))
SIMT_DEVICE_CALL(cudaError_t, EventCreateWithFlags, (cudaEvent_t * event, unsigned flags))
SIMT_DEVICE_CALL(cudaError_t, EventRecord, (cudaEvent_t event, cudaStream_t stream))
SIMT_DEVICE_CALL(cudaError_t, EventRecordWithFlags,
                 (cudaEvent_t event, cudaStream_t stream, unsigned flags))
SIMT_DEVICE_CALL(cudaError_t, EventDestroy, (cudaEvent_t event))

// Launches: device_launch.h.
SIMT_BUFFER_CALL(GetParameterBuffer, (size_t alignment, size_t bytes))
SIMT_BUFFER_CALL(GetParameterBufferV2, (void *kernel, dim3 grid, dim3 block, unsigned bytes))
SIMT_STREAM_CALL(cudaError_t, LaunchDevice,
                 (void *kernel, void *buffer, dim3 grid, dim3 block, unsigned bytes,
                  cudaStream_t stream))
SIMT_STREAM_CALL(cudaError_t, LaunchDeviceV2, (void *buffer, cudaStream_t stream))

SIMT_LINKED_CALL(cudaError_t, GetDevice, (int *device))
SIMT_DEVICE_CALL(cudaError_t, GetDeviceCount, (int *count))
SIMT_DEVICE_CALL(cudaError_t, RuntimeGetVersion, (int *version))
SIMT_LINKED_CALL(cudaError_t, DeviceGetAttribute,
                 (int *value, enum cudaDeviceAttr attribute, int device))
SIMT_DEVICE_CALL(cudaError_t, DeviceGetLimit, (size_t * value, enum cudaLimit limit))
SIMT_DEVICE_CALL(cudaError_t, DeviceGetCacheConfig, (enum cudaFuncCache * config))
SIMT_DEVICE_CALL(cudaError_t, DeviceGetSharedMemConfig, (enum cudaSharedMemConfig * config))
SIMT_LINKED_CALL(cudaError_t, FuncGetAttributes,
                 (struct cudaFuncAttributes * attributes, const void *function))
SIMT_LINKED_CALL(cudaError_t, OccupancyMaxActiveBlocksPerMultiprocessor,
                 (int *blocks, const void *function, int block_threads, size_t dynamic_bytes))
SIMT_LINKED_CALL(cudaError_t, OccupancyMaxActiveBlocksPerMultiprocessorWithFlags,
                 (int *blocks, const void *function, int block_threads, size_t dynamic_bytes,
                  unsigned flags))
}

// With pointers of the type at hand.
template <class T> SIMT_DEVICE cudaError_t cudaMalloc(T **memory, size_t bytes) {
  return cudaMalloc((void **)memory, bytes);
}
template <class T>
SIMT_DEVICE cudaError_t cudaFuncGetAttributes(struct cudaFuncAttributes *attributes, T *function) {
  return cudaFuncGetAttributes(attributes, (const void *)function);
}
template <class T>
SIMT_DEVICE cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, T function,
                                                                      int block_threads,
                                                                      size_t dynamic_bytes) {
  return cudaOccupancyMaxActiveBlocksPerMultiprocessor(blocks, (const void *)function,
                                                       block_threads, dynamic_bytes);
}

#undef SIMT_DEVICE_CALL
#undef SIMT_LINKED_CALL
#undef SIMT_BUFFER_CALL
#undef SIMT_STREAM_CALL

#define cudaStreamTailLaunch ((cudaStream_t)0x3)
#define cudaStreamFireAndForget ((cudaStream_t)0x4)
#define cudaStreamGraphTailLaunch ((cudaStream_t)0x0100000000000000)
#define cudaStreamGraphFireAndForget ((cudaStream_t)0x0200000000000000)
#define cudaStreamGraphFireAndForgetAsSibling ((cudaStream_t)0x0300000000000000)

#include "simt_cuda/device_launch.h"

#endif
