// SPDX-License-Identifier: MIT
// runtime/driver_graphs.c - graphs of the driver API, in terms of the runtime's: handles, kinds of
// nodes and most parameters are the same. Kernels and copies are written down in another way.
#include "runtime/driver.h"

#include <string.h>

// A structure that the runtime has under another name, with the same members.
#define SAME(type, pointer) ((type *)(void *)(uintptr_t)(pointer))

_Static_assert(sizeof(CUDA_HOST_NODE_PARAMS) == sizeof(struct cudaHostNodeParams), "the same");
_Static_assert(sizeof(CUDA_GRAPH_INSTANTIATE_PARAMS) == sizeof(cudaGraphInstantiateParams),
               "the same");
_Static_assert(sizeof(CUgraphExecUpdateResultInfo) == sizeof(cudaGraphExecUpdateResultInfo),
               "the same");
_Static_assert(sizeof(CUgraphEdgeData) == sizeof(cudaGraphEdgeData), "the same");

CUresult cuGraphCreate(CUgraph *graph, unsigned int flags) {
  IN_CONTEXT(cudaGraphCreate(graph, flags));
}
CUresult cuGraphDestroy(CUgraph graph) { IN_CONTEXT(cudaGraphDestroy(graph)); }
CUresult cuGraphClone(CUgraph *clone, CUgraph graph) { IN_CONTEXT(cudaGraphClone(clone, graph)); }
CUresult cuGraphNodeFindInClone(CUgraphNode *node, CUgraphNode original, CUgraph clone) {
  IN_CONTEXT(cudaGraphNodeFindInClone(node, original, clone));
}
CUresult cuGraphAddEmptyNode(CUgraphNode *node, CUgraph graph, const CUgraphNode *dependencies,
                             size_t n) {
  IN_CONTEXT(cudaGraphAddEmptyNode(node, graph, dependencies, n));
}
CUresult cuGraphAddChildGraphNode(CUgraphNode *node, CUgraph graph, const CUgraphNode *dependencies,
                                  size_t n, CUgraph child) {
  IN_CONTEXT(cudaGraphAddChildGraphNode(node, graph, dependencies, n, child));
}
CUresult cuGraphChildGraphNodeGetGraph(CUgraphNode node, CUgraph *graph) {
  IN_CONTEXT(cudaGraphChildGraphNodeGetGraph(node, graph));
}
CUresult cuGraphExecChildGraphNodeSetParams(CUgraphExec exec, CUgraphNode node, CUgraph child) {
  IN_CONTEXT(cudaGraphExecChildGraphNodeSetParams(exec, node, child));
}
CUresult cuGraphAddEventRecordNode(CUgraphNode *node, CUgraph graph,
                                   const CUgraphNode *dependencies, size_t n, CUevent event) {
  IN_CONTEXT(cudaGraphAddEventRecordNode(node, graph, dependencies, n, event));
}
CUresult cuGraphEventRecordNodeGetEvent(CUgraphNode node, CUevent *event) {
  IN_CONTEXT(cudaGraphEventRecordNodeGetEvent(node, event));
}
CUresult cuGraphEventRecordNodeSetEvent(CUgraphNode node, CUevent event) {
  IN_CONTEXT(cudaGraphEventRecordNodeSetEvent(node, event));
}
CUresult cuGraphExecEventRecordNodeSetEvent(CUgraphExec exec, CUgraphNode node, CUevent event) {
  IN_CONTEXT(cudaGraphExecEventRecordNodeSetEvent(exec, node, event));
}
CUresult cuGraphAddEventWaitNode(CUgraphNode *node, CUgraph graph, const CUgraphNode *dependencies,
                                 size_t n, CUevent event) {
  IN_CONTEXT(cudaGraphAddEventWaitNode(node, graph, dependencies, n, event));
}
CUresult cuGraphEventWaitNodeGetEvent(CUgraphNode node, CUevent *event) {
  IN_CONTEXT(cudaGraphEventWaitNodeGetEvent(node, event));
}
CUresult cuGraphEventWaitNodeSetEvent(CUgraphNode node, CUevent event) {
  IN_CONTEXT(cudaGraphEventWaitNodeSetEvent(node, event));
}
CUresult cuGraphExecEventWaitNodeSetEvent(CUgraphExec exec, CUgraphNode node, CUevent event) {
  IN_CONTEXT(cudaGraphExecEventWaitNodeSetEvent(exec, node, event));
}
CUresult cuGraphAddHostNode(CUgraphNode *node, CUgraph graph, const CUgraphNode *dependencies,
                            size_t n, const CUDA_HOST_NODE_PARAMS *p) {
  IN_CONTEXT(
      cudaGraphAddHostNode(node, graph, dependencies, n, SAME(const struct cudaHostNodeParams, p)));
}
CUresult cuGraphHostNodeGetParams(CUgraphNode node, CUDA_HOST_NODE_PARAMS *p) {
  IN_CONTEXT(cudaGraphHostNodeGetParams(node, SAME(struct cudaHostNodeParams, p)));
}
CUresult cuGraphHostNodeSetParams(CUgraphNode node, const CUDA_HOST_NODE_PARAMS *p) {
  IN_CONTEXT(cudaGraphHostNodeSetParams(node, SAME(const struct cudaHostNodeParams, p)));
}
CUresult cuGraphExecHostNodeSetParams(CUgraphExec exec, CUgraphNode node,
                                      const CUDA_HOST_NODE_PARAMS *p) {
  IN_CONTEXT(cudaGraphExecHostNodeSetParams(exec, node, SAME(const struct cudaHostNodeParams, p)));
}
CUresult cuGraphAddMemFreeNode(CUgraphNode *node, CUgraph graph, const CUgraphNode *dependencies,
                               size_t n, CUdeviceptr address) {
  IN_CONTEXT(cudaGraphAddMemFreeNode(node, graph, dependencies, n, (void *)(uintptr_t)address));
}
CUresult cuGraphMemFreeNodeGetParams(CUgraphNode node, CUdeviceptr *address) {
  void *pointer = NULL;
  if (!address) return CUDA_ERROR_INVALID_VALUE;
  const cudaError_t error = INSIDE(cudaGraphMemFreeNodeGetParams(node, &pointer));
  if (!error) *address = (uintptr_t)pointer;
  CHECKED(error);
}
CUresult cuGraphNodeGetType(CUgraphNode node, CUgraphNodeType *type) {
  IN_CONTEXT(cudaGraphNodeGetType(node, SAME(enum cudaGraphNodeType, type)));
}
CUresult cuGraphGetNodes(CUgraph graph, CUgraphNode *nodes, size_t *n) {
  IN_CONTEXT(cudaGraphGetNodes(graph, nodes, n));
}
CUresult cuGraphGetRootNodes(CUgraph graph, CUgraphNode *nodes, size_t *n) {
  IN_CONTEXT(cudaGraphGetRootNodes(graph, nodes, n));
}
CUresult cuGraphGetEdges(CUgraph graph, CUgraphNode *from, CUgraphNode *to, CUgraphEdgeData *data,
                         size_t *n) {
  IN_CONTEXT(cudaGraphGetEdges(graph, from, to, SAME(cudaGraphEdgeData, data), n));
}
CUresult cuGraphNodeGetDependencies(CUgraphNode node, CUgraphNode *nodes, CUgraphEdgeData *data,
                                    size_t *n) {
  IN_CONTEXT(cudaGraphNodeGetDependencies(node, nodes, SAME(cudaGraphEdgeData, data), n));
}
CUresult cuGraphNodeGetDependentNodes(CUgraphNode node, CUgraphNode *nodes, CUgraphEdgeData *data,
                                      size_t *n) {
  IN_CONTEXT(cudaGraphNodeGetDependentNodes(node, nodes, SAME(cudaGraphEdgeData, data), n));
}
CUresult cuGraphAddDependencies(CUgraph graph, const CUgraphNode *from, const CUgraphNode *to,
                                const CUgraphEdgeData *data, size_t n) {
  IN_CONTEXT(cudaGraphAddDependencies(graph, from, to, SAME(const cudaGraphEdgeData, data), n));
}
CUresult cuGraphRemoveDependencies(CUgraph graph, const CUgraphNode *from, const CUgraphNode *to,
                                   const CUgraphEdgeData *data, size_t n) {
  IN_CONTEXT(cudaGraphRemoveDependencies(graph, from, to, SAME(const cudaGraphEdgeData, data), n));
}
CUresult cuGraphDestroyNode(CUgraphNode node) { IN_CONTEXT(cudaGraphDestroyNode(node)); }
CUresult cuGraphInstantiate(CUgraphExec *exec, CUgraph graph, unsigned long long flags) {
  IN_CONTEXT(cudaGraphInstantiate(exec, graph, flags));
}
CUresult cuGraphInstantiateWithParams(CUgraphExec *exec, CUgraph graph,
                                      CUDA_GRAPH_INSTANTIATE_PARAMS *p) {
  IN_CONTEXT(cudaGraphInstantiateWithParams(exec, graph, SAME(cudaGraphInstantiateParams, p)));
}
CUresult cuGraphExecGetFlags(CUgraphExec exec, cuuint64_t *flags) {
  IN_CONTEXT(cudaGraphExecGetFlags(exec, flags));
}
CUresult cuGraphExecUpdate(CUgraphExec exec, CUgraph graph, CUgraphExecUpdateResultInfo *info) {
  IN_CONTEXT(cudaGraphExecUpdate(exec, graph, SAME(cudaGraphExecUpdateResultInfo, info)));
}
CUresult cuGraphNodeSetEnabled(CUgraphExec exec, CUgraphNode node, unsigned int enabled) {
  IN_CONTEXT(cudaGraphNodeSetEnabled(exec, node, enabled));
}
CUresult cuGraphNodeGetEnabled(CUgraphExec exec, CUgraphNode node, unsigned int *enabled) {
  IN_CONTEXT(cudaGraphNodeGetEnabled(exec, node, enabled));
}
CUresult cuGraphUpload(CUgraphExec exec, CUstream stream) {
  IN_CONTEXT(cudaGraphUpload(exec, stream));
}
CUresult cuGraphLaunch(CUgraphExec exec, CUstream stream) {
  IN_CONTEXT(cudaGraphLaunch(exec, stream));
}
CUresult cuGraphExecDestroy(CUgraphExec exec) { IN_CONTEXT(cudaGraphExecDestroy(exec)); }
CUresult cuGraphDebugDotPrint(CUgraph graph, const char *path, unsigned int flags) {
  IN_CONTEXT(cudaGraphDebugDotPrint(graph, path, flags));
}
CUresult cuGraphKernelNodeCopyAttributes(CUgraphNode to, CUgraphNode from) {
  IN_CONTEXT(cudaGraphKernelNodeCopyAttributes(to, from));
}

