// SPDX-License-Identifier: MIT
// runtime/graph_changes.c - what nodes do, read back and changed, in graphs and in executable ones.
#include "runtime/graphs.h"

#include <stdlib.h>
#include <string.h>

// ---- Reading back.

static cudaError_t enter_node(rt_context **context, cudaGraphNode_t handle, rt_node_kind kind,
                              const void *out, rt_node **n) {
  cudaError_t error = simt_rt_enter(context);
  *n = error ? NULL : simt_rt_graph_node(*context, handle);
  return error || (*n && (*n)->kind == kind && out) ? error : cudaErrorInvalidValue;
}

// Pointers to the arguments in the node's packed block.
static void **arguments_of(rt_node *n) {
  simt_kernel_info info;
  simt_kernel_describe(n->launch.kernel->on[n->launch.device].kernel, &info);
  if (!n->arguments) n->arguments = calloc((size_t)info.n_params + 1, sizeof *n->arguments);
  for (uint32_t i = 0; n->arguments && i < info.n_params; i++)
    n->arguments[i] = (char *)n->launch.params + info.params[i].offset_bytes;
  return n->arguments;
}

cudaError_t cudaGraphKernelNodeGetParams(cudaGraphNode_t node, struct cudaKernelNodeParams *out) {
  rt_context *context;
  rt_node *n;
  cudaError_t error = enter_node(&context, node, RT_NODE_LAUNCH, out, &n);
  if (!error)
    *out = (struct cudaKernelNodeParams){
        .func = (void *)(uintptr_t)(n->function ? n->function : n->launch.kernel->host_function),
        .gridDim = n->launch.grid,
        .blockDim = n->launch.block,
        .sharedMemBytes = (unsigned)n->launch.shared_bytes,
        .kernelParams = arguments_of(n)};
  return simt_rt_leave(context, error);
}

cudaError_t cudaGraphMemcpyNodeGetParams(cudaGraphNode_t node, struct cudaMemcpy3DParms *out) {
  rt_context *context;
  rt_node *n;
  cudaError_t error = enter_node(&context, node, RT_NODE_COPY, out, &n);
  if (!error)
    *out = (struct cudaMemcpy3DParms){
        .srcPtr = {(void *)(uintptr_t)n->src, n->src_pitch, n->width, n->height},
        .dstPtr = {n->dst, n->dst_pitch, n->width, n->height},
        .extent = {n->width, n->height, 1},
        .kind = n->copy_kind};
  return simt_rt_leave(context, error);
}

cudaError_t cudaGraphMemsetNodeGetParams(cudaGraphNode_t node, struct cudaMemsetParams *out) {
  rt_context *context;
  rt_node *n;
  cudaError_t error = enter_node(&context, node, RT_NODE_SET, out, &n);
  if (!error) {
    const unsigned bytes = n->element_bytes ? n->element_bytes : 1;
    *out = (struct cudaMemsetParams){.dst = n->dst,
                                     .pitch = n->dst_pitch,
                                     .value = (unsigned)n->value,
                                     .elementSize = bytes,
                                     .width = n->width / bytes,
                                     .height = n->height};
  }
  return simt_rt_leave(context, error);
}

cudaError_t cudaGraphHostNodeGetParams(cudaGraphNode_t node, struct cudaHostNodeParams *out) {
  rt_context *context;
  rt_node *n;
  cudaError_t error = enter_node(&context, node, RT_NODE_HOST, out, &n);
  if (!error) *out = (struct cudaHostNodeParams){n->host_function, n->host_data};
  return simt_rt_leave(context, error);
}

cudaError_t cudaGraphChildGraphNodeGetGraph(cudaGraphNode_t node, cudaGraph_t *out) {
  rt_context *context;
  rt_node *n;
  cudaError_t error = enter_node(&context, node, RT_NODE_GRAPH, out, &n);
  if (!error) *out = n->child;
  return simt_rt_leave(context, error);
}

static cudaError_t get_event(cudaGraphNode_t node, rt_node_kind kind, cudaEvent_t *out) {
  rt_context *context;
  rt_node *n;
  cudaError_t error = enter_node(&context, node, kind, out, &n);
  if (!error) *out = n->event;
  return simt_rt_leave(context, error);
}
cudaError_t cudaGraphEventRecordNodeGetEvent(cudaGraphNode_t node, cudaEvent_t *event) {
  return get_event(node, RT_NODE_RECORD, event);
}
cudaError_t cudaGraphEventWaitNodeGetEvent(cudaGraphNode_t node, cudaEvent_t *event) {
  return get_event(node, RT_NODE_WAIT, event);
}

