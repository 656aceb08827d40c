// SPDX-License-Identifier: MIT
// runtime/driver_more.c - what include/simt_cuda/driver_more.h declares, in terms of the runtime.
#include "runtime/driver.h"

#include <string.h>

// A structure that the runtime has under another name, with the same members.
#define SAME(type, pointer) ((type *)(void *)(uintptr_t)(pointer))

_Static_assert(sizeof(CUstreamAttrValue) == sizeof(cudaLaunchAttributeValue), "the same");
_Static_assert(sizeof(CUmemAccessDesc) == sizeof(struct cudaMemAccessDesc), "the same");
_Static_assert(sizeof(CUmemLocation) == sizeof(struct cudaMemLocation), "the same");
_Static_assert(sizeof(CUgraphEdgeData) == sizeof(cudaGraphEdgeData), "the same");
_Static_assert(sizeof(CUstreamBatchMemOpParams) == 48, "as NVIDIA's");

static CUresult carry_out(CUstream stream, const CUstreamBatchMemOpParams *o) {
  const struct CUstreamMemOpWaitValueParams_st *w = &o->waitValue;
  switch (o->operation) {
  case CU_STREAM_MEM_OP_WAIT_VALUE_32:
    return cuStreamWaitValue32(stream, w->address, w->value, w->flags);
  case CU_STREAM_MEM_OP_WAIT_VALUE_64:
    return cuStreamWaitValue64(stream, w->address, w->value64, w->flags);
  case CU_STREAM_MEM_OP_WRITE_VALUE_32:
    return cuStreamWriteValue32(stream, w->address, w->value, w->flags);
  case CU_STREAM_MEM_OP_WRITE_VALUE_64:
    return cuStreamWriteValue64(stream, w->address, w->value64, w->flags);
  case CU_STREAM_MEM_OP_FLUSH_REMOTE_WRITES:
  case CU_STREAM_MEM_OP_BARRIER: return CUDA_SUCCESS;
  }
  return CUDA_ERROR_INVALID_VALUE;
}

enum { MOST_OPERATIONS = 256 };

CUresult cuStreamBatchMemOp(CUstream stream, unsigned int n, CUstreamBatchMemOpParams *operations,
                            unsigned int flags) {
  CUresult result = simt_drv_needs_context();
  if (!atomic_load(&simt_drv_is_initialised)) return CUDA_ERROR_NOT_INITIALIZED;
  if (!result && (flags || n > MOST_OPERATIONS || (n && !operations)))
    result = CUDA_ERROR_INVALID_VALUE;
  for (unsigned i = 0; !result && i < n; i++) result = carry_out(stream, &operations[i]);
  return result;
}

CUresult cuStreamGetAttribute(CUstream stream, CUstreamAttrID attribute, CUstreamAttrValue *value) {
  IN_CONTEXT(cudaStreamGetAttribute(stream, (cudaLaunchAttributeID)attribute,
                                    SAME(cudaLaunchAttributeValue, value)));
}
CUresult cuStreamSetAttribute(CUstream stream, CUstreamAttrID attribute,
                              const CUstreamAttrValue *value) {
  IN_CONTEXT(cudaStreamSetAttribute(stream, (cudaLaunchAttributeID)attribute,
                                    SAME(const cudaLaunchAttributeValue, value)));
}
CUresult cuGraphKernelNodeGetAttribute(CUgraphNode node, CUkernelNodeAttrID attribute,
                                       CUkernelNodeAttrValue *value) {
  IN_CONTEXT(cudaGraphKernelNodeGetAttribute(node, (cudaLaunchAttributeID)attribute,
                                             SAME(cudaLaunchAttributeValue, value)));
}
CUresult cuGraphKernelNodeSetAttribute(CUgraphNode node, CUkernelNodeAttrID attribute,
                                       const CUkernelNodeAttrValue *value) {
  IN_CONTEXT(cudaGraphKernelNodeSetAttribute(node, (cudaLaunchAttributeID)attribute,
                                             SAME(const cudaLaunchAttributeValue, value)));
}

// ---- Captures.

