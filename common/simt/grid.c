// SPDX-License-Identifier: MIT
// grid.c - a launch: blocks in order (or, for a cooperative launch, all of them resident and
// taking turns), and what is said when none of them can go on.
//
// State is kept per resident warp only, so memory does not grow with the grid.
#include "grid.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fill.h"
#include "warp.h"

enum { SHARED_POISON = 0xA5, MAX_THREADS = 1024 };
static const uint64_t DEFAULT_MAX_WARP_INSTRUCTIONS = UINT64_C(1) << 28;

// ---- contexts -------------------------------------------------------------------------------------------

static bool allocate_warp(simt_core *core, simt_block *block, uint32_t index) {
  const simt_kernel *k = core->kernel;
  simt_warp *w = &block->warps[index];
  uint32_t left = core->block_threads - index * SIMT_LANES;
  w->block = block;
  w->index = index;
  w->lanes = left >= SIMT_LANES ? UINT32_MAX : (1u << left) - 1;
  w->regs = simt_arena_alloc(&core->arena, k->register_bytes, 64);
  w->local = simt_arena_alloc(&core->arena, (size_t)k->local_bytes * SIMT_LANES + 1, 64);
  if (!w->regs || !w->local) return false;
  simt_fill_warp(core, w);
  return true;
}

static bool allocate_block(simt_core *core, simt_block *block) {
  block->threads = core->block_threads;
  block->n_warps = (core->block_threads + SIMT_LANES - 1) / SIMT_LANES;
  block->warps = SIMT_ARENA_ARRAY(&core->arena, simt_warp, block->n_warps);
  block->shared = simt_arena_alloc(&core->arena, (size_t)core->shared_bytes + 1, 64);
  if (!block->warps || !block->shared) return false;
  for (uint32_t i = 0; i < block->n_warps; i++)
    if (!allocate_warp(core, block, i)) return false;
  return true;
}

static void start_block(simt_core *core, simt_block *block, uint64_t index) {
  const uint32_t *grid = core->launch->grid;
  block->index = (uint32_t)index;
  block->at[0] = (uint32_t)(index % grid[0]);
  block->at[1] = (uint32_t)(index / grid[0] % grid[1]);
  block->at[2] = (uint32_t)(index / grid[0] / grid[1]);
  block->alive = block->threads;
  block->at_grid_sync = 0;
  block->started = true;
  block->done = false;
  memset(block->barriers, 0, sizeof block->barriers);
  memset(block->shared, SHARED_POISON, (size_t)core->shared_bytes);
  for (uint32_t i = 0; i < block->n_warps; i++) {
    simt_fill_block(core, &block->warps[i]);
    simt_warp_start(core, &block->warps[i]);
  }
}

// ---- deadlocks --------------------------------------------------------------------------------------------

static size_t append(char *out, size_t size, size_t at, const char *format, ...) __attribute__((format(printf, 4, 5)));
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
  g->n += (uint32_t)__builtin_popcount(lanes);
}

static size_t name_group(char *out, size_t size, size_t at, const group *g, uint32_t threads, const char *what) {
  if (!g->n) return at;
  if (g->n == 1) return append(out, size, at, "\n  thread %u of %u %s", g->first, threads, what);
  return append(out, size, at, "\n  %u of %u threads (%s%u to %u) %s", g->n, threads,
                g->n == g->last - g->first + 1 ? "" : "among ", g->first, g->last, what);
}

static const char *describe_wait(const simt_split *s, char *out, size_t size) {
  if (s->state == SIMT_AT_BARRIER) snprintf(out, size, s->barrier ? "barrier %u" : "__syncthreads", s->barrier);
  else if (s->state == SIMT_AT_GRID_SYNC) snprintf(out, size, "grid.sync()");
  else snprintf(out, size, "a warp-wide operation with member mask 0x%08x", s->wait_mask);
  return out;
}

// Adds "N of M threads (a to b) wait at <barrier>, k.cu:12" for every place where threads wait.
static size_t list_waiting(const simt_core *core, const simt_block *block, char *out, size_t size, size_t at) {
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
      char wait[96], where[256], what[400];
      ptx_describe_loc(core->kernel->module->ptx, in->loc, in->ptx_line, where, sizeof where);
      snprintf(what, sizeof what, "wait at %s, %s", describe_wait(s, wait, sizeof wait), where);
      at = name_group(out, size, at, &g, block->threads, what);
    }
  }
  return at;
}

static size_t list_exited(const simt_block *block, char *out, size_t size, size_t at) {
  group g = {0};
  for (uint32_t i = 0; i < block->n_warps; i++) count(&g, i, block->warps[i].lanes & ~block->warps[i].alive);
  return name_group(out, size, at, &g, block->threads, "have left the kernel and will never arrive");
}