// ---- Changes: a node is replaced by `with`, which must be of the same kind.

static enum cudaGraphExecUpdateResult compare(const rt_graph *a, const rt_graph *b, size_t *at);

static cudaError_t replace(rt_context *context, rt_node *n, rt_node *with, bool is_exec) {
  if (!n || n->kind != with->kind) return cudaErrorInvalidValue;
  rt_node old = *n;
  if (with->kind == RT_NODE_GRAPH && is_exec) { // parts of executable graphs are in order
    rt_graph *part = simt_rt_graph_part(context, true);
    cudaError_t error =
        part ? simt_rt_graph_copy(context, part, with->child) : cudaErrorMemoryAllocation;
    if (error) return error;
    simt_rt_graph_drop(context, with->child);
    with->child = part;
    size_t at;
    if (compare(n->child, part, &at) != cudaGraphExecUpdateSuccess)
      return cudaErrorGraphExecUpdateFailure;
  }
  *n = *with;
  n->handle = old.handle;
  n->original = old.original;
  n->is_disabled = old.is_disabled;
  n->attributes = old.attributes;
  old.attributes = NULL;
  simt_rt_node_free(context, &old);
  return cudaSuccess;
}

// `make` builds the new node, from the graph's node (exec NULL) or from the executable graph's.
#define CHANGE_CALL(exec, handle, make)                                                            \
  do {                                                                                             \
    rt_context *context;                                                                           \
    rt_node node = {.kind = RT_NODE_EMPTY};                                                        \
    cudaError_t error = simt_rt_enter(&context);                                                   \
    rt_node *n = error  ? NULL                                                                     \
                 : exec ? simt_rt_graph_exec_node(context, exec, handle)                           \
                        : simt_rt_graph_node(context, handle);                                     \
    if (!error && !n) error = cudaErrorInvalidValue;                                               \
    if (!error) error = (make);                                                                    \
    if (!error) error = replace(context, n, &node, exec);                                          \
    if (error) simt_rt_node_free(context, &node);                                                  \
    return simt_rt_leave(context, error);                                                          \
  } while (0)
#define OF_EXEC(exec)                                                                              \
  if (!exec) return simt_rt_answer(cudaErrorInvalidValue)
static struct CUgraphExec_st *const none = NULL; // changes the graph itself

cudaError_t cudaGraphKernelNodeSetParams(cudaGraphNode_t handle,
                                         const struct cudaKernelNodeParams *params) {
  CHANGE_CALL(none, handle, simt_rt_kernel_node(context, params, &node));
}
cudaError_t cudaGraphExecKernelNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t handle,
                                             const struct cudaKernelNodeParams *params) {
  OF_EXEC(exec);
  CHANGE_CALL(exec, handle, simt_rt_kernel_node(context, params, &node));
}
cudaError_t cudaGraphMemcpyNodeSetParams(cudaGraphNode_t handle,
                                         const struct cudaMemcpy3DParms *params) {
  CHANGE_CALL(none, handle, simt_rt_copy_3d_node(context, params, &node));
}
cudaError_t cudaGraphExecMemcpyNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t handle,
                                             const struct cudaMemcpy3DParms *params) {
  OF_EXEC(exec);
  CHANGE_CALL(exec, handle, simt_rt_copy_3d_node(context, params, &node));
}
cudaError_t cudaGraphMemcpyNodeSetParams1D(cudaGraphNode_t handle, void *dst, const void *src,
                                           size_t count, enum cudaMemcpyKind kind) {
  CHANGE_CALL(none, handle, simt_rt_copy_node(dst, src, count, kind, &node));
}
cudaError_t cudaGraphExecMemcpyNodeSetParams1D(cudaGraphExec_t exec, cudaGraphNode_t handle,
                                               void *dst, const void *src, size_t count,
                                               enum cudaMemcpyKind kind) {
  OF_EXEC(exec);
  CHANGE_CALL(exec, handle, simt_rt_copy_node(dst, src, count, kind, &node));
}
#define SYMBOL_CALL(exec, other, to)                                                               \
  (void)kind;                                                                                      \
  CHANGE_CALL(exec, handle, simt_rt_symbol_node(context, symbol, other, count, offset, to, &node))
