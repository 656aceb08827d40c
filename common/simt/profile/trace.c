// SPDX-License-Identifier: MIT
// profile/trace.c - see profile/trace.h.
#include "profile/trace.h"

#include <stdlib.h>
#include <string.h>

#include "profile/request.h"
#include "profile/sm_memory.h"
#include "profile/transactions.h"

enum {
  MOST_WORDS = 1 << 15,  // of one warp's trace
  FULLY_TRACED_GRID = 2, // blocks per SM, up to which all are traced
  TRACED_WAVES = 6,      // of a larger grid, of one SM's blocks
  LEAST_TRACED = 6,
  MOST_TRACED = 96,
  EXACT_WARPS = 1 << 13,   // in a grid whose lines are all sampled
  MOST_TOUCHES = 1 << 17,  // that are kept while a launch runs
  LEAST_TOUCHES = 1 << 14, // of these, at its end
  LIVE_BLOCKS = 64,        // traced blocks that run at the same time
  NOT_TRACED = 0
};

typedef struct trace_observer trace_observer;
struct trace_observer {
  simt_observer hooks; // first: a simt_observer * is a trace_observer *
  // Of earlier launches, kept with their memory: fresh pages of the system cost more than the
  // trace.
  trace_observer *spares;
  trace_observer *next_spare;
  simt_trace trace;
  const simt_model_device *device;
  const simt_launch_info *info;
  bool exact;
  uint32_t stride, n_traced;       // blocks 0, stride, 2 stride, ... are traced
  uint32_t live[LIVE_BLOCKS];      // index in trace.blocks + 1 of blocks that run, by hash
  uint32_t current, current_index; // the block that accessed last; its index + 1 or NOT_TRACED
};

// ---- one traced block --------------------------------------------------------------------------

static bool is_traced(const trace_observer *self, uint32_t block) {
  return block % self->stride == 0 && block / self->stride < self->n_traced;
}

static simt_block_trace *find_block(trace_observer *self, uint32_t block) {
  uint32_t at = self->live[block / self->stride % LIVE_BLOCKS];
  if (at && self->trace.blocks[at - 1].block == block) return &self->trace.blocks[at - 1];
  for (size_t i = self->trace.n_blocks; i-- > 0;)
    if (self->trace.blocks[i].block == block) return &self->trace.blocks[i];
  return NULL;
}

// The trace of the block that accesses now, or NULL.
static simt_block_trace *current_block(trace_observer *self, uint32_t block) {
  if (block != self->current) {
    simt_block_trace *b = is_traced(self, block) ? find_block(self, block) : NULL;
    self->current = block;
    self->current_index = b ? (uint32_t)(b - self->trace.blocks) + 1 : NOT_TRACED;
  }
  return self->current_index == NOT_TRACED ? NULL : &self->trace.blocks[self->current_index - 1];
}

// Room for so many words behind those that are there; NULL: the trace is cut.
static uint64_t *reserve_words(trace_observer *self, simt_block_trace *b, uint32_t warp,
                               uint32_t n) {
  simt_warp_trace *w = &b->warps[warp];
  uint32_t needed = w->n_words + n;
  if (b->is_cut || (needed > MOST_WORDS && !self->exact)) return b->is_cut = true, NULL;
  if (needed > w->room) {
    uint32_t room = w->room ? 2 * w->room : 64;
    while (room < needed) room *= 2;
    uint64_t *words = realloc(w->words, room * sizeof *words);
    if (!words) return b->is_cut = self->trace.lost = true, NULL;
    w->words = words;
    w->room = room;
  }
  return &w->words[w->n_words];
}

