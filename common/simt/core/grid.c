// SPDX-License-Identifier: MIT
// core/grid.c - the blocks of a launch: one after the other, or, for a cooperative launch (and a
// few at a time under the random schedule), resident together and taking turns. When blocks seem to
// wait for others, more blocks become resident, as many as the device holds. So blocks make
// progress in any order, and only a wait for a block that cannot be resident yet is a deadlock.
// The blocks of a cluster begin together, and keep their contexts until all of them have ended.
//
// State is kept per resident warp only, so memory does not grow with the grid.
#include "core/grid.h"

#include <string.h>

#include "core/cluster.h"
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
  w->lanes = left >= SIMT_LANES ? SIMT_FULL_MASK : (1u << left) - 1;
  w->regs = simt_arena_alloc(&core->arena, k->register_bytes, 64);
  w->local = simt_arena_alloc(&core->arena, (size_t)core->local_bytes * SIMT_LANES + 1, 64);
  if (k->makes_calls) w->calls = SIMT_ARENA_ARRAY(&core->arena, simt_call_stack, SIMT_LANES);
  if (!w->regs || !w->local || (k->makes_calls && !w->calls)) return false;
  simt_fill_warp(core, w);
  return true;
}

static bool allocate_block(simt_core *core, simt_block *block) {
  block->threads = core->block_threads;
  block->n_warps = (core->block_threads + SIMT_LANES - 1) / SIMT_LANES;
  block->warps = SIMT_ARENA_ARRAY(&core->arena, simt_warp, block->n_warps);
  block->shared = simt_arena_alloc(&core->arena, (size_t)core->shared_bytes + 1, 64);
  block->barrier_lanes = SIMT_ARENA_ARRAY(&core->arena, uint32_t, SIMT_BARRIERS * block->n_warps);
  if (!block->warps || !block->shared || !block->barrier_lanes) return false;
  for (uint32_t i = 0; i < block->n_warps; i++)
    if (!allocate_warp(core, block, i)) return false;
  return simt_held_begin_block(core, block);
}

// One more context for a block; its state is "done", as no block has begun in it.
static bool add_context(simt_core *core) {
  if (core->n_resident == core->room_for_blocks) {
    uint32_t room = core->room_for_blocks ? 2 * core->room_for_blocks : 4;
    simt_block **blocks = SIMT_ARENA_ARRAY(&core->arena, simt_block *, room);
    if (!blocks) return false;
    if (core->n_resident) memcpy(blocks, core->blocks, core->n_resident * sizeof *blocks);
    core->blocks = blocks;
    core->room_for_blocks = room;
  }
  simt_block *block = SIMT_ARENA_NEW(&core->arena, simt_block);
  if (!block || !allocate_block(core, block)) return false;
  block->done = true;
  core->blocks[core->n_resident++] = block;
  return true;
}

// Contexts for the blocks of one cluster, which lie side by side in core->blocks; all or none.
static bool add_cluster(simt_core *core) {
  const uint32_t first = core->n_resident;
  for (uint32_t i = 0; i < core->cluster_blocks; i++)
    if (!add_context(core)) return core->n_resident = first, false;
  if (simt_cluster_make(core, core->blocks + first)) return true;
  return core->n_resident = first, false;
}

static bool wants_entries(const simt_core *core, uint32_t block) {
  bool wanted = false;
  for (uint32_t i = 0; i < core->n_observers; i++) {
    simt_observer *o = core->observers[i];
    wanted |= o->enter && (!o->wants_entries || o->wants_entries(o, block));
  }
  return wanted;
}

// `number`: of the block's cluster; without clusters, its own.
static void start_block(simt_core *core, simt_block *block, uint64_t number) {
  simt_cluster_place(core, block, number);
  block->alive = block->threads;
  block->at_grid_sync = 0;
  block->in_grid_sync = false;
  block->last_child = NULL;
  block->done = false;
  memset(block->barrier_lanes, 0, SIMT_BARRIERS * block->n_warps * sizeof(uint32_t));
  for (uint32_t i = 0; i < SIMT_BARRIERS; i++)
    block->barriers[i] = (simt_barrier){.lanes = block->barrier_lanes + i * block->n_warps};
  block->barriers_in_use = 0;
  memset(block->shared, SIMT_POISON_BYTE, (size_t)core->reserved_shared);
  memset(block->shared + core->reserved_shared, 0,
         (size_t)(core->shared_bytes - core->reserved_shared));
  for (uint32_t i = 0; i < block->n_warps; i++) {
    simt_fill_block(core, &block->warps[i]);
    simt_warp_start(core, &block->warps[i]);
  }
  block->reports_entries = wants_entries(core, block->index);
  SIMT_NOTIFY(core, block_begin, block->index);
}

