// SPDX-License-Identifier: MIT
// runtime/queue.c - queues of streams: host functions and the work behind them (runtime/queue.h).
//
// Invariants: an item waits for items with smaller tickets only, so the smallest ticket of those
// that are wanted can always be carried out; an item leaves its queue after it has been carried
// out. Not modelled: two host functions at the same time (CUDA says that they may be serialised).
#define _POSIX_C_SOURCE 200809L

#include "runtime/queue.h"

#include <stdlib.h>
#include <time.h>

#include "runtime/graphs.h"

// ---- All streams of all devices.

// The one after `s`; NULL: the first one, or there are no more.
static rt_stream *next_stream(rt_context *context, const rt_stream *s) {
  if (!s) return &context->devices[0].legacy;
  rt_device *device = &context->devices[s->device];
  if (s == &device->legacy) return &device->per_thread;
  if (s != &device->per_thread) return s->next;
  if (s->device + 1 == context->options.n_devices) return context->streams;
  return &context->devices[s->device + 1].legacy;
}

// The legacy default stream and a blocking one: each waits for what the other was given before.
static bool joins(const rt_stream *a, const rt_stream *b) {
  if (a == b || a->device != b->device || simt_rt_is_legacy(a) == simt_rt_is_legacy(b))
    return false;
  return !((simt_rt_is_legacy(a) ? b : a)->flags & cudaStreamNonBlocking);
}

static bool reached(const rt_stream *s, rt_ticket ticket) {
  return !s->first || s->first->ticket > ticket;
}

// Whether everything that `stream` comes after has been carried out.
static bool is_clear(rt_context *context, const rt_stream *stream, rt_ticket ticket) {
  if (!context->queues.n_pending) return true;
  for (rt_stream *s = NULL; (s = next_stream(context, s));)
    if ((s == stream || joins(s, stream)) && !reached(s, ticket)) return false;
  return true;
}

bool simt_rt_queue_is_behind(rt_context *context, const rt_stream *stream) {
  return !is_clear(context, stream, context->queues.ticket);
}

bool simt_rt_queue_holds(const rt_event *event) {
  return event->stream && !reached(event->stream, event->ticket);
}

bool simt_rt_queue_keeps(const rt_stream *stream) { return stream->first != NULL; }

// ---- What comes in.

cudaError_t simt_rt_queue_add(rt_context *context, rt_stream *stream, const rt_item *item) {
  rt_item *copy = malloc(sizeof *copy);
  cudaError_t error = copy ? simt_rt_worker_start(context) : cudaErrorMemoryAllocation;
  if (error) {
    rt_node node = item->node;
    simt_rt_node_free(context, &node);
    free(copy);
    return error;
  }
  *copy = *item;
  copy->next = NULL;
  copy->ticket = ++context->queues.ticket;
  rt_item **end = &stream->first;
  while (*end) end = &(*end)->next;
  *end = copy;
  if (!context->queues.n_pending++) simt_rt_queue_moved(context);
  pthread_cond_signal(&context->queues.work);
  return cudaSuccess;
}

cudaError_t simt_rt_queue_node(rt_context *context, rt_stream *stream, const rt_node *node) {
  const rt_item item = {.node = *node};
  return simt_rt_queue_add(context, stream, &item);
}

void simt_rt_queue_forget_event(rt_context *context, const rt_event *event) {
  for (rt_stream *s = NULL; context->queues.n_pending && (s = next_stream(context, s));)
    for (rt_item *i = s->first; i; i = i->next)
      if (i->node.event == event) i->node.event = NULL;
}

// ---- What goes out.

void simt_rt_queue_want(rt_stream *stream, rt_ticket up_to) {
  if (stream->wanted < up_to) stream->wanted = up_to;
}

void simt_rt_queue_want_all(rt_context *context) {
  for (rt_stream *s = NULL; (s = next_stream(context, s));)
    simt_rt_queue_want(s, context->queues.ticket);
}

static bool is_wanted(const rt_stream *s) { return s->first && s->first->ticket <= s->wanted; }

