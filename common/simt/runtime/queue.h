// SPDX-License-Identifier: MIT
// runtime/queue.h - streams, events, and work that waits behind host functions: what the files of
// the runtime share.
//
// All work is carried out when it is submitted, but for host functions (cudaLaunchHostFunc(),
// cudaStreamAddCallback(), host nodes of graphs) and what comes after them: these wait in a queue
// of their stream. One thread of the runtime's own, the worker, takes them from there, when the
// program waits for them, asks about them a second time, or has let them wait for too long.
#ifndef SIMT_RUNTIME_QUEUE_H
#define SIMT_RUNTIME_QUEUE_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include "include/cuda_runtime_api.h"
#include "runtime/nodes.h"

typedef struct rt_context rt_context;
typedef struct CUstream_st rt_stream;
typedef struct CUevent_st rt_event;

// The order of submission: every item has a ticket, and waits only for those with smaller ones.
typedef unsigned long long rt_ticket;

typedef struct rt_item rt_item;
struct rt_item { // one operation that has been queued
  rt_item *next;
  rt_ticket ticket;
  rt_node node;                  // owned
  cudaStreamCallback_t callback; // instead of a node
  cudaStream_t handle;           // of the stream, as the program gave it
  rt_graph *graph;               // instead of a node: an executable graph, launched
  const rt_stream *after_stream; // with `after`: also waits for that stream, up to there
  rt_ticket after;
};

// ---- Streams and events.
// The captured nodes that the next one of a stream will depend on; an event keeps a copy.
typedef struct rt_frontier {
  size_t *nodes; // [n] indexes in the graph
  size_t n;
} rt_frontier;
// The numbers of the two default streams, on every device; those of others follow. As on an H100.
enum { RT_LEGACY_ID = 7, RT_PER_THREAD_ID = 13 };
typedef struct rt_known { // of another stream's frees in pools: which it comes after
  unsigned long long stream, ticket;
} rt_known;
struct CUstream_st {
  rt_stream *next;
  uint32_t device;
  unsigned flags;
  int priority;
  unsigned long long id;
  double clock_ms;   // modelled end of its latest work
  double given_ms;   // modelled time at which the host submitted its latest launch
  rt_graph *capture; // recording into this graph, or NULL
  rt_frontier frontier;
  struct rt_attributes *attributes;  // runtime/attributes.c; NULL: as they are at first
  cudaGraphNode_t *frontier_handles; // what cudaStreamGetCaptureInfo() gave last
  bool capture_origin;
  rt_item *first;    // what is queued
  rt_ticket wanted;  // up to where it is to be carried out
  bool is_destroyed; // by the program, with work left
  bool has_work;     // since the host has waited for it last
  rt_known *known;   // [n_known]
  size_t n_known;
};

static inline void simt_rt_raise_to(double *clock_ms, double ms) {
  if (*clock_ms < ms) *clock_ms = ms;
}

struct CUevent_st {
  rt_event *next;
  uint32_t device;
  unsigned flags;
  bool recorded;
  double time_ms;
  const rt_stream *stream; // queued to be recorded there; NULL: no longer
  rt_ticket ticket;
  rt_graph *capture; // recorded while this capture was going on
  rt_frontier frontier;
  rt_known frees; // of pools that the stream had done when it was recorded
};

// ---- The queues.
typedef struct rt_time { // seconds
  double cpu, wall;
} rt_time;

typedef struct rt_queues {
  pthread_cond_t work;  // the worker may have something to do
  pthread_cond_t moved; // an item has been carried out
  rt_ticket ticket;     // of the item that was queued last
  size_t n_pending;
  bool has_worker, is_alone;    // is_alone: no thread could be started; who waits does the work
  bool call_noted;              // a host function has called CUDA: said once
  rt_time since, inside, entry; // since the queues last moved; of that, in calls; of this call
  unsigned n_calls;             // since then
} rt_queues;

// A call has begun or is about to end while something is pending.
void simt_rt_queue_entered(rt_context *context);
void simt_rt_queue_left(rt_context *context);
// Whether the calling thread is inside a host function, which must not call CUDA.
bool simt_rt_in_host_function(void);
// Calls it without the lock, which is held before and after.
void simt_rt_call_host(rt_context *context, cudaHostFn_t function, void *data);

// Whether work submitted to the stream now must be queued: something it comes after is pending.
bool simt_rt_queue_is_behind(rt_context *context, const rt_stream *stream);
// Appends an item; what its node owns is the queue's from now on, also on failure.
cudaError_t simt_rt_queue_add(rt_context *context, rt_stream *stream, const rt_item *item);
cudaError_t simt_rt_queue_node(rt_context *context, rt_stream *stream, const rt_node *node);

// The host waits. The lock is released meanwhile, so that allocations and the like may move. The
// result is the device fault that stands afterwards.
cudaError_t simt_rt_queue_wait(rt_context *context, const rt_stream *stream); // up to now
cudaError_t simt_rt_queue_wait_event(rt_context *context, const rt_event *event);
cudaError_t simt_rt_queue_wait_device(rt_context *context); // the current one
cudaError_t simt_rt_queue_wait_all(rt_context *context);
// At the end of the process: false when a host function does not return.
bool simt_rt_queue_end(rt_context *context);
// The host asks, and does not wait: cudaErrorNotReady while something is pending.
cudaError_t simt_rt_queue_query(rt_context *context, const rt_stream *stream);
cudaError_t simt_rt_queue_query_event(rt_context *context, const rt_event *event);
bool simt_rt_queue_holds(const rt_event *event); // its record is pending
void simt_rt_queue_forget_stream(rt_context *context, const rt_stream *stream);
void simt_rt_queue_forget_event(rt_context *context, const rt_event *event);
// The program has destroyed the stream: true if it lives on until its queue is empty.
bool simt_rt_queue_keeps(const rt_stream *stream);

// runtime/worker.c
cudaError_t simt_rt_worker_start(rt_context *context);
// Items up to a ticket are to be carried out, with those that they come after.
void simt_rt_queue_want(rt_stream *stream, rt_ticket up_to);
void simt_rt_queue_want_all(rt_context *context);
// The next item that is wanted: that of the returned stream; NULL: none.
rt_stream *simt_rt_queue_next(rt_context *context);
void simt_rt_queue_run(rt_context *context, rt_stream *stream);
void simt_rt_queue_moved(rt_context *context); // patience begins anew
// That moment, for waits on `work` and `moved`.
struct timespec simt_rt_in_seconds(double seconds);

#endif
