// SPDX-License-Identifier: MIT
// runtime/stream.c - streams and events as clocks of modelled time.
//
// Work is carried out when it is submitted, but for host functions and what comes after them
// (runtime/queue.h), so most queries of a stream find it finished. What remains of streams is time:
// each has a clock, the end of its latest work. Work starts when its stream is free, not before the
// host could have submitted it (the host waits at synchronisations), and, between the legacy
// default stream and blocking streams, not before the other. The host submits launches while the
// device works: the time this takes counts where it is longer than the work between two events or
// synchronisations. Streams run in parallel without slowing each other down, so modelled times of
// overlapping streams are too short.
#include "runtime/pool.h"
#include "runtime/runtime.h"

#include <stdlib.h>
#include <string.h>

// ---- Clocks.

rt_stream *simt_rt_stream_of(rt_context *context, cudaStream_t handle) {
  if (!handle || handle == cudaStreamLegacy) return &context->on->legacy;
  if (handle == cudaStreamPerThread) return &context->on->per_thread;
  for (rt_stream *s = context->streams; s; s = s->next)
    if (s == handle) return s->is_destroyed ? NULL : s;
  return NULL;
}

bool simt_rt_is_legacy(const rt_stream *stream) { return stream->id == RT_LEGACY_ID; }
bool simt_rt_is_default(const rt_stream *stream) { return stream->id <= RT_PER_THREAD_ID; }

// The time at which new work in `stream` can start.
static double start_time(const rt_context *context, const rt_stream *stream) {
  double ms = stream->clock_ms;
  const rt_device *device = &context->devices[stream->device];
  simt_rt_raise_to(&ms, context->host_clock_ms);
  if (simt_rt_is_legacy(stream)) {
    simt_rt_raise_to(&ms, device->per_thread.clock_ms);
    for (const rt_stream *s = context->streams; s; s = s->next)
      if (s->device == stream->device && !(s->flags & cudaStreamNonBlocking))
        simt_rt_raise_to(&ms, s->clock_ms);
  } else if (!(stream->flags & cudaStreamNonBlocking)) {
    simt_rt_raise_to(&ms, device->legacy.clock_ms);
  }
  return ms;
}

double simt_rt_stream_work(rt_context *context, rt_stream *stream, double ms) {
  stream->clock_ms = start_time(context, stream) + ms;
  context->modelled_ms += ms;
  stream->has_work = true;
  return stream->clock_ms;
}

double simt_rt_stream_launch(rt_context *context, rt_stream *stream, double ms) {
  simt_rt_raise_to(&context->given_ms, context->host_clock_ms);
  context->given_ms += context->device->launch_ns * 1e-6;
  stream->given_ms = context->given_ms;
  return simt_rt_stream_work(context, stream, ms);
}

double simt_rt_stream_settle(rt_context *context, rt_stream *stream) {
  double before = stream->clock_ms;
  simt_rt_raise_to(&stream->clock_ms, start_time(context, stream));
  simt_rt_raise_to(&stream->clock_ms, stream->given_ms);
  if (stream->given_ms > before) context->modelled_ms += stream->given_ms - before;
  return stream->clock_ms;
}

void simt_rt_stream_wait(rt_context *context, rt_stream *stream) {
  simt_rt_raise_to(&context->host_clock_ms, simt_rt_stream_settle(context, stream));
  stream->has_work = false;
}

static void default_streams_reset(rt_context *context) {
  rt_device *on = context->on;
  on->legacy.clock_ms = on->per_thread.clock_ms = 0.0;
  on->legacy.given_ms = on->per_thread.given_ms = 0.0;
  on->legacy.capture = on->per_thread.capture = NULL;
  on->legacy.capture_origin = on->per_thread.capture_origin = false;
}

void simt_rt_stream_drop(rt_context *context, rt_stream *stream) {
  simt_rt_queue_forget_stream(context, stream);
  rt_stream **link = &context->streams;
  while (*link != stream) link = &(*link)->next;
  *link = stream->next;
  simt_rt_frontier_free(&stream->frontier);
  free(stream->frontier_handles);
  free(stream->attributes);
  free(stream->known);
  free(stream);
}

void simt_rt_streams_reset(rt_context *context) {
  for (rt_stream *s = context->streams, *next; s; s = next) {
    next = s->next;
    if (s->device == context->on->ordinal) simt_rt_stream_drop(context, s);
  }
  for (rt_event **link = &context->events; *link;) {
    rt_event *e = *link;
    if (e->device != context->on->ordinal) {
      link = &e->next;
      continue;
    }
    *link = e->next;
    simt_rt_frontier_free(&e->frontier);
    free(e);
  }
  default_streams_reset(context);
  if (context->options.n_devices == 1) context->given_ms = context->host_clock_ms = 0.0;
}

// ---- Streams.

cudaError_t cudaStreamCreateWithPriority(cudaStream_t *stream, unsigned int flags, int priority) {
  rt_context *context;
  cudaError_t error = simt_rt_enter(&context);
  if (!error && (!stream || flags & ~(unsigned)cudaStreamNonBlocking))
    error = cudaErrorInvalidValue;
  rt_stream *created = error ? NULL : calloc(1, sizeof *created);
  if (!error && !created) error = cudaErrorMemoryAllocation;
  if (!error) {
    created->flags = flags;
    created->priority = priority > 0 ? 0 : priority < -5 ? -5 : priority;
    created->device = context->on->ordinal;
    created->id = context->next_stream_id++;
    created->next = context->streams;
    context->streams = created;
    *stream = created;
  }
  return simt_rt_leave(context, error);
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned int flags) {
  return cudaStreamCreateWithPriority(stream, flags, 0);
}