static void first_waiting(const simt_block *block, const simt_warp **warp, const simt_split **split) {
  for (uint32_t i = 0; i < block->n_warps; i++)
    for (uint32_t k = 0; k < block->warps[i].n_splits; k++)
      if (block->warps[i].splits[k].state != SIMT_READY) {
        *warp = &block->warps[i];
        *split = &block->warps[i].splits[k];
        return;
      }
}

static bool fault_deadlock(simt_core *core, const simt_block *block) {
  const simt_warp *w = NULL;
  const simt_split *s = NULL;
  first_waiting(block, &w, &s);
  if (!s) return simt_fault(core, &block->warps[0], core->kernel->code, -1, SIMT_DEADLOCK, "the block cannot go on");
  char list[900], wait[96];
  size_t at = list_waiting(core, block, list, sizeof list, 0);
  at = list_exited(block, list, sizeof list, at);
  if (at == 0) list[0] = '\0';
  return simt_fault(core, w, &core->kernel->code[s->pc], __builtin_ctz(s->mask), SIMT_DEADLOCK,
                    "deadlock: not all threads arrive at %s%s", describe_wait(s, wait, sizeof wait), list);
}

// ---- running ------------------------------------------------------------------------------------------------

// One turn for every warp of a block. *moved: at least one could run. False after a fault.
static bool turn(simt_core *core, simt_block *block, bool *moved) {
  for (uint32_t i = 0; i < block->n_warps; i++) {
    if (!simt_warp_is_ready(&block->warps[i])) continue;
    *moved = true;
    if (!simt_warp_run(core, &block->warps[i])) return false;
  }
  return true;
}

static bool release(simt_block *block) {
  bool released = false;
  for (uint32_t i = 0; i < block->n_warps; i++) released |= simt_warp_release(&block->warps[i]);
  return released;
}

static bool run_block(simt_core *core, simt_block *block) {
  while (block->alive) {
    bool moved = false;
    if (!turn(core, block, &moved)) return false;
    if (!moved && !release(block)) return fault_deadlock(core, block);
  }
  SIMT_NOTIFY(core, block_end, block->index);
  return true;
}

static bool run_in_order(simt_core *core, uint64_t first, uint64_t end) {
  for (uint64_t i = first; i < end; i++) {
    start_block(core, &core->blocks[0], i);
    if (!run_block(core, &core->blocks[0])) return false;
  }
  return true;
}

static bool resident_turn(simt_core *core, bool *moved, uint64_t *left) {
  for (uint32_t i = 0; i < core->n_resident; i++) {
    simt_block *block = &core->blocks[i];
    if (block->done) continue;
    if (!turn(core, block, moved)) return false;
    if (block->alive) continue;
    block->done = true;
    *moved = true;
    --*left;
    SIMT_NOTIFY(core, block_end, block->index);
  }
  return true;
}

static bool run_together(simt_core *core) {
  uint64_t left = core->n_resident;
  for (uint32_t i = 0; i < core->n_resident; i++) start_block(core, &core->blocks[i], i);
  while (left) {
    bool moved = false;
    if (!resident_turn(core, &moved, &left)) return false;
    if (moved) continue;
    bool released = false;
    const simt_block *stuck = NULL;
    for (uint32_t i = 0; i < core->n_resident; i++) {
      if (core->blocks[i].done) continue;
      released |= release(&core->blocks[i]);
      if (!stuck) stuck = &core->blocks[i];
    }
    if (!released) return fault_deadlock(core, stuck);
  }
  return true;
}

// ---- set-up -----------------------------------------------------------------------------------------------------

static simt_status out_of_memory(simt_core *core) {
  return simt_fail(core->diag, SIMT_OUT_OF_MEMORY, "no host memory left to run kernel '%s' with %u resident blocks", core->kernel->name, core->n_resident);
}

static simt_status set_up(simt_core *core, uint64_t n_blocks) {
  const simt_kernel *k = core->kernel;
  core->n_resident = core->launch->cooperative ? (uint32_t)n_blocks : 1;
  core->profile.entries = SIMT_ARENA_ARRAY(&core->arena, uint64_t, k->n_blocks + 1);
  core->profile.lanes = SIMT_ARENA_ARRAY(&core->arena, uint64_t, k->n_blocks + 1);
  core->reach = SIMT_ARENA_ARRAY(&core->arena, simt_reach, k->n_code);
  core->blocks = SIMT_ARENA_ARRAY(&core->arena, simt_block, core->n_resident);
  if (!core->profile.entries || !core->profile.lanes || !core->reach || !core->blocks) return out_of_memory(core);
  for (uint32_t i = 0; i < core->n_resident; i++)
    if (!allocate_block(core, &core->blocks[i])) return out_of_memory(core);
  return SIMT_OK;
}

