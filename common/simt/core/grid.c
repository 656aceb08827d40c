// SPDX-License-Identifier: MIT
// core/grid.c - the blocks of a launch: one after the other, or, for a cooperative launch (and a
// few at a time under the random schedule), resident together and taking turns.
//
// State is kept per resident warp only, so memory does not grow with the grid.
#include "core/grid.h"

#include <string.h>

#include "core/deadlock.h"
#include "core/fill.h"
#include "core/schedule.h"
#include "core/splits.h"
#include "core/state.h"
#include "core/store_buffer.h"
#include "core/warp.h"

// ---- contexts ----------------------------------------------------------------------------------

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
  block->done = false;
  memset(block->barriers, 0, sizeof block->barriers);
  memset(block->shared, SIMT_POISON_BYTE, (size_t)core->shared_bytes);
  for (uint32_t i = 0; i < block->n_warps; i++) {
    simt_fill_block(core, &block->warps[i]);
    simt_warp_start(core, &block->warps[i]);
  }
  SIMT_NOTIFY(core, block_begin, block->index);
}

// ---- running -----------------------------------------------------------------------------------

// What a round of turns came to.
typedef struct round_result {
  bool moved;    // some warp could run
  bool spinning; // and all that could did nothing but re-read the same addresses
} round_result;

// One turn for every warp of a block. False after a fault.
static bool turn(simt_core *core, simt_block *block, round_result *result) {
  simt_permutation order = simt_schedule_order(core, block->n_warps);
  uint64_t at = order.first;
  for (uint32_t i = 0; i < block->n_warps; i++, at = simt_permutation_next(&order, at)) {
    simt_warp *w = &block->warps[at];
    if (!simt_warp_is_ready(w)) continue;
    uint64_t effects = core->effects;
    result->moved = true;
    if (!simt_warp_run(core, w)) return false;
    if (effects != core->effects) w->rereads = 0;
    result->spinning &= effects == core->effects && w->rereads + 1 >= SIMT_SPINS;
  }
  return true;
}

// Counts rounds in which everybody only spun; false when that has gone on for too long.
static bool check_spinning(simt_core *core, const simt_block *block, const round_result *result,
                           uint32_t *idle_rounds) {
  uint32_t limit = SIMT_IDLE_ROUNDS * (core->schedule == SIMT_SCHEDULE_RANDOM ? 4 : 1);
  *idle_rounds = result->moved && result->spinning ? *idle_rounds + 1 : 0;
  return *idle_rounds < limit || simt_fault_spinning(core, block);
}

static bool release(simt_block *block) {
  bool released = false;
  for (uint32_t i = 0; i < block->n_warps; i++) released |= simt_warp_release(&block->warps[i]);
  return released;
}

// Another host thread has seen that this one's work is void.
static bool is_void(const simt_core *core) {
  return core->speculation && simt_speculation_is_broken(core->speculation);
}

static void end_block(simt_core *core, simt_block *block) {
  simt_held_end_block(core, block);
  SIMT_NOTIFY(core, block_end, block->index);
}

static bool run_block(simt_core *core, simt_block *block) {
  uint32_t idle_rounds = 0;
  while (block->alive) {
    round_result result = {.spinning = true};
    if (is_void(core) || !turn(core, block, &result)) return false;
    if (!result.moved && !release(block)) return simt_fault_deadlock(core, block);
    if (!check_spinning(core, block, &result, &idle_rounds)) return false;
  }
  end_block(core, block);
  return true;
}

bool simt_core_run(simt_core *core, uint64_t first, uint64_t end) {
  for (uint64_t i = first; i < end; i++) {
    start_block(core, &core->blocks[0], simt_schedule_block(core, i));
    if (!run_block(core, &core->blocks[0])) return false;
  }
  return true;
}

// The blocks of a launch that run together, and those that wait for a place.
typedef struct residency {
  uint64_t next, end; // blocks started so far, and in all
  uint64_t running;
} residency;

static void start_next(simt_core *core, simt_block *block, residency *r) {
  block->done = r->next == r->end;
  if (block->done) return;
  start_block(core, block, simt_schedule_block(core, r->next++));
  r->running++;
}

static bool resident_turn(simt_core *core, round_result *result, residency *r) {
  simt_permutation order = simt_schedule_order(core, core->n_resident);
  uint64_t at = order.first;
  for (uint32_t i = 0; i < core->n_resident; i++, at = simt_permutation_next(&order, at)) {
    simt_block *block = &core->blocks[at];
    if (block->done) continue;
    if (!turn(core, block, result)) return false;
    if (block->alive) continue;
    end_block(core, block);
    r->running--;
    start_next(core, block, r);
  }
  return true;
}

// The first block that is not done: where to say what is wrong when nobody can go on.
static const simt_block *first_stuck(const simt_core *core) {
  for (uint32_t i = 0; i < core->n_resident; i++)
    if (!core->blocks[i].done) return &core->blocks[i];
  return &core->blocks[0];
}

static bool release_all(simt_core *core) {
  bool released = false;
  for (uint32_t i = 0; i < core->n_resident; i++)
    if (!core->blocks[i].done) released |= release(&core->blocks[i]);
  return released;
}

bool simt_core_run_together(simt_core *core, uint64_t n_blocks) {
  residency r = {.end = n_blocks};
  uint32_t idle_rounds = 0;
  for (uint32_t i = 0; i < core->n_resident; i++) start_next(core, &core->blocks[i], &r);
  while (r.running) {
    round_result result = {.spinning = true};
    if (!resident_turn(core, &result, &r)) return false;
    if (!result.moved && !release_all(core)) return simt_fault_deadlock(core, first_stuck(core));
    if (!check_spinning(core, first_stuck(core), &result, &idle_rounds)) return false;
  }
  return true;
}

// How many blocks have a context. Under the random schedule a few ordinary ones run together too:
// what they do to each other without synchronisation would not show otherwise.
static uint32_t choose_resident(const simt_core *core, uint64_t n_blocks) {
  if (core->launch->cooperative) return (uint32_t)n_blocks;
  if (core->schedule != SIMT_SCHEDULE_RANDOM) return 1;
  return n_blocks < SIMT_RANDOM_RESIDENT_BLOCKS ? (uint32_t)n_blocks : SIMT_RANDOM_RESIDENT_BLOCKS;
}

// ---- set-up ------------------------------------------------------------------------------------

static simt_status out_of_memory(simt_core *core) {
  return simt_fail(core->diag, SIMT_OUT_OF_MEMORY,
                   "no host memory left to run kernel '%s' with %u resident blocks",
                   core->kernel->name, core->n_resident);
}

simt_status simt_core_set_up(simt_core *core, uint64_t n_blocks) {
  const simt_kernel *k = core->kernel;
  core->n_resident = choose_resident(core, n_blocks);
  core->profile.entries = SIMT_ARENA_ARRAY(&core->arena, uint64_t, k->n_blocks + 1);
  core->profile.lanes = SIMT_ARENA_ARRAY(&core->arena, uint64_t, k->n_blocks + 1);
  core->reach = SIMT_ARENA_ARRAY(&core->arena, simt_reach, k->n_code);
  core->blocks = SIMT_ARENA_ARRAY(&core->arena, simt_block, core->n_resident);
  if (!core->profile.entries || !core->profile.lanes || !core->reach || !core->blocks)
    return out_of_memory(core);
  for (uint32_t i = 0; i < core->n_resident; i++)
    if (!allocate_block(core, &core->blocks[i])) return out_of_memory(core);
  return simt_held_begin(core) ? SIMT_OK : out_of_memory(core);
}
