// SPDX-License-Identifier: MIT
// profile/lines.c - costs by line of source: counted by instruction while a launch runs, folded
// into lines when it ends, when the module with its line table is still there.
#include "profile/lines.h"

#include <stdlib.h>
#include <string.h>

#include "profile/counters.h"
#include "profile/request.h"
#include "profile/transactions.h"

typedef struct lines_observer {
  simt_observer hooks; // first: a simt_observer * is a lines_observer *
  const simt_launch_info *info;
  simt_line_cost *by_pc; // [n_code] of the running launch
  uint32_t n_code;
  simt_line *lines; // [n_lines], sorted by find_line()'s order between launches
  size_t n_lines, lines_capacity;
  simt_kernel_time *kernels;
  size_t n_kernels, kernels_capacity;
  simt_arena texts; // names outlive their modules
  bool lost;        // memory ran out
} lines_observer;

// ---- While a launch runs.

static simt_line_cost *cost_at(simt_observer *observer, uint32_t pc) {
  lines_observer *self = (lines_observer *)observer;
  return pc < self->n_code ? &self->by_pc[pc] : NULL;
}

static void count_shared(simt_line_cost *cost, const simt_access *a) {
  unsigned passes = simt_access_wavefronts(a);
  unsigned ideal = simt_ideal_wavefronts(a->mask, a->width_bytes);
  cost->shared_requests++;
  cost->shared_wavefronts += passes;
  cost->shared_ideal += ideal < passes ? ideal : passes; // merged groups are no negative conflict
}

static void on_access(simt_observer *observer, const simt_access *a) {
  simt_line_cost *cost = cost_at(observer, a->pc);
  if (!cost || !a->mask) return;
  unsigned lanes = simt_count_lanes(a->mask);
  if (a->kind == SIMT_ATOMIC) {
    cost->atomic_requests++;
    cost->atomic_lanes += lanes;
  } else if (a->space == PTX_SPACE_GLOBAL) {
    cost->global_requests++;
    cost->global_sectors += simt_access_sectors(a);
    cost->global_bytes += (uint64_t)lanes * a->width_bytes;
  } else if (a->space == PTX_SPACE_SHARED) {
    count_shared(cost, a);
  }
}

static void on_branch(simt_observer *observer, uint32_t pc, uint32_t taken, uint32_t active) {
  simt_line_cost *cost = cost_at(observer, pc);
  if (!cost) return;
  cost->branches++;
  cost->divergent_branches += taken != 0 && taken != active;
}

static void on_barrier(simt_observer *observer, const simt_barrier_event *event) {
  simt_line_cost *cost = cost_at(observer, event->pc);
  if (cost) cost->block_barriers++;
}

static void on_sync(simt_observer *observer, simt_sync_kind kind, uint32_t pc, uint32_t block,
                    uint32_t warp, uint32_t mask) {
  simt_line_cost *cost = cost_at(observer, pc);
  (void)block, (void)warp, (void)mask;
  if (!cost) return;
  switch (kind) {
  case SIMT_SYNC_WARP: cost->warp_syncs++; break;
  case SIMT_SYNC_FENCE: cost->fences++; break;
  case SIMT_SYNC_SHUFFLE: cost->shuffles++; break;
  case SIMT_SYNC_VOTE: cost->votes++; break;
  case SIMT_SYNC_BLOCK_BARRIER: // its arrivals are counted instead, which have a line each
  case SIMT_SYNC_GRID:
  case SIMT_SYNC_CLUSTER: break;
  }
}

// ---- Folding into lines.

static int compare_keys(const simt_line *a, const simt_line *b) {
  int order = strcmp(a->kernel, b->kernel);
  if (order == 0) order = strcmp(a->file, b->file);
  return order != 0 ? order : (a->line > b->line) - (a->line < b->line);
}

static int compare_lines(const void *a, const void *b) { return compare_keys(a, b); }

static void add_cost(simt_line_cost *to, const simt_line_cost *from) {
  uint64_t *sum = (uint64_t *)(void *)to;
  const uint64_t *more = (const uint64_t *)(const void *)from;
  _Static_assert(sizeof *to % sizeof *sum == 0, "simt_line_cost has counters only");
  for (size_t i = 0; i < sizeof *to / sizeof *sum; i++) sum[i] += more[i];
}

