// SPDX-License-Identifier: MIT
// runtime/event.c - events: recorded in streams, waited for, and the modelled time between two.
#include "runtime/pool.h"
#include "runtime/runtime.h"

#include <stdlib.h>

static rt_event *find_event(const rt_context *context, cudaEvent_t handle) {
  for (rt_event *e = context->events; e; e = e->next)
    if (e == handle) return e;
  return NULL;
}

static cudaError_t enter_event(rt_context **context, rt_event **event, cudaEvent_t handle) {
  cudaError_t error = simt_rt_enter(context);
  *event = error ? NULL : find_event(*context, handle);
  if (!error && !*event) error = cudaErrorInvalidResourceHandle;
  return error;
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned int flags) {
  rt_context *context;
  cudaError_t error = simt_rt_enter(&context);
  if (!error && (!event || flags > 7)) error = cudaErrorInvalidValue; // the flags are bits 0 to 2
  const unsigned shared = flags & (cudaEventInterprocess | cudaEventDisableTiming);
  if (!error && shared == cudaEventInterprocess) error = cudaErrorInvalidValue; // it has no time
  rt_event *created = error ? NULL : calloc(1, sizeof *created);
  if (!error && !created) error = cudaErrorMemoryAllocation;
  if (!error) {
    created->flags = flags;
    created->device = context->on->ordinal;
    created->next = context->events;
    context->events = created;
    *event = created;
  }
  return simt_rt_leave(context, error);
}

cudaError_t cudaEventCreate(cudaEvent_t *event) {
  return cudaEventCreateWithFlags(event, cudaEventDefault);
}

static void note_record(const rt_context *context, rt_event *event, const rt_stream *stream) {
  event->frees = (rt_known){stream->id, context->n_freed};
}

// The stream comes after the event: it may have what was freed before it.
static void note_wait(rt_stream *stream, const rt_event *event) {
  size_t i = 0;
  while (i < stream->n_known && stream->known[i].stream != event->frees.stream) i++;
  if (i == stream->n_known) {
    rt_known *grown = realloc(stream->known, (i + 1) * sizeof *grown);
    if (!grown) return;
    stream->known = grown;
    stream->n_known++;
  }
  stream->known[i] = event->frees;
}

cudaError_t simt_rt_event_record(rt_context *context, cudaEvent_t handle, rt_stream *stream) {
  rt_event *event = find_event(context, handle);
  if (!event) return cudaErrorInvalidResourceHandle;
  note_record(context, event, stream);
  event->recorded = true;
  event->time_ms = simt_rt_stream_settle(context, stream);
  return cudaSuccess;
}

cudaError_t simt_rt_event_wait(rt_context *context, cudaEvent_t handle, rt_stream *stream) {
  const rt_event *event = find_event(context, handle);
  if (!event) return cudaErrorInvalidResourceHandle;
  if (event->recorded)
    simt_rt_raise_to(&stream->clock_ms, simt_rt_signal_ms(context, event, stream));
  return cudaSuccess;
}

static cudaError_t queue_record(rt_context *context, rt_event *event, rt_stream *stream) {
  const rt_node n = {.kind = RT_NODE_RECORD, .event = event};
  const cudaError_t error = simt_rt_queue_node(context, stream, &n);
  event->stream = error ? NULL : stream;
  event->ticket = context->queues.ticket;
  return error;
}

cudaError_t cudaEventRecordWithFlags(cudaEvent_t handle, cudaStream_t stream_handle,
                                     unsigned int flags) {
  rt_context *context;
  rt_event *event;
  cudaError_t error = enter_event(&context, &event, handle);
  rt_stream *stream = error ? NULL : simt_rt_stream_of(context, stream_handle);
  if (!error && !stream) error = cudaErrorInvalidResourceHandle;
  if (!error && stream->device != event->device) error = cudaErrorInvalidResourceHandle;
  if (!error && flags & ~(unsigned)cudaEventRecordExternal) error = cudaErrorInvalidValue;
  if (!error && flags && !stream->capture) error = cudaErrorIllegalState;
  if (!error && stream->capture && flags & cudaEventRecordExternal) {
    error = simt_rt_capture_add(stream, &(rt_node){.kind = RT_NODE_RECORD, .event = event});
  } else if (!error) {
    error = simt_rt_capture_record(event, stream);
    if (!error) event->recorded = true;
    note_record(context, event, stream);
    event->stream = NULL;
    if (!stream->capture && simt_rt_queue_is_behind(context, stream))
      error = queue_record(context, event, stream);
    else if (!stream->capture) event->time_ms = simt_rt_stream_settle(context, stream);
  }
  return simt_rt_leave(context, error);
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
  return cudaEventRecordWithFlags(event, stream, cudaEventRecordDefault);
}