cudaError_t cudaStreamCreate(cudaStream_t *stream) {
  return cudaStreamCreateWithPriority(stream, cudaStreamDefault, 0);
}

// Every call about one stream starts here.
static cudaError_t enter_stream(rt_context **context, rt_stream **stream, cudaStream_t handle) {
  cudaError_t error = simt_rt_enter(context);
  *stream = error ? NULL : simt_rt_stream_of(*context, handle);
  if (!error && !*stream) error = cudaErrorInvalidResourceHandle;
  return error;
}

cudaError_t cudaStreamDestroy(cudaStream_t handle) {
  rt_context *context;
  rt_stream *stream;
  cudaError_t error = enter_stream(&context, &stream, handle);
  if (!error && simt_rt_is_default(stream)) error = cudaErrorInvalidResourceHandle;
  if (!error) {
    simt_rt_capture_lose(context, stream);
    stream->is_destroyed = true;
    if (!simt_rt_queue_keeps(stream)) simt_rt_stream_drop(context, stream);
  }
  return simt_rt_leave(context, error);
}

cudaError_t cudaStreamSynchronize(cudaStream_t handle) {
  rt_context *context;
  rt_stream *stream;
  cudaError_t error = enter_stream(&context, &stream, handle);
  if (!error) error = simt_rt_capture_refuses(stream);
  if (!error) error = simt_rt_capture_forbids(context);
  if (!error) error = simt_rt_queue_wait(context, stream);
  if (error || stream->has_work || simt_rt_is_legacy(stream)) simt_rt_flush_prints(context);
  if (!error) simt_rt_stream_wait(context, stream);
  if (!error) simt_rt_pools_synchronised(context, stream);
  return simt_rt_leave(context, error);
}

cudaError_t cudaStreamQuery(cudaStream_t handle) {
  rt_context *context;
  rt_stream *stream;
  cudaError_t error = enter_stream(&context, &stream, handle);
  if (!error) error = simt_rt_capture_refuses(stream);
  if (!error) error = simt_rt_capture_forbids(context);
  if (!error) error = simt_rt_queue_query(context, stream);
  if (!error) simt_rt_pools_settle(context, stream);
  return simt_rt_leave(context, error);
}

cudaError_t cudaStreamGetPriority(cudaStream_t handle, int *priority) {
  rt_context *context;
  rt_stream *stream;
  cudaError_t error = enter_stream(&context, &stream, handle);
  if (!error && !priority) error = cudaErrorInvalidValue;
  if (!error) *priority = stream->priority;
  return simt_rt_leave(context, error);
}

cudaError_t cudaStreamGetFlags(cudaStream_t handle, unsigned int *flags) {
  rt_context *context;
  rt_stream *stream;
  cudaError_t error = enter_stream(&context, &stream, handle);
  if (!error && !flags) error = cudaErrorInvalidValue;
  if (!error) *flags = stream->flags;
  return simt_rt_leave(context, error);
}

cudaError_t cudaStreamGetId(cudaStream_t handle, unsigned long long *id) {
  rt_context *context;
  rt_stream *stream;
  cudaError_t error = enter_stream(&context, &stream, handle);
  if (!error && !id) error = cudaErrorInvalidValue;
  if (!error) *id = stream->id;
  return simt_rt_leave(context, error);
}

cudaError_t cudaStreamGetDevice(cudaStream_t handle, int *device) {
  rt_context *context;
  rt_stream *stream;
  cudaError_t error = enter_stream(&context, &stream, handle);
  if (!error && !device) error = cudaErrorInvalidValue;
  if (!error) *device = (int)stream->device;
  return simt_rt_leave(context, error);
}

cudaError_t cudaLaunchHostFunc(cudaStream_t handle, cudaHostFn_t function, void *data) {
  rt_context *context;
  rt_stream *stream;
  cudaError_t error = enter_stream(&context, &stream, handle);
  if (!error && !function) error = cudaErrorInvalidValue;
  const rt_node n = {.kind = RT_NODE_HOST, .host_function = function, .host_data = data};
  if (!error)
    error =
        stream->capture ? simt_rt_capture_add(stream, &n) : simt_rt_queue_node(context, stream, &n);
  return simt_rt_leave(context, error);
}

cudaError_t cudaStreamAddCallback(cudaStream_t handle, cudaStreamCallback_t callback, void *data,
                                  unsigned int flags) {
  rt_context *context;
  rt_stream *stream;
  cudaError_t error = enter_stream(&context, &stream, handle);
  if (!error && (!callback || flags)) error = cudaErrorInvalidValue;
  if (!error) error = simt_rt_capture_refuses(stream);
  const rt_item item = {.callback = callback, .handle = handle, .node.host_data = data};
  if (!error) error = simt_rt_queue_add(context, stream, &item);
  return simt_rt_leave(context, error);
}