// Nodes that name their context.
#define IN_THAT_CONTEXT(context, call)                                                             \
  do {                                                                                             \
    if (!simt_drv_is_context(context)) return CUDA_ERROR_INVALID_CONTEXT;                          \
    IN_CONTEXT(call);                                                                              \
  } while (0)

// ---- Sets and allocations, whose addresses are numbers here and pointers there.

static bool set_of(const CUDA_MEMSET_NODE_PARAMS *p, struct cudaMemsetParams *out) {
  if (!p) return false;
  *out = (struct cudaMemsetParams){.dst = (void *)(uintptr_t)p->dst,
                                   .pitch = p->pitch,
                                   .value = p->value,
                                   .elementSize = p->elementSize,
                                   .width = p->width,
                                   .height = p->height};
  return true;
}
CUresult cuGraphAddMemsetNode(CUgraphNode *node, CUgraph graph, const CUgraphNode *dependencies,
                              size_t n, const CUDA_MEMSET_NODE_PARAMS *p, CUcontext context) {
  struct cudaMemsetParams set;
  if (!set_of(p, &set)) return CUDA_ERROR_INVALID_VALUE;
  IN_THAT_CONTEXT(context, cudaGraphAddMemsetNode(node, graph, dependencies, n, &set));
}
CUresult cuGraphMemsetNodeSetParams(CUgraphNode node, const CUDA_MEMSET_NODE_PARAMS *p) {
  struct cudaMemsetParams set;
  if (!set_of(p, &set)) return CUDA_ERROR_INVALID_VALUE;
  IN_CONTEXT(cudaGraphMemsetNodeSetParams(node, &set));
}
CUresult cuGraphExecMemsetNodeSetParams(CUgraphExec exec, CUgraphNode node,
                                        const CUDA_MEMSET_NODE_PARAMS *p, CUcontext context) {
  struct cudaMemsetParams set;
  if (!set_of(p, &set)) return CUDA_ERROR_INVALID_VALUE;
  IN_THAT_CONTEXT(context, cudaGraphExecMemsetNodeSetParams(exec, node, &set));
}
CUresult cuGraphMemsetNodeGetParams(CUgraphNode node, CUDA_MEMSET_NODE_PARAMS *p) {
  struct cudaMemsetParams set;
  if (!p) return CUDA_ERROR_INVALID_VALUE;
  const cudaError_t error = INSIDE(cudaGraphMemsetNodeGetParams(node, &set));
  if (!error)
    *p = (CUDA_MEMSET_NODE_PARAMS){.dst = (uintptr_t)set.dst,
                                   .pitch = set.pitch,
                                   .value = set.value,
                                   .elementSize = set.elementSize,
                                   .width = set.width,
                                   .height = set.height};
  CHECKED(error);
}

