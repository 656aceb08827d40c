// SPDX-License-Identifier: MIT
// runtime/graph.c - graphs: a list of nodes, recorded by stream capture or added one by one
// (runtime/graph_nodes.c), carried out by each cudaGraphLaunch.
//
// Recorded order is a valid order of any fork and join of streams. Dependencies that the program
// adds decide the order in an executable graph: of the nodes that are ready, the oldest one is
// next. Not modelled: that a graph's launches cost less than launches one by one, and that branches
// overlap.
#include "runtime/graphs.h"

#include <stdlib.h>
#include <string.h>

static void free_graph(rt_context *context, rt_graph *graph);

void simt_rt_node_free(rt_context *context, rt_node *node) {
  free(node->launch.params);
  free(node->arguments);
  free(node->attributes);
  if (node->child) simt_rt_graph_drop(context, node->child);
  for (unsigned i = 0; node->condition.bodies && i < node->condition.n_bodies; i++)
    if (node->condition.bodies[i]) simt_rt_graph_drop(context, node->condition.bodies[i]);
  free(node->condition.bodies);
}

static void free_graph(rt_context *context, rt_graph *graph) {
  for (size_t i = 0; i < graph->n_nodes; i++) {
    if (!graph->is_exec) free(graph->nodes[i].handle);
    simt_rt_node_free(context, &graph->nodes[i]);
  }
  simt_rt_objects_release(graph);
  free(graph->nodes);
  free(graph->edges);
  free(graph->words);
  free(graph);
}

static rt_graph *new_graph(rt_context *context) {
  rt_graph *graph = calloc(1, sizeof *graph);
  if (graph) graph->device = context->on->ordinal;
  return graph;
}

rt_graph *simt_rt_graph_new(rt_context *context) {
  rt_graph *graph = new_graph(context);
  if (!graph) return NULL;
  graph->next = context->graphs;
  context->graphs = graph;
  return graph;
}

rt_graph *simt_rt_graph_part(rt_context *context, bool is_exec) {
  rt_graph *graph = is_exec ? new_graph(context) : simt_rt_graph_new(context);
  if (!graph) return NULL;
  graph->is_exec = is_exec;
  graph->is_part = true;
  return graph;
}

rt_graph *simt_rt_graph_find(const rt_context *context, const void *handle, bool is_exec) {
  for (rt_graph *g = context->graphs; g; g = g->next)
    if ((const void *)g == handle && g->is_exec == is_exec) return g;
  return NULL;
}

