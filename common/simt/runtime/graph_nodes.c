// SPDX-License-Identifier: MIT
// runtime/graph_nodes.c - graphs built node by node, asked about, changed and updated.
//
// A handle is made for a node when the program first sees it. Of an executable graph every node
// knows the node it was made from, so that a change finds it. Not supported (a link error): nodes
// for events, semaphores, allocations and conditions.
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

// The node behind a handle of a live graph, or NULL.
static rt_node *node_of(const rt_context *context, cudaGraphNode_t handle) {
  for (rt_graph *g = context->graphs; handle && g; g = g->next)
    for (size_t i = 0; !g->is_exec && i < g->n_nodes; i++)
      if (g->nodes[i].handle == handle) return &g->nodes[i];
  return NULL;
}

bool simt_rt_graph_owns(const rt_context *context, const rt_graph *graph, cudaGraphNode_t handle) {
  return node_of(context, handle) && handle->graph == graph;
}

static rt_node *exec_node(const rt_context *context, cudaGraphExec_t exec, cudaGraphNode_t handle) {
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

typedef struct addition {
  cudaGraphNode_t *out;
  cudaGraph_t graph;
  const cudaGraphNode_t *dependencies;
  size_t n_dependencies;
} addition;

static cudaError_t add(rt_context *context, const addition *a, const rt_node *node) {
  rt_graph *g = simt_rt_graph_find(context, a->graph, false);
  if (!g || !a->out || (a->n_dependencies && !a->dependencies)) return cudaErrorInvalidValue;
  for (size_t i = 0; i < a->n_dependencies; i++)
    if (!node_of(context, a->dependencies[i]) || a->dependencies[i]->graph != g)
      return cudaErrorInvalidValue;
  cudaError_t error = simt_rt_graph_add(g, node);
  for (size_t i = 0; !error && i < a->n_dependencies; i++)
    error = simt_rt_graph_edge(g, a->dependencies[i]->index, g->n_nodes - 1);
  if (!error && !(*a->out = simt_rt_graph_handle(g, g->n_nodes - 1)))
    error = cudaErrorMemoryAllocation;
  return error;
}

// ---- What a node does, from the program's structures.

static cudaError_t kernel_node(rt_context *context, const struct cudaKernelNodeParams *p,
                               rt_node *n) {
  if (!p || !p->func || !p->kernelParams) return cudaErrorInvalidValue;
  *n = (rt_node){.kind = RT_NODE_LAUNCH};
  n->launch.device = context->on->ordinal;
  n->launch.grid = p->gridDim;
  n->launch.block = p->blockDim;
  n->launch.shared_bytes = p->sharedMemBytes;
  cudaError_t error = simt_rt_kernel_find(context, p->func, &n->launch.kernel);
  if (!error) error = simt_rt_launch_check(context, &n->launch);
  if (!error)
    n->launch.params = simt_rt_launch_pack(simt_rt_kernel_on(context, n->launch.kernel)->kernel,
                                           p->kernelParams, &error);
  return error;
}

static cudaError_t copy_node(void *dst, const void *src, size_t count, enum cudaMemcpyKind kind,
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

static cudaError_t set_node(const struct cudaMemsetParams *p, rt_node *n) {
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

static cudaError_t host_node(const struct cudaHostNodeParams *p, rt_node *n) {
  if (!p || !p->fn) return cudaErrorInvalidValue;
  *n = (rt_node){.kind = RT_NODE_HOST, .host_function = p->fn, .host_data = p->userData};
  return cudaSuccess;
}

// One slice of linear memory; arrays and more slices are not supported in graphs.
static cudaError_t copy_3d_node(rt_context *context, const struct cudaMemcpy3DParms *p,
                                rt_node *n) {
  if (!p) return cudaErrorInvalidValue;
  if (p->srcArray || p->dstArray || p->extent.depth > 1) {
    simt_rt_note(context, "cudaGraphAddMemcpyNode: arrays and several slices are not supported");
    return cudaErrorNotSupported;
  }
  char *dst = (char *)p->dstPtr.ptr + p->dstPos.y * p->dstPtr.pitch + p->dstPos.x;
  const char *src = (const char *)p->srcPtr.ptr + p->srcPos.y * p->srcPtr.pitch + p->srcPos.x;
  cudaError_t error = copy_node(dst, src, p->extent.width, p->kind, n);
  n->dst_pitch = p->dstPtr.pitch;
  n->src_pitch = p->srcPtr.pitch;
  n->height = p->extent.height;
  return error;
}

// ---- The calls that add.

cudaError_t cudaGraphCreate(cudaGraph_t *graph, unsigned int flags) {
  rt_context *context;
  cudaError_t error = simt_rt_enter(&context);
  if (!error && (!graph || flags)) error = cudaErrorInvalidValue;
  if (!error && !(*graph = simt_rt_graph_new(context))) error = cudaErrorMemoryAllocation;
  return simt_rt_leave(context, error);
}

#define ADDITION                                                                                   \
  { out, graph, dependencies, n }
#define ADD_CALL(make)                                                                             \
  do {                                                                                             \
    rt_context *context;                                                                           \
    rt_node node = {.kind = RT_NODE_EMPTY};                                                        \
    const addition a = ADDITION;                                                                   \
    cudaError_t error = simt_rt_enter(&context);                                                   \
    if (!error) error = (make);                                                                    \
    if (!error) error = add(context, &a, &node);                                                   \
    return simt_rt_leave(context, error);                                                          \
  } while (0)

cudaError_t cudaGraphAddEmptyNode(cudaGraphNode_t *out, cudaGraph_t graph,
                                  const cudaGraphNode_t *dependencies, size_t n) {
  ADD_CALL(cudaSuccess);
}
cudaError_t cudaGraphAddKernelNode(cudaGraphNode_t *out, cudaGraph_t graph,
                                   const cudaGraphNode_t *dependencies, size_t n,
                                   const struct cudaKernelNodeParams *params) {
  ADD_CALL(kernel_node(context, params, &node));
}
cudaError_t cudaGraphAddMemcpyNode1D(cudaGraphNode_t *out, cudaGraph_t graph,
                                     const cudaGraphNode_t *dependencies, size_t n, void *dst,
                                     const void *src, size_t count, enum cudaMemcpyKind kind) {
  ADD_CALL(copy_node(dst, src, count, kind, &node));
}
cudaError_t cudaGraphAddMemcpyNode(cudaGraphNode_t *out, cudaGraph_t graph,
                                   const cudaGraphNode_t *dependencies, size_t n,
                                   const struct cudaMemcpy3DParms *params) {
  ADD_CALL(copy_3d_node(context, params, &node));
}
cudaError_t cudaGraphAddMemsetNode(cudaGraphNode_t *out, cudaGraph_t graph,
                                   const cudaGraphNode_t *dependencies, size_t n,
                                   const struct cudaMemsetParams *params) {
  ADD_CALL(set_node(params, &node));
}
cudaError_t cudaGraphAddHostNode(cudaGraphNode_t *out, cudaGraph_t graph,
                                 const cudaGraphNode_t *dependencies, size_t n,
                                 const struct cudaHostNodeParams *params) {
  ADD_CALL(host_node(params, &node));
}

static cudaError_t child_node(rt_context *context, cudaGraph_t child, rt_node *n) {
  const rt_graph *from = simt_rt_graph_find(context, child, false);
  if (!from) return cudaErrorInvalidValue;
  *n = (rt_node){.kind = RT_NODE_GRAPH, .child = calloc(1, sizeof *n->child)};
  return n->child ? simt_rt_graph_copy(context, n->child, from) : cudaErrorMemoryAllocation;
}

cudaError_t cudaGraphAddChildGraphNode(cudaGraphNode_t *out, cudaGraph_t graph,
                                       const cudaGraphNode_t *dependencies, size_t n,
                                       cudaGraph_t child) {
  ADD_CALL(child_node(context, child, &node));
}

// All edges are of the usual kind here, whatever `data` says of ports.
cudaError_t cudaGraphAddDependencies(cudaGraph_t graph, const cudaGraphNode_t *from,
                                     const cudaGraphNode_t *to, const cudaGraphEdgeData *data,
                                     size_t n) {
  rt_context *context;
  cudaError_t error = simt_rt_enter(&context);
  rt_graph *g = error ? NULL : simt_rt_graph_find(context, graph, false);
  (void)data;
  if (!error && (!g || (n && (!from || !to)))) error = cudaErrorInvalidValue;
  for (size_t i = 0; !error && i < n; i++) {
    const bool known = node_of(context, from[i]) && node_of(context, to[i]) && from[i] != to[i] &&
                       from[i]->graph == g && to[i]->graph == g;
    error = known ? simt_rt_graph_edge(g, from[i]->index, to[i]->index) : cudaErrorInvalidValue;
  }
  return simt_rt_leave(context, error);
}

cudaError_t cudaGraphClone(cudaGraph_t *clone, cudaGraph_t original) {
  rt_context *context;
  cudaError_t error = simt_rt_enter(&context);
  const rt_graph *from = error ? NULL : simt_rt_graph_find(context, original, false);
  if (!error && (!from || !clone)) error = cudaErrorInvalidValue;
  rt_graph *to = error ? NULL : simt_rt_graph_new(context);
  if (!error && !to) error = cudaErrorMemoryAllocation;
  if (!error) error = simt_rt_graph_copy(context, to, from);
  if (!error) *clone = to;
  return simt_rt_leave(context, error);
}

cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t *exec, cudaGraph_t graph,
                                          unsigned long long flags) {
  return cudaGraphInstantiate(exec, graph, flags);
}

// ---- The calls that ask.

static bool is_root(const rt_graph *g, size_t index) {
  for (size_t e = 0; e < g->n_edges; e++)
    if (g->edges[e].to == index) return false;
  return true;
}

// `nodes` NULL: only how many there are.
static cudaError_t list_nodes(cudaGraph_t graph, cudaGraphNode_t *nodes, size_t *n, bool roots) {
  rt_context *context;
  cudaError_t error = simt_rt_enter(&context);
  rt_graph *g = error ? NULL : simt_rt_graph_find(context, graph, false);
  if (!error && (!n || !g)) error = cudaErrorInvalidValue;
  size_t found = 0;
  for (size_t i = 0; !error && i < g->n_nodes; i++) {
    if (roots && !is_root(g, i)) continue;
    if (nodes && found < *n) nodes[found] = simt_rt_graph_handle(g, i);
    found++;
  }
  if (!error && (!nodes || found < *n)) *n = found;
  return simt_rt_leave(context, error);
}

cudaError_t cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t *nodes, size_t *n_nodes) {
  return list_nodes(graph, nodes, n_nodes, false);
}
cudaError_t cudaGraphGetRootNodes(cudaGraph_t graph, cudaGraphNode_t *nodes, size_t *n_nodes) {
  return list_nodes(graph, nodes, n_nodes, true);
}

cudaError_t cudaGraphGetEdges(cudaGraph_t graph, cudaGraphNode_t *from, cudaGraphNode_t *to,
                              cudaGraphEdgeData *data, size_t *n_edges) {
  rt_context *context;
  cudaError_t error = simt_rt_enter(&context);
  rt_graph *g = error ? NULL : simt_rt_graph_find(context, graph, false);
  (void)data;
  if (!error && (!n_edges || !g || !from != !to)) error = cudaErrorInvalidValue;
  for (size_t i = 0; !error && from && i < g->n_edges && i < *n_edges; i++) {
    from[i] = simt_rt_graph_handle(g, g->edges[i].from);
    to[i] = simt_rt_graph_handle(g, g->edges[i].to);
  }
  if (!error && (!from || g->n_edges < *n_edges)) *n_edges = g->n_edges;
  return simt_rt_leave(context, error);
}

cudaError_t cudaGraphNodeGetType(cudaGraphNode_t node, enum cudaGraphNodeType *type) {
  static const enum cudaGraphNodeType types[] = {
      [RT_NODE_LAUNCH] = cudaGraphNodeTypeKernel, [RT_NODE_COPY] = cudaGraphNodeTypeMemcpy,
      [RT_NODE_SET] = cudaGraphNodeTypeMemset,    [RT_NODE_HOST] = cudaGraphNodeTypeHost,
      [RT_NODE_EMPTY] = cudaGraphNodeTypeEmpty,   [RT_NODE_GRAPH] = cudaGraphNodeTypeGraph};
  rt_context *context;
  cudaError_t error = simt_rt_enter(&context);
  const rt_node *n = error ? NULL : node_of(context, node);
  if (!error && (!n || !type)) error = cudaErrorInvalidValue;
  if (!error) *type = types[n->kind];
  return simt_rt_leave(context, error);
}

// ---- The calls that change: a node takes over what `with` does, if it is of its kind.

static cudaError_t replace(rt_node *n, const rt_node *with) {
  if (!n || n->kind != with->kind) return cudaErrorInvalidValue;
  rt_node changed = *with;
  changed.handle = n->handle;
  free(n->launch.params);
  *n = changed;
  return cudaSuccess;
}

static cudaError_t change(cudaGraphExec_t exec, cudaGraphNode_t handle,
                          const struct cudaKernelNodeParams *kernel, const rt_node *other) {
  rt_context *context;
  rt_node node = {.kind = RT_NODE_EMPTY};
  cudaError_t error = simt_rt_enter(&context);
  rt_node *n = error ? NULL : exec ? exec_node(context, exec, handle) : node_of(context, handle);
  if (!error && !n) error = cudaErrorInvalidValue;
  if (!error && !other) error = kernel_node(context, kernel, &node);
  if (!error) error = replace(n, other ? other : &node);
  if (error && node.kind == RT_NODE_LAUNCH) free(node.launch.params);
  return simt_rt_leave(context, error);
}

cudaError_t cudaGraphKernelNodeSetParams(cudaGraphNode_t node,
                                         const struct cudaKernelNodeParams *params) {
  return change(NULL, node, params, NULL);
}
cudaError_t cudaGraphExecKernelNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                             const struct cudaKernelNodeParams *params) {
  return exec ? change(exec, node, params, NULL) : cudaErrorInvalidValue;
}
cudaError_t cudaGraphExecMemcpyNodeSetParams1D(cudaGraphExec_t exec, cudaGraphNode_t node,
                                               void *dst, const void *src, size_t count,
                                               enum cudaMemcpyKind kind) {
  rt_node n;
  cudaError_t error = copy_node(dst, src, count, kind, &n);
  return error || !exec ? cudaErrorInvalidValue : change(exec, node, NULL, &n);
}
cudaError_t cudaGraphExecMemsetNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                             const struct cudaMemsetParams *params) {
  rt_node n;
  cudaError_t error = set_node(params, &n);
  return error || !exec ? cudaErrorInvalidValue : change(exec, node, NULL, &n);
}
cudaError_t cudaGraphExecHostNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                           const struct cudaHostNodeParams *params) {
  rt_node n;
  cudaError_t error = host_node(params, &n);
  return error || !exec ? cudaErrorInvalidValue : change(exec, node, NULL, &n);
}

