// SPDX-License-Identifier: MIT
// check/exited.c - threads that have left the kernel when others reach a barrier or a warp-wide
// operation that was meant for them too. The launch continues, because nothing waits for threads
// that have exited; but what the rest of the kernel expects from them (a slot of a shared array, a
// lane's part of a sum) is missing. So this is a note, or an error where it is asked for
// (book/decisions/0013): in exercises, whose barriers all threads must reach.
//
// The rules, none of which depends on the schedule:
// - a barrier of the whole block, or grid.sync(), that completes without threads that have exited;
// - a counted barrier that completes because exited lanes count as arrived with their warp;
// - a mask that names a lane that has exited. Lanes that never existed (a short last warp) may be
//   named: no kernel relies on those.
#include <inttypes.h>
#include <stdlib.h>

#include "check/blocks.h"
#include "check/checks.h"
#include "findings/site.h"

enum { BARRIERS = 16 };

// A barrier in its current phase.
typedef struct phase {
  bool in_use, whole_block;
  uint32_t pc, warp, lane; // of the lowest thread that waits
} phase;

typedef struct warp_exits {
  uint32_t exited, pc[SIMT_LANES];
  uint32_t arrived[BARRIERS]; // lanes, in the barrier's current phase
} warp_exits;

typedef struct block_exits {
  uint32_t n; // threads that have exited
  phase at[BARRIERS];
  warp_exits warps[]; // [warps_per_block]
} block_exits;

typedef struct exitcheck {
  simt_observer hooks;
  simt_findings *findings;
  const simt_launch_info *info;
  simt_blocks blocks; // of block_exits
  uint64_t n;         // threads of the grid that have exited
} exitcheck;

// ---- which threads ------------------------------------------------------------------------------

typedef struct threads { // some threads of one block
  uint32_t n, first, last;
  uint32_t exit_pc; // where the first one left
} threads;

static void add_lanes(threads *t, const warp_exits *warp, uint32_t w, uint32_t lanes) {
  uint32_t lowest = simt_lowest_lane(lanes);
  if (!t->n) t->first = w * SIMT_LANES + lowest, t->exit_pc = warp->pc[lowest];
  t->last = w * SIMT_LANES + 31 - (uint32_t)__builtin_clz(lanes);
  t->n += (uint32_t)__builtin_popcount(lanes);
}

// Threads that have exited without arriving at barrier `id`: of all warps or, for a counted
// barrier, of the warps of which some lanes have arrived.
static threads missing_threads(const exitcheck *self, const block_exits *b, uint32_t id,
                               bool whole_block) {
  threads t = {0};
  for (uint32_t w = 0; w < self->info->warps_per_block; w++) {
    const warp_exits *warp = &b->warps[w];
    uint32_t lanes = warp->exited & ~warp->arrived[id];
    if (lanes && (whole_block || warp->arrived[id])) add_lanes(&t, warp, w, lanes);
  }
  return t;
}

// "16 of 64 threads (48 to 63) have left the kernel and will never arrive"
static int describe(const threads *t, uint32_t block_threads, char *out, size_t out_bytes) {
  if (t->n == 1)
    return snprintf(out, out_bytes, "thread %u of %u has left the kernel and will never arrive",
                    t->first, block_threads);
  return snprintf(out, out_bytes,
                  "%u of %u threads (%s%u to %u) have left the kernel and will never arrive", t->n,
                  block_threads, t->n == t->last - t->first + 1 ? "" : "among ", t->first, t->last);
}

// An early return is a branch to the end of the kernel, whose line says nothing. The only
// conditional branch to that end before the barrier is the return; else the exit itself.
static uint32_t leaving_pc(const exitcheck *self, uint32_t exit_pc, uint32_t barrier_pc) {
  uint32_t found = exit_pc, n = 0;
  for (uint32_t pc = 0; pc < barrier_pc; pc++) {
    const simt_instr *i = simt_code_at(self->info, pc);
    if (!i || i->form != ISA_BRANCH || i->guard == SIMT_NO_SLOT) continue;
    const simt_instr *target = simt_code_at(self->info, i->branch.target);
    bool is_marker = target && target->form == SIMT_FORM_MARKER;
    if (i->branch.target + is_marker == exit_pc) found = pc, n++;
  }
  return n == 1 ? found : exit_pc;
}

