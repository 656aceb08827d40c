// SPDX-License-Identifier: MIT
// runtime/capture.c - stream capture: which nodes a captured call depends on.
//
// Every captured stream has a frontier: the nodes that the next one depends on. A captured call
// becomes a node that depends on them, and is then the frontier itself. An event keeps a copy of
// the frontier; a stream that waits for the event joins the capture, and its next node depends on
// both frontiers. At the end, the frontiers of all other streams must lead to the first stream's
// frontier; a node that the program itself took out of a frontier need not. A call that is not
// allowed during a capture invalidates it: it records nothing more, and ending it is an error.
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

// ---- What a capture does not allow.

static _Thread_local enum cudaStreamCaptureMode thread_mode; // of cudaThreadExchange...()

static cudaError_t invalidate(rt_graph *graph, cudaError_t error) {
  graph->capture.is_invalid = true;
  return error;
}

cudaError_t simt_rt_capture_refuses(const rt_stream *stream) {
  if (!stream->capture) return cudaSuccess;
  if (stream->capture->capture.is_invalid) return cudaErrorStreamCaptureInvalidated;
  return invalidate(stream->capture, cudaErrorStreamCaptureUnsupported);
}

cudaError_t simt_rt_capture_isolates(const rt_stream *stream) {
  return invalidate(stream->capture, cudaErrorStreamCaptureIsolation);
}

cudaError_t simt_rt_capture_refuses_event(const rt_event *event) {
  return event->capture ? invalidate(event->capture, cudaErrorCapturedEvent) : cudaSuccess;
}

// Whether the call that the calling thread is about to make may disturb the capture.
static bool minds(const rt_capture *c) {
  if (c->mode == cudaStreamCaptureModeRelaxed || thread_mode == cudaStreamCaptureModeRelaxed)
    return false;
  const bool is_own = pthread_equal(c->thread, pthread_self());
  return is_own ||
         (thread_mode == cudaStreamCaptureModeGlobal && c->mode == cudaStreamCaptureModeGlobal);
}

static cudaError_t forbid(rt_context *context, bool always) {
  cudaError_t error = cudaSuccess;
  for (rt_graph *g = context->graphs; g; g = g->next)
    if (g->capture.is_on && (always || minds(&g->capture)))
      error = invalidate(g, cudaErrorStreamCaptureUnsupported);
  return error;
}

cudaError_t simt_rt_capture_forbids(rt_context *context) { return forbid(context, false); }
cudaError_t simt_rt_capture_forbids_waits(rt_context *context) { return forbid(context, true); }

cudaError_t simt_rt_capture_forbids_legacy(rt_context *context, const rt_stream *stream) {
  cudaError_t error = cudaSuccess;
  if (!simt_rt_is_legacy(stream)) return error;
  for (const rt_stream *s = context->streams; s; s = s->next)
    if (s->capture && s->device == stream->device && !(s->flags & cudaStreamNonBlocking))
      error = invalidate(s->capture, cudaErrorStreamCaptureImplicit);
  const rt_stream *own = &context->devices[stream->device].per_thread;
  return own->capture ? invalidate(own->capture, cudaErrorStreamCaptureImplicit) : error;
}

cudaError_t cudaThreadExchangeStreamCaptureMode(enum cudaStreamCaptureMode *mode) {
  rt_context *context;
  cudaError_t error = simt_rt_enter(&context);
  if (!error && (!mode || (unsigned)*mode > cudaStreamCaptureModeRelaxed))
    error = cudaErrorInvalidValue;
  if (!error) {
    const enum cudaStreamCaptureMode before = thread_mode;
    thread_mode = *mode;
    *mode = before;
  }
  return simt_rt_leave(context, error);
}

// ---- What it records.

cudaError_t simt_rt_capture_add(rt_stream *stream, const rt_node *node) {
  rt_graph *graph = stream->capture;
  rt_frontier *f = &stream->frontier;
  const size_t index = graph->n_nodes;
  const rt_frontier own = {.nodes = (size_t *)&index, .n = 1};
  if (graph->capture.is_invalid) return cudaErrorStreamCaptureInvalidated;
  if (!unite(f, &(rt_frontier){.n = 0})) return cudaErrorMemoryAllocation; // room for one
  cudaError_t error = simt_rt_graph_add(graph, node);
  if (error) return error;
  for (size_t i = 0; !error && i < f->n; i++) error = simt_rt_graph_edge(graph, f->nodes[i], index);
  f->n = 0;
  unite(f, &own);
  return error;
}

