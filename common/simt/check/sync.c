// SPDX-License-Identifier: MIT
// check/sync.c - synccheck: barriers and warp-wide operations that the threads they wait for do not
// reach together, although the program completed.
//
// The rules, all about what was reached and never about when, so that every schedule gives the
// same findings:
// - Lanes of one warp must not wait at different instructions for one completion of an aligned
//   barrier (__syncthreads(); PTX's barrier.sync without .aligned allows it).
// - Warps of a block that meet barrier 0 at different places of the source: a note.
// - What a shuffle reads from a lane that takes no part must not be used: the core follows such
//   values (core/undefined.h) and reports the first use. Reading alone is not a mistake.
// - A lane that takes part must be one that its mask names. Where all lanes of the warp arrive
//   together a GPU lets it pass, and so does the core; elsewhere it is a device fault.
// - Lanes of one shuffle, vote, match or reduction must be at one place of the source. Different
//   instructions at one place are a compiler's copies of it. __syncwarp() may be reached from
//   different places; racecheck finds the races that remain.
// Threads that have left the kernel are the subject of check/exited.c. What cannot continue at all
// (deadlocks, wrong counts) is a device fault of the execution core.
// Source: PTX ISA, bar, bar.warp.sync, shfl.sync; CUDA C++ Guide, warp functions.
#include <stdlib.h>

#include "check/blocks.h"
#include "findings/site.h"
#include "check/checks.h"

enum { BARRIERS = 16 };

// Lanes of a warp that wait at a barrier in its current phase: at the instruction where the first
// of them came, and (wrongly) at another.
typedef struct waiting {
  uint32_t mask, pc;
  uint32_t other_mask, other_pc;
  bool whole_block;
} waiting;

typedef struct warp_state {
  waiting at[BARRIERS];
} warp_state;

typedef struct block_state {
  uint32_t block;
  warp_state warps[]; // [warps_per_block]
} block_state;

typedef struct synccheck {
  simt_observer hooks;
  simt_findings *findings;
  const simt_launch_info *info;
  simt_blocks blocks; // of block_state
} synccheck;

// ---- places ------------------------------------------------------------------------------------

static const ptx_loc *loc_of(const simt_launch_info *info, int32_t loc) {
  return loc >= 0 && (uint32_t)loc < info->module->n_locs ? &info->module->locs[loc] : NULL;
}

// Whether two instructions come from one place in the source, calls they were inlined from
// included.
static bool is_same_place(const simt_launch_info *info, uint32_t x, uint32_t y) {
  if (x == y) return true;
  int32_t i = info->code_loc[x], k = info->code_loc[y];
  if (i < 0 || k < 0) return false;
  while (i != k) {
    const ptx_loc *a = loc_of(info, i), *b = loc_of(info, k);
    if (!a || !b || a->file != b->file || a->line != b->line) return false;
    i = a->inlined_at;
    k = b->inlined_at;
  }
  return true;
}

// ---- block barriers ----------------------------------------------------------------------------

static simt_site barrier_site(uint32_t block, uint32_t warp, uint32_t pc, uint32_t mask) {
  return (simt_site){.act = SIMT_ACT_BARRIER,
                     .pc = pc,
                     .block = block,
                     .warp = warp,
                     .lane = (int32_t)simt_lowest_lane(mask)};
}

// All threads of a warp must reach an aligned barrier together.
static bool is_aligned(const simt_launch_info *info, uint32_t pc) {
  const simt_instr *in = simt_code_at(info, pc);
  return !in || in->barrier.is_aligned;
}

static void check_divergence(synccheck *self, uint32_t block, uint32_t warp, uint32_t id,
                             waiting w) {
  if (!is_aligned(self->info, w.pc) && !is_aligned(self->info, w.other_pc)) return;
  if (simt_lowest_lane(w.other_mask) < simt_lowest_lane(w.mask))
    w = (waiting){w.other_mask, w.other_pc, w.mask, w.pc, w.whole_block};
  char here[64], there[64];
  simt_finding f = {.kind = SIMT_FINDING_divergent_barrier,
                    .first = barrier_site(block, warp, w.pc, w.mask),
                    .second = barrier_site(block, warp, w.other_pc, w.other_mask),
                    .relation = SIMT_RELATION_WARP,
                    .space = PTX_SPACE_REG};
  snprintf(f.detail, sizeof f.detail,
           "%s and %s of one warp wait for barrier %u at two different instructions",
           simt_name_lanes(w.mask, here, sizeof here),
           simt_name_lanes(w.other_mask, there, sizeof there), id);
  snprintf(f.advice, sizeof f.advice,
           "move the barrier out of the branch or loop, so that all threads of the block reach one "
           "and the same __syncthreads()");
  simt_findings_add(self->findings, &f);
}