static bool append(trace_observer *self, simt_block_trace *b, uint32_t warp,
                   const simt_entry *entry, const uint64_t *lines) {
  uint64_t *words = reserve_words(self, b, warp, 1u + entry->n_lines);
  if (!words) return false;
  _Static_assert(sizeof *entry == sizeof *words, "an entry is a word");
  memcpy(words, entry, sizeof *entry);
  if (lines) memcpy(words + 1, lines, entry->n_lines * sizeof *lines);
  b->warps[warp].last = b->warps[warp].n_words;
  b->warps[warp].n_words += 1u + entry->n_lines;
  return true;
}

static void on_enter(simt_observer *observer, uint32_t block, uint32_t warp, uint32_t code_block) {
  trace_observer *self = (trace_observer *)observer;
  simt_block_trace *b = current_block(self, block);
  simt_entry entry = {.pc = code_block, .kind = SIMT_ENTRY_BLOCK};
  if (b && append(self, b, warp, &entry, NULL))
    b->recorded += self->info->code_blocks[code_block].n_instrs;
}

static void on_match(simt_observer *observer, uint32_t pc, uint32_t block, uint32_t warp,
                     uint32_t n_values) {
  trace_observer *self = (trace_observer *)observer;
  simt_block_trace *b = current_block(self, block);
  simt_entry entry = {.pc = pc, .kind = SIMT_ENTRY_MATCH, .passes = (uint8_t)n_values};
  if (b) append(self, b, warp, &entry, NULL);
}

static bool wants_entries(simt_observer *observer, uint32_t block) {
  return is_traced((trace_observer *)observer, block);
}

static void on_block_begin(simt_observer *observer, uint32_t block) {
  trace_observer *self = (trace_observer *)observer;
  simt_trace *t = &self->trace;
  self->current = UINT32_MAX;
  if (!is_traced(self, block)) return;
  if (t->n_blocks == t->room) {
    size_t room = t->room ? 2 * t->room : 16;
    simt_block_trace *blocks = realloc(t->blocks, room * sizeof *blocks);
    if (!blocks) {
      t->lost = true;
      return;
    }
    t->blocks = blocks;
    t->room = room;
  }
  simt_block_trace new = {.block = block, .warps = calloc(t->warps_per_block, sizeof *new.warps)};
  if (!new.warps) {
    t->lost = true;
    return;
  }
  t->blocks[t->n_blocks++] = new;
  self->live[block / self->stride % LIVE_BLOCKS] = (uint32_t)t->n_blocks;
}

static void on_block_cost(simt_observer *observer, uint32_t block, uint64_t instructions) {
  trace_observer *self = (trace_observer *)observer;
  simt_block_trace *b = is_traced(self, block) ? find_block(self, block) : NULL;
  if (b) b->instructions = instructions;
  if (block < self->trace.n_costs) self->trace.cost[block] = (float)instructions;
}

// ---- accesses ----------------------------------------------------------------------------------

// Integer lanes at one word whose results are not used are added up in one pass; others wait.
static unsigned shared_passes(const simt_access *a, bool is_unread) {
  if (a->kind != SIMT_ATOMIC) return simt_access_wavefronts(a);
  if (!a->is_float && is_unread) return simt_count_wavefronts(a->address, a->mask, a->width_bytes);
  if (a->pattern == SIMT_PATTERN_UNIFORM) return simt_count_lanes(a->mask);
  return simt_count_atomic_passes(a->address, a->mask);
}

static uint8_t kind_of(const simt_access *a) {
  bool shared = a->space == PTX_SPACE_SHARED;
  if (a->kind == SIMT_ATOMIC) return shared ? SIMT_ENTRY_SHARED_ATOMIC : SIMT_ENTRY_ATOMIC;
  if (a->kind == SIMT_LOAD) return shared ? SIMT_ENTRY_SHARED_LOAD : SIMT_ENTRY_LOAD;
  return shared ? SIMT_ENTRY_SHARED_STORE : SIMT_ENTRY_STORE;
}