cudaError_t simt_rt_capture_record(rt_event *event, const rt_stream *stream) {
  if (stream->capture && stream->capture->capture.is_invalid)
    return cudaErrorStreamCaptureInvalidated;
  event->frontier.n = 0;
  event->capture = stream->capture;
  return !stream->capture || unite(&event->frontier, &stream->frontier) ? cudaSuccess
                                                                        : cudaErrorMemoryAllocation;
}

cudaError_t simt_rt_capture_wait(rt_stream *stream, const rt_event *event) {
  if (event->capture->capture.is_invalid) return cudaErrorStreamCaptureInvalidated;
  if (stream->capture && stream->capture != event->capture)
    return invalidate(stream->capture, invalidate(event->capture, cudaErrorStreamCaptureMerge));
  if (!stream->capture) stream->frontier.n = 0;
  if (!unite(&stream->frontier, &event->frontier)) return cudaErrorMemoryAllocation;
  stream->capture = event->capture;
  return cudaSuccess;
}

// leads[i]: whether recorded node i leads to one of the frontier.
static void find_leading(const rt_graph *g, const rt_frontier *f, bool *leads) {
  for (size_t i = g->n_nodes; i-- > g->capture.first_node;) { // edges lead upwards
    leads[i] = holds(f, i);
    for (size_t e = 0; !leads[i] && e < g->n_edges; e++)
      leads[i] = g->edges[e].from == i && leads[g->edges[e].to];
  }
}

static bool all_lead(const rt_stream *s, const rt_graph *g, const bool *leads) {
  if (s->capture != g) return true;
  for (size_t i = 0; i < s->frontier.n; i++) {
    const size_t node = s->frontier.nodes[i];
    if (node >= g->capture.first_node && !leads[node]) return false;
  }
  return true;
}

// Whether the frontiers of all streams of the capture lead to the frontier `f`.
static bool is_joined(rt_context *context, const rt_graph *g, const rt_frontier *f) {
  bool *leads = calloc(g->n_nodes + 1, sizeof *leads);
  bool all = leads != NULL;
  if (leads) find_leading(g, f, leads);
  for (const rt_stream *s = context->streams; all && s; s = s->next) all = all_lead(s, g, leads);
  for (uint32_t d = 0; all && d < context->options.n_devices; d++)
    all = all_lead(&context->devices[d].per_thread, g, leads);
  free(leads);
  return all;
}

static const rt_stream *origin_of(const rt_context *context, const rt_graph *g) {
  for (const rt_stream *s = context->streams; s; s = s->next)
    if (s->capture == g && s->capture_origin) return s;
  for (uint32_t d = 0; d < context->options.n_devices; d++) {
    const rt_stream *s = &context->devices[d].per_thread;
    if (s->capture == g && s->capture_origin) return s;
  }
  return NULL;
}

// ---- Its beginning and end.

static cudaError_t begin(rt_context *context, cudaStream_t handle, enum cudaStreamCaptureMode mode,
                         rt_stream **stream) {
  *stream = simt_rt_stream_of(context, handle);
  if (!*stream) return cudaErrorInvalidResourceHandle;
  if ((unsigned)mode > cudaStreamCaptureModeRelaxed) return cudaErrorInvalidValue;
  if (simt_rt_is_legacy(*stream)) return cudaErrorStreamCaptureUnsupported;
  return (*stream)->capture ? cudaErrorIllegalState : cudaSuccess;
}

static void start(rt_context *context, rt_stream *stream, rt_graph *graph,
                  enum cudaStreamCaptureMode mode, bool is_own) {
  graph->capture = (rt_capture){.is_on = true,
                                .is_own = is_own,
                                .first_node = graph->n_nodes,
                                .mode = mode,
                                .thread = pthread_self(),
                                .id = ++context->next_capture_id};
  stream->capture = graph;
  stream->capture_origin = true;
}

cudaError_t cudaStreamBeginCapture(cudaStream_t handle, enum cudaStreamCaptureMode mode) {
  rt_context *context;
  rt_stream *stream = NULL;
  cudaError_t error = simt_rt_enter(&context);
  if (!error) error = begin(context, handle, mode, &stream);
  rt_graph *graph = error ? NULL : simt_rt_graph_new(context);
  if (!error && !graph) error = cudaErrorMemoryAllocation;
  if (!error) {
    stream->frontier.n = 0;
    start(context, stream, graph, mode, true);
  }
  return simt_rt_leave(context, error);
}

