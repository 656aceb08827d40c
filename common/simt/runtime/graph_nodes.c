// SPDX-License-Identifier: MIT
// runtime/graph_nodes.c - graphs built node by node: what a node does, from the program's
// structures, and the calls that add one.
//
// A node gets a handle when the program first sees it. Every node of an executable graph refers to
// the node that it was made from, so that an update finds it. Not supported: nodes for external
// semaphores.
#include "runtime/graphs.h"

#include <stdlib.h>
#include <string.h>

// ---- Nodes and edges.

cudaGraphNode_t simt_rt_graph_handle(rt_graph *graph, size_t index) {
  rt_node *n = &graph->nodes[index];
  if (!n->handle && (n->handle = malloc(sizeof *n->handle)))
    *n->handle = (struct CUgraphNode_st){graph, index};
  return n->handle;
}

rt_node *simt_rt_graph_node(const rt_context *context, cudaGraphNode_t handle) {
  for (rt_graph *g = context->graphs; handle && g; g = g->next)
    for (size_t i = 0; !g->is_exec && i < g->n_nodes; i++)
      if (g->nodes[i].handle == handle) return &g->nodes[i];
  return NULL;
}

bool simt_rt_graph_owns(const rt_context *context, const rt_graph *graph, cudaGraphNode_t handle) {
  return simt_rt_graph_node(context, handle) && handle->graph == graph;
}

rt_node *simt_rt_graph_exec_node(rt_context *context, cudaGraphExec_t exec,
                                 cudaGraphNode_t handle) {
  simt_rt_queue_wait_all(context); // launches that are queued have the node as it is
  rt_graph *g = simt_rt_graph_find(context, exec, true);
  for (size_t i = 0; g && handle && i < g->n_nodes; i++)
    if (g->nodes[i].handle == handle) return &g->nodes[i];
  return NULL;
}

cudaError_t simt_rt_graph_edge(rt_graph *g, size_t from, size_t to) {
  if (g->n_edges == g->edge_capacity) {
    const size_t capacity = g->edge_capacity ? 2 * g->edge_capacity : 16;
    rt_edge *grown = realloc(g->edges, capacity * sizeof *grown);
    if (!grown) return cudaErrorMemoryAllocation;
    g->edges = grown;
    g->edge_capacity = capacity;
  }
  g->edges[g->n_edges++] = (rt_edge){from, to};
  return cudaSuccess;
}

static cudaError_t insert(rt_context *context, const rt_addition *a, const rt_node *node) {
  rt_graph *g = simt_rt_graph_find(context, a->graph, false);
  if (!g || !a->out || (a->n && !a->dependencies)) return cudaErrorInvalidValue;
  for (size_t i = 0; i < a->n; i++) {
    if (!simt_rt_graph_owns(context, g, a->dependencies[i])) return cudaErrorInvalidValue;
    for (size_t k = 0; k < i; k++)
      if (a->dependencies[k] == a->dependencies[i]) return cudaErrorInvalidValue;
  }
  cudaError_t error = simt_rt_graph_add(g, node);
  for (size_t i = 0; !error && i < a->n; i++)
    error = simt_rt_graph_edge(g, a->dependencies[i]->index, g->n_nodes - 1);
  if (!error && !(*a->out = simt_rt_graph_handle(g, g->n_nodes - 1)))
    error = cudaErrorMemoryAllocation;
  return error;
}

// The graph takes over what the node owns; if the node cannot be inserted, that is freed.
cudaError_t simt_rt_graph_insert(rt_context *context, const rt_addition *a, const rt_node *node) {
  const cudaError_t error = insert(context, a, node);
  rt_node unused = *node;
  if (error == cudaErrorInvalidValue) simt_rt_node_free(context, &unused);
  return error;
}

// ---- What a node does.

// What CU_LAUNCH_PARAM_BUFFER_POINTER names: the packed arguments, or NULL.
static const void *packed_in(void **extra, size_t *bytes) {
  const void *packed = NULL;
  for (size_t i = 0; extra && extra[i]; i += 2) {
    if (extra[i] == (void *)1) packed = extra[i + 1];
    if (extra[i] == (void *)2) *bytes = *(size_t *)extra[i + 1];
  }
  return packed;
}

static void *pack(const simt_kernel *kernel, const struct cudaKernelNodeParams *p,
                  cudaError_t *error) {
  size_t bytes = 0;
  const void *packed = p->kernelParams ? NULL : packed_in(p->extra, &bytes);
  if (!packed) return simt_rt_launch_pack(kernel, p->kernelParams, error);
  return simt_rt_launch_pack_bytes(kernel, packed, bytes, error);
}

