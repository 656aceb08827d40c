// SPDX-License-Identifier: MIT
// simt_cuda/device_api.h - the functions of CUDA's runtime that device code may call. Included by
// cuda_runtime.h, behind the host's.
//
// The software GPU provides them (decode/device_calls.def). Without -rdc=true some only return an
// error, as NVIDIA's do. Launches are not among them: clang makes none in device code.
#ifndef SIMT_CUDA_DEVICE_API_H
#define SIMT_CUDA_DEVICE_API_H

#define SIMT_DEVICE_CALL(result, name, arguments)                                                  \
  __device__ result cuda##name arguments __asm__("__cudaCDP2" #name);
#ifdef __CUDACC_RDC__
#define SIMT_LINKED_CALL SIMT_DEVICE_CALL
#else
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

#undef SIMT_DEVICE_CALL
#undef SIMT_LINKED_CALL

#endif
