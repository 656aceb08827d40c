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
WITH_STREAM(cudaGraphUpload, cudaGraphExec_t exec, exec)
WITH_STREAM(cudaMallocFromPoolAsync, LIST(void **pointer, size_t bytes, cudaMemPool_t pool),
            LIST(pointer, bytes, pool))
WITH_STREAM(cudaMemPrefetchAsync,
            LIST(const void *pointer, size_t bytes, struct cudaMemLocation to, unsigned flags),
            LIST(pointer, bytes, to, flags))
WITH_STREAM(cudaMemcpy2DToArrayAsync,
            LIST(cudaArray_t array, size_t x, size_t y, const void *src, size_t pitch, size_t width,
                 size_t height, copy_kind kind),
            LIST(array, x, y, src, pitch, width, height, kind))
WITH_STREAM(cudaMemcpy2DFromArrayAsync,
            LIST(void *dst, size_t pitch, cudaArray_const_t array, size_t x, size_t y, size_t width,
                 size_t height, copy_kind kind),
            LIST(dst, pitch, array, x, y, width, height, kind))
WITH_STREAM(cudaMemcpyToArrayAsync,
            LIST(cudaArray_t array, size_t x, size_t y, const void *src, size_t bytes,
                 copy_kind kind),
            LIST(array, x, y, src, bytes, kind))
WITH_STREAM(cudaMemcpyFromArrayAsync,
            LIST(void *dst, cudaArray_const_t array, size_t x, size_t y, size_t bytes,
                 copy_kind kind),
            LIST(dst, array, x, y, bytes, kind))
WITH_STREAM(cudaMemcpy3DAsync, const struct cudaMemcpy3DParms *parms, parms)
WITH_STREAM(cudaMemcpy3DPeerAsync, const struct cudaMemcpy3DPeerParms *parms, parms)
WITH_STREAM(cudaMemset3DAsync,
            LIST(struct cudaPitchedPtr pitched, int value, struct cudaExtent extent),
            LIST(pitched, value, extent))
WITH_STREAM(cudaMemcpyBatchAsync,
            LIST(void *const *dsts, const void *const *srcs, const size_t *sizes, size_t count,
                 struct cudaMemcpyAttributes *attributes, size_t *indexes, size_t n),
            LIST(dsts, srcs, sizes, count, attributes, indexes, n))

WITH_STREAM(cudaMemcpy3DBatchAsync,
            LIST(size_t n, struct cudaMemcpy3DBatchOp *list, unsigned long long flags),
            LIST(n, list, flags))
WITH_STREAM(cudaMemPrefetchBatchAsync,
            LIST(void **pointers, size_t *sizes, size_t count, struct cudaMemLocation *places,
                 size_t *indexes, size_t n, unsigned long long flags),
            LIST(pointers, sizes, count, places, indexes, n, flags))
WITH_STREAM(cudaMemDiscardAndPrefetchBatchAsync,
            LIST(void **pointers, size_t *sizes, size_t count, struct cudaMemLocation *places,
                 size_t *indexes, size_t n, unsigned long long flags),
            LIST(pointers, sizes, count, places, indexes, n, flags))
WITH_STREAM(cudaMemDiscardBatchAsync,
            LIST(void **pointers, size_t *sizes, size_t count, unsigned long long flags),
            LIST(pointers, sizes, count, flags))

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
OF_STREAM(cudaStreamAddCallback, LIST(cudaStreamCallback_t callback, void *data, unsigned flags),
          LIST(callback, data, flags))
OF_STREAM(cudaStreamAttachMemAsync, LIST(void *pointer, size_t bytes, unsigned flags),
          LIST(pointer, bytes, flags))
OF_STREAM(cudaStreamGetPriority, int *priority, priority)
OF_STREAM(cudaStreamGetFlags, unsigned *flags, flags)
OF_STREAM(cudaStreamGetId, unsigned long long *id, id)
OF_STREAM(cudaStreamGetDevice, int *device, device)
OF_STREAM(cudaStreamSetAttribute,
          LIST(cudaLaunchAttributeID attribute, const cudaLaunchAttributeValue *value),
          LIST(attribute, value))
OF_STREAM(cudaStreamGetAttribute,
          LIST(cudaLaunchAttributeID attribute, cudaLaunchAttributeValue *value),
          LIST(attribute, value))
OF_STREAM(cudaStreamBeginCaptureToGraph,
          LIST(cudaGraph_t graph, const cudaGraphNode_t *nodes, const cudaGraphEdgeData *data,
               size_t n, enum cudaStreamCaptureMode mode),
          LIST(graph, nodes, data, n, mode))