static uint8_t flags_of(const trace_observer *self, const simt_access *a) {
  const simt_instr *in = simt_code_at(self->info, a->pc);
  uint8_t flags = 0;
  if (a->is_volatile || a->kind == SIMT_ATOMIC) flags |= SIMT_ENTRY_BYPASSES_L1;
  if (a->is_float) flags |= SIMT_ENTRY_IS_FLOAT;
  if (a->pattern == SIMT_PATTERN_UNIFORM) flags |= SIMT_ENTRY_UNIFORM;
  if (a->space == PTX_SPACE_LOCAL) flags |= SIMT_ENTRY_IS_LOCAL;
  if (a->kind == SIMT_ATOMIC && (a->discards_result || (in && in->memory.is_unread)))
    flags |= SIMT_ENTRY_UNREAD;
  return flags;
}

// The entry of the same instruction, of lanes that reach another block's shared memory; or NULL.
static simt_entry *same_access(const simt_block_trace *b, const simt_access *a) {
  const simt_warp_trace *w = &b->warps[a->warp];
  simt_entry *e = w->n_words ? (simt_entry *)(void *)&w->words[w->last] : NULL;
  return e && e->pc == a->pc && e->kind == kind_of(a) ? e : NULL;
}

// An access to another block's shared memory. One instruction is one entry, however many blocks its
// lanes reach; of lanes that reach their own nothing is kept then.
static __attribute__((noinline)) void record_remote(trace_observer *self, simt_block_trace *b,
                                                    const simt_access *a) {
  struct {
    simt_entry entry;
    uint64_t lines[SIMT_MOST_LINES];
  } new = {.entry = {.pc = a->pc, .kind = kind_of(a), .flags = flags_of(self, a)}};
  new.entry.flags |= SIMT_ENTRY_IS_REMOTE;
  new.entry.n_lines = (uint8_t)simt_access_lines(a, new.lines);
  if (a->kind == SIMT_STORE)
    new.entry.passes = (uint8_t)simt_count_store_packets(a->address, a->mask, a->width_bytes);
  if (a->kind == SIMT_ATOMIC)
    new.entry.passes = (uint8_t)simt_count_atomic_packets(a->address, a->mask);
  double cycles = simt_network_cycles(self->device, self->info->cluster_blocks, &new.entry);
  simt_block_trace *owner = find_block(self, a->owner - 1);
  b->sent += cycles;
  if (owner) owner->received += cycles;
  simt_entry *same = same_access(b, a);
  if (!same) {
    append(self, b, a->warp, &new.entry, new.lines);
    return;
  }
  if (!(same->flags & SIMT_ENTRY_IS_REMOTE)) same->passes = 0;
  if (same->n_lines + new.entry.n_lines > UINT8_MAX) return;
  uint64_t *words = reserve_words(self, b, a->warp, new.entry.n_lines);
  if (!words) return;
  same = same_access(b, a); // it may have moved
  same->flags |= SIMT_ENTRY_IS_REMOTE;
  same->passes = (uint8_t)(same->passes + new.entry.passes);
  same->n_lines = (uint8_t)(same->n_lines + new.entry.n_lines);
  memcpy(words, new.lines, new.entry.n_lines * sizeof *words);
  b->warps[a->warp].n_words += new.entry.n_lines;
}

static void record_shared(trace_observer *self, simt_block_trace *b, const simt_access *a) {
  if (a->owner) {
    record_remote(self, b, a);
    return;
  }
  const simt_entry *same = same_access(b, a);
  if (same && same->flags & SIMT_ENTRY_IS_REMOTE) return;
  simt_entry entry = {.pc = a->pc, .kind = kind_of(a), .flags = flags_of(self, a)};
  entry.passes = (uint8_t)shared_passes(a, (entry.flags & SIMT_ENTRY_UNREAD) != 0);
  append(self, b, a->warp, &entry, NULL);
}

static unsigned sectors_of(const uint64_t *lines, unsigned n) {
  unsigned sum = 0;
  for (unsigned i = 0; i < n; i++) sum += (unsigned)__builtin_popcount(lines[i] & 15);
  return sum;
}

