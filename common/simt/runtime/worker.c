// SPDX-License-Identifier: MIT
// runtime/worker.c - the thread that calls host functions, and how long it lets them wait.
//
// On a GPU a host function is called by another thread some time after the call that enqueued it
// has returned, and what the program prints right after that call comes first. Here it waits until
// the program waits or asks; but a program may also watch a variable that the function sets. So
// the worker begins by itself when the program has computed for 20 ms, or for a quarter of a
// second has neither computed nor called CUDA, or has made thousands of calls. Time spent in calls,
// where kernels are interpreted, does not count.
#define _POSIX_C_SOURCE 200809L

#include <signal.h>
#include <time.h>

#include "runtime/runtime.h"

static const double PATIENCE_CPU_S = 0.02, PATIENCE_WALL_S = 0.25, LOOK_S = 0.005;
enum { PATIENCE_CALLS = 4096 };

// ---- Time.

static double seconds(clockid_t clock) {
  struct timespec t = {0};
  clock_gettime(clock, &t);
  return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static rt_time now(void) {
  return (rt_time){seconds(CLOCK_PROCESS_CPUTIME_ID), seconds(CLOCK_MONOTONIC)};
}

static rt_time less(rt_time a, rt_time b) { return (rt_time){a.cpu - b.cpu, a.wall - b.wall}; }

void simt_rt_queue_moved(rt_context *context) {
  rt_queues *q = &context->queues;
  q->since = q->entry = now();
  q->inside = (rt_time){0};
  q->n_calls = 0;
}

void simt_rt_queue_entered(rt_context *context) {
  context->queues.entry = now();
  context->queues.n_calls++;
}

void simt_rt_queue_left(rt_context *context) {
  rt_queues *q = &context->queues;
  const rt_time spent = less(now(), q->entry);
  q->inside = (rt_time){q->inside.cpu + spent.cpu, q->inside.wall + spent.wall};
}

static bool is_out_of_patience(const rt_context *context) {
  const rt_queues *q = &context->queues;
  const rt_time outside = less(less(now(), q->since), q->inside);
  return outside.cpu > PATIENCE_CPU_S || outside.wall > PATIENCE_WALL_S ||
         q->n_calls > PATIENCE_CALLS;
}

// ---- Host functions.

static _Thread_local bool is_inside;

bool simt_rt_in_host_function(void) { return is_inside; }

void simt_rt_call_host(rt_context *context, cudaHostFn_t function, void *data) {
  const uint32_t current = context->on->ordinal;
  simt_rt_flush_prints(context); // of kernels before it
  pthread_mutex_unlock(&context->lock);
  is_inside = true;
  function(data);
  is_inside = false;
  pthread_mutex_lock(&context->lock);
  simt_rt_switch(context, current);
}

// ---- The thread.

static void look_again(rt_context *context) {
  const struct timespec until = simt_rt_in_seconds(LOOK_S);
  pthread_cond_timedwait(&context->queues.work, &context->lock, &until);
}

static void *work(void *data) {
  rt_context *context = data;
  pthread_mutex_lock(&context->lock);
  for (;;) {
    rt_stream *stream = simt_rt_queue_next(context);
    if (stream) simt_rt_queue_run(context, stream);
    else if (!context->queues.n_pending) pthread_cond_wait(&context->queues.work, &context->lock);
    else if (is_out_of_patience(context)) simt_rt_queue_want_all(context);
    else look_again(context);
  }
  return NULL;
}

// Signals are for the program's own threads.
cudaError_t simt_rt_worker_start(rt_context *context) {
  pthread_t thread;
  sigset_t all, before;
  if (context->queues.has_worker || context->queues.is_alone) return cudaSuccess;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  const int failed = pthread_create(&thread, NULL, work, context);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  context->queues.is_alone = failed;
  if (failed) return cudaSuccess; // as in a page: the program's own thread does it when it waits
  pthread_detach(thread);
  context->queues.has_worker = true;
  return cudaSuccess;
}