// ", thread 48 at k.cu:12": where the first of them left, if its line is known.
static void name_exit(const exitcheck *self, const threads *t, uint32_t barrier_pc, char *out,
                      size_t out_bytes) {
  char where[64];
  uint32_t pc = leaving_pc(self, t->exit_pc, barrier_pc);
  if (!out_bytes || !simt_name_line(self->info, pc, where, sizeof where)[0]) return;
  if (t->n == 1) snprintf(out, out_bytes, ": it left at %s", where);
  else snprintf(out, out_bytes, ": thread %u left at %s", t->first, where);
}

// ---- barriers -----------------------------------------------------------------------------------

static void report_block(exitcheck *self, uint32_t block, const phase *p, const threads *t) {
  simt_finding f = {.kind = SIMT_FINDING_exited_threads,
                    .first = {.act = SIMT_ACT_BARRIER,
                              .pc = p->pc,
                              .block = block,
                              .warp = p->warp,
                              .lane = (int32_t)p->lane},
                    .relation = SIMT_RELATION_BLOCK,
                    .space = PTX_SPACE_REG};
  int n = describe(t, self->info->block_threads, f.detail, sizeof f.detail);
  name_exit(self, t, p->pc, f.detail + n, sizeof f.detail - (size_t)n);
  snprintf(f.advice, sizeof f.advice,
           "let all threads of the block reach the barrier equally often: no return before it, "
           "no `if` or loop around it that some skip");
  simt_findings_add(self->findings, &f);
}

static void on_barrier(simt_observer *observer, const simt_barrier_event *e) {
  exitcheck *self = (exitcheck *)observer;
  block_exits *b = simt_blocks_of(&self->blocks, e->block);
  if (!b || e->id >= BARRIERS) return;
  phase *p = &b->at[e->id];
  p->whole_block |= e->whole_block;
  b->warps[e->warp].arrived[e->id] |= e->mask;
  uint32_t lane = simt_lowest_lane(e->mask);
  bool is_lower = e->warp != p->warp ? e->warp < p->warp : lane < p->lane;
  if (!e->waits || (p->in_use && !is_lower)) return;
  p->in_use = true;
  p->pc = e->pc, p->warp = e->warp, p->lane = lane;
}

static void on_barrier_done(simt_observer *observer, uint32_t block, uint32_t id) {
  exitcheck *self = (exitcheck *)observer;
  block_exits *b = simt_blocks_of(&self->blocks, block);
  if (!b || id >= BARRIERS) return;
  phase p = b->at[id];
  b->at[id] = (phase){0};
  threads t = b->n && p.in_use ? missing_threads(self, b, id, p.whole_block) : (threads){0};
  if (t.n) report_block(self, block, &p, &t);
  for (uint32_t w = 0; w < self->info->warps_per_block; w++) b->warps[w].arrived[id] = 0;
}

// grid.sync() has completed: its last event says where.
static void on_sync(simt_observer *observer, simt_sync_kind kind, uint32_t pc, uint32_t block,
                    uint32_t warp, uint32_t mask) {
  exitcheck *self = (exitcheck *)observer;
  if (kind != SIMT_SYNC_GRID || !self->n) return;
  simt_finding f = {.kind = SIMT_FINDING_exited_threads,
                    .first = {.act = SIMT_ACT_BARRIER,
                              .pc = pc,
                              .block = block,
                              .warp = warp,
                              .lane = (int32_t)simt_lowest_lane(mask)},
                    .relation = SIMT_RELATION_GRID,
                    .space = PTX_SPACE_REG};
  snprintf(f.detail, sizeof f.detail,
           "%" PRIu64 " of %" PRIu64 " threads of the grid have left the kernel and will never "
           "arrive at grid.sync()",
           self->n, self->info->n_blocks * self->info->block_threads);
  snprintf(f.advice, sizeof f.advice,
           "let all threads of all blocks reach grid.sync(): no return before it, no `if` or "
           "loop around it that some skip");
  simt_findings_add(self->findings, &f);
}

// ---- warp-wide operations -----------------------------------------------------------------------

static simt_site collective_site(const simt_collective_event *e) {
  static const uint8_t acts[] = {[SIMT_COLLECTIVE_SYNCWARP] = SIMT_ACT_SYNCWARP,
                                 [SIMT_COLLECTIVE_SHUFFLE] = SIMT_ACT_SHUFFLE,
                                 [SIMT_COLLECTIVE_VOTE] = SIMT_ACT_VOTE,
                                 [SIMT_COLLECTIVE_MATCH] = SIMT_ACT_VOTE,
                                 [SIMT_COLLECTIVE_REDUX] = SIMT_ACT_VOTE};
  uint32_t lane = simt_lowest_lane(e->mask);
  return (simt_site){.act = acts[e->kind],
                     .pc = e->pcs ? e->pcs[lane] : e->pc,
                     .block = e->block,
                     .warp = e->warp,
                     .lane = (int32_t)lane};
}