OF_STREAM(cudaStreamGetCaptureInfo,
          LIST(enum cudaStreamCaptureStatus *status, unsigned long long *id, cudaGraph_t *graph,
               const cudaGraphNode_t **nodes, const cudaGraphEdgeData **data, size_t *n),
          LIST(status, id, graph, nodes, data, n))
OF_STREAM(cudaStreamUpdateCaptureDependencies,
          LIST(cudaGraphNode_t *nodes, const cudaGraphEdgeData *data, size_t n, unsigned flags),
          LIST(nodes, data, n, flags))
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
#define WAITING_AS(as, name, parameters, arguments)                                                \
  cudaError_t as(parameters);                                                                      \
  cudaError_t as(parameters) { return name(arguments); }
#define WAITING(name, parameters, arguments)                                                       \
  WAITING_AS(name##_ptds, name, LIST(parameters), LIST(arguments))
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
WAITING(cudaMemset3D, LIST(struct cudaPitchedPtr pitched, int value, struct cudaExtent extent),
        LIST(pitched, value, extent))
WAITING(cudaMemcpy3D, const struct cudaMemcpy3DParms *parms, parms)
WAITING(cudaMemcpy3DPeer, const struct cudaMemcpy3DPeerParms *parms, parms)
WAITING(cudaMemcpy2DToArray,
        LIST(cudaArray_t array, size_t x, size_t y, const void *src, size_t pitch, size_t width,
             size_t height, copy_kind kind),
        LIST(array, x, y, src, pitch, width, height, kind))
WAITING(cudaMemcpy2DFromArray,
        LIST(void *dst, size_t pitch, cudaArray_const_t array, size_t x, size_t y, size_t width,
             size_t height, copy_kind kind),
        LIST(dst, pitch, array, x, y, width, height, kind))
WAITING(cudaMemcpyToArray,
        LIST(cudaArray_t array, size_t x, size_t y, const void *src, size_t bytes, copy_kind kind),
        LIST(array, x, y, src, bytes, kind))
WAITING(cudaMemcpyFromArray,
        LIST(void *dst, cudaArray_const_t array, size_t x, size_t y, size_t bytes, copy_kind kind),
        LIST(dst, array, x, y, bytes, kind))
WAITING(cudaMemcpyArrayToArray,
        LIST(cudaArray_t dst, size_t x, size_t y, cudaArray_const_t src, size_t from_x,
             size_t from_y, size_t bytes, copy_kind kind),
        LIST(dst, x, y, src, from_x, from_y, bytes, kind))
WAITING(cudaMemcpy2DArrayToArray,
        LIST(cudaArray_t dst, size_t x, size_t y, cudaArray_const_t src, size_t from_x,
             size_t from_y, size_t width, size_t height, copy_kind kind),
        LIST(dst, x, y, src, from_x, from_y, width, height, kind))

// Calls that the names exist for, but no stream 0 is given to.
WAITING_AS(cudaGraphInstantiateWithParams_ptsz, cudaGraphInstantiateWithParams,
           LIST(cudaGraphExec_t *exec, cudaGraph_t graph, cudaGraphInstantiateParams *params),
           LIST(exec, graph, params))
WAITING_AS(cudaGetDriverEntryPoint_ptsz, cudaGetDriverEntryPoint,
           LIST(const char *symbol, void **function, unsigned long long flags,
                enum cudaDriverEntryPointQueryResult *status),
           LIST(symbol, function, flags, status))
WAITING_AS(cudaGetDriverEntryPointByVersion_ptsz, cudaGetDriverEntryPointByVersion,
           LIST(const char *symbol, void **function, unsigned version, unsigned long long flags,
                enum cudaDriverEntryPointQueryResult *status),
           LIST(symbol, function, version, flags, status))
cudaError_t cudaEventRecordWithFlags_ptsz(cudaEvent_t event, cudaStream_t stream, unsigned flags);
cudaError_t cudaEventRecordWithFlags_ptsz(cudaEvent_t event, cudaStream_t stream, unsigned flags) {
  return cudaEventRecordWithFlags(event, PER_THREAD(stream), flags);
}

// Launches as simtcc's compiler writes them.
unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared_bytes, void *stream);
unsigned simt_push_configuration_ptsz(dim3 grid, dim3 block, size_t shared_bytes, void *stream);
unsigned simt_push_configuration_ptsz(dim3 grid, dim3 block, size_t shared_bytes, void *stream) {
  return __cudaPushCallConfiguration(grid, block, shared_bytes,
                                     stream ? stream : (void *)cudaStreamPerThread);
}
