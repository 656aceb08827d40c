// SPDX-License-Identifier: MIT
// runtime/attributes.c - attributes of streams and of kernel nodes, and the part of the L2 that is
// set aside for persisting data. All of them affect only how fast work is done: they are stored,
// and returned to the program.
#include "runtime/graphs.h"

#include <stdlib.h>
#include <string.h>

// Attributes as they were set; others are zero, or have their default.
struct rt_attributes {
  cudaLaunchAttributeValue values[cudaLaunchAttributeNvlinkUtilCentricScheduling + 1];
};

static bool is_window(const struct cudaAccessPolicyWindow *w) {
  const bool shares = w->hitRatio >= 0.0f && w->hitRatio <= 1.0f;
  const bool known = (unsigned)w->hitProp <= cudaAccessPropertyPersisting &&
                     (unsigned)w->missProp <= cudaAccessPropertyStreaming;
  return shares && known && w->num_bytes <= (size_t)128 << 20;
}

static cudaError_t check(cudaLaunchAttributeID id, const cudaLaunchAttributeValue *value,
                         bool of_stream) {
  if (!value) return cudaErrorInvalidValue;
  switch (id) {
  case cudaLaunchAttributeAccessPolicyWindow:
    return is_window(&value->accessPolicyWindow) ? cudaSuccess : cudaErrorInvalidValue;
  case cudaLaunchAttributeSynchronizationPolicy:
    return of_stream && value->syncPolicy >= cudaSyncPolicyAuto &&
                   value->syncPolicy <= cudaSyncPolicyBlockingSync
               ? cudaSuccess
               : cudaErrorInvalidValue;
  case cudaLaunchAttributePriority:
  case cudaLaunchAttributeMemSyncDomain:
  case cudaLaunchAttributeMemSyncDomainMap: return cudaSuccess;
  case cudaLaunchAttributeCooperative:
  case cudaLaunchAttributeClusterDimension:
  case cudaLaunchAttributeClusterSchedulingPolicyPreference:
  case cudaLaunchAttributePreferredSharedMemoryCarveout:
    return of_stream ? cudaErrorInvalidValue : cudaSuccess;
  default: return cudaErrorInvalidValue;
  }
}

static cudaError_t set(struct rt_attributes **kept, cudaLaunchAttributeID id,
                       const cudaLaunchAttributeValue *value, bool of_stream) {
  cudaError_t error = check(id, value, of_stream);
  if (error) return error;
  if (!*kept) {
    if (!(*kept = calloc(1, sizeof **kept))) return cudaErrorMemoryAllocation;
    (*kept)->values[cudaLaunchAttributeMemSyncDomainMap].memSyncDomainMap.remote = 1;
  }
  (*kept)->values[id] = *value;
  return cudaSuccess;
}

static cudaError_t get(const struct rt_attributes *kept, cudaLaunchAttributeID id,
                       cudaLaunchAttributeValue *value) {
  if (!value || (unsigned)id > cudaLaunchAttributeNvlinkUtilCentricScheduling)
    return cudaErrorInvalidValue;
  if (kept) *value = kept->values[id];
  else memset(value, 0, sizeof *value);
  if (id == cudaLaunchAttributeSynchronizationPolicy && !value->syncPolicy)
    value->syncPolicy = (enum cudaSynchronizationPolicy) - 1; // never set, as on an H100
  if (id == cudaLaunchAttributeMemSyncDomainMap && !kept) value->memSyncDomainMap.remote = 1;
  return cudaSuccess;
}

static cudaError_t copy(struct rt_attributes **to, const struct rt_attributes *from) {
  free(*to);
  *to = from ? malloc(sizeof **to) : NULL;
  if (*to) memcpy(*to, from, sizeof **to);
  return *to || !from ? cudaSuccess : cudaErrorMemoryAllocation;
}

// ---- Streams.

static cudaError_t enter_stream(rt_context **context, rt_stream **stream, cudaStream_t handle) {
  cudaError_t error = simt_rt_enter(context);
  *stream = error ? NULL : simt_rt_stream_of(*context, handle);
  return error || *stream ? error : cudaErrorInvalidResourceHandle;
}

cudaError_t cudaStreamSetAttribute(cudaStream_t handle, cudaLaunchAttributeID id,
                                   const cudaLaunchAttributeValue *value) {
  rt_context *context;
  rt_stream *stream;
  cudaError_t error = enter_stream(&context, &stream, handle);
  if (!error) error = set(&stream->attributes, id, value, true);
  if (!error && id == cudaLaunchAttributePriority) stream->priority = value->priority;
  return simt_rt_leave(context, error);
}

cudaError_t cudaStreamGetAttribute(cudaStream_t handle, cudaLaunchAttributeID id,
                                   cudaLaunchAttributeValue *value) {
  rt_context *context;
  rt_stream *stream;
  cudaError_t error = enter_stream(&context, &stream, handle);
  if (!error) error = get(stream->attributes, id, value);
  if (!error && id == cudaLaunchAttributePriority) value->priority = stream->priority;
  return simt_rt_leave(context, error);
}

cudaError_t cudaStreamCopyAttributes(cudaStream_t dst, cudaStream_t src) {
  rt_context *context;
  rt_stream *to, *from;
  cudaError_t error = enter_stream(&context, &to, dst);
  from = error ? NULL : simt_rt_stream_of(context, src);
  if (!error && !from) error = cudaErrorInvalidResourceHandle;
  if (!error && to != from) error = copy(&to->attributes, from->attributes);
  return simt_rt_leave(context, error);
}

// ---- Kernels of graphs.

static cudaError_t enter_kernel(rt_context **context, cudaGraphNode_t handle, rt_node **n) {
  cudaError_t error = simt_rt_enter(context);
  *n = error ? NULL : simt_rt_graph_node(*context, handle);
  return error || (*n && (*n)->kind == RT_NODE_LAUNCH) ? error : cudaErrorInvalidValue;
}

cudaError_t cudaGraphKernelNodeSetAttribute(cudaGraphNode_t node, cudaLaunchAttributeID id,
                                            const cudaLaunchAttributeValue *value) {
  rt_context *context;
  rt_node *n;
  cudaError_t error = enter_kernel(&context, node, &n);
  if (!error) error = set(&n->attributes, id, value, false);
  if (!error && id == cudaLaunchAttributeCooperative)
    n->launch.cooperative = value->cooperative != 0;
  return simt_rt_leave(context, error);
}

cudaError_t cudaGraphKernelNodeGetAttribute(cudaGraphNode_t node, cudaLaunchAttributeID id,
                                            cudaLaunchAttributeValue *value) {
  rt_context *context;
  rt_node *n;
  cudaError_t error = enter_kernel(&context, node, &n);
  if (!error) error = get(n->attributes, id, value);
  return simt_rt_leave(context, error);
}

cudaError_t cudaGraphKernelNodeCopyAttributes(cudaGraphNode_t dst, cudaGraphNode_t src) {
  rt_context *context;
  rt_node *to, *from;
  cudaError_t error = enter_kernel(&context, dst, &to);
  from = error ? NULL : simt_rt_graph_node(context, src);
  if (!error && (!from || from->kind != RT_NODE_LAUNCH)) error = cudaErrorInvalidValue;
  if (!error && to != from) error = copy(&to->attributes, from->attributes);
  return simt_rt_leave(context, error);
}

// ---- The L2 is not divided here.
cudaError_t cudaCtxResetPersistingL2Cache(void) {
  rt_context *context;
  const cudaError_t error = simt_rt_enter(&context);
  return simt_rt_leave(context, error);
}