cudaError_t cudaGraphMemcpyNodeSetParamsToSymbol(cudaGraphNode_t handle, const void *symbol,
                                                 const void *src, size_t count, size_t offset,
                                                 enum cudaMemcpyKind kind) {
  SYMBOL_CALL(none, src, true);
}
cudaError_t cudaGraphMemcpyNodeSetParamsFromSymbol(cudaGraphNode_t handle, void *dst,
                                                   const void *symbol, size_t count, size_t offset,
                                                   enum cudaMemcpyKind kind) {
  SYMBOL_CALL(none, dst, false);
}
cudaError_t cudaGraphExecMemcpyNodeSetParamsToSymbol(cudaGraphExec_t exec, cudaGraphNode_t handle,
                                                     const void *symbol, const void *src,
                                                     size_t count, size_t offset,
                                                     enum cudaMemcpyKind kind) {
  OF_EXEC(exec);
  SYMBOL_CALL(exec, src, true);
}
cudaError_t cudaGraphExecMemcpyNodeSetParamsFromSymbol(cudaGraphExec_t exec, cudaGraphNode_t handle,
                                                       void *dst, const void *symbol, size_t count,
                                                       size_t offset, enum cudaMemcpyKind kind) {
  OF_EXEC(exec);
  SYMBOL_CALL(exec, dst, false);
}
cudaError_t cudaGraphMemsetNodeSetParams(cudaGraphNode_t handle,
                                         const struct cudaMemsetParams *params) {
  CHANGE_CALL(none, handle, simt_rt_set_node(params, &node));
}
cudaError_t cudaGraphExecMemsetNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t handle,
                                             const struct cudaMemsetParams *params) {
  OF_EXEC(exec);
  CHANGE_CALL(exec, handle, simt_rt_set_node(params, &node));
}
cudaError_t cudaGraphHostNodeSetParams(cudaGraphNode_t handle,
                                       const struct cudaHostNodeParams *params) {
  CHANGE_CALL(none, handle, simt_rt_host_node(params, &node));
}
cudaError_t cudaGraphExecHostNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t handle,
                                           const struct cudaHostNodeParams *params) {
  OF_EXEC(exec);
  CHANGE_CALL(exec, handle, simt_rt_host_node(params, &node));
}
cudaError_t cudaGraphExecChildGraphNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t handle,
                                                 cudaGraph_t child) {
  OF_EXEC(exec);
  CHANGE_CALL(exec, handle, simt_rt_child_node(context, child, &node));
}

static cudaError_t event_node(cudaEvent_t event, rt_node_kind kind, rt_node *n) {
  *n = (rt_node){.kind = kind, .event = event};
  return event ? cudaSuccess : cudaErrorInvalidValue;
}
cudaError_t cudaGraphEventRecordNodeSetEvent(cudaGraphNode_t handle, cudaEvent_t event) {
  CHANGE_CALL(none, handle, event_node(event, RT_NODE_RECORD, &node));
}
cudaError_t cudaGraphEventWaitNodeSetEvent(cudaGraphNode_t handle, cudaEvent_t event) {
  CHANGE_CALL(none, handle, event_node(event, RT_NODE_WAIT, &node));
}
cudaError_t cudaGraphExecEventRecordNodeSetEvent(cudaGraphExec_t exec, cudaGraphNode_t handle,
                                                 cudaEvent_t event) {
  OF_EXEC(exec);
  CHANGE_CALL(exec, handle, event_node(event, RT_NODE_RECORD, &node));
}
cudaError_t cudaGraphExecEventWaitNodeSetEvent(cudaGraphExec_t exec, cudaGraphNode_t handle,
                                               cudaEvent_t event) {
  OF_EXEC(exec);
  CHANGE_CALL(exec, handle, event_node(event, RT_NODE_WAIT, &node));
}
cudaError_t cudaGraphNodeSetParams(cudaGraphNode_t handle, struct cudaGraphNodeParams *params) {
  CHANGE_CALL(none, handle, simt_rt_node_from(context, params, &node));
}
cudaError_t cudaGraphExecNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t handle,
                                       struct cudaGraphNodeParams *params) {
  OF_EXEC(exec);
  CHANGE_CALL(exec, handle, simt_rt_node_from(context, params, &node));
}

// ---- Disabled nodes.