// Room for one more item; false, and the observer knows, when there is no memory.
static bool reserve(lines_observer *self, void **items, size_t n, size_t *capacity,
                    size_t item_bytes) {
  if (n < *capacity) return true;
  size_t more = *capacity ? *capacity * 2 : 64;
  void *grown = realloc(*items, more * item_bytes);
  if (!grown) {
    self->lost = true;
    return false;
  }
  *items = grown;
  *capacity = more;
  return true;
}

static const char *keep(lines_observer *self, simt_str text) {
  const char *copy = simt_arena_alloc(&self->texts, (size_t)text.size + 1, 1);
  if (!copy) {
    self->lost = true;
    return NULL;
  }
  memcpy((char *)copy, text.at, text.size);
  return copy;
}

static simt_line *find_line(lines_observer *self, simt_str kernel, simt_str file, uint32_t line) {
  for (size_t i = self->n_lines; i-- > 0;) {
    simt_line *l = &self->lines[i];
    if (l->line == line && simt_str_is(kernel, l->kernel) && simt_str_is(file, l->file)) return l;
  }
  if (!reserve(self, (void **)&self->lines, self->n_lines, &self->lines_capacity,
               sizeof *self->lines))
    return NULL;
  simt_line new = {.kernel = keep(self, kernel), .file = keep(self, file), .line = line};
  if (!new.kernel || !new.file) return NULL;
  self->lines[self->n_lines] = new;
  return &self->lines[self->n_lines++];
}

static bool is_empty(const simt_line_cost *cost) {
  static const simt_line_cost nothing;
  return memcmp(cost, &nothing, sizeof nothing) == 0;
}

// An instruction without a line belongs to the one before it: compilers leave out what did not
// change.
static void fold(lines_observer *self, const simt_launch_info *info) {
  const ptx_loc *at = NULL;
  simt_str file = SIMT_STR("");
  for (uint32_t pc = 0; pc < self->n_code; pc++) {
    simt_str own = SIMT_STR("");
    const ptx_loc *here =
        info->code_loc && info->module ? ptx_own_loc(info->module, info->code_loc[pc], &own) : NULL;
    if (here) at = here, file = own;
    if (is_empty(&self->by_pc[pc])) continue;
    simt_line *line = find_line(self, info->kernel->name, file, at ? at->line : 0);
    if (line) add_cost(&line->cost, &self->by_pc[pc]);
  }
}

// Instructions are counted per basic block, when it is entered.
static void add_instructions(lines_observer *self, const simt_launch_info *info,
                             const simt_profile *profile) {
  for (uint32_t b = 0; profile && b < info->n_code_blocks; b++) {
    const simt_code_block *block = &info->code_blocks[b];
    for (uint32_t pc = block->first_pc; pc < block->first_pc + block->n_instrs; pc++) {
      if (pc >= self->n_code || info->code_class[pc] >= SIMT_CLASS_COUNT) continue;
      self->by_pc[pc].warp_instructions += profile->entries[b];
      self->by_pc[pc].lane_instructions += profile->lanes[b];
    }
  }
}

// ---- The observer.

static void begin(lines_observer *self, const simt_launch_info *info) {
  free(self->by_pc);
  self->info = info;
  self->n_code = info->n_code;
  self->by_pc = calloc(info->n_code ? info->n_code : 1, sizeof *self->by_pc);
  if (self->by_pc) return;
  self->n_code = 0;
  self->lost = true;
}

static void on_launch_begin(simt_observer *observer, const simt_launch_info *info) {
  begin((lines_observer *)observer, info);
}

static void on_launch_end(simt_observer *observer, const simt_launch_info *info,
                          const simt_profile *profile) {
  lines_observer *self = (lines_observer *)observer;
  add_instructions(self, info, profile);
  fold(self, info);
  self->info = NULL;
}

static simt_observer *on_fork(simt_observer *observer, uint32_t n_workers) {
  (void)n_workers;
  lines_observer *worker = (lines_observer *)simt_lines_create();
  if (worker) begin(worker, ((lines_observer *)observer)->info);
  return worker ? &worker->hooks : NULL;
}

