// SPDX-License-Identifier: MIT
// runtime/graph.c - graphs by stream capture: what is submitted while a stream captures is recorded
// in order and carried out by each cudaGraphLaunch, arguments as they were when recorded.
//
// Recorded order is a valid order of any fork and join of streams, so the graph is a list.
// Not modelled: that a graph's launches cost less than launches one by one. Not supported (a link
// error): building graphs node by node, updating instantiated graphs.
#include "runtime/runtime.h"

#include <stdlib.h>
#include <string.h>

struct CUgraph_st {
  rt_graph *next;
  rt_node *nodes; // [n_nodes]; launch parameters owned
  size_t n_nodes, capacity;
  bool is_exec; // an instantiated copy: what cudaGraphExec_t points to
};

static void free_graph(rt_graph *graph) {
  for (size_t i = 0; i < graph->n_nodes; i++) free(graph->nodes[i].launch.params);
  free(graph->nodes);
  free(graph);
}

static rt_graph *new_graph(rt_context *context) {
  rt_graph *graph = calloc(1, sizeof *graph);
  if (!graph) return NULL;
  graph->next = context->graphs;
  context->graphs = graph;
  return graph;
}

static rt_graph *find_graph(const rt_context *context, const void *handle, bool is_exec) {
  for (rt_graph *g = context->graphs; g; g = g->next)
    if ((const void *)g == handle && g->is_exec == is_exec) return g;
  return NULL;
}

static void drop_graph(rt_context *context, rt_graph *graph) {
  rt_graph **link = &context->graphs;
  while (*link != graph) link = &(*link)->next;
  *link = graph->next;
  free_graph(graph);
}

void simt_rt_graphs_reset(rt_context *context) {
  while (context->graphs) drop_graph(context, context->graphs);
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

// ---- Capture.

cudaError_t cudaStreamBeginCapture(cudaStream_t handle, enum cudaStreamCaptureMode mode) {
  rt_context *context;
  cudaError_t error = simt_rt_enter(&context);
  rt_stream *stream = error ? NULL : simt_rt_stream_of(context, handle);
  if (!error && !stream) error = cudaErrorInvalidResourceHandle;
  if (!error && (unsigned)mode > cudaStreamCaptureModeRelaxed) error = cudaErrorInvalidValue;
  if (!error && stream == &context->legacy) error = cudaErrorStreamCaptureUnsupported;
  if (!error && stream->capture) error = cudaErrorIllegalState;
  if (!error && !(stream->capture = new_graph(context))) error = cudaErrorMemoryAllocation;
  if (!error) {
    stream->capture_origin = true;
    context->n_capturing++;
  }
  return simt_rt_leave(context, error);
}

static void end_capture_everywhere(rt_context *context, const rt_graph *graph) {
  for (rt_stream *s = context->streams; s; s = s->next)
    if (s->capture == graph) s->capture = NULL;
  if (context->per_thread.capture == graph) context->per_thread.capture = NULL;
  for (rt_event *e = context->events; e; e = e->next)
    if (e->capture == graph) {
      e->capture = NULL;
      e->recorded = false;
    }
}

cudaError_t cudaStreamEndCapture(cudaStream_t handle, cudaGraph_t *graph) {
  rt_context *context;
  cudaError_t error = simt_rt_enter(&context);
  rt_stream *stream = error ? NULL : simt_rt_stream_of(context, handle);
  if (!error && !stream) error = cudaErrorInvalidResourceHandle;
  if (!error && !graph) error = cudaErrorInvalidValue;
  if (!error && !stream->capture) error = cudaErrorIllegalState;
  if (!error && !stream->capture_origin) error = cudaErrorStreamCaptureUnmatched;
  if (!error) {
    *graph = stream->capture;
    stream->capture_origin = false;
    context->n_capturing--;
    end_capture_everywhere(context, *graph);
  }
  return simt_rt_leave(context, error);
}

cudaError_t cudaStreamIsCapturing(cudaStream_t handle, enum cudaStreamCaptureStatus *status) {
  rt_context *context;
  cudaError_t error = simt_rt_enter(&context);
  rt_stream *stream = error ? NULL : simt_rt_stream_of(context, handle);
  if (!error && !stream) error = cudaErrorInvalidResourceHandle;
  if (!error && !status) error = cudaErrorInvalidValue;
  if (!error && stream == &context->legacy && context->n_capturing)
    error = cudaErrorStreamCaptureImplicit;
  if (!error)
    *status = stream->capture ? cudaStreamCaptureStatusActive : cudaStreamCaptureStatusNone;
  return simt_rt_leave(context, error);
}

// ---- Graphs.

static cudaError_t copy_nodes(rt_graph *to, const rt_graph *from) {
  for (size_t i = 0; i < from->n_nodes; i++) {
    rt_node n = from->nodes[i];
    if (n.kind == RT_NODE_LAUNCH) {
      simt_kernel_info info;
      simt_kernel_describe(n.launch.kernel->kernel, &info);
      n.launch.params = malloc((size_t)info.param_bytes + 1);
      if (!n.launch.params) return cudaErrorMemoryAllocation;
      memcpy(n.launch.params, from->nodes[i].launch.params, info.param_bytes);
    }
    cudaError_t error = simt_rt_graph_add(to, &n);
    if (error) {
      free(n.launch.params);
      return error;
    }
  }
  return cudaSuccess;
}

cudaError_t cudaGraphInstantiate(cudaGraphExec_t *exec, cudaGraph_t graph,
                                 unsigned long long flags) {
  rt_context *context;
  cudaError_t error = simt_rt_enter(&context);
  if (!error && (!exec || flags > 15)) error = cudaErrorInvalidValue;
  if (!error && !find_graph(context, graph, false)) error = cudaErrorInvalidValue;
  rt_graph *copy = error ? NULL : new_graph(context);
  if (!error && !copy) error = cudaErrorMemoryAllocation;
  if (!error) {
    copy->is_exec = true;
    error = copy_nodes(copy, graph);
    if (error) drop_graph(context, copy);
    else *exec = (cudaGraphExec_t)(void *)copy;
  }
  return simt_rt_leave(context, error);
}

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
  }
  return cudaErrorUnknown;
}