// What the first item of `s` waits for in `other` is wanted too. Whether that is something new.
static bool wants_of(const rt_stream *s, rt_stream *other) {
  rt_ticket up_to = joins(s, other) ? s->first->ticket - 1 : 0;
  if (s->first->after_stream == other && up_to < s->first->after) up_to = s->first->after;
  if (reached(other, up_to) || other->wanted >= up_to) return false;
  simt_rt_queue_want(other, up_to);
  return true;
}

static bool spread(rt_context *context) {
  bool is_new = false;
  for (rt_stream *s = NULL; (s = next_stream(context, s));)
    for (rt_stream *other = NULL; is_wanted(s) && (other = next_stream(context, other));)
      is_new |= wants_of(s, other);
  return is_new;
}

rt_stream *simt_rt_queue_next(rt_context *context) {
  rt_stream *best = NULL;
  if (!context->queues.n_pending) return NULL;
  while (spread(context)) continue;
  for (rt_stream *s = NULL; (s = next_stream(context, s));)
    if (is_wanted(s) && (!best || s->first->ticket < best->first->ticket)) best = s;
  return best;
}

// No call can return the error of work that was queued: it sticks to the device, as a fault does.
static void fail(rt_context *context, cudaError_t error) {
  if (!error || context->on->fault) return;
  context->on->fault = error;
  context->on->fault_unheard = true;
}

static cudaError_t fault_of(const rt_context *context) {
  for (uint32_t d = 0; d < context->options.n_devices; d++)
    if (context->devices[d].fault) return context->devices[d].fault;
  return cudaSuccess;
}

typedef struct stream_call {
  const rt_item *item;
  cudaError_t status;
} stream_call;

static void call_back(void *data) {
  const stream_call *c = data;
  c->item->callback(c->item->handle, c->status, c->item->node.host_data);
}

// After a device fault callbacks get its error; nothing else is carried out.
static void carry_out(rt_context *context, rt_stream *stream, const rt_item *item) {
  const cudaError_t fault = fault_of(context);
  const rt_node *n = &item->node;
  if (item->callback) {
    simt_rt_stream_launch(context, stream, simt_host_function_ms());
    simt_rt_call_host(context, call_back, &(stream_call){item, fault});
  } else if (fault) {
    return;
  } else if (item->graph) {
    fail(context, simt_rt_graph_start(context, stream, item->graph));
  } else if (n->kind == RT_NODE_RECORD || n->kind == RT_NODE_WAIT) {
    simt_rt_node_run(context, stream, n); // the event may be gone
  } else {
    fail(context, simt_rt_node_run(context, stream, n));
  }
}

void simt_rt_queue_forget_stream(rt_context *context, const rt_stream *stream) {
  for (rt_event *e = context->events; e; e = e->next)
    if (e->stream == stream) e->stream = NULL;
  for (rt_stream *s = NULL; (s = next_stream(context, s));)
    for (rt_item *i = s->first; i; i = i->next)
      if (i->after_stream == stream) i->after_stream = NULL;
}

void simt_rt_queue_run(rt_context *context, rt_stream *stream) {
  rt_item *item = stream->first;
  simt_rt_switch(context, stream->device);
  carry_out(context, stream, item);
  stream->first = item->next;
  simt_rt_node_free(context, &item->node);
  free(item);
  context->queues.n_pending--;
  simt_rt_queue_moved(context);
  if (!stream->first && stream->is_destroyed) simt_rt_stream_drop(context, stream);
  pthread_cond_broadcast(&context->queues.moved);
}

// ---- The host waits and asks.

typedef struct rt_wait {   // for one of these, up to a ticket
  const rt_stream *stream; // and those that join it
  const rt_event *event;
  const rt_device *device; // all its streams; NULL: every stream
  rt_ticket ticket;
} rt_wait;

static bool concerns(const rt_wait *w, const rt_stream *s) {
  if (w->stream) return s == w->stream || joins(s, w->stream);
  return !w->device || s->device == w->device->ordinal;
}