_Static_assert(sizeof(CUmemPoolProps) == sizeof(struct cudaMemPoolProps), "the same");

CUresult cuGraphAddMemAllocNode(CUgraphNode *node, CUgraph graph, const CUgraphNode *dependencies,
                                size_t n, CUDA_MEM_ALLOC_NODE_PARAMS *p) {
  struct cudaMemAllocNodeParams memory = {0};
  if (!p) return CUDA_ERROR_INVALID_VALUE;
  if (simt_drv_needs_context()) return simt_drv_needs_context();
  memcpy(&memory.poolProps, &p->poolProps, sizeof memory.poolProps);
  memory.accessDescs = SAME(const struct cudaMemAccessDesc, p->accessDescs);
  memory.accessDescCount = p->accessDescCount;
  memory.bytesize = p->bytesize;
  const cudaError_t error = INSIDE(cudaGraphAddMemAllocNode(node, graph, dependencies, n, &memory));
  if (!error) p->dptr = (uintptr_t)memory.dptr;
  CHECKED(error);
}
CUresult cuGraphMemAllocNodeGetParams(CUgraphNode node, CUDA_MEM_ALLOC_NODE_PARAMS *p) {
  struct cudaMemAllocNodeParams memory;
  if (!p) return CUDA_ERROR_INVALID_VALUE;
  const cudaError_t error = INSIDE(cudaGraphMemAllocNodeGetParams(node, &memory));
  if (!error) {
    memcpy(&p->poolProps, &memory.poolProps, sizeof p->poolProps);
    p->accessDescs = SAME(const CUmemAccessDesc, memory.accessDescs);
    p->accessDescCount = memory.accessDescCount;
    p->bytesize = memory.bytesize;
    p->dptr = (uintptr_t)memory.dptr;
  }
  CHECKED(error);
}