// The frontier is replaced or extended by the nodes that the program names.
static cudaError_t take_nodes(const rt_context *context, rt_stream *stream, const rt_graph *graph,
                              const cudaGraphNode_t *nodes, size_t n, bool keep) {
  size_t *indexes = malloc((n + 1) * sizeof *indexes);
  cudaError_t error = indexes ? cudaSuccess : cudaErrorMemoryAllocation;
  if (!error && n && !nodes) error = cudaErrorInvalidValue;
  for (size_t i = 0; !error && i < n; i++) {
    if (!simt_rt_graph_owns(context, graph, nodes[i])) error = cudaErrorInvalidValue;
    else indexes[i] = nodes[i]->index;
  }
  if (!error && !keep) stream->frontier.n = 0;
  if (!error && !unite(&stream->frontier, &(rt_frontier){indexes, n}))
    error = cudaErrorMemoryAllocation;
  free(indexes);
  return error;
}

// Into an existing graph, after `nodes`. All edges are of the usual kind here.
cudaError_t cudaStreamBeginCaptureToGraph(cudaStream_t handle, cudaGraph_t graph,
                                          const cudaGraphNode_t *nodes,
                                          const cudaGraphEdgeData *data, size_t n,
                                          enum cudaStreamCaptureMode mode) {
  rt_context *context;
  rt_stream *stream = NULL;
  cudaError_t error = simt_rt_enter(&context);
  (void)data;
  if (!error) error = begin(context, handle, mode, &stream);
  rt_graph *to = error ? NULL : simt_rt_graph_find(context, graph, false);
  if (!error && (!to || to->capture.is_on)) error = cudaErrorInvalidValue;
  if (!error) error = take_nodes(context, stream, to, nodes, n, false);
  if (!error) start(context, stream, to, mode, false);
  return simt_rt_leave(context, error);
}

static void leave_capture(rt_stream *s, const rt_graph *graph) {
  if (s->capture != graph) return;
  s->capture = NULL;
  s->capture_origin = false;
  s->frontier.n = 0;
}

static void end_capture_everywhere(rt_context *context, rt_graph *graph) {
  for (rt_stream *s = context->streams; s; s = s->next) leave_capture(s, graph);
  for (uint32_t d = 0; d < context->options.n_devices; d++)
    leave_capture(&context->devices[d].per_thread, graph);
  for (rt_event *e = context->events; e; e = e->next)
    if (e->capture == graph) {
      e->capture = NULL;
      e->recorded = false;
    }
  graph->capture.is_on = false;
}

void simt_rt_graphs_reset(rt_context *context) {
  for (rt_graph *g = context->graphs, *next; g; g = next) {
    next = g->next;
    if (g->device != context->on->ordinal) continue;
    end_capture_everywhere(context, g);
    simt_rt_graph_drop(context, g);
  }
}

// As on an H100: a stream can always be destroyed. With the one where it began a capture ends
// without a graph; with one that has not joined it, it can only fail.
void simt_rt_capture_lose(rt_context *context, rt_stream *stream) {
  rt_graph *g = stream->capture;
  if (!g) return;
  if (stream->capture_origin) {
    const bool is_own = g->capture.is_own;
    end_capture_everywhere(context, g);
    if (is_own) simt_rt_graph_drop(context, g);
    return;
  }
  const rt_stream *origin = origin_of(context, g);
  bool *leads = origin ? calloc(g->n_nodes + 1, sizeof *leads) : NULL;
  if (leads) find_leading(g, &origin->frontier, leads);
  if (!leads || !all_lead(stream, g, leads)) g->capture.lost_a_stream = true;
  free(leads);
  leave_capture(stream, g);
}

static cudaError_t end_capture(rt_context *context, const rt_stream *stream, cudaGraph_t *graph) {
  rt_graph *captured = stream->capture;
  const rt_capture c = captured->capture;
  cudaError_t error = cudaSuccess;
  if (c.is_invalid) error = cudaErrorStreamCaptureInvalidated;
  else if (c.lost_a_stream || !is_joined(context, captured, &stream->frontier))
    error = cudaErrorStreamCaptureUnjoined;
  if (graph) *graph = error ? NULL : captured;
  end_capture_everywhere(context, captured);
  if ((error || !graph) && c.is_own) simt_rt_graph_drop(context, captured);
  return error;
}

