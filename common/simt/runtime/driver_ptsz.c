// SPDX-License-Identifier: MIT
// runtime/driver_ptsz.c - the names by which programs compiled for a default stream per thread call
// the driver API: stream 0 means the calling thread's default stream.
#include "runtime/driver.h"

#define OWN(stream) ((stream) ? (stream) : CU_STREAM_PER_THREAD)
#define CALL(function, parameters, call)                                                           \
  CUresult function parameters;                                                                    \
  CUresult function parameters { return call; }

CUresult cuLaunchKernelEx_ptsz(const CUlaunchConfig *config, CUfunction function, void **params,
                               void **extra);
CUresult cuLaunchKernelEx_ptsz(const CUlaunchConfig *config, CUfunction function, void **params,
                               void **extra) {
  if (!config) return CUDA_ERROR_INVALID_VALUE;
  CUlaunchConfig own = *config;
  own.hStream = OWN(own.hStream);
  return cuLaunchKernelEx(&own, function, params, extra);
}

CALL(cuEventRecord_ptsz, (CUevent event, CUstream stream), cuEventRecord(event, OWN(stream)))
CALL(cuEventRecordWithFlags_ptsz, (CUevent event, CUstream stream, unsigned int flags),
     cuEventRecordWithFlags(event, OWN(stream), flags))
CALL(cuGraphInstantiateWithParams_ptsz,
     (CUgraphExec * exec, CUgraph graph, CUDA_GRAPH_INSTANTIATE_PARAMS *p),
     cuGraphInstantiateWithParams(exec, graph, p))
CALL(cuGraphLaunch_ptsz, (CUgraphExec exec, CUstream stream), cuGraphLaunch(exec, OWN(stream)))
CALL(cuGraphUpload_ptsz, (CUgraphExec exec, CUstream stream), cuGraphUpload(exec, OWN(stream)))
CALL(cuLaunchCooperativeKernel_ptsz,
     (CUfunction function, unsigned int grid_x, unsigned int grid_y, unsigned int grid_z,
      unsigned int block_x, unsigned int block_y, unsigned int block_z, unsigned int shared_bytes,
      CUstream stream, void **parameters),
     cuLaunchCooperativeKernel(function, grid_x, grid_y, grid_z, block_x, block_y, block_z,
                               shared_bytes, OWN(stream), parameters))
CALL(cuLaunchHostFunc_ptsz, (CUstream stream, CUhostFn function, void *data),
     cuLaunchHostFunc(OWN(stream), function, data))
CALL(cuLaunchKernel_ptsz,
     (CUfunction function, unsigned int grid_x, unsigned int grid_y, unsigned int grid_z,
      unsigned int block_x, unsigned int block_y, unsigned int block_z, unsigned int shared_bytes,
      CUstream stream, void **parameters, void **extra),
     cuLaunchKernel(function, grid_x, grid_y, grid_z, block_x, block_y, block_z, shared_bytes,
                    OWN(stream), parameters, extra))
CALL(cuMemAllocAsync_ptsz, (CUdeviceptr * address, size_t bytes, CUstream stream),
     cuMemAllocAsync(address, bytes, OWN(stream)))
CALL(cuMemAllocFromPoolAsync_ptsz,
     (CUdeviceptr * address, size_t bytes, CUmemoryPool pool, CUstream stream),
     cuMemAllocFromPoolAsync(address, bytes, pool, OWN(stream)))
CALL(cuMemDiscardAndPrefetchBatchAsync_ptsz,
     (CUdeviceptr * pointers, size_t *sizes, size_t count, CUmemLocation *places, size_t *indexes,
      size_t n, unsigned long long flags, CUstream stream),
     cuMemDiscardAndPrefetchBatchAsync(pointers, sizes, count, places, indexes, n, flags,
                                       OWN(stream)))
CALL(cuMemDiscardBatchAsync_ptsz,
     (CUdeviceptr * pointers, size_t *sizes, size_t count, unsigned long long flags,
      CUstream stream),
     cuMemDiscardBatchAsync(pointers, sizes, count, flags, OWN(stream)))
CALL(cuMemFreeAsync_ptsz, (CUdeviceptr address, CUstream stream),
     cuMemFreeAsync(address, OWN(stream)))
CALL(cuMemPrefetchAsync_v2_ptsz,
     (CUdeviceptr address, size_t bytes, CUmemLocation location, unsigned int flags,
      CUstream stream),
     cuMemPrefetchAsync(address, bytes, location, flags, OWN(stream)))