void simt_rt_graph_drop(rt_context *context, rt_graph *graph) {
  rt_graph **link = &context->graphs;
  while (*link && *link != graph) link = &(*link)->next;
  if (*link) *link = graph->next;
  for (rt_graph *g = context->graphs; g; g = g->next)
    if (g->made_from == graph) g->made_from = NULL;
  free_graph(context, graph);
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

// ---- Copies.

static cudaError_t copy_part(rt_context *context, rt_graph **part, bool is_exec) {
  const rt_graph *from = *part;
  *part = simt_rt_graph_part(context, is_exec);
  return *part ? simt_rt_graph_copy(context, *part, from) : cudaErrorMemoryAllocation;
}

static cudaError_t copy_bodies(rt_context *context, rt_condition *c, bool is_exec) {
  rt_graph **bodies = calloc(c->n_bodies, sizeof(rt_graph *));
  cudaError_t error = bodies ? cudaSuccess : cudaErrorMemoryAllocation;
  for (unsigned i = 0; !error && i < c->n_bodies; i++) {
    bodies[i] = c->bodies[i];
    error = copy_part(context, &bodies[i], is_exec);
  }
  c->bodies = bodies;
  return error;
}

static cudaError_t copy_params(rt_node *n) {
  simt_kernel_info info;
  simt_kernel_describe(n->launch.kernel->on[n->launch.device].kernel, &info);
  void *params = malloc((size_t)info.param_bytes + 1);
  if (params) memcpy(params, n->launch.params, info.param_bytes);
  n->launch.params = params;
  return params ? cudaSuccess : cudaErrorMemoryAllocation;
}

// Replaces everything that the node owns by a copy.
static cudaError_t copy_node(rt_context *context, rt_node *n, bool is_exec) {
  n->arguments = NULL;
  n->attributes = NULL;
  switch (n->kind) {
  case RT_NODE_LAUNCH: return copy_params(n);
  case RT_NODE_GRAPH: return copy_part(context, &n->child, is_exec);
  case RT_NODE_CONDITION: return copy_bodies(context, &n->condition, is_exec);
  default: return cudaSuccess;
  }
}

// Whether all nodes that node `i` waits for have been put into the order.
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

// In an order that the dependencies allow. Edges are kept for comparison only.
static cudaError_t copy_in_order(rt_context *context, rt_graph *to, const rt_graph *from) {
  bool *done = calloc(from->n_nodes + 1, sizeof *done);
  size_t *place = calloc(from->n_nodes + 1, sizeof *place);
  cudaError_t error = done && place ? cudaSuccess : cudaErrorMemoryAllocation;
  for (size_t k = 0; !error && k < from->n_nodes; k++) {
    const size_t i = next_node(from, done);
    if (i == SIZE_MAX) {
      error = cudaErrorInvalidValue;
      break;
    }
    done[i] = true;
    rt_node n = from->nodes[i];
    error = copy_node(context, &n, true);
    if (!error) error = simt_rt_graph_add(to, &n);
    if (error) simt_rt_node_free(context, &n);
    place[i] = k;
  }
  for (size_t e = 0; !error && e < from->n_edges; e++)
    error = simt_rt_graph_edge(to, place[from->edges[e].from], place[from->edges[e].to]);
  free(done);
  free(place);
  return error;
}

// With its edges; nodes remember which ones they were made from.
static cudaError_t copy_as_it_is(rt_context *context, rt_graph *to, const rt_graph *from) {
  cudaError_t error = cudaSuccess;
  for (size_t i = 0; !error && i < from->n_nodes; i++) {
    rt_node n = from->nodes[i];
    n.original = simt_rt_graph_handle((rt_graph *)(uintptr_t)from, i);
    n.handle = NULL;
    error = copy_node(context, &n, false);
    if (!error) error = simt_rt_graph_add(to, &n);
    if (error) simt_rt_node_free(context, &n);
  }
  for (size_t e = 0; !error && e < from->n_edges; e++)
    error = simt_rt_graph_edge(to, from->edges[e].from, from->edges[e].to);
  return error;
}

cudaError_t simt_rt_graph_copy(rt_context *context, rt_graph *to, const rt_graph *from) {
  cudaError_t error = simt_rt_objects_copy(to, from);
  if (error) return error;
  return to->is_exec ? copy_in_order(context, to, from) : copy_as_it_is(context, to, from);
}

static cudaError_t instantiate(rt_context *context, cudaGraphExec_t *exec, rt_graph *graph,
                               unsigned long long flags) {
  rt_graph *copy = simt_rt_graph_new(context);
  if (!copy) return cudaErrorMemoryAllocation;
  copy->is_exec = true;
  copy->flags = flags;
  copy->made_from = graph;
  for (size_t i = 0; i < graph->n_nodes; i++) simt_rt_graph_handle(graph, i);
  cudaError_t error = simt_rt_graph_copy(context, copy, graph);
  if (error) simt_rt_graph_drop(context, copy);
  else *exec = (cudaGraphExec_t)(void *)copy;
  return error;
}

// Memory that a graph allocates belongs to one executable graph at a time.
bool simt_rt_graph_is_taken(const rt_context *context, const rt_graph *graph) {
  if (!graph || !simt_rt_graph_has_memory(graph)) return false;
  for (const rt_graph *g = context->graphs; g; g = g->next)
    if (g->is_exec && g->made_from == graph) return true;
  return false;
}

cudaError_t cudaGraphInstantiate(cudaGraphExec_t *exec, cudaGraph_t graph,
                                 unsigned long long flags) {
  rt_context *context;
  cudaError_t error = simt_rt_enter(&context);
  if (!error && (!exec || flags > 15)) error = cudaErrorInvalidValue;
  if (!error &&
      (!simt_rt_graph_find(context, graph, false) || !simt_rt_conditions_complete(context, graph)))
    error = cudaErrorInvalidValue;
  if (!error && simt_rt_graph_is_taken(context, graph)) error = cudaErrorNotSupported;
  if (!error) error = instantiate(context, exec, graph, flags);
  return simt_rt_leave(context, error);
}

cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t *exec, cudaGraph_t graph,
                                          unsigned long long flags) {
  return cudaGraphInstantiate(exec, graph, flags);
}

cudaError_t cudaGraphInstantiateWithParams(cudaGraphExec_t *exec, cudaGraph_t graph,
                                           cudaGraphInstantiateParams *params) {
  if (!params) return simt_rt_answer(cudaErrorInvalidValue);
  const cudaError_t error = cudaGraphInstantiate(exec, graph, params->flags);
  params->errNode_out = NULL;
  params->result_out = error ? cudaGraphInstantiateError : cudaGraphInstantiateSuccess;
  return error;
}

cudaError_t cudaGraphExecGetFlags(cudaGraphExec_t exec, unsigned long long *flags) {
  rt_context *context;
  cudaError_t error = simt_rt_enter(&context);
  const rt_graph *graph = error ? NULL : simt_rt_graph_find(context, exec, true);
  if (!error && (!graph || !flags)) error = cudaErrorInvalidValue;
  if (!error) *flags = graph->flags;
  return simt_rt_leave(context, error);
}

// ---- Runs.