cudaError_t cudaStreamWaitEvent(cudaStream_t handle, cudaEvent_t event_handle, unsigned int flags) {
  rt_context *context;
  rt_event *event;
  cudaError_t error = enter_event(&context, &event, event_handle);
  rt_stream *stream = error ? NULL : simt_rt_stream_of(context, handle);
  if (!error && !stream) error = cudaErrorInvalidResourceHandle;
  if (!error && flags & ~(unsigned)cudaEventWaitExternal) error = cudaErrorInvalidValue;
  if (!error && event->recorded && !stream->capture) note_wait(stream, event);
  if (!error && stream->capture && flags & cudaEventWaitExternal) {
    error = simt_rt_capture_add(stream, &(rt_node){.kind = RT_NODE_WAIT, .event = event});
  } else if (!error && event->capture) {
    error = simt_rt_capture_wait(stream, event);
  } else if (!error && stream->capture && event->recorded) {
    error = simt_rt_capture_isolates(stream);
  } else if (!error && simt_rt_queue_holds(event)) {
    const rt_item item = {.node = {.kind = RT_NODE_WAIT, .event = event},
                          .after_stream = event->stream,
                          .after = event->ticket};
    error = simt_rt_queue_add(context, stream, &item);
  } else if (!error && event->recorded) {
    simt_rt_raise_to(&stream->clock_ms, simt_rt_signal_ms(context, event, stream));
  }
  return simt_rt_leave(context, error);
}

cudaError_t cudaEventQuery(cudaEvent_t handle) {
  rt_context *context;
  rt_event *event;
  cudaError_t error = enter_event(&context, &event, handle);
  if (!error) error = simt_rt_capture_refuses_event(event);
  if (!error) error = simt_rt_capture_forbids(context);
  if (!error) error = simt_rt_queue_query_event(context, event);
  return simt_rt_leave(context, error);
}

// Where it was recorded; a stream that is gone has no work left.
static const rt_stream *stream_of(const rt_context *context, const rt_event *event) {
  const rt_device *d = &context->devices[event->device];
  for (const rt_stream *s = context->streams; s; s = s->next)
    if (s->id == event->frees.stream) return s;
  return d->per_thread.id == event->frees.stream ? &d->per_thread : &d->legacy;
}

cudaError_t cudaEventSynchronize(cudaEvent_t handle) {
  rt_context *context;
  rt_event *event;
  cudaError_t error = enter_event(&context, &event, handle);
  if (!error) error = simt_rt_capture_refuses_event(event);
  if (!error) error = simt_rt_capture_forbids(context);
  if (!error) error = simt_rt_queue_wait_event(context, event);
  simt_rt_flush_prints(context);
  if (!error) simt_rt_raise_to(&context->host_clock_ms, event->time_ms);
  if (!error) simt_rt_pools_synchronised(context, stream_of(context, event));
  return simt_rt_leave(context, error);
}

cudaError_t cudaEventElapsedTime(float *ms, cudaEvent_t start, cudaEvent_t end) {
  rt_context *context;
  rt_event *first, *last;
  cudaError_t error = enter_event(&context, &first, start);
  last = error ? NULL : find_event(context, end);
  if (!error && !last) error = cudaErrorInvalidResourceHandle;
  if (!error && !ms) error = cudaErrorInvalidValue;
  if (!error && (first->capture || last->capture)) error = cudaErrorCapturedEvent;
  if (!error && (first->device != last->device || !first->recorded || !last->recorded ||
                 (first->flags | last->flags) & cudaEventDisableTiming))
    error = cudaErrorInvalidResourceHandle;
  if (!error && (simt_rt_queue_holds(first) || simt_rt_queue_holds(last)))
    error = cudaErrorNotReady;
  if (!error) *ms = (float)(last->time_ms - first->time_ms);
  return simt_rt_leave(context, error);
}

cudaError_t cudaEventDestroy(cudaEvent_t handle) {
  rt_context *context;
  rt_event *event;
  cudaError_t error = enter_event(&context, &event, handle);
  if (!error) {
    rt_event **link = &context->events;
    while (*link != event) link = &(*link)->next;
    *link = event->next;
    simt_rt_queue_forget_event(context, event);
    simt_rt_frontier_free(&event->frontier);
    free(event);
  }
  return simt_rt_leave(context, error);
}