// ", lane 20 at k.cu:12": where the lowest of the lanes left the kernel, if that is known.
static void name_lane_exit(exitcheck *self, const simt_collective_event *e, uint32_t lanes,
                           char *out, size_t out_bytes) {
  char where[64];
  uint32_t lane = simt_lowest_lane(lanes);
  const block_exits *b = simt_blocks_of(&self->blocks, e->block);
  out[0] = '\0';
  if (!b || !(b->warps[e->warp].exited >> lane & 1)) return;
  if (!simt_name_line(self->info, b->warps[e->warp].pc[lane], where, sizeof where)[0]) return;
  if (lanes & (lanes - 1)) snprintf(out, out_bytes, ", lane %u at %s", lane, where);
  else snprintf(out, out_bytes, " at %s", where);
}

static void on_collective(simt_observer *observer, const simt_collective_event *e) {
  exitcheck *self = (exitcheck *)observer;
  uint32_t absent = e->members & e->exited & ~e->mask;
  if (!e->mask || !absent) return;
  char lanes[64], where[96];
  simt_finding f = {.kind = SIMT_FINDING_absent_lane,
                    .first = collective_site(e),
                    .relation = SIMT_RELATION_WARP,
                    .space = PTX_SPACE_REG};
  name_lane_exit(self, e, absent, where, sizeof where);
  snprintf(f.detail, sizeof f.detail, "the mask 0x%08x names %s, which %s left the kernel%s",
           e->members, simt_name_lanes(absent, lanes, sizeof lanes),
           absent & (absent - 1) ? "have" : "has", where);
  snprintf(f.advice, sizeof f.advice,
           "let all lanes reach the call (no return, no branch around it), or give a mask of those "
           "that do, taken with __ballot_sync() before they diverge");
  simt_findings_add(self->findings, &f);
}

// ---- life of threads, blocks, launches ----------------------------------------------------------

static void on_exit_of_lanes(simt_observer *observer, uint32_t pc, uint32_t block, uint32_t warp,
                             uint32_t mask) {
  exitcheck *self = (exitcheck *)observer;
  uint32_t n = (uint32_t)__builtin_popcount(mask);
  self->n += n;
  block_exits *b = simt_blocks_of(&self->blocks, block);
  if (!b) return;
  b->n += n;
  warp_exits *w = &b->warps[warp];
  w->exited |= mask;
  for (uint32_t left = mask; left; left &= left - 1) w->pc[simt_lowest_lane(left)] = pc;
}

static void on_block_begin(simt_observer *observer, uint32_t block) {
  simt_blocks_add(&((exitcheck *)observer)->blocks, block);
}

static void on_block_end(simt_observer *observer, uint32_t block) {
  simt_blocks_remove(&((exitcheck *)observer)->blocks, block);
}

static void on_launch_begin(simt_observer *observer, const simt_launch_info *info) {
  exitcheck *self = (exitcheck *)observer;
  simt_blocks_free(&self->blocks);
  self->info = info;
  self->n = 0;
  simt_blocks_begin(&self->blocks,
                    sizeof(block_exits) + info->warps_per_block * sizeof(warp_exits));
}

static void on_launch_end(simt_observer *observer, const simt_launch_info *info,
                          const simt_profile *profile) {
  exitcheck *self = (exitcheck *)observer;
  (void)info, (void)profile;
  simt_blocks_free(&self->blocks);
  self->info = NULL;
}

// The rest are an observer's life-cycle hooks, as in check/sync.c: the two keep different state for
// a block and share only simt_blocks.
simt_observer *simt_exitcheck_create(simt_findings *findings) {
  exitcheck *self = calloc(1, sizeof *self);
  if (!self) return NULL;
  self->findings = findings;
  self->hooks.launch_begin = on_launch_begin;
  self->hooks.block_begin = on_block_begin;
  self->hooks.block_end = on_block_end;
  self->hooks.barrier = on_barrier;
  self->hooks.barrier_done = on_barrier_done;
  self->hooks.sync = on_sync;
  self->hooks.collective = on_collective;
  self->hooks.exit = on_exit_of_lanes;
  self->hooks.launch_end = on_launch_end;
  return &self->hooks;
}

void simt_exitcheck_destroy(simt_observer *observer) {
  exitcheck *self = (exitcheck *)observer;
  if (!self) return;
  simt_blocks_free(&self->blocks);
  free(self);
}