cudaError_t simt_rt_node_run(rt_context *context, rt_stream *stream, const rt_node *n) {
  switch (n->kind) {
  case RT_NODE_LAUNCH: return simt_rt_launch_run(context, stream, &n->launch);
  case RT_NODE_COPY: return simt_rt_copy(context, stream, n);
  case RT_NODE_SET: return simt_rt_set(context, stream, n);
  case RT_NODE_HOST:
    simt_rt_stream_launch(context, stream, simt_host_function_ms());
    simt_rt_call_host(context, n->host_function, n->host_data);
    return cudaSuccess;
  case RT_NODE_EMPTY: return cudaSuccess;
  case RT_NODE_GRAPH: return simt_rt_graph_run(context, stream, n->child);
  case RT_NODE_RECORD: return simt_rt_event_record(context, n->event, stream);
  case RT_NODE_WAIT: return simt_rt_event_wait(context, n->event, stream);
  case RT_NODE_ALLOCATE: return simt_rt_node_allocate(context, n, false);
  case RT_NODE_FREE: return simt_rt_node_release(context, stream, n);
  case RT_NODE_CONDITION: return simt_rt_condition_run(context, stream, n);
  }
  return cudaErrorUnknown;
}

cudaError_t simt_rt_graph_run(rt_context *context, rt_stream *stream, const rt_graph *graph) {
  cudaError_t error = cudaSuccess;
  for (size_t i = 0; !error && !simt_rt_has_fault(context) && i < graph->n_nodes; i++)
    if (!graph->nodes[i].is_disabled) error = simt_rt_node_run(context, stream, &graph->nodes[i]);
  return error;
}

// Memory that an earlier launch of the graph has not freed is an error, unless the graph was
// instantiated to free it at its next launch.
static cudaError_t begin_memory(rt_context *context, const rt_graph *graph) {
  if (graph->flags & cudaGraphInstantiateFlagAutoFreeOnLaunch)
    simt_rt_graph_free_all(context, graph);
  for (size_t i = 0; i < graph->n_nodes; i++) {
    const rt_node *n = &graph->nodes[i];
    if (n->kind == RT_NODE_ALLOCATE && simt_memory_find(context->memory, (uintptr_t)n->dst, 1))
      return cudaErrorInvalidValue;
  }
  return cudaSuccess;
}

cudaError_t simt_rt_graph_start(rt_context *context, rt_stream *stream, rt_graph *graph) {
  const cudaError_t error = begin_memory(context, graph);
  if (error) return error;
  simt_rt_graph_memory_begins(graph);
  simt_rt_conditions_begin(context, graph);
  return simt_rt_graph_run(context, stream, graph);
}

static bool has_host_nodes(const rt_graph *graph) {
  bool has = false;
  for (size_t i = 0; !has && i < graph->n_nodes; i++) {
    const rt_node *n = &graph->nodes[i];
    has = n->kind == RT_NODE_HOST || (n->kind == RT_NODE_GRAPH && has_host_nodes(n->child));
    for (unsigned b = 0; !has && n->kind == RT_NODE_CONDITION && b < n->condition.n_bodies; b++)
      has = has_host_nodes(n->condition.bodies[b]);
  }
  return has;
}

// Host nodes, and so the graph, wait for the host's next wait; but whether memory of an earlier
// launch is still there must be known at once.
cudaError_t cudaGraphLaunch(cudaGraphExec_t exec, cudaStream_t handle) {
  rt_context *context;
  cudaError_t error = simt_rt_enter(&context);
  rt_stream *stream = error ? NULL : simt_rt_stream_of(context, handle);
  rt_graph *graph = error ? NULL : simt_rt_graph_find(context, exec, true);
  if (!error && !graph) error = cudaErrorInvalidValue;
  if (!error && !stream) error = cudaErrorInvalidResourceHandle;
  if (!error) error = simt_rt_capture_refuses(stream);
  if (!error && !has_host_nodes(graph) && !simt_rt_queue_is_behind(context, stream)) {
    error = simt_rt_graph_start(context, stream, graph);
  } else if (!error) {
    const rt_item item = {.graph = graph};
    if (simt_rt_graph_has_memory(graph)) error = simt_rt_queue_wait(context, stream);
    if (!error) error = begin_memory(context, graph);
    if (!error) error = simt_rt_queue_add(context, stream, &item);
    if (!error && simt_rt_graph_has_memory(graph)) error = simt_rt_queue_wait(context, stream);
  }
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
  if (!error && (!graph || graph->is_part)) error = cudaErrorInvalidValue;
  if (!error && is_exec) simt_rt_queue_wait_all(context); // its launches that are queued
  if (!error) simt_rt_graph_drop(context, graph);
  return simt_rt_leave(context, error);
}

cudaError_t cudaGraphExecDestroy(cudaGraphExec_t exec) { return destroy(exec, true); }
cudaError_t cudaGraphDestroy(cudaGraph_t graph) { return destroy(graph, false); }
