// SPDX-License-Identifier: MIT
// runtime/driver_nodes.c - nodes of any kind in graphs of the driver API: their parameters are
// written down as the runtime's are.
#include "runtime/driver.h"

#include <stddef.h>
#include <string.h>

_Static_assert(sizeof(CUgraphNodeParams) == sizeof(struct cudaGraphNodeParams), "the same");
_Static_assert(offsetof(CUDA_MEM_ALLOC_NODE_PARAMS_v2, bytesize) ==
                   offsetof(struct cudaMemAllocNodeParamsV2, bytesize),
               "the same but for the address, which is a number here and a pointer there");
_Static_assert(sizeof(CUmemPoolProps) == sizeof(struct cudaMemPoolProps), "the same");

static CUresult kernel_of(const CUDA_KERNEL_NODE_PARAMS *p, struct cudaKernelNodeParamsV2 *out) {
  if (!p->func && !p->kern) return CUDA_ERROR_INVALID_VALUE;
  if (p->kernelParams && p->extra) return CUDA_ERROR_INVALID_VALUE;
  *out = (struct cudaKernelNodeParamsV2){.func = p->func ? (void *)p->func : (void *)p->kern,
                                         .gridDim = {p->gridDimX, p->gridDimY, p->gridDimZ},
                                         .blockDim = {p->blockDimX, p->blockDimY, p->blockDimZ},
                                         .sharedMemBytes = p->sharedMemBytes,
                                         .kernelParams = p->kernelParams,
                                         .extra = p->extra};
  return CUDA_SUCCESS;
}

static void set_of(const CUDA_MEMSET_NODE_PARAMS_v2 *p, struct cudaMemsetParamsV2 *out) {
  *out = (struct cudaMemsetParamsV2){.dst = (void *)(uintptr_t)p->dst,
                                     .pitch = p->pitch,
                                     .value = p->value,
                                     .elementSize = p->elementSize,
                                     .width = p->width,
                                     .height = p->height};
}

// The parameters as the runtime has them; what only it fills in goes back with `give_back`.
static CUresult params_of(const CUgraphNodeParams *p, struct cudaGraphNodeParams *out) {
  if (!p) return CUDA_ERROR_INVALID_VALUE;
  *out = (struct cudaGraphNodeParams){.type = (enum cudaGraphNodeType)p->type};
  switch (p->type) {
  case CU_GRAPH_NODE_TYPE_KERNEL: return kernel_of(&p->kernel, &out->kernel);
  case CU_GRAPH_NODE_TYPE_MEMCPY:
    return p->memcpy.flags || !simt_drv_copy_params(&p->memcpy.copyParams, &out->memcpy.copyParams)
               ? CUDA_ERROR_INVALID_VALUE
               : CUDA_SUCCESS;
  case CU_GRAPH_NODE_TYPE_MEMSET: set_of(&p->memset, &out->memset); break;
  case CU_GRAPH_NODE_TYPE_HOST:
    out->host = (struct cudaHostNodeParamsV2){p->host.fn, p->host.userData};
    break;
  case CU_GRAPH_NODE_TYPE_GRAPH:
    out->graph = (struct cudaChildGraphNodeParams){
        p->graph.graph, (enum cudaGraphChildGraphNodeOwnership)p->graph.ownership};
    break;
  case CU_GRAPH_NODE_TYPE_EMPTY: break;
  case CU_GRAPH_NODE_TYPE_WAIT_EVENT: out->eventWait.event = p->eventWait.event; break;
  case CU_GRAPH_NODE_TYPE_EVENT_RECORD: out->eventRecord.event = p->eventRecord.event; break;
  case CU_GRAPH_NODE_TYPE_MEM_ALLOC:
    memcpy(&out->alloc, &p->alloc, offsetof(struct cudaMemAllocNodeParamsV2, bytesize));
    out->alloc.bytesize = p->alloc.bytesize;
    break;
  case CU_GRAPH_NODE_TYPE_MEM_FREE: out->free.dptr = (void *)(uintptr_t)p->free.dptr; break;
  case CU_GRAPH_NODE_TYPE_CONDITIONAL:
    out->conditional = (struct cudaConditionalNodeParams){
        p->conditional.handle, (enum cudaGraphConditionalNodeType)p->conditional.type,
        p->conditional.size, NULL};
    break;
  default: return CUDA_ERROR_INVALID_VALUE;
  }
  return CUDA_SUCCESS;
}