static cudaError_t enter_switch(rt_context **context, cudaGraphExec_t exec, cudaGraphNode_t handle,
                                rt_node **n) {
  cudaError_t error = simt_rt_enter(context);
  *n = error ? NULL : simt_rt_graph_exec_node(*context, exec, handle);
  const bool can = *n && ((*n)->kind == RT_NODE_LAUNCH || (*n)->kind == RT_NODE_COPY ||
                          (*n)->kind == RT_NODE_SET);
  return error || can ? error : cudaErrorInvalidValue;
}

cudaError_t cudaGraphNodeSetEnabled(cudaGraphExec_t exec, cudaGraphNode_t handle,
                                    unsigned int is_enabled) {
  rt_context *context;
  rt_node *n;
  cudaError_t error = enter_switch(&context, exec, handle, &n);
  if (!error) n->is_disabled = !is_enabled;
  return simt_rt_leave(context, error);
}

cudaError_t cudaGraphNodeGetEnabled(cudaGraphExec_t exec, cudaGraphNode_t handle,
                                    unsigned int *is_enabled) {
  rt_context *context;
  rt_node *n;
  cudaError_t error = enter_switch(&context, exec, handle, &n);
  if (!error && !is_enabled) error = cudaErrorInvalidValue;
  if (!error) *is_enabled = !n->is_disabled;
  return simt_rt_leave(context, error);
}

// ---- Updating a whole graph.

static bool has_edge(const rt_graph *g, const rt_edge *e) {
  for (size_t i = 0; i < g->n_edges; i++)
    if (g->edges[i].from == e->from && g->edges[i].to == e->to) return true;
  return false;
}

// Whether two executable graphs have nodes of the same kinds in the same order, and the same edges;
// `at`: where they differ first, the number of nodes where that differs.
static enum cudaGraphExecUpdateResult compare(const rt_graph *a, const rt_graph *b, size_t *at) {
  *at = b->n_nodes;
  if (a->n_nodes != b->n_nodes) return cudaGraphExecUpdateErrorTopologyChanged;
  for (size_t i = 0; i < a->n_nodes; i++)
    if (a->nodes[i].kind != b->nodes[i].kind)
      return *at = i, cudaGraphExecUpdateErrorNodeTypeChanged;
  for (size_t i = 0; i < b->n_edges; i++)
    if (!has_edge(a, &b->edges[i]))
      return *at = b->edges[i].to, cudaGraphExecUpdateErrorTopologyChanged;
  for (size_t i = 0; i < a->n_edges; i++)
    if (!has_edge(b, &a->edges[i]))
      return *at = a->edges[i].to, cudaGraphExecUpdateErrorTopologyChanged;
  return cudaGraphExecUpdateSuccess;
}

cudaError_t cudaGraphExecUpdate(cudaGraphExec_t exec, cudaGraph_t graph,
                                cudaGraphExecUpdateResultInfo *info) {
  rt_context *context;
  cudaError_t error = simt_rt_enter(&context);
  if (!error) error = simt_rt_queue_wait_all(context); // launches of it that are queued
  rt_graph *g = error ? NULL : simt_rt_graph_find(context, exec, true);
  rt_graph *from = error ? NULL : simt_rt_graph_find(context, graph, false);
  enum cudaGraphExecUpdateResult result = cudaGraphExecUpdateSuccess;
  cudaGraphNode_t wrong = NULL;
  size_t at = 0;
  for (size_t i = 0; from && i < from->n_nodes; i++) simt_rt_graph_handle(from, i);
  if (!error && (!g || !from)) error = cudaErrorInvalidValue;
  rt_graph *fresh = error ? NULL : simt_rt_graph_new(context);
  if (!error && !fresh) error = cudaErrorMemoryAllocation;
  if (fresh) fresh->is_exec = true;
  if (!error) error = simt_rt_graph_copy(context, fresh, from);
  if (!error) result = compare(g, fresh, &at);
  if (result != cudaGraphExecUpdateSuccess && at < fresh->n_nodes) wrong = fresh->nodes[at].handle;
  if (result != cudaGraphExecUpdateSuccess) error = cudaErrorGraphExecUpdateFailure;
  for (size_t i = 0; !error && i < g->n_nodes; i++) { // swapped
    const rt_node old = g->nodes[i];
    g->nodes[i] = fresh->nodes[i];
    g->nodes[i].handle = old.handle;
    fresh->nodes[i] = old;
  }
  if (fresh) simt_rt_graph_drop(context, fresh);
  if (info) *info = (cudaGraphExecUpdateResultInfo){.result = result, .errorNode = wrong};
  return simt_rt_leave(context, error);
}