CALL(cuMemPrefetchBatchAsync_ptsz,
     (CUdeviceptr * pointers, size_t *sizes, size_t count, CUmemLocation *places, size_t *indexes,
      size_t n, unsigned long long flags, CUstream stream),
     cuMemPrefetchBatchAsync(pointers, sizes, count, places, indexes, n, flags, OWN(stream)))
CALL(cuMemcpy2DAsync_v2_ptsz, (const CUDA_MEMCPY2D *copy, CUstream stream),
     cuMemcpy2DAsync(copy, OWN(stream)))
CALL(cuMemcpy3DAsync_v2_ptsz, (const CUDA_MEMCPY3D *copy, CUstream stream),
     cuMemcpy3DAsync(copy, OWN(stream)))
CALL(cuMemcpy3DBatchAsync_v2_ptsz,
     (size_t n, CUDA_MEMCPY3D_BATCH_OP *list, unsigned long long flags, CUstream stream),
     cuMemcpy3DBatchAsync(n, list, flags, OWN(stream)))
CALL(cuMemcpy3DPeerAsync_ptsz, (const CUDA_MEMCPY3D_PEER *copy, CUstream stream),
     cuMemcpy3DPeerAsync(copy, OWN(stream)))
CALL(cuMemcpyAsync_ptsz, (CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream),
     cuMemcpyAsync(to, from, bytes, OWN(stream)))
CALL(cuMemcpyAtoHAsync_v2_ptsz,
     (void *to, CUarray from, size_t offset, size_t bytes, CUstream stream),
     cuMemcpyAtoHAsync(to, from, offset, bytes, OWN(stream)))
CALL(cuMemcpyBatchAsync_v2_ptsz,
     (CUdeviceptr * dsts, CUdeviceptr *srcs, size_t *sizes, size_t count,
      CUmemcpyAttributes *attributes, size_t *indexes, size_t n, CUstream stream),
     cuMemcpyBatchAsync(dsts, srcs, sizes, count, attributes, indexes, n, OWN(stream)))
CALL(cuMemcpyDtoDAsync_v2_ptsz, (CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream),
     cuMemcpyDtoDAsync(to, from, bytes, OWN(stream)))
CALL(cuMemcpyDtoHAsync_v2_ptsz, (void *to, CUdeviceptr from, size_t bytes, CUstream stream),
     cuMemcpyDtoHAsync(to, from, bytes, OWN(stream)))
CALL(cuMemcpyHtoAAsync_v2_ptsz,
     (CUarray to, size_t offset, const void *from, size_t bytes, CUstream stream),
     cuMemcpyHtoAAsync(to, offset, from, bytes, OWN(stream)))
CALL(cuMemcpyHtoDAsync_v2_ptsz, (CUdeviceptr to, const void *from, size_t bytes, CUstream stream),
     cuMemcpyHtoDAsync(to, from, bytes, OWN(stream)))
CALL(cuMemcpyPeerAsync_ptsz,
     (CUdeviceptr to, CUcontext to_context, CUdeviceptr from, CUcontext from_context, size_t bytes,
      CUstream stream),
     cuMemcpyPeerAsync(to, to_context, from, from_context, bytes, OWN(stream)))
CALL(cuMemsetD16Async_ptsz, (CUdeviceptr to, unsigned short value, size_t n, CUstream stream),
     cuMemsetD16Async(to, value, n, OWN(stream)))
CALL(cuMemsetD2D16Async_ptsz,
     (CUdeviceptr to, size_t pitch, unsigned short value, size_t width, size_t height,
      CUstream stream),
     cuMemsetD2D16Async(to, pitch, value, width, height, OWN(stream)))
CALL(cuMemsetD2D32Async_ptsz,
     (CUdeviceptr to, size_t pitch, unsigned int value, size_t width, size_t height,
      CUstream stream),
     cuMemsetD2D32Async(to, pitch, value, width, height, OWN(stream)))
CALL(cuMemsetD2D8Async_ptsz,
     (CUdeviceptr to, size_t pitch, unsigned char value, size_t width, size_t height,
      CUstream stream),
     cuMemsetD2D8Async(to, pitch, value, width, height, OWN(stream)))
CALL(cuMemsetD32Async_ptsz, (CUdeviceptr to, unsigned int value, size_t n, CUstream stream),
     cuMemsetD32Async(to, value, n, OWN(stream)))
