// SPDX-License-Identifier: MIT
// runtime/ptsz.c - the names by which programs compiled with nvcc --default-stream per-thread call
// the API: stream 0 means the calling thread's default stream (here all threads share one).
#include "runtime/runtime.h"

#define PER_THREAD(stream) ((stream) ? (stream) : cudaStreamPerThread)

cudaError_t cudaLaunchKernel_ptsz(const void *function, dim3 grid, dim3 block, void **arguments,
                                  size_t shared_bytes, cudaStream_t stream);
cudaError_t __cudaLaunchKernel_ptsz(cudaKernel_t kernel, dim3 grid, dim3 block, void **arguments,
                                    size_t shared_bytes, cudaStream_t stream);
cudaError_t cudaLaunchKernelExC_ptsz(const cudaLaunchConfig_t *config, const void *function,
                                     void **arguments);
cudaError_t cudaLaunchCooperativeKernel_ptsz(const void *function, dim3 grid, dim3 block,
                                             void **arguments, size_t shared_bytes,
                                             cudaStream_t stream);

cudaError_t cudaLaunchKernel_ptsz(const void *function, dim3 grid, dim3 block, void **arguments,
                                  size_t shared_bytes, cudaStream_t stream) {
  return cudaLaunchKernel(function, grid, block, arguments, shared_bytes, PER_THREAD(stream));
}

cudaError_t __cudaLaunchKernel_ptsz(cudaKernel_t kernel, dim3 grid, dim3 block, void **arguments,
                                    size_t shared_bytes, cudaStream_t stream) {
  return cudaLaunchKernel((const void *)kernel, grid, block, arguments, shared_bytes,
                          PER_THREAD(stream));
}

cudaError_t cudaLaunchKernelExC_ptsz(const cudaLaunchConfig_t *config, const void *function,
                                     void **arguments) {
  if (!config) return cudaLaunchKernelExC(config, function, arguments);
  cudaLaunchConfig_t copy = *config;
  copy.stream = PER_THREAD(copy.stream);
  return cudaLaunchKernelExC(&copy, function, arguments);
}

cudaError_t cudaLaunchCooperativeKernel_ptsz(const void *function, dim3 grid, dim3 block,
                                             void **arguments, size_t shared_bytes,
                                             cudaStream_t stream) {
  return cudaLaunchCooperativeKernel(function, grid, block, arguments, shared_bytes,
                                     PER_THREAD(stream));
}

// Calls whose last argument is the stream.
#define WITH_STREAM(name, parameters, arguments)                                                   \
  cudaError_t name##_ptsz(parameters, cudaStream_t stream);                                        \
  cudaError_t name##_ptsz(parameters, cudaStream_t stream) {                                       \
    return name(arguments, PER_THREAD(stream));                                                    \
  }
#define LIST(...) __VA_ARGS__
typedef enum cudaMemcpyKind copy_kind;

WITH_STREAM(cudaMemcpyAsync, LIST(void *dst, const void *src, size_t bytes, copy_kind kind),
            LIST(dst, src, bytes, kind))
WITH_STREAM(cudaMemcpy2DAsync,
            LIST(void *dst, size_t dst_pitch, const void *src, size_t src_pitch, size_t width,
                 size_t height, copy_kind kind),
            LIST(dst, dst_pitch, src, src_pitch, width, height, kind))
WITH_STREAM(cudaMemcpyToSymbolAsync,
            LIST(const void *symbol, const void *src, size_t bytes, size_t offset, copy_kind kind),
            LIST(symbol, src, bytes, offset, kind))
WITH_STREAM(cudaMemcpyFromSymbolAsync,
            LIST(void *dst, const void *symbol, size_t bytes, size_t offset, copy_kind kind),
            LIST(dst, symbol, bytes, offset, kind))
WITH_STREAM(cudaMemsetAsync, LIST(void *dst, int value, size_t bytes), LIST(dst, value, bytes))
WITH_STREAM(cudaMemset2DAsync,
            LIST(void *dst, size_t pitch, int value, size_t width, size_t height),
            LIST(dst, pitch, value, width, height))
WITH_STREAM(cudaMallocAsync, LIST(void **pointer, size_t bytes), LIST(pointer, bytes))
WITH_STREAM(cudaFreeAsync, void *pointer, pointer)
WITH_STREAM(cudaEventRecord, cudaEvent_t event, event)
WITH_STREAM(cudaGraphLaunch, cudaGraphExec_t exec, exec)

// Calls whose first argument is the stream.
#define OF_STREAM(name, parameters, arguments)                                                     \
  cudaError_t name##_ptsz(cudaStream_t stream, parameters);                                        \
  cudaError_t name##_ptsz(cudaStream_t stream, parameters) {                                       \
    return name(PER_THREAD(stream), arguments);                                                    \
  }
OF_STREAM(cudaStreamWaitEvent, LIST(cudaEvent_t event, unsigned flags), LIST(event, flags))
OF_STREAM(cudaLaunchHostFunc, LIST(cudaHostFn_t function, void *data), LIST(function, data))
OF_STREAM(cudaStreamBeginCapture, enum cudaStreamCaptureMode mode, mode)
OF_STREAM(cudaStreamEndCapture, cudaGraph_t *graph, graph)
OF_STREAM(cudaStreamIsCapturing, enum cudaStreamCaptureStatus *status, status)

cudaError_t cudaStreamSynchronize_ptsz(cudaStream_t stream);
cudaError_t cudaStreamQuery_ptsz(cudaStream_t stream);
cudaError_t cudaStreamSynchronize_ptsz(cudaStream_t stream) {
  return cudaStreamSynchronize(PER_THREAD(stream));
}
cudaError_t cudaStreamQuery_ptsz(cudaStream_t stream) {
  return cudaStreamQuery(PER_THREAD(stream));
}

// Calls without a stream that wait: the host waits in either default stream.
#define WAITING(name, parameters, arguments)                                                       \
  cudaError_t name##_ptds(parameters);                                                             \
  cudaError_t name##_ptds(parameters) { return name(arguments); }
WAITING(cudaMemcpy, LIST(void *dst, const void *src, size_t bytes, copy_kind kind),
        LIST(dst, src, bytes, kind))
WAITING(cudaMemcpy2D,
        LIST(void *dst, size_t dst_pitch, const void *src, size_t src_pitch, size_t width,
             size_t height, copy_kind kind),
        LIST(dst, dst_pitch, src, src_pitch, width, height, kind))
WAITING(cudaMemcpyToSymbol,
        LIST(const void *symbol, const void *src, size_t bytes, size_t offset, copy_kind kind),
        LIST(symbol, src, bytes, offset, kind))
WAITING(cudaMemcpyFromSymbol,
        LIST(void *dst, const void *symbol, size_t bytes, size_t offset, copy_kind kind),
        LIST(dst, symbol, bytes, offset, kind))
WAITING(cudaMemset, LIST(void *dst, int value, size_t bytes), LIST(dst, value, bytes))
WAITING(cudaMemset2D, LIST(void *dst, size_t pitch, int value, size_t width, size_t height),
        LIST(dst, pitch, value, width, height))