static void on_join(simt_observer *observer, simt_observer *worker) {
  lines_observer *self = (lines_observer *)observer, *from = (lines_observer *)worker;
  uint32_t n = self->n_code < from->n_code ? self->n_code : from->n_code;
  for (uint32_t pc = 0; pc < n; pc++) add_cost(&self->by_pc[pc], &from->by_pc[pc]);
  self->lost |= from->lost;
  simt_lines_destroy(worker);
}

simt_observer *simt_lines_create(void) {
  lines_observer *self = calloc(1, sizeof *self);
  if (!self) return NULL;
  self->hooks = (simt_observer){.launch_begin = on_launch_begin,
                                .access = on_access,
                                .branch = on_branch,
                                .sync = on_sync,
                                .barrier = on_barrier,
                                .fork = on_fork,
                                .join = on_join,
                                .discard = simt_lines_destroy,
                                .launch_end = on_launch_end};
  return &self->hooks;
}

void simt_lines_destroy(simt_observer *observer) {
  lines_observer *self = (lines_observer *)observer;
  if (!self) return;
  free(self->by_pc);
  free(self->lines);
  free(self->kernels);
  simt_arena_free(&self->texts);
  free(self);
}

void simt_lines_clear(simt_observer *observer) {
  lines_observer *self = (lines_observer *)observer;
  self->n_lines = self->n_kernels = 0;
  simt_arena_free(&self->texts);
}

// ---- Times and answers.

static simt_kernel_time *find_kernel(lines_observer *self, simt_str kernel) {
  for (size_t i = 0; i < self->n_kernels; i++)
    if (simt_str_is(kernel, self->kernels[i].kernel)) return &self->kernels[i];
  if (!reserve(self, (void **)&self->kernels, self->n_kernels, &self->kernels_capacity,
               sizeof *self->kernels))
    return NULL;
  simt_kernel_time new = {.kernel = keep(self, kernel)};
  if (!new.kernel) return NULL;
  self->kernels[self->n_kernels] = new;
  return &self->kernels[self->n_kernels++];
}

bool simt_lines_add_time(simt_observer *observer, const simt_launch_info *info,
                         const simt_model_time *time) {
  simt_kernel_time *kernel = find_kernel((lines_observer *)observer, info->kernel->name);
  if (!kernel) return false;
  simt_model_time *sum = &kernel->time;
  double *const to[] = {&sum->issue_ms,   &sum->lanes_ms,        &sum->shared_ms,
                        &sum->l1_ms,      &sum->barrier_ms,      &sum->block_ms,
                        &sum->l2_ms,      &sum->dram_ms,         &sum->atomic_ms,
                        &sum->latency_ms, &sum->launch_ms,       &sum->total_ms,
                        &sum->l1_sectors, &sum->l1_hits,         &sum->l2_sectors,
                        &sum->l2_hits,    &sum->dram_read_bytes, &sum->dram_write_bytes};
  const double from[] = {time->issue_ms,   time->lanes_ms,        time->shared_ms,
                         time->l1_ms,      time->barrier_ms,      time->block_ms,
                         time->l2_ms,      time->dram_ms,         time->atomic_ms,
                         time->latency_ms, time->launch_ms,       time->total_ms,
                         time->l1_sectors, time->l1_hits,         time->l2_sectors,
                         time->l2_hits,    time->dram_read_bytes, time->dram_write_bytes};
  for (size_t i = 0; i < sizeof from / sizeof from[0]; i++) *to[i] += from[i];
  kernel->launches++;
  if (time->total_ms > kernel->longest_ms) {
    kernel->longest_ms = time->total_ms;
    sum->bound = time->bound;
  }
  return true;
}

const simt_line *simt_lines_all(simt_observer *observer, size_t *n) {
  lines_observer *self = (lines_observer *)observer;
  *n = self->n_lines;
  if (self->n_lines) qsort(self->lines, self->n_lines, sizeof *self->lines, compare_lines);
  return self->lines;
}

const simt_kernel_time *simt_lines_kernels(const simt_observer *observer, size_t *n) {
  const lines_observer *self = (const lines_observer *)observer;
  *n = self->n_kernels;
  return self->kernels;
}

bool simt_lines_are_whole(const simt_observer *observer) {
  return !((const lines_observer *)observer)->lost;
}