CALL(cuMemsetD8Async_ptsz, (CUdeviceptr to, unsigned char value, size_t n, CUstream stream),
     cuMemsetD8Async(to, value, n, OWN(stream)))
CALL(cuStreamAddCallback_ptsz,
     (CUstream stream, CUstreamCallback callback, void *data, unsigned int flags),
     cuStreamAddCallback(OWN(stream), callback, data, flags))
CALL(cuStreamAttachMemAsync_ptsz,
     (CUstream stream, CUdeviceptr address, size_t bytes, unsigned int flags),
     cuStreamAttachMemAsync(OWN(stream), address, bytes, flags))
CALL(cuStreamBatchMemOp_v2_ptsz,
     (CUstream stream, unsigned int n, CUstreamBatchMemOpParams *operations, unsigned int flags),
     cuStreamBatchMemOp(OWN(stream), n, operations, flags))
CALL(cuStreamBeginCapture_v2_ptsz, (CUstream stream, CUstreamCaptureMode mode),
     cuStreamBeginCapture(OWN(stream), mode))
CALL(cuStreamBeginCaptureToGraph_ptsz,
     (CUstream stream, CUgraph graph, const CUgraphNode *dependencies, const CUgraphEdgeData *data,
      size_t n, CUstreamCaptureMode mode),
     cuStreamBeginCaptureToGraph(OWN(stream), graph, dependencies, data, n, mode))
CALL(cuStreamCopyAttributes_ptsz, (CUstream to, CUstream from),
     cuStreamCopyAttributes(OWN(to), OWN(from)))
CALL(cuStreamEndCapture_ptsz, (CUstream stream, CUgraph *graph),
     cuStreamEndCapture(OWN(stream), graph))
CALL(cuStreamGetAttribute_ptsz,
     (CUstream stream, CUstreamAttrID attribute, CUstreamAttrValue *value),
     cuStreamGetAttribute(OWN(stream), attribute, value))
CALL(cuStreamGetCaptureInfo_v3_ptsz,
     (CUstream stream, CUstreamCaptureStatus *status, cuuint64_t *id, CUgraph *graph,
      const CUgraphNode **dependencies, const CUgraphEdgeData **data, size_t *n),
     cuStreamGetCaptureInfo(OWN(stream), status, id, graph, dependencies, data, n))
CALL(cuStreamGetCtx_ptsz, (CUstream stream, CUcontext *context),
     cuStreamGetCtx(OWN(stream), context))
CALL(cuStreamGetDevice_ptsz, (CUstream stream, CUdevice *device),
     cuStreamGetDevice(OWN(stream), device))
CALL(cuStreamGetFlags_ptsz, (CUstream stream, unsigned int *flags),
     cuStreamGetFlags(OWN(stream), flags))
CALL(cuStreamGetId_ptsz, (CUstream stream, unsigned long long *id), cuStreamGetId(OWN(stream), id))
CALL(cuStreamGetPriority_ptsz, (CUstream stream, int *priority),
     cuStreamGetPriority(OWN(stream), priority))
CALL(cuStreamIsCapturing_ptsz, (CUstream stream, CUstreamCaptureStatus *status),
     cuStreamIsCapturing(OWN(stream), status))
CALL(cuStreamQuery_ptsz, (CUstream stream), cuStreamQuery(OWN(stream)))
CALL(cuStreamSetAttribute_ptsz,
     (CUstream stream, CUstreamAttrID attribute, const CUstreamAttrValue *value),
     cuStreamSetAttribute(OWN(stream), attribute, value))
CALL(cuStreamSynchronize_ptsz, (CUstream stream), cuStreamSynchronize(OWN(stream)))
CALL(cuStreamUpdateCaptureDependencies_v2_ptsz,
     (CUstream stream, CUgraphNode *dependencies, const CUgraphEdgeData *data, size_t n,
      unsigned int flags),
     cuStreamUpdateCaptureDependencies(OWN(stream), dependencies, data, n, flags))
CALL(cuStreamWaitEvent_ptsz, (CUstream stream, CUevent event, unsigned int flags),
     cuStreamWaitEvent(OWN(stream), event, flags))
CALL(cuStreamWaitValue32_v2_ptsz,
     (CUstream stream, CUdeviceptr address, cuuint32_t value, unsigned int flags),
     cuStreamWaitValue32(OWN(stream), address, value, flags))