// ---- running -----------------------------------------------------------------------------------
//
// Warps take turns in rounds. core->progress holds everything that is needed to continue a round,
// so that a launch can be held in the middle of a turn.

static void begin_walk(simt_walk *walk, simt_permutation order) {
  *walk = (simt_walk){.order = order, .at = order.first, .left = order.n};
}

static void walk_on(simt_walk *walk) {
  walk->at = simt_permutation_next(&walk->order, walk->at);
  walk->left--;
}

// A warp's turn, or the rest of one that was held.
static simt_outcome take_turn(simt_core *core, simt_warp *w) {
  simt_progress *p = &core->progress;
  bool runs = true;
  if (!p->in_turn) {
    p->moved = true;
    p->effects = core->effects;
    runs = p->in_turn = simt_warp_begin_turn(core, w);
  }
  simt_outcome outcome = runs ? simt_warp_run(core, w) : SIMT_DONE;
  if (outcome != SIMT_DONE) return outcome;
  p->in_turn = false;
  if (p->effects != core->effects) w->rereads = 0;
  p->spinning &= p->effects == core->effects && w->rereads + 1 >= SIMT_SPINS;
  return SIMT_DONE;
}

// One turn for every warp of a block.
static simt_outcome take_turns(simt_core *core, simt_block *block) {
  simt_progress *p = &core->progress;
  if (!p->in_block) begin_walk(&p->warps, simt_schedule_order(core, block->n_warps));
  p->in_block = true;
  for (; p->warps.left; walk_on(&p->warps)) {
    simt_warp *w = &block->warps[p->warps.at];
    if (!p->in_turn && simt_split_last_ready(w) < 0) continue;
    simt_outcome outcome = take_turn(core, w);
    if (outcome != SIMT_DONE) return outcome;
  }
  p->in_block = false;
  return SIMT_DONE;
}

// The next cluster takes the place of one whose blocks have all ended.
static void start_next(simt_core *core, const simt_cluster *cluster) {
  simt_progress *p = &core->progress;
  if (p->next == p->end) return;
  const uint64_t number = simt_schedule_cluster(core, p->next / core->cluster_blocks);
  for (uint32_t rank = 0; rank < core->cluster_blocks; rank++)
    start_block(core, cluster->blocks[rank], number);
  p->next += core->cluster_blocks;
  p->running += core->cluster_blocks;
  p->rounds = 0;
}

static bool has_ended(const simt_core *core, const simt_cluster *cluster) {
  for (uint32_t rank = 0; rank < core->cluster_blocks; rank++)
    if (!cluster->blocks[rank]->done) return false;
  return true;
}

static void end_block(simt_core *core, simt_block *block) {
  simt_held_end_block(core, block);
  SIMT_NOTIFY(core, block_end, block->index);
  uint64_t instructions = 0;
  for (uint32_t i = 0; i < block->n_warps; i++) instructions += block->warps[i].instructions;
  SIMT_NOTIFY(core, block_cost, block->index, instructions);
  core->progress.running--;
  block->done = true;
}

// One turn for every warp of every resident block.
static simt_outcome run_round(simt_core *core) {
  simt_progress *p = &core->progress;
  for (; p->blocks.left; walk_on(&p->blocks)) {
    simt_block *block = core->blocks[p->blocks.at];
    if (block->done) continue;
    simt_outcome outcome = take_turns(core, block);
    if (outcome != SIMT_DONE) return outcome;
    if (block->alive) continue;
    end_block(core, block);
    if (has_ended(core, block->cluster)) start_next(core, block->cluster);
  }
  p->in_round = false;
  return SIMT_DONE;
}

static void begin_round(simt_core *core) {
  simt_progress *p = &core->progress;
  const simt_permutation alone = {.first = 0, .n = 1}; // only one order
  begin_walk(&p->blocks,
             core->n_resident > 1 ? simt_schedule_order(core, core->n_resident) : alone);
  p->in_round = true;
  p->moved = false;
  p->spinning = true;
}

// The first block that is not done: reports name it when no thread can continue.
static const simt_block *first_stuck(const simt_core *core) {
  for (uint32_t i = 0; i < core->n_resident; i++)
    if (!core->blocks[i]->done) return core->blocks[i];
  return core->blocks[0];
}

// Lets lanes continue alone that wait for others to reconverge; false when there are none.
static bool release_all(simt_core *core) {
  bool released = false;
  for (uint32_t i = 0; i < core->n_resident; i++) {
    simt_block *block = core->blocks[i];
    for (uint32_t k = 0; k < block->n_warps && !block->done; k++)
      released |= simt_warp_release(&block->warps[k]);
  }
  return released;
}