static simt_status check_geometry(const simt_launch *l, simt_diag *diag) {
  uint64_t threads = (uint64_t)l->block[0] * l->block[1] * l->block[2];
  uint64_t blocks = (uint64_t)l->grid[0] * l->grid[1];
  if (!threads || !blocks || !l->grid[2])
    return simt_fail(diag, SIMT_INVALID_CONFIGURATION, "a grid or block dimension is 0 (grid %ux%ux%u, block %ux%ux%u)", l->grid[0], l->grid[1], l->grid[2], l->block[0], l->block[1], l->block[2]);
  if (threads > MAX_THREADS || l->block[0] > MAX_THREADS || l->block[1] > MAX_THREADS)
    return simt_fail(diag, SIMT_INVALID_CONFIGURATION, "%" PRIu64 " threads in a block; the limit is %d", threads, MAX_THREADS);
  if (blocks > UINT32_MAX || blocks * l->grid[2] > UINT32_MAX)
    return simt_fail(diag, SIMT_INVALID_CONFIGURATION, "more than 2^32 - 1 blocks in a grid are not supported");
  if (l->dynamic_shared_bytes > SIMT_SHARED_WINDOW_BYTES)
    return simt_fail(diag, SIMT_OUT_OF_RESOURCES, "%" PRIu64 " bytes of dynamic shared memory", l->dynamic_shared_bytes);
  return SIMT_OK;
}

static void describe_launch(const simt_core *core, uint64_t n_blocks, simt_launch_info *info) {
  const simt_launch *l = core->launch;
  const simt_kernel *k = core->kernel;
  *info = (simt_launch_info){.module = k->module->ptx, .kernel = k->function, .n_blocks = n_blocks,
                             .block_threads = core->block_threads,
                             .warps_per_block = (core->block_threads + SIMT_LANES - 1) / SIMT_LANES,
                             .shared_bytes = core->shared_bytes, .cooperative = l->cooperative, .n_code = k->n_code,
                             .code_class = k->code_class, .code_width_bytes = k->code_width, .code_loc = k->code_loc,
                             .code_blocks = k->blocks, .n_code_blocks = k->n_blocks};
  memcpy(info->grid, l->grid, sizeof info->grid);
  memcpy(info->block, l->block, sizeof info->block);
}

// The pair of words NVIDIA's grid.sync() spins on; it lies behind %envreg1 and %envreg2.
static simt_status make_workspace(simt_core *core, simt_memory *memory) {
  if (!core->launch->cooperative) return SIMT_OK;
  simt_status status = simt_memory_alloc(memory, 64, SIMT_ALLOCATION_VARIABLE, "grid workspace", &core->workspace, core->diag);
  if (status == SIMT_OK) memset(simt_memory_host(memory, core->workspace, 64), 0, 64);
  return status;
}

static simt_status run(simt_core *core, uint64_t n_blocks) {
  simt_status status = set_up(core, n_blocks);
  if (status != SIMT_OK) return status;
  simt_launch_info info;
  describe_launch(core, n_blocks, &info);
  SIMT_NOTIFY(core, launch_begin, &info);
  if (core->launch->cooperative) run_together(core);
  else run_in_order(core, 0, n_blocks);
  SIMT_NOTIFY(core, launch_end, &info, &core->profile);
  return core->status;
}

simt_status simt_launch_run(simt_memory *memory, const simt_launch *launch, simt_diag *diag) {
  simt_status status = check_geometry(launch, diag);
  if (status != SIMT_OK) return status;
  const simt_kernel *k = launch->kernel;
  uint64_t n_blocks = (uint64_t)launch->grid[0] * launch->grid[1] * launch->grid[2];
  simt_core core = {.kernel = k, .launch = launch, .memory = memory, .observers = launch->observers,
                    .n_observers = launch->n_observers, .diag = diag, .address = simt_pick_addresses(),
                    .block_threads = launch->block[0] * launch->block[1] * launch->block[2],
                    .max_warp_instructions = launch->max_warp_instructions ? launch->max_warp_instructions : DEFAULT_MAX_WARP_INSTRUCTIONS};
  core.grid_threads = n_blocks * core.block_threads;
  core.shared_bytes = launch->dynamic_shared_bytes ? k->dynamic_base + launch->dynamic_shared_bytes : k->static_shared_bytes;
  status = make_workspace(&core, memory);
  if (status == SIMT_OK) status = run(&core, n_blocks);
  if (core.workspace) simt_memory_free(memory, core.workspace, NULL);
  simt_arena_free(&core.arena);
  return status;
}