CUresult cuStreamGetCaptureInfo(CUstream stream, CUstreamCaptureStatus *status, cuuint64_t *id,
                                CUgraph *graph, const CUgraphNode **dependencies,
                                const CUgraphEdgeData **data, size_t *n) {
  unsigned long long number = id ? *id : 0;
  const cudaError_t error = INSIDE(
      cudaStreamGetCaptureInfo(stream, SAME(enum cudaStreamCaptureStatus, status), &number, graph,
                               dependencies, SAME(const cudaGraphEdgeData *, data), n));
  if (!error && id) *id = number;
  IN_CONTEXT(error);
}
CUresult cuStreamUpdateCaptureDependencies(CUstream stream, CUgraphNode *dependencies,
                                           const CUgraphEdgeData *data, size_t n,
                                           unsigned int flags) {
  IN_CONTEXT(cudaStreamUpdateCaptureDependencies(stream, dependencies,
                                                 SAME(const cudaGraphEdgeData, data), n, flags));
}
CUresult cuStreamBeginCaptureToGraph(CUstream stream, CUgraph graph,
                                     const CUgraphNode *dependencies, const CUgraphEdgeData *data,
                                     size_t n, CUstreamCaptureMode mode) {
  IN_CONTEXT(cudaStreamBeginCaptureToGraph(stream, graph, dependencies,
                                           SAME(const cudaGraphEdgeData, data), n,
                                           (enum cudaStreamCaptureMode)mode));
}

// ---- Graphs' objects and memory.

CUresult cuUserObjectCreate(CUuserObject *object, void *data, CUhostFn destroy, unsigned int n,
                            unsigned int flags) {
  IN_CONTEXT(cudaUserObjectCreate(object, data, destroy, n, flags));
}
CUresult cuUserObjectRetain(CUuserObject object, unsigned int n) {
  IN_CONTEXT(cudaUserObjectRetain(object, n));
}
CUresult cuUserObjectRelease(CUuserObject object, unsigned int n) {
  IN_CONTEXT(cudaUserObjectRelease(object, n));
}
CUresult cuGraphRetainUserObject(CUgraph graph, CUuserObject object, unsigned int n,
                                 unsigned int flags) {
  IN_CONTEXT(cudaGraphRetainUserObject(graph, object, n, flags));
}
CUresult cuGraphReleaseUserObject(CUgraph graph, CUuserObject object, unsigned int n) {
  IN_CONTEXT(cudaGraphReleaseUserObject(graph, object, n));
}
CUresult cuDeviceGetGraphMemAttribute(CUdevice device, CUgraphMem_attribute attribute,
                                      void *value) {
  CHECKED(cudaDeviceGetGraphMemAttribute(device, (enum cudaGraphMemAttributeType)attribute, value));
}
CUresult cuDeviceSetGraphMemAttribute(CUdevice device, CUgraphMem_attribute attribute,
                                      void *value) {
  CHECKED(cudaDeviceSetGraphMemAttribute(device, (enum cudaGraphMemAttributeType)attribute, value));
}
CUresult cuDeviceGraphMemTrim(CUdevice device) { CHECKED(cudaDeviceGraphMemTrim(device)); }

// ---- Ranges and pools.

CUresult cuMemRangeGetAttribute(void *data, size_t bytes, CUmem_range_attribute attribute,
                                CUdeviceptr address, size_t count) {
  IN_CONTEXT(cudaMemRangeGetAttribute(data, bytes, (enum cudaMemRangeAttribute)attribute,
                                      (const void *)(uintptr_t)address, count));
}
CUresult cuMemRangeGetAttributes(void **data, size_t *bytes, CUmem_range_attribute *attributes,
                                 size_t n, CUdeviceptr address, size_t count) {
  IN_CONTEXT(cudaMemRangeGetAttributes(data, bytes, SAME(enum cudaMemRangeAttribute, attributes), n,
                                       (const void *)(uintptr_t)address, count));
}
CUresult cuMemPoolSetAccess(CUmemoryPool pool, const CUmemAccessDesc *list, size_t n) {
  CHECKED(cudaMemPoolSetAccess(pool, SAME(const struct cudaMemAccessDesc, list), n));
}
CUresult cuMemPoolGetAccess(CUmemAccess_flags *flags, CUmemoryPool pool, CUmemLocation *location) {
  CHECKED(cudaMemPoolGetAccess(SAME(enum cudaMemAccessFlags, flags), pool,
                               SAME(struct cudaMemLocation, location)));
}

// ---- The rest.

// Functions with one address for host and device are not there.
CUresult cuLibraryGetUnifiedFunction(void **function, CUlibrary library, const char *symbol) {
  if (!atomic_load(&simt_drv_is_initialised)) return CUDA_ERROR_NOT_INITIALIZED;
  (void)library, (void)function, (void)symbol;
  return CUDA_ERROR_INVALID_VALUE;
}
CUresult cuCtxSetFlags(unsigned int flags) {
  const CUresult result = simt_drv_needs_context();
  if (result) return result;
  if (flags & ~0x7fU) return CUDA_ERROR_INVALID_VALUE;
  atomic_store(&simt_drv_current()->flags, flags);
  return CUDA_SUCCESS;
}
CUresult cuProfilerStart(void) { IN_CONTEXT(cudaProfilerStart()); }
CUresult cuProfilerStop(void) { IN_CONTEXT(cudaProfilerStop()); }
