// SPDX-License-Identifier: MIT
// runtime/capture.c - stream capture: which nodes a captured call depends on.
//
// Every captured stream has a frontier: the nodes that the next one depends on. A call becomes a
// node behind them, and then is the frontier. An event takes the frontier along; a stream that
// waits for it joins the capture, and depends on both. At the end all that other streams have
// captured must lead to the first stream's frontier.
#include <stdlib.h>
#include <string.h>

#include "runtime/graphs.h"

void simt_rt_frontier_free(rt_frontier *frontier) {
  free(frontier->nodes);
  *frontier = (rt_frontier){.nodes = NULL};
}

static bool holds(const rt_frontier *f, size_t node) {
  for (size_t i = 0; i < f->n; i++)
    if (f->nodes[i] == node) return true;
  return false;
}

// Adds the nodes of `from` that `to` does not have.
static bool unite(rt_frontier *to, const rt_frontier *from) {
  size_t *nodes = realloc(to->nodes, (to->n + from->n + 1) * sizeof *nodes);
  if (!nodes) return false;
  to->nodes = nodes;
  for (size_t i = 0; i < from->n; i++)
    if (!holds(to, from->nodes[i])) to->nodes[to->n++] = from->nodes[i];
  return true;
}

cudaError_t simt_rt_capture_add(rt_stream *stream, const rt_node *node) {
  rt_graph *graph = stream->capture;
  rt_frontier *f = &stream->frontier;
  const size_t index = graph->n_nodes;
  const rt_frontier own = {.nodes = (size_t *)&index, .n = 1};
  if (!unite(f, &(rt_frontier){.n = 0})) return cudaErrorMemoryAllocation; // room for one
  cudaError_t error = simt_rt_graph_add(graph, node);
  if (error) return error;
  for (size_t i = 0; !error && i < f->n; i++) error = simt_rt_graph_edge(graph, f->nodes[i], index);
  f->n = 0;
  unite(f, &own);
  return error;
}

cudaError_t simt_rt_capture_record(rt_event *event, const rt_stream *stream) {
  event->frontier.n = 0;
  event->capture = stream->capture;
  return !stream->capture || unite(&event->frontier, &stream->frontier) ? cudaSuccess
                                                                        : cudaErrorMemoryAllocation;
}

cudaError_t simt_rt_capture_wait(rt_stream *stream, const rt_event *event) {
  if (stream->capture && stream->capture != event->capture) return cudaErrorStreamCaptureMerge;
  if (!stream->capture) stream->frontier.n = 0;
  if (!unite(&stream->frontier, &event->frontier)) return cudaErrorMemoryAllocation;
  stream->capture = event->capture;
  return cudaSuccess;
}

// Whether every node of the graph leads to one of the frontier.
static bool is_joined(const rt_graph *g, const rt_frontier *f) {
  bool *leads = calloc(g->n_nodes + 1, sizeof *leads);
  bool all = leads != NULL;
  for (size_t i = g->n_nodes; leads && i-- > 0;) { // edges lead from lower to higher indexes
    leads[i] = holds(f, i);
    for (size_t e = 0; !leads[i] && e < g->n_edges; e++)
      leads[i] = g->edges[e].from == i && leads[g->edges[e].to];
    all = all && leads[i];
  }
  free(leads);
  return all;
}

cudaError_t cudaStreamBeginCapture(cudaStream_t handle, enum cudaStreamCaptureMode mode) {
  rt_context *context;
  cudaError_t error = simt_rt_enter(&context);
  rt_stream *stream = error ? NULL : simt_rt_stream_of(context, handle);
  if (!error && !stream) error = cudaErrorInvalidResourceHandle;
  if (!error && (unsigned)mode > cudaStreamCaptureModeRelaxed) error = cudaErrorInvalidValue;
  if (!error && simt_rt_is_legacy(stream)) error = cudaErrorStreamCaptureUnsupported;
  if (!error && stream->capture) error = cudaErrorIllegalState;
  if (!error && !(stream->capture = simt_rt_graph_new(context))) error = cudaErrorMemoryAllocation;
  if (!error) {
    stream->frontier.n = 0;
    stream->capture_origin = true;
    context->n_capturing++;
  }
  return simt_rt_leave(context, error);
}

static void end_capture_everywhere(rt_context *context, const rt_graph *graph) {
  for (rt_stream *s = context->streams; s; s = s->next)
    if (s->capture == graph) {
      s->capture = NULL;
      s->frontier.n = 0;
    }
  for (uint32_t d = 0; d < context->options.n_devices; d++)
    if (context->devices[d].per_thread.capture == graph)
      context->devices[d].per_thread.capture = NULL;
  for (rt_event *e = context->events; e; e = e->next)
    if (e->capture == graph) {
      e->capture = NULL;
      e->recorded = false;
    }
}

void simt_rt_graphs_reset(rt_context *context) {
  for (rt_graph *g = context->graphs, *next; g; g = next) {
    next = g->next;
    if (g->device != context->on->ordinal) continue;
    end_capture_everywhere(context, g);
    simt_rt_graph_drop(context, g);
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
    rt_graph *captured = stream->capture;
    const bool joined = is_joined(captured, &stream->frontier);
    *graph = joined ? captured : NULL;
    stream->capture_origin = false;
    context->n_capturing--;
    end_capture_everywhere(context, captured);
    if (!joined) simt_rt_graph_drop(context, captured);
    if (!joined) error = cudaErrorStreamCaptureUnjoined;
  }
  return simt_rt_leave(context, error);
}

cudaError_t cudaStreamIsCapturing(cudaStream_t handle, enum cudaStreamCaptureStatus *status) {
  rt_context *context;
  cudaError_t error = simt_rt_enter(&context);
  rt_stream *stream = error ? NULL : simt_rt_stream_of(context, handle);
  if (!error && !stream) error = cudaErrorInvalidResourceHandle;
  if (!error && !status) error = cudaErrorInvalidValue;
  if (!error && simt_rt_is_legacy(stream) && context->n_capturing)
    error = cudaErrorStreamCaptureImplicit;
  if (!error)
    *status = stream->capture ? cudaStreamCaptureStatusActive : cudaStreamCaptureStatusNone;
  return simt_rt_leave(context, error);
}