// Warps x and y reach barrier 0 at different lines.
static void check_lines(synccheck *self, const block_state *b, uint32_t x, uint32_t y) {
  const waiting *first = &b->warps[x].at[0], *second = &b->warps[y].at[0];
  if (is_same_place(self->info, first->pc, second->pc)) return;
  simt_finding f = {.kind = SIMT_FINDING_barrier_lines,
                    .first = barrier_site(b->block, x, first->pc, first->mask),
                    .second = barrier_site(b->block, y, second->pc, second->mask),
                    .relation = SIMT_RELATION_BLOCK,
                    .space = PTX_SPACE_REG};
  snprintf(f.detail, sizeof f.detail,
           "warps %u and %u reach one barrier at these two lines; it works only because the counts "
           "match",
           x, y);
  snprintf(
      f.advice, sizeof f.advice,
      "let all warps reach the same __syncthreads(), or give the barriers numbers of their own");
  simt_findings_add(self->findings, &f);
}

// Judges a phase of a barrier and clears it, once it is over or can never complete: then the order
// in which the lanes came no longer matters.
static void check_phase(synccheck *self, block_state *b, uint32_t id) {
  uint32_t first = UINT32_MAX; // the first warp of a barrier 0 of the whole block
  for (uint32_t i = 0; i < self->info->warps_per_block; i++) {
    waiting *w = &b->warps[i].at[id];
    if (w->mask && w->other_mask) check_divergence(self, b->block, i, id, *w);
    if (!w->mask || id != 0 || !w->whole_block) continue;
    if (first == UINT32_MAX) first = i;
    else check_lines(self, b, first, i);
  }
  for (uint32_t i = 0; i < self->info->warps_per_block; i++) b->warps[i].at[id] = (waiting){0};
}

static void on_barrier(simt_observer *observer, const simt_barrier_event *e) {
  synccheck *self = (synccheck *)observer;
  block_state *block = simt_blocks_of(&self->blocks, e->block);
  if (!e->waits || !block || e->id >= BARRIERS) return;
  waiting *at = &block->warps[e->warp].at[e->id];
  if (!at->mask) at->pc = e->pc;
  at->whole_block = e->whole_block;
  if (at->pc == e->pc) {
    at->mask |= e->mask;
    return;
  }
  if (!at->other_mask) at->other_pc = e->pc;
  at->other_mask |= e->mask;
}

static void on_barrier_done(simt_observer *observer, uint32_t block, uint32_t id) {
  synccheck *self = (synccheck *)observer;
  block_state *state = simt_blocks_of(&self->blocks, block);
  if (state && id < BARRIERS) check_phase(self, state, id);
}

// ---- warp-wide operations ----------------------------------------------------------------------

static simt_site collective_site(const simt_collective_event *e, uint32_t lane) {
  static const uint8_t acts[] = {[SIMT_COLLECTIVE_SYNCWARP] = SIMT_ACT_SYNCWARP,
                                 [SIMT_COLLECTIVE_SHUFFLE] = SIMT_ACT_SHUFFLE,
                                 [SIMT_COLLECTIVE_VOTE] = SIMT_ACT_VOTE,
                                 [SIMT_COLLECTIVE_MATCH] = SIMT_ACT_VOTE,
                                 [SIMT_COLLECTIVE_REDUX] = SIMT_ACT_VOTE};
  return (simt_site){.act = acts[e->kind],
                     .pc = e->pcs ? e->pcs[lane] : e->pc,
                     .block = e->block,
                     .warp = e->warp,
                     .lane = (int32_t)lane};
}

static void check_places(synccheck *self, const simt_collective_event *e) {
  if (!e->pcs || e->kind == SIMT_COLLECTIVE_SYNCWARP) return;
  uint32_t first = simt_lowest_lane(e->mask), others = 0;
  for (uint32_t left = e->mask; left; left &= left - 1) {
    uint32_t lane = simt_lowest_lane(left);
    if (!is_same_place(self->info, e->pcs[first], e->pcs[lane])) others |= 1u << lane;
  }
  if (!others) return;
  char here[64], there[64];
  simt_finding f = {.kind = SIMT_FINDING_divergent_collective,
                    .first = collective_site(e, first),
                    .second = collective_site(e, simt_lowest_lane(others)),
                    .relation = SIMT_RELATION_WARP,
                    .space = PTX_SPACE_REG};
  snprintf(f.detail, sizeof f.detail,
           "%s and %s meet in one operation from two calls in the source",
           simt_name_lanes(e->mask & ~others, here, sizeof here),
           simt_name_lanes(others, there, sizeof there));
  snprintf(f.advice, sizeof f.advice,
           "choose the argument in the branch and make one call after it, which all lanes of the "
           "mask reach");
  simt_findings_add(self->findings, &f);
}