static bool is_over(rt_context *context, const rt_wait *w) {
  if (w->event) return !simt_rt_queue_holds(w->event);
  for (rt_stream *s = NULL; context->queues.n_pending && (s = next_stream(context, s));)
    if (concerns(w, s) && !reached(s, w->ticket)) return false;
  return true;
}

// Asks for what is waited for. Whether all of it had been asked for before.
static bool ask(rt_context *context, const rt_wait *w) {
  bool is_known = true;
  for (rt_stream *s = NULL; (s = next_stream(context, s));) {
    const bool is_meant = w->event ? s == w->event->stream : concerns(w, s);
    const rt_ticket up_to = w->event ? w->event->ticket : w->ticket;
    if (!is_meant || reached(s, up_to)) continue;
    is_known &= s->wanted >= up_to;
    simt_rt_queue_want(s, up_to);
  }
  pthread_cond_signal(&context->queues.work);
  return is_known;
}

struct timespec simt_rt_in_seconds(double seconds) {
  struct timespec t;
  clock_gettime(CLOCK_REALTIME, &t);
  const long ns = t.tv_nsec + (long)(seconds * 1e9);
  return (struct timespec){t.tv_sec + ns / 1000000000, ns % 1000000000};
}

// Where no thread could be started. False: nothing can be done now.
static bool do_one(rt_context *context) {
  rt_stream *stream = simt_rt_in_host_function() ? NULL : simt_rt_queue_next(context);
  if (stream) simt_rt_queue_run(context, stream);
  return stream != NULL;
}

// False: it took longer than that (0: no limit).
static bool wait_for(rt_context *context, const rt_wait *w, double seconds) {
  const uint32_t current = context->on->ordinal;
  const struct timespec end = simt_rt_in_seconds(seconds);
  bool is_late = false;
  while (!is_late && !is_over(context, w)) {
    ask(context, w);
    if (context->queues.is_alone) is_late = !do_one(context);
    else if (seconds == 0.0) pthread_cond_wait(&context->queues.moved, &context->lock);
    else is_late = pthread_cond_timedwait(&context->queues.moved, &context->lock, &end) != 0;
  }
  simt_rt_switch(context, current);
  return is_over(context, w);
}

static cudaError_t wait_long(rt_context *context, rt_wait w) {
  if (simt_rt_in_host_function()) return cudaErrorNotPermitted; // it would wait for itself
  if (!context->queues.n_pending) return simt_rt_notice_fault(context);
  w.ticket = context->queues.ticket;
  wait_for(context, &w, 0.0);
  return simt_rt_notice_fault(context);
}

cudaError_t simt_rt_queue_wait(rt_context *context, const rt_stream *stream) {
  return wait_long(context, (rt_wait){.stream = stream});
}
cudaError_t simt_rt_queue_wait_event(rt_context *context, const rt_event *event) {
  return wait_long(context, (rt_wait){.event = event});
}
cudaError_t simt_rt_queue_wait_device(rt_context *context) {
  return wait_long(context, (rt_wait){.device = context->on});
}
cudaError_t simt_rt_queue_wait_all(rt_context *context) {
  return wait_long(context, (rt_wait){.device = NULL});
}

enum { LONGEST_END_S = 10 };

bool simt_rt_queue_end(rt_context *context) {
  return !context->queues.n_pending ||
         wait_for(context, &(rt_wait){.ticket = context->queues.ticket}, LONGEST_END_S);
}

// The first question finds the work not ready, always, and sets the worker to it; later ones give
// it time, so that a host function that only does its work is found ready by the second.
static cudaError_t query(rt_context *context, rt_wait w) {
  w.ticket = context->queues.ticket;
  if (is_over(context, &w)) return simt_rt_notice_fault(context);
  if (!ask(context, &w)) return cudaErrorNotReady;
  return wait_for(context, &w, 0.1) ? simt_rt_notice_fault(context) : cudaErrorNotReady;
}

cudaError_t simt_rt_queue_query(rt_context *context, const rt_stream *stream) {
  return query(context, (rt_wait){.stream = stream});
}
cudaError_t simt_rt_queue_query_event(rt_context *context, const rt_event *event) {
  return query(context, (rt_wait){.event = event});
}