// ---- Kernels.

static CUresult kernel_of(const CUDA_KERNEL_NODE_PARAMS *p, struct cudaKernelNodeParams *out) {
  if (!p) return CUDA_ERROR_INVALID_VALUE;
  if (!p->func && !p->kern) return CUDA_ERROR_INVALID_HANDLE;
  if (p->kernelParams && p->extra) return CUDA_ERROR_INVALID_VALUE;
  *out = (struct cudaKernelNodeParams){.func = p->func ? (void *)p->func : (void *)p->kern,
                                       .gridDim = {p->gridDimX, p->gridDimY, p->gridDimZ},
                                       .blockDim = {p->blockDimX, p->blockDimY, p->blockDimZ},
                                       .sharedMemBytes = p->sharedMemBytes,
                                       .kernelParams = p->kernelParams,
                                       .extra = p->extra};
  return CUDA_SUCCESS;
}
static CUresult add_kernel(CUgraphNode *node, CUgraph graph, const CUgraphNode *dependencies,
                           size_t n, const struct cudaKernelNodeParams *k) {
  IN_CONTEXT(cudaGraphAddKernelNode(node, graph, dependencies, n, k));
}
// The node's own context decides on which device it runs.
CUresult cuGraphAddKernelNode(CUgraphNode *node, CUgraph graph, const CUgraphNode *dependencies,
                              size_t n, const CUDA_KERNEL_NODE_PARAMS *p) {
  struct cudaKernelNodeParams k;
  CUcontext popped;
  const CUresult wrong = kernel_of(p, &k);
  if (wrong) return wrong;
  if (!p->ctx) return add_kernel(node, graph, dependencies, n, &k);
  const CUresult pushed = cuCtxPushCurrent(p->ctx);
  if (pushed) return pushed;
  const CUresult added = add_kernel(node, graph, dependencies, n, &k);
  cuCtxPopCurrent(&popped);
  return added;
}
CUresult cuGraphKernelNodeSetParams(CUgraphNode node, const CUDA_KERNEL_NODE_PARAMS *p) {
  struct cudaKernelNodeParams k;
  const CUresult wrong = kernel_of(p, &k);
  if (wrong) return wrong;
  IN_CONTEXT(cudaGraphKernelNodeSetParams(node, &k));
}
CUresult cuGraphExecKernelNodeSetParams(CUgraphExec exec, CUgraphNode node,
                                        const CUDA_KERNEL_NODE_PARAMS *p) {
  struct cudaKernelNodeParams k;
  const CUresult wrong = kernel_of(p, &k);
  if (wrong) return wrong;
  IN_CONTEXT(cudaGraphExecKernelNodeSetParams(exec, node, &k));
}
CUresult cuGraphKernelNodeGetParams(CUgraphNode node, CUDA_KERNEL_NODE_PARAMS *p) {
  struct cudaKernelNodeParams k;
  if (!p) return CUDA_ERROR_INVALID_VALUE;
  const cudaError_t error = INSIDE(cudaGraphKernelNodeGetParams(node, &k));
  if (!error)
    *p = (CUDA_KERNEL_NODE_PARAMS){.func = (CUfunction)k.func,
                                   .gridDimX = k.gridDim.x,
                                   .gridDimY = k.gridDim.y,
                                   .gridDimZ = k.gridDim.z,
                                   .blockDimX = k.blockDim.x,
                                   .blockDimY = k.blockDim.y,
                                   .blockDimZ = k.blockDim.z,
                                   .sharedMemBytes = k.sharedMemBytes,
                                   .kernelParams = k.kernelParams,
                                   .extra = k.extra,
                                   .ctx = simt_drv_current()};
  CHECKED(error);
}