// How long all warps may spin. Each round costs a turn of every warp, so fewer rounds are enough
// when there are many warps. Under the random schedule a turn may be a single access.
static uint32_t idle_limit(const simt_core *core) {
  enum { WARPS = 2, LEAST = 64 };
  uint64_t warps = (uint64_t)core->n_resident * core->blocks[0]->n_warps;
  uint64_t limit = warps > WARPS ? (uint64_t)SIMT_IDLE_ROUNDS * WARPS / warps : SIMT_IDLE_ROUNDS;
  if (limit < LEAST) limit = LEAST;
  return (uint32_t)limit * (core->schedule == SIMT_SCHEDULE_RANDOM ? 4 : 1);
}

// Blocks that only spin, or have run for very long, may be waiting for one that has not started. A
// device runs as many as it holds at the same time: more of them become resident.
static bool wants_company(const simt_core *core) {
  const simt_progress *p = &core->progress;
  bool random = core->schedule == SIMT_SCHEDULE_RANDOM;
  if (p->next == p->end || core->n_resident >= core->max_resident) return false;
  return p->idle_rounds >= (random ? 256u : 4u) || p->rounds >= (random ? 8192u : 256u);
}

// Doubles the number of resident blocks, as far as they fit; without host memory for more it stays
// as it is.
static void add_resident(simt_core *core) {
  simt_progress *p = &core->progress;
  uint64_t n = core->n_resident, left = p->end - p->next;
  if (n > left) n = left;
  if (n > core->max_resident - core->n_resident) n = core->max_resident - core->n_resident;
  for (; n && add_cluster(core); n -= core->cluster_blocks)
    start_next(core, core->blocks[core->n_resident - 1]->cluster);
  if (n) core->max_resident = core->n_resident;
  p->idle_rounds = 0;
}

// After a round: false when no thread can continue, or all have only spun for too long.
static bool check_progress(simt_core *core) {
  simt_progress *p = &core->progress;
  if (!p->moved && !release_all(core)) return simt_fault_deadlock(core, first_stuck(core));
  p->idle_rounds = p->moved && p->spinning ? p->idle_rounds + 1 : 0;
  p->rounds++;
  if (wants_company(core)) return add_resident(core), true;
  return !p->idle_rounds || p->idle_rounds < idle_limit(core) || simt_fault_spinning(core);
}

// Another host thread has found that this one's work is void.
static bool is_void(const simt_core *core) {
  return core->speculation && simt_speculation_is_broken(core->speculation);
}

void simt_core_begin(simt_core *core, uint64_t first, uint64_t end) {
  core->progress = (simt_progress){.next = first, .end = end};
  for (uint32_t i = 0; i < core->n_resident; i += core->cluster_blocks)
    start_next(core, core->blocks[i]->cluster);
}

simt_outcome simt_core_advance(simt_core *core) {
  simt_progress *p = &core->progress;
  while (p->running) {
    if (is_void(core)) return SIMT_FAULTED;
    if (!p->in_round) begin_round(core);
    simt_outcome outcome = run_round(core);
    if (outcome != SIMT_DONE) return outcome;
    if (p->running && !check_progress(core)) return SIMT_FAULTED;
  }
  return SIMT_DONE;
}

// How many blocks have a context at first. Under the random schedule a few ordinary blocks run
// together: without that, missing synchronisation between them would not show.
static uint32_t choose_resident(const simt_core *core, uint64_t n_blocks) {
  const uint32_t cluster = core->cluster_blocks;
  if (core->launch->cooperative) return (uint32_t)n_blocks;
  if (core->schedule != SIMT_SCHEDULE_RANDOM) return cluster;
  const uint32_t wanted = (SIMT_RANDOM_RESIDENT_BLOCKS + cluster - 1) / cluster * cluster;
  return n_blocks < wanted ? (uint32_t)n_blocks : wanted;
}

// ---- set-up ------------------------------------------------------------------------------------

static simt_status out_of_memory(simt_core *core) {
  return simt_fail(core->diag, SIMT_OUT_OF_MEMORY,
                   "no host memory left to run kernel '%s' with %u resident blocks",
                   core->kernel->name, core->n_resident);
}

simt_status simt_core_set_up(simt_core *core, uint64_t n_blocks) {
  const simt_kernel *k = core->kernel;
  core->profile.entries = SIMT_ARENA_ARRAY(&core->arena, uint64_t, k->n_blocks + 1);
  core->profile.lanes = SIMT_ARENA_ARRAY(&core->arena, uint64_t, k->n_blocks + 1);
  core->reach = SIMT_ARENA_ARRAY(&core->arena, simt_reach, k->n_code);
  if (!core->profile.entries || !core->profile.lanes || !core->reach || !simt_held_begin(core))
    return out_of_memory(core);
  core->n_resident = core->room_for_blocks = 0;
  for (uint32_t n = choose_resident(core, n_blocks); n; n -= core->cluster_blocks)
    if (!add_cluster(core)) return out_of_memory(core);
  return SIMT_OK;
}