cudaError_t cudaStreamEndCapture(cudaStream_t handle, cudaGraph_t *graph) {
  rt_context *context;
  cudaError_t error = simt_rt_enter(&context);
  const rt_stream *stream = error ? NULL : simt_rt_stream_of(context, handle);
  if (!error && !stream) error = cudaErrorInvalidResourceHandle;
  if (!error && !stream->capture) error = cudaErrorIllegalState;
  if (!error && !stream->capture_origin)
    error = invalidate(stream->capture, cudaErrorStreamCaptureUnmatched);
  if (!error && stream->capture->capture.mode != cudaStreamCaptureModeRelaxed &&
      !pthread_equal(stream->capture->capture.thread, pthread_self()))
    error = cudaErrorStreamCaptureWrongThread;
  if (!error) error = end_capture(context, stream, graph);
  return simt_rt_leave(context, error);
}

// ---- Queries.

static bool is_capturing(const rt_context *context) {
  for (const rt_graph *g = context->graphs; g; g = g->next)
    if (g->capture.is_on) return true;
  return false;
}

static cudaError_t status_of(const rt_context *context, const rt_stream *stream,
                             enum cudaStreamCaptureStatus *status) {
  if (simt_rt_is_legacy(stream) && is_capturing(context)) return cudaErrorStreamCaptureImplicit;
  *status = !stream->capture                      ? cudaStreamCaptureStatusNone
            : stream->capture->capture.is_invalid ? cudaStreamCaptureStatusInvalidated
                                                  : cudaStreamCaptureStatusActive;
  return cudaSuccess;
}

cudaError_t cudaStreamIsCapturing(cudaStream_t handle, enum cudaStreamCaptureStatus *status) {
  rt_context *context;
  cudaError_t error = simt_rt_enter(&context);
  const rt_stream *stream = error ? NULL : simt_rt_stream_of(context, handle);
  if (!error && !stream) error = cudaErrorInvalidResourceHandle;
  if (!error && !status) error = cudaErrorInvalidValue;
  if (!error) error = status_of(context, stream, status);
  return simt_rt_leave(context, error);
}

// The handles of the frontier's nodes, which the stream keeps until the next query.
static cudaError_t give_frontier(rt_stream *stream, const cudaGraphNode_t **nodes, size_t *n) {
  const rt_frontier *f = &stream->frontier;
  cudaGraphNode_t *handles = realloc(stream->frontier_handles, (f->n + 1) * sizeof *handles);
  if (!handles) return cudaErrorMemoryAllocation;
  stream->frontier_handles = handles;
  for (size_t i = 0; i < f->n; i++)
    if (!(handles[i] = simt_rt_graph_handle(stream->capture, f->nodes[i])))
      return cudaErrorMemoryAllocation;
  if (nodes) *nodes = handles;
  if (n) *n = f->n;
  return cudaSuccess;
}

cudaError_t cudaStreamGetCaptureInfo(cudaStream_t handle, enum cudaStreamCaptureStatus *status,
                                     unsigned long long *id, cudaGraph_t *graph,
                                     const cudaGraphNode_t **nodes, const cudaGraphEdgeData **data,
                                     size_t *n) {
  rt_context *context;
  cudaError_t error = simt_rt_enter(&context);
  rt_stream *stream = error ? NULL : simt_rt_stream_of(context, handle);
  if (!error && !stream) error = cudaErrorInvalidResourceHandle;
  if (!error && !status) error = cudaErrorInvalidValue;
  if (!error) error = status_of(context, stream, status);
  if (!error && *status == cudaStreamCaptureStatusActive) {
    if (id) *id = stream->capture->capture.id;
    if (graph) *graph = stream->capture;
    if (data) *data = NULL;
    error = give_frontier(stream, nodes, n);
  }
  return simt_rt_leave(context, error);
}

cudaError_t cudaStreamUpdateCaptureDependencies(cudaStream_t handle, cudaGraphNode_t *nodes,
                                                const cudaGraphEdgeData *data, size_t n,
                                                unsigned int flags) {
  rt_context *context;
  cudaError_t error = simt_rt_enter(&context);
  rt_stream *stream = error ? NULL : simt_rt_stream_of(context, handle);
  (void)data;
  if (!error && !stream) error = cudaErrorInvalidResourceHandle;
  if (!error && flags > cudaStreamSetCaptureDependencies) error = cudaErrorInvalidValue;
  if (!error && !stream->capture) error = cudaErrorIllegalState;
  if (!error)
    error = take_nodes(context, stream, stream->capture, nodes, n,
                       flags == cudaStreamAddCaptureDependencies);
  return simt_rt_leave(context, error);
}
