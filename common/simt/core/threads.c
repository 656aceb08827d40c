// SPDX-License-Identifier: MIT
// core/threads.c - the blocks of one launch on several host threads, each with a core and observers
// of its own and a contiguous range of blocks. core/speculate.c ensures that results are the same
// as when running in order.
#include "core/threads.h"

#include <stdlib.h>
#include <string.h>

#include "core/footprint.h"
#include "core/grid.h"
#include "core/state.h"

// Below this many threads in the grid, starting host threads costs more than it gains.
static const uint64_t WORTH_SPLITTING_THREADS = 1 << 15;
enum { MOST_OBSERVERS = 8 }; // of a launch that is split

typedef struct worker {
  simt_core core;
  bool ok;
  uint64_t first, end;
  simt_diag diag; // a fault here is never shown: the blocks run again in order
  simt_observer *observers[MOST_OBSERVERS];
} worker;

static void work(void *workers, uint32_t index) {
  worker *w = (worker *)workers + index;
  w->ok = simt_core_set_up(&w->core, 1) == SIMT_OK;
  if (w->ok) {
    simt_core_begin(&w->core, w->first, w->end);
    w->ok = simt_core_advance(&w->core) == SIMT_DONE;
  }
  if (!w->ok) simt_speculation_break(w->core.speculation);
}

static bool can_fork(const simt_core *core) {
  if (core->n_observers > MOST_OBSERVERS) return false;
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
  const simt_platform *platform = simt_memory_platform(core->memory);
  if (!platform->run) return 1;
  uint32_t n = core->launch->n_host_threads ? core->launch->n_host_threads
                                            : platform->n_processors(platform->data);
  if (n > SIMT_MAX_HOST_THREADS) n = SIMT_MAX_HOST_THREADS;
  return n > n_blocks ? (uint32_t)n_blocks : n;
}

// A failed attempt costs more than it can gain, and a kernel that works in place fails every time.
// After the nth failure in a row the next 2^n - 1 launches run in order, so that a kernel whose
// arguments change is tried again.
static bool is_skipped(simt_thread_attempts *attempts) {
  return attempts->n_skip && attempts->n_skip--;
}

static void note_attempt(simt_thread_attempts *attempts, bool held) {
  enum { MOST_SKIPPED_LOG2 = 8 };
  if (held) attempts->n_broken = 0;
  else if (attempts->n_broken < MOST_SKIPPED_LOG2) attempts->n_broken++;
  attempts->n_skip = held ? 0 : (1u << attempts->n_broken) - 1;
}

static bool prepare(worker *w, const simt_core *core, simt_speculation *speculation,
                    uint32_t number, uint32_t n, uint64_t first, uint64_t end) {
  w->core = *core;
  w->core.observers = w->observers;
  w->core.diag = &w->diag;
  w->core.speculation = speculation;
  w->core.thread = number;
  memset(&w->core.arena, 0, sizeof w->core.arena);
  w->first = first + (end - first) * number / n;
  w->end = first + (end - first) * (number + 1) / n;
  for (uint32_t i = 0; i < core->n_observers; i++)
    if (!(w->observers[i] = core->observers[i]->fork(core->observers[i], n))) return false;
  return true;
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

// A single thread notes it at its first store.
static void note_change(const simt_touched *touched, void *memory) {
  if (touched->is_written) simt_memory_change(memory, touched->address, 1);
}

bool simt_run_on_threads(simt_core *core, uint64_t first, uint64_t end) {
  uint32_t n = choose_threads(core, end - first);
  if (n < 2 || is_skipped(core->kernel->attempts)) return false;
  const simt_platform *platform = simt_memory_platform(core->memory);
  simt_speculation *speculation = simt_speculation_begin(n, platform);
  worker *workers = speculation ? calloc(n, sizeof *workers) : NULL;
  bool ready = workers != NULL;
  for (uint32_t i = 0; i < n && ready; i++)
    ready = prepare(&workers[i], core, speculation, i, n, first, end);
  if (ready) platform->run(platform->data, n, work, workers);
  else if (speculation) simt_speculation_break(speculation);
  bool held = speculation && simt_speculation_settle(speculation);
  note_attempt(core->kernel->attempts, held);
  if (speculation) simt_speculation_each(speculation, note_change, core->heap);
  if (held) simt_footprint_take(core, speculation);
  simt_speculation_free(speculation);
  for (uint32_t i = 0; i < n && workers; i++) finish(core, &workers[i], held);
  free(workers);
  return held;
}
