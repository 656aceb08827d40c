// SPDX-License-Identifier: MIT
// runtime/graph.c - graphs: a list of nodes, recorded by stream capture or added one by one
// (runtime/graph_nodes.c), carried out by each cudaGraphLaunch.
//
// Recorded order is a valid order of any fork and join of streams. Dependencies that the program
// adds decide the order in an executable graph: of the nodes that may run, the oldest one is next.
// Not modelled: that a graph's launches cost less than launches one by one, and that branches
// overlap.
#include "runtime/graphs.h"

#include <stdlib.h>
#include <string.h>

static void free_graph(rt_graph *graph) {
  for (size_t i = 0; i < graph->n_nodes; i++) {
    free(graph->nodes[i].launch.params);
    if (graph->nodes[i].child) free_graph(graph->nodes[i].child);
    if (!graph->is_exec) free(graph->nodes[i].handle);
  }
  free(graph->nodes);
  free(graph->edges);
  free(graph);
}

rt_graph *simt_rt_graph_new(rt_context *context) {
  rt_graph *graph = calloc(1, sizeof *graph);
  if (!graph) return NULL;
  graph->device = context->on->ordinal;
  graph->next = context->graphs;
  context->graphs = graph;
  return graph;
}

rt_graph *simt_rt_graph_find(const rt_context *context, const void *handle, bool is_exec) {
  for (rt_graph *g = context->graphs; g; g = g->next)
    if ((const void *)g == handle && g->is_exec == is_exec) return g;
  return NULL;
}

void simt_rt_graph_drop(rt_context *context, rt_graph *graph) {
  rt_graph **link = &context->graphs;
  while (*link != graph) link = &(*link)->next;
  *link = graph->next;
  free_graph(graph);
}

cudaError_t simt_rt_graph_add(rt_graph *graph, const rt_node *node) {
  if (graph->n_nodes == graph->capacity) {
    size_t capacity = graph->capacity ? 2 * graph->capacity : 16;
    rt_node *grown = realloc(graph->nodes, capacity * sizeof *grown);
    if (!grown) return cudaErrorMemoryAllocation;
    graph->nodes = grown;
    graph->capacity = capacity;
  }
  graph->nodes[graph->n_nodes++] = *node;
  return cudaSuccess;
}

// ---- Graphs.

// A copy of its own of everything the node owns.
static cudaError_t copy_node(rt_context *context, rt_node *n, bool is_exec) {
  if (n->kind == RT_NODE_LAUNCH) {
    simt_kernel_info info;
    simt_kernel_describe(n->launch.kernel->on[n->launch.device].kernel, &info);
    void *params = malloc((size_t)info.param_bytes + 1);
    if (!params) return cudaErrorMemoryAllocation;
    memcpy(params, n->launch.params, info.param_bytes);
    n->launch.params = params;
  }
  if (n->kind == RT_NODE_GRAPH) {
    rt_graph *child = calloc(1, sizeof *child);
    if (!child) return cudaErrorMemoryAllocation;
    child->is_exec = is_exec;
    cudaError_t error = simt_rt_graph_copy(context, child, n->child);
    n->child = child;
    return error;
  }
  return cudaSuccess;
}

// Whether all that node `i` waits for has been put into the order.
static bool may_run(const rt_graph *g, const bool *done, size_t i) {
  for (size_t e = 0; e < g->n_edges; e++)
    if (g->edges[e].to == i && !done[g->edges[e].from]) return false;
  return true;
}

static size_t next_node(const rt_graph *g, const bool *done) {
  for (size_t i = 0; i < g->n_nodes; i++)
    if (!done[i] && may_run(g, done, i)) return i;
  return SIZE_MAX; // a cycle
}

cudaError_t simt_rt_graph_copy(rt_context *context, rt_graph *to, const rt_graph *from) {
  bool *done = calloc(from->n_nodes + 1, sizeof *done);
  cudaError_t error = done ? cudaSuccess : cudaErrorMemoryAllocation;
  for (size_t k = 0; !error && k < from->n_nodes; k++) {
    const size_t i = next_node(from, done);
    if (i == SIZE_MAX) {
      error = cudaErrorInvalidValue;
      break;
    }
    done[i] = true;
    rt_node n = from->nodes[i];
    if (!to->is_exec) n.handle = NULL;
    error = copy_node(context, &n, to->is_exec);
    if (!error) error = simt_rt_graph_add(to, &n);
    if (error && n.kind == RT_NODE_LAUNCH) free(n.launch.params);
  }
  free(done);
  return error;
}