cudaError_t cudaGraphLaunch(cudaGraphExec_t exec, cudaStream_t handle) {
  rt_context *context;
  cudaError_t error = simt_rt_enter(&context);
  rt_stream *stream = error ? NULL : simt_rt_stream_of(context, handle);
  rt_graph *graph = error ? NULL : find_graph(context, exec, true);
  if (!error && !graph) error = cudaErrorInvalidValue;
  if (!error && !stream) error = cudaErrorInvalidResourceHandle;
  if (!error && stream->capture) {
    error = copy_nodes(stream->capture, graph); // a graph within a graph: its nodes
  } else if (!error) {
    for (size_t i = 0; !error && !context->fault && i < graph->n_nodes; i++)
      error = run_node(context, stream, &graph->nodes[i]);
  }
  return simt_rt_leave(context, error);
}

cudaError_t cudaGraphUpload(cudaGraphExec_t exec, cudaStream_t handle) {
  rt_context *context;
  cudaError_t error = simt_rt_enter(&context);
  if (!error && !find_graph(context, exec, true)) error = cudaErrorInvalidValue;
  if (!error && !simt_rt_stream_of(context, handle)) error = cudaErrorInvalidResourceHandle;
  return simt_rt_leave(context, error);
}

// With nodes NULL: only their number. Node handles can only be counted here.
cudaError_t cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t *nodes, size_t *n_nodes) {
  rt_context *context;
  cudaError_t error = simt_rt_enter(&context);
  if (!error && (!n_nodes || !find_graph(context, graph, false))) error = cudaErrorInvalidValue;
  if (!error && nodes) {
    simt_rt_note(context,
                 "cudaGraphGetNodes: only the number of nodes is supported (nodes = NULL)");
    error = cudaErrorNotSupported;
  }
  if (!error) *n_nodes = graph->n_nodes;
  return simt_rt_leave(context, error);
}

static cudaError_t destroy(const void *handle, bool is_exec) {
  rt_context *context;
  cudaError_t error = simt_rt_enter(&context);
  rt_graph *graph = error ? NULL : find_graph(context, handle, is_exec);
  if (!error && !graph) error = cudaErrorInvalidValue;
  if (!error) drop_graph(context, graph);
  return simt_rt_leave(context, error);
}

cudaError_t cudaGraphExecDestroy(cudaGraphExec_t exec) { return destroy(exec, true); }
cudaError_t cudaGraphDestroy(cudaGraph_t graph) { return destroy(graph, false); }