static void check_named(synccheck *self, const simt_collective_event *e) {
  const uint32_t unnamed = e->mask & ~e->members;
  if (!unnamed) return;
  const bool several = unnamed & (unnamed - 1);
  char lanes[64];
  simt_finding f = {.kind = SIMT_FINDING_unnamed_lane,
                    .first = collective_site(e, simt_lowest_lane(unnamed)),
                    .space = PTX_SPACE_REG};
  snprintf(f.detail, sizeof f.detail,
           "%s take%s part, and the mask 0x%08x does not name %s; what that does is undefined",
           simt_name_lanes(unnamed, lanes, sizeof lanes), several ? "" : "s", e->members,
           several ? "them" : "it");
  snprintf(
      f.advice, sizeof f.advice,
      "name in the mask every lane that reaches the call: 0xffffffff when the whole warp does");
  simt_findings_add(self->findings, &f);
}

static void on_collective(simt_observer *observer, const simt_collective_event *e) {
  synccheck *self = (synccheck *)observer;
  if (!e->mask) return;
  check_places(self, e);
  check_named(self, e);
}

// ---- values from lanes that take no part -------------------------------------------------------

static void on_undefined(simt_observer *observer, const simt_undefined_event *e) {
  synccheck *self = (synccheck *)observer;
  if (e->origin) return; // a load's: initcheck's
  static const char *const uses[] = {[SIMT_USE_STORED] = "stored",
                                     [SIMT_USE_ADDRESS] = "used as an address",
                                     [SIMT_USE_BRANCH] = "used in a condition",
                                     [SIMT_USE_COLLECTIVE] = "used in a warp-wide operation"};
  uint32_t left = self->info->block_threads - 32 * e->warp; // threads from this warp on
  char where[64], lanes[64], why[64];
  simt_finding f = {.kind = SIMT_FINDING_shuffle_source,
                    .first = {.act = SIMT_ACT_SHUFFLE,
                              .pc = e->shuffle_pc,
                              .block = e->block,
                              .warp = e->warp,
                              .lane = e->shuffle_lane},
                    .relation = SIMT_RELATION_WARP,
                    .space = PTX_SPACE_REG};
  if (e->source_lane >= left)
    snprintf(why, sizeof why, "does not exist (this warp has %u lane%s)", left,
             left > 1 ? "s" : "");
  else if (!(e->members >> e->source_lane & 1)) // whether it has left depends on the schedule
    snprintf(why, sizeof why, "the mask 0x%08x does not name", e->members);
  else snprintf(why, sizeof why, "has left the kernel");
  simt_name_line(self->info, e->pc, where, sizeof where);
  snprintf(f.detail, sizeof f.detail, "lane %u reads lane %u, which %s; the result is %s by %s%s%s",
           e->shuffle_lane, e->source_lane, why, uses[e->use],
           simt_name_lanes(e->lanes, lanes, sizeof lanes), where[0] ? " at " : "", where);
  snprintf(f.advice, sizeof f.advice,
           "shuffle among all 32 lanes, with a neutral value from those without data; or give the "
           "shuffle a width (or fewer steps) that stays inside the mask");
  simt_findings_add(self->findings, &f);
}

// ---- life of blocks and launches -----------------------------------------------------------

static void on_block_begin(simt_observer *observer, uint32_t block) {
  block_state *state = simt_blocks_add(&((synccheck *)observer)->blocks, block);
  if (state) state->block = block;
}

static void on_block_end(simt_observer *observer, uint32_t block) {
  simt_blocks_remove(&((synccheck *)observer)->blocks, block);
}

static void drop_launch(synccheck *self) {
  simt_blocks_free(&self->blocks);
  self->info = NULL;
}

static void on_launch_begin(simt_observer *observer, const simt_launch_info *info) {
  synccheck *self = (synccheck *)observer;
  drop_launch(self);
  self->info = info;
  simt_blocks_begin(&self->blocks,
                    sizeof(block_state) + info->warps_per_block * sizeof(warp_state));
}

static void check_stuck(void *state, void *data) {
  for (uint32_t id = 0; id < BARRIERS; id++) check_phase(data, state, id);
}

// Blocks that have not ended then were stopped by a fault, perhaps a deadlock.
static void on_launch_end(simt_observer *observer, const simt_launch_info *info,
                          const simt_profile *profile) {
  synccheck *self = (synccheck *)observer;
  (void)info, (void)profile;
  simt_blocks_each(&self->blocks, check_stuck, self);
  drop_launch(self);
}

simt_observer *simt_synccheck_create(simt_findings *findings) {
  synccheck *self = calloc(1, sizeof *self);
  if (!self) return NULL;
  self->findings = findings;
  self->hooks.launch_begin = on_launch_begin;
  self->hooks.block_begin = on_block_begin;
  self->hooks.block_end = on_block_end;
  self->hooks.barrier = on_barrier;
  self->hooks.barrier_done = on_barrier_done;
  self->hooks.collective = on_collective;
  self->hooks.undefined = on_undefined;
  self->hooks.launch_end = on_launch_end;
  return &self->hooks;
}

void simt_synccheck_destroy(simt_observer *observer) {
  synccheck *self = (synccheck *)observer;
  if (!self) return;
  drop_launch(self);
  free(self);
}