cudaError_t cudaGraphInstantiate(cudaGraphExec_t *exec, cudaGraph_t graph,
                                 unsigned long long flags) {
  rt_context *context;
  cudaError_t error = simt_rt_enter(&context);
  if (!error && (!exec || flags > 15)) error = cudaErrorInvalidValue;
  if (!error && !simt_rt_graph_find(context, graph, false)) error = cudaErrorInvalidValue;
  rt_graph *copy = error ? NULL : simt_rt_graph_new(context);
  if (!error && !copy) error = cudaErrorMemoryAllocation;
  if (!error) {
    copy->is_exec = true;
    for (size_t i = 0; i < graph->n_nodes; i++) simt_rt_graph_handle(graph, i);
    error = simt_rt_graph_copy(context, copy, graph);
    if (error) simt_rt_graph_drop(context, copy);
    else *exec = (cudaGraphExec_t)(void *)copy;
  }
  return simt_rt_leave(context, error);
}

static cudaError_t run_nodes(rt_context *context, rt_stream *stream, const rt_graph *graph);

static cudaError_t run_node(rt_context *context, rt_stream *stream, const rt_node *n) {
  switch (n->kind) {
  case RT_NODE_LAUNCH: return simt_rt_launch_run(context, stream, &n->launch);
  case RT_NODE_COPY: return simt_rt_copy(context, stream, n);
  case RT_NODE_SET: return simt_rt_set(context, stream, n);
  case RT_NODE_HOST: // may take the lock again in a destructor it runs; must not call CUDA
    pthread_mutex_unlock(&context->lock);
    n->host_function(n->host_data);
    pthread_mutex_lock(&context->lock);
    return cudaSuccess;
  case RT_NODE_EMPTY: return cudaSuccess;
  case RT_NODE_GRAPH: return run_nodes(context, stream, n->child);
  }
  return cudaErrorUnknown;
}

static cudaError_t run_nodes(rt_context *context, rt_stream *stream, const rt_graph *graph) {
  cudaError_t error = cudaSuccess;
  for (size_t i = 0; !error && !simt_rt_has_fault(context) && i < graph->n_nodes; i++)
    error = run_node(context, stream, &graph->nodes[i]);
  return error;
}

cudaError_t cudaGraphLaunch(cudaGraphExec_t exec, cudaStream_t handle) {
  rt_context *context;
  cudaError_t error = simt_rt_enter(&context);
  rt_stream *stream = error ? NULL : simt_rt_stream_of(context, handle);
  rt_graph *graph = error ? NULL : simt_rt_graph_find(context, exec, true);
  if (!error && !graph) error = cudaErrorInvalidValue;
  if (!error && !stream) error = cudaErrorInvalidResourceHandle;
  if (!error) error = simt_rt_capture_refuses(stream);
  if (!error) error = run_nodes(context, stream, graph);
  return simt_rt_leave(context, error);
}

cudaError_t cudaGraphUpload(cudaGraphExec_t exec, cudaStream_t handle) {
  rt_context *context;
  cudaError_t error = simt_rt_enter(&context);
  if (!error && !simt_rt_graph_find(context, exec, true)) error = cudaErrorInvalidValue;
  if (!error && !simt_rt_stream_of(context, handle)) error = cudaErrorInvalidResourceHandle;
  return simt_rt_leave(context, error);
}

static cudaError_t destroy(const void *handle, bool is_exec) {
  rt_context *context;
  cudaError_t error = simt_rt_enter(&context);
  rt_graph *graph = error ? NULL : simt_rt_graph_find(context, handle, is_exec);
  if (!error && !graph) error = cudaErrorInvalidValue;
  if (!error) simt_rt_graph_drop(context, graph);
  return simt_rt_leave(context, error);
}

cudaError_t cudaGraphExecDestroy(cudaGraphExec_t exec) { return destroy(exec, true); }
cudaError_t cudaGraphDestroy(cudaGraph_t graph) { return destroy(graph, false); }