// The L1 has the banks of shared memory. Local memory lies there lane by lane, without conflicts.
static unsigned l1_passes(const simt_access *a) {
  if (a->pattern != SIMT_PATTERN_ANY || a->space == PTX_SPACE_LOCAL)
    return simt_ideal_wavefronts(a->mask, a->width_bytes);
  return simt_access_wavefronts(a);
}

static void record(trace_observer *self, simt_block_trace *b, const simt_access *a, unsigned n,
                   const uint64_t *lines) {
  simt_entry entry = {.pc = a->pc, .kind = kind_of(a), .flags = flags_of(self, a)};
  unsigned n_lanes = simt_count_lanes(a->mask);
  entry.passes = (uint8_t)(a->kind == SIMT_LOAD ? l1_passes(a) : n_lanes);
  entry.n_lines = (uint8_t)n;
  if (a->kind == SIMT_STORE && n_lanes * a->width_bytes < sectors_of(lines, n) * 32)
    entry.flags |= SIMT_ENTRY_IS_PARTIAL;
  append(self, b, a->warp, &entry, lines);
}

// Apart, so that the frequent accesses need no room on the stack.
static __attribute__((noinline)) void record_lines(trace_observer *self, simt_block_trace *b,
                                                   const simt_access *a) {
  uint64_t lines[SIMT_MOST_LINES];
  unsigned n = simt_access_lines(a, lines);
  simt_touches_add(&self->trace.touches, lines, n, a->pc, a->block, kind_of(a));
  if (a->kind == SIMT_ATOMIC && a->pattern == SIMT_PATTERN_ANY)
    self->trace.far_atomic_lanes += simt_count_lanes(a->mask);
  if (b) record(self, b, a, n, lines);
}

static void on_access(simt_observer *observer, const simt_access *a) {
  trace_observer *self = (trace_observer *)observer;
  if (a->mask == 0) return;
  simt_block_trace *b = current_block(self, a->block);
  if (a->space == PTX_SPACE_SHARED) {
    if (b) record_shared(self, b, a);
  } else if (!b && a->pattern != SIMT_PATTERN_ANY && a->space == PTX_SPACE_GLOBAL) {
    uint64_t first = a->address[simt_first_lane(a->mask)];
    uint64_t lanes = a->pattern == SIMT_PATTERN_CONTIGUOUS ? SIMT_LANES : 1;
    uint64_t last = first + lanes * a->width_bytes - 1;
    simt_touches_add_run(&self->trace.touches, first >> 5, last >> 5, a->pc, a->block, kind_of(a));
  } else {
    record_lines(self, b, a);
  }
}

// ---- the observer ------------------------------------------------------------------------------

static void free_block(simt_block_trace *b, uint32_t warps) {
  for (uint32_t i = 0; i < warps && b->warps; i++) free(b->warps[i].words);
  free(b->warps);
}

static void forget(simt_trace *t) {
  for (size_t i = 0; i < t->n_blocks; i++) free_block(&t->blocks[i], t->warps_per_block);
  free(t->cost);
  t->cost = NULL;
  t->n_blocks = 0;
  t->n_costs = t->n_run = 0;
  t->far_atomic_lanes = 0;
  t->lost = false;
}

static void choose_blocks(trace_observer *self, const simt_launch_info *info) {
  uint32_t sms = self->device->n_sms;
  uint32_t resident = simt_model_resident(self->device, info);
  uint32_t n = TRACED_WAVES * (resident ? resident : 1);
  self->stride = info->n_blocks <= (uint64_t)FULLY_TRACED_GRID * sms ? 1 : sms;
  if (n < LEAST_TRACED) n = LEAST_TRACED;
  if (n > MOST_TRACED) n = MOST_TRACED;
  self->n_traced = self->stride == 1 || self->exact ? (uint32_t)info->n_blocks : n;
}