CALL(cuStreamWaitValue64_v2_ptsz,
     (CUstream stream, CUdeviceptr address, cuuint64_t value, unsigned int flags),
     cuStreamWaitValue64(OWN(stream), address, value, flags))
CALL(cuStreamWriteValue32_v2_ptsz,
     (CUstream stream, CUdeviceptr address, cuuint32_t value, unsigned int flags),
     cuStreamWriteValue32(OWN(stream), address, value, flags))
CALL(cuStreamWriteValue64_v2_ptsz,
     (CUstream stream, CUdeviceptr address, cuuint64_t value, unsigned int flags),
     cuStreamWriteValue64(OWN(stream), address, value, flags))

// Calls without a stream that wait: the host waits in either default stream.
CALL(cuMemcpy_ptds, (CUdeviceptr to, CUdeviceptr from, size_t bytes), cuMemcpy(to, from, bytes))
CALL(cuMemcpy2D_v2_ptds, (const CUDA_MEMCPY2D *copy), cuMemcpy2D(copy))
CALL(cuMemcpy2DUnaligned_v2_ptds, (const CUDA_MEMCPY2D *copy), cuMemcpy2DUnaligned(copy))
CALL(cuMemcpy3D_v2_ptds, (const CUDA_MEMCPY3D *copy), cuMemcpy3D(copy))
CALL(cuMemcpy3DPeer_ptds, (const CUDA_MEMCPY3D_PEER *copy), cuMemcpy3DPeer(copy))
CALL(cuMemcpyAtoA_v2_ptds,
     (CUarray to, size_t to_offset, CUarray from, size_t from_offset, size_t bytes),
     cuMemcpyAtoA(to, to_offset, from, from_offset, bytes))
CALL(cuMemcpyAtoD_v2_ptds, (CUdeviceptr to, CUarray from, size_t offset, size_t bytes),
     cuMemcpyAtoD(to, from, offset, bytes))
CALL(cuMemcpyAtoH_v2_ptds, (void *to, CUarray from, size_t offset, size_t bytes),
     cuMemcpyAtoH(to, from, offset, bytes))
CALL(cuMemcpyDtoA_v2_ptds, (CUarray to, size_t offset, CUdeviceptr from, size_t bytes),
     cuMemcpyDtoA(to, offset, from, bytes))
CALL(cuMemcpyDtoD_v2_ptds, (CUdeviceptr to, CUdeviceptr from, size_t bytes),
     cuMemcpyDtoD(to, from, bytes))
CALL(cuMemcpyDtoH_v2_ptds, (void *to, CUdeviceptr from, size_t bytes),
     cuMemcpyDtoH(to, from, bytes))
CALL(cuMemcpyHtoA_v2_ptds, (CUarray to, size_t offset, const void *from, size_t bytes),
     cuMemcpyHtoA(to, offset, from, bytes))
CALL(cuMemcpyHtoD_v2_ptds, (CUdeviceptr to, const void *from, size_t bytes),
     cuMemcpyHtoD(to, from, bytes))
CALL(cuMemcpyPeer_ptds,
     (CUdeviceptr to, CUcontext to_context, CUdeviceptr from, CUcontext from_context, size_t bytes),
     cuMemcpyPeer(to, to_context, from, from_context, bytes))
CALL(cuMemsetD16_v2_ptds, (CUdeviceptr to, unsigned short value, size_t n),
     cuMemsetD16(to, value, n))
CALL(cuMemsetD2D16_v2_ptds,
     (CUdeviceptr to, size_t pitch, unsigned short value, size_t width, size_t height),
     cuMemsetD2D16(to, pitch, value, width, height))
CALL(cuMemsetD2D32_v2_ptds,
     (CUdeviceptr to, size_t pitch, unsigned int value, size_t width, size_t height),
     cuMemsetD2D32(to, pitch, value, width, height))
CALL(cuMemsetD2D8_v2_ptds,
     (CUdeviceptr to, size_t pitch, unsigned char value, size_t width, size_t height),
     cuMemsetD2D8(to, pitch, value, width, height))
CALL(cuMemsetD32_v2_ptds, (CUdeviceptr to, unsigned int value, size_t n), cuMemsetD32(to, value, n))
CALL(cuMemsetD8_v2_ptds, (CUdeviceptr to, unsigned char value, size_t n), cuMemsetD8(to, value, n))
