// SPDX-License-Identifier: MIT
// core/deadlock.c - the report when the threads of a block wait for each other for ever: which
// threads wait where, and which ones will never arrive.
#include "core/deadlock.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#include "core/access_fault.h"
#include "core/cluster.h"
#include "core/fault.h"
#include "core/splits.h"
#include "core/state.h"

static size_t append(char *out, size_t size, size_t at, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
static size_t append(char *out, size_t size, size_t at, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  int n = at < size ? vsnprintf(out + at, size - at, format, arguments) : 0;
  va_end(arguments);
  return n > 0 ? at + (size_t)n : at;
}

typedef struct group { // threads of a block in one situation
  uint32_t n, first, last;
} group;

static void count(group *g, uint32_t warp, uint32_t lanes) {
  if (!lanes) return;
  uint32_t first = warp * SIMT_LANES + (uint32_t)__builtin_ctz(lanes);
  uint32_t last = warp * SIMT_LANES + 31 - (uint32_t)__builtin_clz(lanes);
  if (!g->n || first < g->first) g->first = first;
  if (!g->n || last > g->last) g->last = last;
  g->n += simt_count_lanes(lanes);
}

typedef struct activity { // of a group: the verb for one thread, for many, and the rest
  const char *one, *many, *rest;
} activity;

static size_t name_group(char *out, size_t size, size_t at, const group *g, uint32_t threads,
                         activity what) {
  if (!g->n) return at;
  const char *one = what.one, *rest = what.rest;
  if (g->n == 1)
    return append(out, size, at, "\n  thread %u of %u %s %s", g->first, threads, one, rest);
  return append(out, size, at, "\n  %u of %u threads (%s%u to %u) %s %s", g->n, threads,
                g->n == g->last - g->first + 1 ? "" : "among ", g->first, g->last, what.many, rest);
}

static const char *describe_wait(const simt_split *s, char *out, size_t size) {
  if (s->state == SIMT_AT_BARRIER)
    snprintf(out, size, s->barrier ? "barrier %u" : "__syncthreads", s->barrier);
  else if (s->state == SIMT_AT_GRID_SYNC) snprintf(out, size, "grid.sync()");
  else if (s->state == SIMT_AT_CLUSTER) snprintf(out, size, "the cluster's barrier");
  else snprintf(out, size, "a warp-wide operation with member mask 0x%08x", s->wait_mask);
  return out;
}

// Lanes of the warp that wait at the same warp-wide operation as `s`.
static uint32_t lanes_at_collective(const simt_warp *w, const simt_split *s) {
  uint32_t there = 0;
  for (uint32_t i = 0; i < w->n_splits; i++)
    if (w->splits[i].state == s->state && w->splits[i].wait_mask == s->wait_mask &&
        w->splits[i].pc == s->pc)
      there |= w->splits[i].mask;
  return there;
}

static uint64_t arrived_at_grid_sync(const simt_core *core) {
  uint64_t n = 0;
  for (uint32_t i = 0; i < core->n_resident; i++) n += core->blocks[i]->at_grid_sync;
  return n;
}

static simt_fault_info wait_facts(const simt_core *core, const simt_block *block,
                                  const simt_warp *w, const simt_split *s) {
  simt_fault_info f = {.faulting_lanes = s->mask};
  if (s->state == SIMT_AT_BARRIER) {
    const simt_barrier *b = &block->barriers[s->barrier];
    f.wait = SIMT_WAIT_BARRIER;
    f.barrier = s->barrier;
    f.expected_threads = b->whole_block ? block->alive : b->expected;
    f.arrived_threads = b->arrived;
  } else if (s->state == SIMT_AT_GRID_SYNC) {
    f.wait = SIMT_WAIT_GRID_SYNC;
    f.expected_threads = core->grid_blocks * core->block_threads;
    f.arrived_threads = arrived_at_grid_sync(core);
  } else if (s->state == SIMT_AT_CLUSTER) {
    f.wait = SIMT_WAIT_CLUSTER;
    f.expected_threads = simt_cluster_living(core, block->cluster);
    f.arrived_threads = block->cluster->arrived;
  } else {
    f.wait = SIMT_WAIT_WARP;
    f.member_mask = s->wait_mask;
    f.faulting_lanes = lanes_at_collective(w, s);
    f.expected_threads = simt_count_lanes(s->wait_mask & w->lanes);
    f.arrived_threads = simt_count_lanes(f.faulting_lanes);
  }
  return f;
}

// ", for threads 32 to 39": the threads that the lanes of a warp-wide operation wait for; "" for
// other waits.
static const char *name_awaited(const simt_warp *w, const simt_split *s, char *out, size_t size) {
  out[0] = '\0';
  if (s->state != SIMT_AT_COLLECTIVE) return out;
  uint32_t there = lanes_at_collective(w, s);
  group g = {0};
  count(&g, w->index, s->wait_mask & w->alive & ~there);
  if (g.n == 1) snprintf(out, size, ", for thread %u", g.first);
  else if (g.n)
    snprintf(out, size, ", for threads %s%u to %u", g.n == g.last - g.first + 1 ? "" : "among ",
             g.first, g.last);
  return out;
}

// Adds "N of M threads (a to b) wait at <barrier>, k.cu:12" for every place where threads wait.
static size_t list_waiting(const simt_core *core, const simt_block *block, char *out, size_t size,
                           size_t at) {
  uint32_t seen[16], n_seen = 0;
  for (uint32_t i = 0; i < block->n_warps; i++) {
    for (uint32_t k = 0; k < block->warps[i].n_splits; k++) {
      const simt_split *s = &block->warps[i].splits[k];
      bool known = s->state == SIMT_READY;
      for (uint32_t j = 0; j < n_seen; j++) known |= seen[j] == s->pc;
      if (known || n_seen == 16) continue;
      seen[n_seen++] = s->pc;
      group g = {0};
      for (uint32_t x = i; x < block->n_warps; x++)
        for (uint32_t y = 0; y < block->warps[x].n_splits; y++)
          if (block->warps[x].splits[y].pc == s->pc && block->warps[x].splits[y].state == s->state)
            count(&g, x, block->warps[x].splits[y].mask);
      const simt_instr *in = &core->kernel->code[s->pc];
      char wait[96], where[256], whom[64], what[480];
      ptx_describe_loc(core->kernel->module->ptx, in->loc, in->ptx_line, where, sizeof where);
      snprintf(what, sizeof what, "at %s, %s%s", describe_wait(s, wait, sizeof wait), where,
               name_awaited(&block->warps[i], s, whom, sizeof whom));
      at = name_group(out, size, at, &g, block->threads, (activity){"waits", "wait", what});
    }
  }
  return at;
}

static size_t list_exited(const simt_block *block, char *out, size_t size, size_t at) {
  group g = {0};
  for (uint32_t i = 0; i < block->n_warps; i++)
    count(&g, i, block->warps[i].lanes & ~block->warps[i].alive);
  return name_group(out, size, at, &g, block->threads,
                    (activity){"has", "have", "left the kernel"});
}

// What keeps grid.sync() from completing: other blocks whose threads have not all arrived.
static size_t list_absent_blocks(const simt_core *core, const simt_block *block, char *out,
                                 size_t size, size_t at) {
  enum { MOST_BLOCKS = 3 };
  uint32_t n_absent = 0;
  for (uint32_t i = 0; i < core->n_resident; i++) {
    const simt_block *b = core->blocks[i];
    if (b == block || b->in_grid_sync) continue;
    if (++n_absent > MOST_BLOCKS) continue;
    at = append(out, size, at, "\n  in block (%u,%u,%u), %u of %u threads are at grid.sync()",
                b->at[0], b->at[1], b->at[2], b->at_grid_sync, b->threads);
    at = list_exited(b, out, size, at);
    at = list_waiting(core, b, out, size, at);
  }
  if (n_absent <= MOST_BLOCKS) return at;
  return append(out, size, at, "\n  and in %u blocks more threads are missing",
                n_absent - MOST_BLOCKS);
}

static uint32_t arrived_at_cluster(const simt_block *block) {
  uint32_t n = 0;
  for (uint32_t i = 0; i < block->n_warps; i++)
    n += simt_count_lanes(block->warps[i].cluster_arrived);
  return n;
}

// What keeps the cluster's barrier from completing: its blocks whose threads have not all arrived.
static size_t list_absent_ranks(const simt_core *core, const simt_block *block, char *out,
                                size_t size, size_t at) {
  enum { MOST_BLOCKS = 3 };
  uint32_t n_absent = 0;
  for (uint32_t rank = 0; rank < core->cluster_blocks; rank++) {
    const simt_block *b = block->cluster->blocks[rank];
    const uint32_t arrived = arrived_at_cluster(b);
    if (b == block || arrived == b->alive || ++n_absent > MOST_BLOCKS) continue;
    at = append(out, size, at,
                "\n  in block (%u,%u,%u), rank %u of the cluster, %u of %u threads have arrived",
                b->at[0], b->at[1], b->at[2], rank, arrived, b->threads);
    at = list_exited(b, out, size, at);
    at = list_waiting(core, b, out, size, at);
  }
  if (n_absent <= MOST_BLOCKS) return at;
  return append(out, size, at, "\n  and in %u blocks more threads are missing",
                n_absent - MOST_BLOCKS);
}

// Of lanes of one warp that wait for each other, those at the place that comes first in the code:
// it is the one that the others have passed by.
static const simt_split *earliest_collective(const simt_warp *w, const simt_split *split) {
  for (uint32_t k = 0; k < w->n_splits; k++)
    if (w->splits[k].state == SIMT_AT_COLLECTIVE && w->splits[k].pc < split->pc)
      split = &w->splits[k];
  return split;
}

// Lanes that wait inside a warp come first: they also keep their block from reaching its barrier.
static void first_waiting(const simt_block *block, const simt_warp **warp,
                          const simt_split **split) {
  for (uint32_t i = 0; i < block->n_warps; i++)
    for (uint32_t k = 0; k < block->warps[i].n_splits; k++) {
      const simt_split *s = &block->warps[i].splits[k];
      bool is_in_warp = s->state == SIMT_AT_COLLECTIVE;
      if (s->state == SIMT_READY || (*split && !is_in_warp)) continue;
      *warp = &block->warps[i];
      *split = is_in_warp ? earliest_collective(*warp, s) : s;
      if (is_in_warp) return;
    }
}

bool simt_fault_deadlock(simt_core *core, const simt_block *block) {
  const simt_warp *w = NULL;
  const simt_split *s = NULL;
  first_waiting(block, &w, &s);
  if (!s)
    return simt_fault(core, &block->warps[0], core->kernel->code, -1, SIMT_DEADLOCK,
                      "the block cannot go on");
  char list[1000], wait[96];
  size_t at = list_waiting(core, block, list, sizeof list, 0);
  at = list_exited(block, list, sizeof list, at);
  if (block->at_grid_sync) at = list_absent_blocks(core, block, list, sizeof list, at);
  if (s->state == SIMT_AT_CLUSTER) at = list_absent_ranks(core, block, list, sizeof list, at);
  if (at == 0) list[0] = '\0';
  simt_fault_info facts = wait_facts(core, block, w, s);
  return simt_fault_with(core, w, &core->kernel->code[s->pc], __builtin_ctz(s->mask), SIMT_DEADLOCK,
                         &facts, "deadlock: not all threads arrive at %s%s",
                         describe_wait(s, wait, sizeof wait), list);
}

// Why a block may wait in vain for another one: some have not started.
static void explain_order(const simt_core *core, char *out, size_t out_bytes) {
  out[0] = '\0';
  if (core->progress.next == core->progress.end) return;
  snprintf(out, out_bytes,
           "\n  (%u blocks are resident, as many as the device holds, and %" PRIu64
           " have not started%s: no block may wait for one of those)",
           core->n_resident, core->progress.end - core->progress.next,
           core->schedule == SIMT_SCHEDULE_REVERSE  ? "; they run in reverse order here"
           : core->schedule == SIMT_SCHEDULE_RANDOM ? "; they run in random order here"
                                                    : "");
}

// The first warp that can run; it only spins, like all others. NULL *split: there is none.
static const simt_warp *first_spinning(const simt_core *core, const simt_split **split) {
  *split = NULL;
  for (uint32_t b = 0; b < core->n_resident; b++)
    for (uint32_t i = 0; i < core->blocks[b]->n_warps && !core->blocks[b]->done; i++) {
      const simt_warp *w = &core->blocks[b]->warps[i];
      int at = simt_split_last_ready(w);
      if (at >= 0) return *split = &w->splits[at], w;
    }
  return &core->blocks[0]->warps[0];
}

bool simt_fault_spinning(simt_core *core) {
  const simt_split *s;
  const simt_warp *w = first_spinning(core, &s);
  char list[900] = "", order[200];
  size_t at = list_waiting(core, w->block, list, sizeof list, 0);
  list_exited(w->block, list, sizeof list, at);
  explain_order(core, order, sizeof order);
  const simt_instr *in = &core->kernel->code[w->spin_pc];
  simt_fault_info facts = {.wait = SIMT_WAIT_MEMORY,
                           .space = simt_space_at(in, w->spin_address),
                           .address = w->spin_address,
                           .faulting_lanes = s ? s->mask : 0};
  return simt_fault_with(core, w, in, s ? __builtin_ctz(s->mask) : -1, SIMT_DEADLOCK, &facts,
                         "deadlock: the thread waits in a loop for memory at 0x%" PRIx64
                         " to change, and no thread that can run will change it%s%s",
                         w->spin_address, list, order);
}