static void begin(trace_observer *self, const simt_launch_info *info) {
  simt_trace *t = &self->trace;
  forget(t);
  memset(self->live, 0, sizeof self->live);
  self->current = UINT32_MAX;
  self->info = info;
  t->warps_per_block = info->warps_per_block;
  uint64_t blocks = info->n_sampled ? info->n_sampled : info->n_blocks;
  uint64_t warps = blocks * info->warps_per_block;
  unsigned shift = 0;
  for (; !self->exact && warps > EXACT_WARPS && shift < 8; warps /= 2) shift++;
  t->lost =
      !simt_touches_begin(&t->touches, info->n_code, shift, self->exact ? SIZE_MAX : MOST_TOUCHES);
  t->cost = calloc(info->n_blocks, sizeof *t->cost);
  t->n_costs = t->cost ? info->n_blocks : 0;
  choose_blocks(self, info);
}

static void on_launch_begin(simt_observer *observer, const simt_launch_info *info) {
  begin((trace_observer *)observer, info);
}

static simt_observer *on_fork(simt_observer *observer, uint32_t n_workers) {
  (void)n_workers;
  trace_observer *self = (trace_observer *)observer, *worker = self->spares;
  if (worker) self->spares = worker->next_spare;
  else worker = (trace_observer *)simt_trace_observer_create(self->device, self->exact);
  if (worker) begin(worker, self->info);
  return worker ? &worker->hooks : NULL;
}

static void on_join(simt_observer *observer, simt_observer *other) {
  simt_trace *t = &((trace_observer *)observer)->trace;
  simt_trace *from = &((trace_observer *)other)->trace;
  size_t n = t->n_blocks + from->n_blocks;
  simt_block_trace *blocks = realloc(t->blocks, (n + 1) * sizeof *blocks);
  if (blocks) {
    if (from->n_blocks) memcpy(blocks + t->n_blocks, from->blocks, from->n_blocks * sizeof *blocks);
    t->blocks = blocks;
    t->n_blocks = t->room = n;
    from->n_blocks = 0;
  }
  simt_touches_join(&t->touches, &from->touches);
  for (uint64_t i = 0; i < t->n_costs && i < from->n_costs; i++) t->cost[i] += from->cost[i];
  t->far_atomic_lanes += from->far_atomic_lanes;
  t->lost |= from->lost || !blocks;
  trace_observer *spare = (trace_observer *)other;
  forget(&spare->trace);
  spare->next_spare = ((trace_observer *)observer)->spares;
  ((trace_observer *)observer)->spares = spare;
}

simt_observer *simt_trace_observer_create(const simt_model_device *device, bool exact) {
  trace_observer *self = calloc(1, sizeof *self);
  if (!self) return NULL;
  self->device = device;
  self->exact = exact;
  self->hooks = (simt_observer){.launch_begin = on_launch_begin,
                                .access = on_access,
                                .block_begin = on_block_begin,
                                .block_cost = on_block_cost,
                                .wants_entries = wants_entries,
                                .enter = on_enter,
                                .match = on_match,
                                .fork = on_fork,
                                .join = on_join,
                                .discard = simt_trace_observer_destroy};
  return &self->hooks;
}

void simt_trace_observer_destroy(simt_observer *observer) {
  trace_observer *self = (trace_observer *)observer;
  if (!self) return;
  for (trace_observer *spare; (spare = self->spares);) {
    self->spares = spare->next_spare;
    simt_trace_observer_destroy(&spare->hooks);
  }
  forget(&self->trace);
  free(self->trace.blocks);
  simt_touches_free(&self->trace.touches);
  free(self);
}

simt_trace *simt_trace_of(simt_observer *observer) {
  simt_trace *t = &((trace_observer *)observer)->trace;
  simt_touches_settle(&t->touches, LEAST_TOUCHES);
  return t;
}
