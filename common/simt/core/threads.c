// SPDX-License-Identifier: MIT
// core/threads.c - the blocks of one launch on several host threads, each with a core and observers
// of its own and a contiguous range of blocks. core/speculate.c sees to it that nobody can tell.
#include "core/threads.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/grid.h"
#include "core/state.h"

// Below this many threads in the grid, starting host threads costs more than it gains.
static const uint64_t WORTH_SPLITTING_THREADS = 1 << 15;

typedef struct worker {
  simt_core core;
  pthread_t thread;
  bool started, ok;
  uint64_t first, end;
  simt_diag diag; // a fault here is never shown: the blocks run again in order
  simt_observer *observers[8];
} worker;

static void *work(void *data) {
  worker *w = data;
  w->ok = simt_core_set_up(&w->core, 1) == SIMT_OK;
  if (w->ok) {
    simt_core_begin(&w->core, w->first, w->end);
    w->ok = simt_core_advance(&w->core) == SIMT_DONE;
  }
  if (!w->ok) simt_speculation_break(w->core.speculation);
  return NULL;
}

static bool can_fork(const simt_core *core) {
  if (core->n_observers > 8) return false;
  for (uint32_t i = 0; i < core->n_observers; i++) {
    const simt_observer *o = core->observers[i];
    if (!o->fork || !o->join || !o->discard) return false;
  }
  return true;
}

static uint32_t choose_threads(const simt_core *core, uint64_t n_blocks) {
  if (core->kernel->order_matters || core->launch->cooperative || !can_fork(core) ||
      core->schedule != SIMT_SCHEDULE_LOCKSTEP)
    return 1;
  if (n_blocks * core->block_threads < WORTH_SPLITTING_THREADS) return 1;
  long online = core->launch->n_host_threads ? (long)core->launch->n_host_threads
                                             : sysconf(_SC_NPROCESSORS_ONLN);
  if (online > SIMT_MAX_HOST_THREADS) online = SIMT_MAX_HOST_THREADS;
  if ((uint64_t)online > n_blocks) online = (long)n_blocks;
  return online < 1 ? 1 : (uint32_t)online;
}

static bool prepare(worker *w, const simt_core *core, simt_speculation *speculation,
                    uint32_t number, uint32_t n, uint64_t n_blocks) {
  w->core = *core;
  w->core.observers = w->observers;
  w->core.diag = &w->diag;
  w->core.speculation = speculation;
  w->core.thread = number;
  memset(&w->core.arena, 0, sizeof w->core.arena);
  w->first = n_blocks * number / n;
  w->end = n_blocks * (number + 1) / n;
  for (uint32_t i = 0; i < core->n_observers; i++)
    if (!(w->observers[i] = core->observers[i]->fork(core->observers[i], n))) return false;
  return true;
}

static void run_all(worker *workers, uint32_t n) {
  for (uint32_t i = 1; i < n; i++)
    workers[i].started = pthread_create(&workers[i].thread, NULL, work, &workers[i]) == 0;
  work(&workers[0]);
  for (uint32_t i = 1; i < n; i++) {
    if (workers[i].started) pthread_join(workers[i].thread, NULL);
    else work(&workers[i]);
  }
}

static void add_profile(simt_core *core, const simt_core *from) {
  for (uint32_t i = 0; i < core->kernel->n_blocks; i++) {
    core->profile.entries[i] += from->profile.entries[i];
    core->profile.lanes[i] += from->profile.lanes[i];
  }
}

static void finish(simt_core *core, worker *w, bool held) {
  for (uint32_t i = 0; i < core->n_observers; i++) {
    if (!w->observers[i]) continue;
    if (held) core->observers[i]->join(core->observers[i], w->observers[i]);
    else core->observers[i]->discard(w->observers[i]);
  }
  if (held) add_profile(core, &w->core);
  simt_arena_free(&w->core.arena);
}

bool simt_run_on_threads(simt_core *core, uint64_t n_blocks) {
  uint32_t n = choose_threads(core, n_blocks);
  if (n < 2) return false;
  simt_speculation *speculation = simt_speculation_begin(n);
  worker *workers = speculation ? calloc(n, sizeof *workers) : NULL;
  bool ready = workers != NULL;
  for (uint32_t i = 0; i < n && ready; i++)
    ready = prepare(&workers[i], core, speculation, i, n, n_blocks);
  if (ready) run_all(workers, n);
  else if (speculation) simt_speculation_break(speculation);
  bool held = speculation && simt_speculation_end(speculation);
  for (uint32_t i = 0; i < n && workers; i++) finish(core, &workers[i], held);
  free(workers);
  return held;
}