cudaError_t simt_rt_kernel_node(rt_context *context, const struct cudaKernelNodeParams *p,
                                rt_node *n) {
  if (!p) return cudaErrorInvalidValue;
  if (!p->func) return cudaErrorInvalidDeviceFunction;
  *n = (rt_node){.kind = RT_NODE_LAUNCH, .function = p->func};
  n->launch.device = context->on->ordinal;
  n->launch.grid = p->gridDim;
  n->launch.block = p->blockDim;
  n->launch.shared_bytes = p->sharedMemBytes;
  cudaError_t error = simt_rt_kernel_find(context, p->func, &n->launch.kernel);
  if (!error) error = simt_rt_launch_check(context, &n->launch);
  if (!error)
    n->launch.params = pack(simt_rt_kernel_on(context, n->launch.kernel)->kernel, p, &error);
  return error;
}

cudaError_t simt_rt_copy_node(void *dst, const void *src, size_t count, enum cudaMemcpyKind kind,
                              rt_node *n) {
  *n = (rt_node){.kind = RT_NODE_COPY,
                 .dst = dst,
                 .src = src,
                 .dst_pitch = count,
                 .src_pitch = count,
                 .width = count,
                 .height = 1,
                 .copy_kind = kind};
  return (unsigned)kind > cudaMemcpyDefault ? cudaErrorInvalidMemcpyDirection : cudaSuccess;
}

cudaError_t simt_rt_symbol_node(rt_context *context, const void *symbol, const void *other,
                                size_t count, size_t offset, bool to_symbol, rt_node *n) {
  void *inside = NULL;
  cudaError_t error = simt_rt_symbol_range(context, symbol, count, offset, &inside);
  if (error) return error;
  return to_symbol
             ? simt_rt_copy_node(inside, other, count, cudaMemcpyDefault, n)
             : simt_rt_copy_node((void *)(uintptr_t)other, inside, count, cudaMemcpyDefault, n);
}

cudaError_t simt_rt_set_node(const struct cudaMemsetParams *p, rt_node *n) {
  if (!p || (p->elementSize != 1 && p->elementSize != 2 && p->elementSize != 4))
    return cudaErrorInvalidValue;
  *n = (rt_node){.kind = RT_NODE_SET,
                 .dst = p->dst,
                 .dst_pitch = p->pitch,
                 .width = p->width * p->elementSize,
                 .height = p->height,
                 .value = (int)p->value,
                 .element_bytes = p->elementSize};
  return cudaSuccess;
}

cudaError_t simt_rt_host_node(const struct cudaHostNodeParams *p, rt_node *n) {
  if (!p || !p->fn) return cudaErrorInvalidValue;
  *n = (rt_node){.kind = RT_NODE_HOST, .host_function = p->fn, .host_data = p->userData};
  return cudaSuccess;
}

// Copies one slice, of linear memory or of an array.
cudaError_t simt_rt_copy_3d_node(rt_context *context, const struct cudaMemcpy3DParms *p,
                                 rt_node *n) {
  if (!p) return cudaErrorInvalidValue;
  if (p->extent.depth > 1) {
    simt_rt_note(context,
                 "cudaGraphAddMemcpyNode: copies of more than one slice are not supported");
    return cudaErrorNotSupported;
  }
  return simt_rt_slice_node(context, p, n);
}

cudaError_t simt_rt_child_node(rt_context *context, cudaGraph_t child, rt_node *n) {
  const rt_graph *from = simt_rt_graph_find(context, child, false);
  if (!from) return cudaErrorInvalidValue;
  if (simt_rt_graph_has_memory(from)) return cudaErrorNotSupported; // it would be there twice
  *n = (rt_node){.kind = RT_NODE_GRAPH, .child = simt_rt_graph_part(context, false)};
  return n->child ? simt_rt_graph_copy(context, n->child, from) : cudaErrorMemoryAllocation;
}

static cudaError_t event_node(cudaEvent_t event, bool records, rt_node *n) {
  *n = (rt_node){.kind = records ? RT_NODE_RECORD : RT_NODE_WAIT, .event = event};
  return event ? cudaSuccess : cudaErrorInvalidValue;
}

cudaError_t simt_rt_node_from(rt_context *context, const struct cudaGraphNodeParams *p,
                              rt_node *n) {
  if (!p) return cudaErrorInvalidValue;
  switch (p->type) {
  case cudaGraphNodeTypeKernel: {
    const struct cudaKernelNodeParams k = {.func = p->kernel.func,
                                           .gridDim = p->kernel.gridDim,
                                           .blockDim = p->kernel.blockDim,
                                           .sharedMemBytes = p->kernel.sharedMemBytes,
                                           .kernelParams = p->kernel.kernelParams,
                                           .extra = p->kernel.extra};
    return simt_rt_kernel_node(context, &k, n);
  }
  case cudaGraphNodeTypeMemcpy: return simt_rt_copy_3d_node(context, &p->memcpy.copyParams, n);
  case cudaGraphNodeTypeMemset:
    return simt_rt_set_node((const struct cudaMemsetParams *)(const void *)&p->memset, n);
  case cudaGraphNodeTypeHost:
    return simt_rt_host_node((const struct cudaHostNodeParams *)(const void *)&p->host, n);
  case cudaGraphNodeTypeGraph: return simt_rt_child_node(context, p->graph.graph, n);
  case cudaGraphNodeTypeEmpty: return *n = (rt_node){.kind = RT_NODE_EMPTY}, cudaSuccess;
  case cudaGraphNodeTypeWaitEvent: return event_node(p->eventWait.event, false, n);
  case cudaGraphNodeTypeEventRecord: return event_node(p->eventRecord.event, true, n);
  case cudaGraphNodeTypeMemFree:
    *n = (rt_node){.kind = RT_NODE_FREE, .dst = p->free.dptr};
    return n->dst ? cudaSuccess : cudaErrorInvalidValue;
  default: return cudaErrorNotSupported;
  }
}