// Whether two graphs have nodes of the same kinds in the same order.
static bool same_shape(const rt_graph *a, const rt_graph *b) {
  if (a->n_nodes != b->n_nodes) return false;
  for (size_t i = 0; i < a->n_nodes; i++)
    if (a->nodes[i].kind != b->nodes[i].kind) return false;
  return true;
}

cudaError_t cudaGraphExecUpdate(cudaGraphExec_t exec, cudaGraph_t graph,
                                cudaGraphExecUpdateResultInfo *info) {
  rt_context *context;
  cudaError_t error = simt_rt_enter(&context);
  rt_graph *g = error ? NULL : simt_rt_graph_find(context, exec, true);
  const rt_graph *from = error ? NULL : simt_rt_graph_find(context, graph, false);
  enum cudaGraphExecUpdateResult result = cudaGraphExecUpdateSuccess;
  if (!error && (!g || !from)) error = cudaErrorInvalidValue;
  rt_graph *fresh = error ? NULL : simt_rt_graph_new(context);
  if (!error && !fresh) error = cudaErrorMemoryAllocation;
  if (fresh) fresh->is_exec = true;
  if (!error) error = simt_rt_graph_copy(context, fresh, from);
  if (!error && !same_shape(g, fresh)) {
    result = cudaGraphExecUpdateErrorTopologyChanged;
    error = cudaErrorGraphExecUpdateFailure;
  }
  for (size_t i = 0; !error && i < g->n_nodes; i++) { // they trade places
    const rt_node old = g->nodes[i];
    g->nodes[i] = fresh->nodes[i];
    g->nodes[i].handle = old.handle;
    fresh->nodes[i] = old;
  }
  if (fresh) simt_rt_graph_drop(context, fresh);
  if (info) *info = (cudaGraphExecUpdateResultInfo){.result = result};
  return simt_rt_leave(context, error);
}