// ---- Copies.

CUresult cuGraphAddMemcpyNode(CUgraphNode *node, CUgraph graph, const CUgraphNode *dependencies,
                              size_t n, const CUDA_MEMCPY3D *p, CUcontext context) {
  struct cudaMemcpy3DParms m;
  if (!simt_drv_copy_params(p, &m)) return CUDA_ERROR_INVALID_VALUE;
  IN_THAT_CONTEXT(context, cudaGraphAddMemcpyNode(node, graph, dependencies, n, &m));
}
CUresult cuGraphMemcpyNodeSetParams(CUgraphNode node, const CUDA_MEMCPY3D *p) {
  struct cudaMemcpy3DParms m;
  if (!simt_drv_copy_params(p, &m)) return CUDA_ERROR_INVALID_VALUE;
  IN_CONTEXT(cudaGraphMemcpyNodeSetParams(node, &m));
}
CUresult cuGraphExecMemcpyNodeSetParams(CUgraphExec exec, CUgraphNode node, const CUDA_MEMCPY3D *p,
                                        CUcontext context) {
  struct cudaMemcpy3DParms m;
  if (!simt_drv_copy_params(p, &m)) return CUDA_ERROR_INVALID_VALUE;
  IN_THAT_CONTEXT(context, cudaGraphExecMemcpyNodeSetParams(exec, node, &m));
}

// Memory that is no array is unified: its address says where it is.
CUresult cuGraphMemcpyNodeGetParams(CUgraphNode node, CUDA_MEMCPY3D *p) {
  struct cudaMemcpy3DParms m;
  if (!p) return CUDA_ERROR_INVALID_VALUE;
  const cudaError_t error = INSIDE(cudaGraphMemcpyNodeGetParams(node, &m));
  if (error) CHECKED(error);
  const size_t from_bytes = m.srcArray ? simt_drv_texel_bytes(m.srcArray) : 1;
  const size_t to_bytes = m.dstArray ? simt_drv_texel_bytes(m.dstArray) : 1;
  const size_t width_bytes = m.srcArray ? from_bytes : to_bytes; // of what the width counts
  *p = (CUDA_MEMCPY3D){.srcXInBytes = m.srcPos.x * from_bytes,
                       .srcY = m.srcPos.y,
                       .srcZ = m.srcPos.z,
                       .srcMemoryType = m.srcArray ? CU_MEMORYTYPE_ARRAY : CU_MEMORYTYPE_UNIFIED,
                       .srcDevice = (uintptr_t)m.srcPtr.ptr,
                       .srcArray = m.srcArray,
                       .srcPitch = m.srcPtr.pitch,
                       .srcHeight = m.srcPtr.ysize,
                       .dstXInBytes = m.dstPos.x * to_bytes,
                       .dstY = m.dstPos.y,
                       .dstZ = m.dstPos.z,
                       .dstMemoryType = m.dstArray ? CU_MEMORYTYPE_ARRAY : CU_MEMORYTYPE_UNIFIED,
                       .dstDevice = (uintptr_t)m.dstPtr.ptr,
                       .dstArray = m.dstArray,
                       .dstPitch = m.dstPtr.pitch,
                       .dstHeight = m.dstPtr.ysize,
                       .WidthInBytes = m.extent.width * width_bytes,
                       .Height = m.extent.height,
                       .Depth = m.extent.depth};
  return CUDA_SUCCESS;
}