// ---- Calls that add nodes.

cudaError_t cudaGraphCreate(cudaGraph_t *graph, unsigned int flags) {
  rt_context *context;
  cudaError_t error = simt_rt_enter_faulted(&context);
  if (!error && (!graph || flags)) error = cudaErrorInvalidValue;
  if (!error && !(*graph = simt_rt_graph_new(context))) error = cudaErrorMemoryAllocation;
  return simt_rt_leave(context, error);
}

#define NODE_ARGUMENTS                                                                             \
  cudaGraphNode_t *out, cudaGraph_t graph, const cudaGraphNode_t *dependencies, size_t n
#define ADD_CALL(make)                                                                             \
  do {                                                                                             \
    rt_context *context;                                                                           \
    rt_node node = {.kind = RT_NODE_EMPTY};                                                        \
    const rt_addition a = {out, graph, dependencies, n};                                           \
    cudaError_t error = simt_rt_enter(&context);                                                   \
    if (!error) error = (make);                                                                    \
    if (!error) error = simt_rt_graph_insert(context, &a, &node);                                  \
    return simt_rt_leave(context, error);                                                          \
  } while (0)

cudaError_t cudaGraphAddEmptyNode(NODE_ARGUMENTS) { ADD_CALL(cudaSuccess); }
cudaError_t cudaGraphAddKernelNode(NODE_ARGUMENTS, const struct cudaKernelNodeParams *params) {
  ADD_CALL(simt_rt_kernel_node(context, params, &node));
}
cudaError_t cudaGraphAddMemcpyNode1D(NODE_ARGUMENTS, void *dst, const void *src, size_t count,
                                     enum cudaMemcpyKind kind) {
  ADD_CALL(simt_rt_copy_node(dst, src, count, kind, &node));
}
cudaError_t cudaGraphAddMemcpyNodeToSymbol(NODE_ARGUMENTS, const void *symbol, const void *src,
                                           size_t count, size_t offset, enum cudaMemcpyKind kind) {
  (void)kind;
  ADD_CALL(simt_rt_symbol_node(context, symbol, src, count, offset, true, &node));
}
cudaError_t cudaGraphAddMemcpyNodeFromSymbol(NODE_ARGUMENTS, void *dst, const void *symbol,
                                             size_t count, size_t offset,
                                             enum cudaMemcpyKind kind) {
  (void)kind;
  ADD_CALL(simt_rt_symbol_node(context, symbol, dst, count, offset, false, &node));
}
cudaError_t cudaGraphAddMemcpyNode(NODE_ARGUMENTS, const struct cudaMemcpy3DParms *params) {
  ADD_CALL(simt_rt_copy_3d_node(context, params, &node));
}
cudaError_t cudaGraphAddMemsetNode(NODE_ARGUMENTS, const struct cudaMemsetParams *params) {
  ADD_CALL(simt_rt_set_node(params, &node));
}
cudaError_t cudaGraphAddHostNode(NODE_ARGUMENTS, const struct cudaHostNodeParams *params) {
  ADD_CALL(simt_rt_host_node(params, &node));
}
cudaError_t cudaGraphAddChildGraphNode(NODE_ARGUMENTS, cudaGraph_t child) {
  ADD_CALL(simt_rt_child_node(context, child, &node));
}
cudaError_t cudaGraphAddEventRecordNode(NODE_ARGUMENTS, cudaEvent_t event) {
  ADD_CALL(event_node(event, true, &node));
}
cudaError_t cudaGraphAddEventWaitNode(NODE_ARGUMENTS, cudaEvent_t event) {
  ADD_CALL(event_node(event, false, &node));
}

static cudaError_t make_node(rt_context *context, struct cudaGraphNodeParams *p, rt_node *n) {
  if (p && p->type == cudaGraphNodeTypeMemAlloc)
    return simt_rt_memory_node(context, (struct cudaMemAllocNodeParams *)(void *)&p->alloc, n);
  if (p && p->type == cudaGraphNodeTypeConditional)
    return simt_rt_condition_node(context, &p->conditional, n);
  return simt_rt_node_from(context, p, n);
}

// Ports in `data` are ignored: every edge is an ordinary dependency.
cudaError_t cudaGraphAddNode(cudaGraphNode_t *out, cudaGraph_t graph,
                             const cudaGraphNode_t *dependencies, const cudaGraphEdgeData *data,
                             size_t n, struct cudaGraphNodeParams *params) {
  (void)data;
  ADD_CALL(make_node(context, params, &node));
}