static void give_back(const struct cudaGraphNodeParams *made, CUgraphNodeParams *p) {
  if (p->type == CU_GRAPH_NODE_TYPE_MEM_ALLOC) p->alloc.dptr = (uintptr_t)made->alloc.dptr;
  if (p->type == CU_GRAPH_NODE_TYPE_CONDITIONAL)
    p->conditional.phGraph_out = made->conditional.phGraph_out;
}

static CUresult add_here(CUgraphNode *node, CUgraph graph, const CUgraphNode *dependencies,
                         const CUgraphEdgeData *data, size_t n, struct cudaGraphNodeParams *p) {
  IN_CONTEXT(cudaGraphAddNode(node, graph, dependencies,
                              (const cudaGraphEdgeData *)(const void *)data, n, p));
}

// The context that a node names decides on which device it runs; NULL: the current one.
static CUcontext context_of(const CUgraphNodeParams *p) {
  switch (p->type) {
  case CU_GRAPH_NODE_TYPE_KERNEL: return p->kernel.ctx;
  case CU_GRAPH_NODE_TYPE_MEMCPY: return p->memcpy.copyCtx;
  case CU_GRAPH_NODE_TYPE_MEMSET: return p->memset.ctx;
  case CU_GRAPH_NODE_TYPE_CONDITIONAL: return p->conditional.ctx;
  default: return NULL;
  }
}

CUresult cuGraphAddNode(CUgraphNode *node, CUgraph graph, const CUgraphNode *dependencies,
                        const CUgraphEdgeData *data, size_t n, CUgraphNodeParams *p) {
  struct cudaGraphNodeParams params;
  CUcontext popped;
  CUresult result = params_of(p, &params);
  if (result) return result;
  if (!context_of(p)) {
    result = add_here(node, graph, dependencies, data, n, &params);
  } else {
    result = cuCtxPushCurrent(context_of(p));
    if (result) return result;
    result = add_here(node, graph, dependencies, data, n, &params);
    cuCtxPopCurrent(&popped);
  }
  if (!result) give_back(&params, p);
  return result;
}

// A node stays of its kind.
static bool is_of_kind(CUgraphNode node, const CUgraphNodeParams *p) {
  enum cudaGraphNodeType type;
  return p && !INSIDE(cudaGraphNodeGetType(node, &type)) && (int)type == (int)p->type;
}

CUresult cuGraphNodeSetParams(CUgraphNode node, CUgraphNodeParams *p) {
  struct cudaGraphNodeParams params;
  const CUresult wrong = is_of_kind(node, p) ? params_of(p, &params) : CUDA_ERROR_INVALID_VALUE;
  if (wrong) return wrong;
  IN_CONTEXT(cudaGraphNodeSetParams(node, &params));
}

CUresult cuGraphExecNodeSetParams(CUgraphExec exec, CUgraphNode node, CUgraphNodeParams *p) {
  struct cudaGraphNodeParams params;
  const CUresult wrong = is_of_kind(node, p) ? params_of(p, &params) : CUDA_ERROR_INVALID_VALUE;
  if (wrong) return wrong;
  IN_CONTEXT(cudaGraphExecNodeSetParams(exec, node, &params));
}

CUresult cuGraphConditionalHandleCreate(CUgraphConditionalHandle *handle, CUgraph graph,
                                        CUcontext context, unsigned int initial,
                                        unsigned int flags) {
  cudaGraphConditionalHandle made = 0;
  if (!handle) return CUDA_ERROR_INVALID_VALUE;
  if (context && !simt_drv_is_context(context)) return CUDA_ERROR_INVALID_CONTEXT;
  const CUresult missing = simt_drv_needs_context();
  if (missing) return missing;
  const cudaError_t error = INSIDE(cudaGraphConditionalHandleCreate(&made, graph, initial, flags));
  if (!error) *handle = made;
  return simt_drv_result(error);
}
