// SPDX-License-Identifier: MIT
// core/sync.c - where lanes wait for each other: block barriers, warp-wide operations, the grid
// barrier. Source: PTX ISA, bar / barrier, bar.warp.sync, shfl.sync.
#include "core/sync.h"

#include <string.h>

#include "core/fault.h"
#include "core/splits.h"
#include "core/state.h"
#include "core/store_buffer.h"
#include "core/undefined.h"
#include "lanes/collective.h"

static void write_reduction(simt_warp *w, const simt_instr *in, const simt_split *s,
                            const simt_barrier *b) {
  if (in->form != ISA_BARRIER_RED || in->d == SIMT_NO_SLOT) return;
  simt_undefined_clear(w, in->d, s->mask);
  if (in->barrier.reduction == ISA_BOOL_NONE) {
    uint32_t *d = (uint32_t *)(void *)(w->regs + in->d);
    for (SIMT_EACH_LANE(lane, s->mask)) d[lane] = b->ones;
    return;
  }
  bool value = in->barrier.reduction == ISA_BOOL_AND ? b->ones == b->total : b->ones != 0;
  uint32_t *d = (uint32_t *)(void *)(w->regs + in->d);
  *d = value ? *d | s->mask : *d & ~s->mask;
}

static void complete_barrier(simt_core *core, simt_block *block, uint8_t id) {
  const simt_barrier done = block->barriers[id];
  block->barriers[id] = (simt_barrier){.lanes = done.lanes}; // the next phase begins
  block->barriers_in_use &= ~(1u << id);
  core->effects++;
  core->barriers++;
  for (uint32_t i = 0; i < block->n_warps; i++) {
    simt_warp *w = &block->warps[i];
    bool woken = false;
    done.lanes[i] = 0;
    for (uint32_t k = 0; k < w->n_splits; k++) {
      simt_split *s = &w->splits[k];
      if (s->state != SIMT_AT_BARRIER || s->barrier != id) continue;
      write_reduction(w, &core->kernel->code[s->pc], s, &done);
      simt_split_wake(s);
      woken = true;
    }
    if (woken && w->n_splits > 1) simt_split_merge(w);
  }
  SIMT_NOTIFY(core, barrier_done, block->index, id);
  SIMT_NOTIFY(core, sync, SIMT_SYNC_BLOCK_BARRIER, done.pc, block->index, 0, done.arrived);
}

// A counted barrier counts warps: lanes that never existed or have exited arrive with the first
// living lanes of their warp.
static uint32_t credited_lanes(const simt_block *block, const simt_barrier *b) {
  uint32_t n = 0;
  for (uint32_t i = 0; i < block->n_warps; i++)
    if (b->lanes[i]) n += (uint32_t)__builtin_popcount(~(block->warps[i].alive | b->lanes[i]));
  return n;
}

static bool all_living_have_arrived(const simt_block *block, const simt_barrier *b) {
  if (b->arrived < block->alive) return false;
  for (uint32_t i = 0; i < block->n_warps; i++)
    if (block->warps[i].alive & ~b->lanes[i]) return false;
  return true;
}

static bool is_complete(const simt_block *block, const simt_barrier *b) {
  if (b->whole_block) return all_living_have_arrived(block, b);
  return b->arrived >= b->expected || b->arrived + credited_lanes(block, b) >= b->expected;
}

void simt_exit_from_barriers(simt_core *core, simt_block *block) {
  for (uint32_t left = block->barriers_in_use; left; left &= left - 1) {
    uint32_t id = (uint32_t)__builtin_ctz(left);
    if (is_complete(block, &block->barriers[id])) complete_barrier(core, block, (uint8_t)id);
  }
}

// Whether the lanes give one value; a barrier takes its id and its count from all of them alike.
static bool is_same(const simt_warp *w, uint32_t slot, uint32_t lanes) {
  const uint32_t *values = (const uint32_t *)(const void *)(w->regs + slot);
  uint32_t first = values[__builtin_ctz(lanes)], different = 0;
  if (lanes == SIMT_FULL_MASK) // the usual case, in vector code
    for (uint32_t lane = 0; lane < SIMT_LANES; lane++) different |= values[lane] ^ first;
  else
    for (SIMT_EACH_LANE(lane, lanes)) different |= values[lane] ^ first;
  return !different;
}

static bool read_barrier(simt_core *core, simt_warp *w, const simt_instr *in, uint32_t lanes,
                         uint32_t *id, uint32_t *count) {
  uint32_t first = (uint32_t)__builtin_ctz(lanes);
  *id = ((const uint32_t *)(const void *)(w->regs + in->a))[first];
  *count = in->b == SIMT_NO_SLOT ? 0 : ((const uint32_t *)(const void *)(w->regs + in->b))[first];
  if (!in->barrier.is_constant &&
      (!is_same(w, in->a, lanes) || (in->b != SIMT_NO_SLOT && !is_same(w, in->b, lanes))))
    return simt_fault(core, w, in, (int)first, SIMT_INVALID_BARRIER,
                      "lanes of one warp name different barriers or counts at one instruction, "
                      "which is not supported");
  if (*id >= SIMT_BARRIERS)
    return simt_fault_with(core, w, in, (int)first, SIMT_INVALID_BARRIER,
                           &(simt_fault_info){.barrier = *id, .faulting_lanes = lanes},
                           "barrier %u does not exist: a block has barriers 0 to 15", *id);
  if (in->b != SIMT_NO_SLOT && (*count == 0 || *count % SIMT_LANES))
    return simt_fault_with(
        core, w, in, (int)first, SIMT_INVALID_BARRIER,
        &(simt_fault_info){.barrier = *id, .expected_threads = *count, .faulting_lanes = lanes},
        "barrier %u is given %u threads, which is not a multiple of 32", *id, *count);
  return true;
}

static void report_arrival(simt_core *core, const simt_warp *w, const simt_instr *in,
                           uint32_t lanes, uint32_t id, uint32_t expected, bool whole_block) {
  simt_barrier_event event = {.pc = in->pc,
                              .block = w->block->index,
                              .warp = w->index,
                              .mask = lanes,
                              .id = id,
                              .expected = expected,
                              .whole_block = whole_block,
                              .waits = in->form != ISA_BARRIER_ARRIVE};
  SIMT_NOTIFY(core, barrier, &event);
}

#define BARRIER_FACTS(b, id)                                                                       \
  .barrier = (id), .expected_threads = (b)->expected, .arrived_threads = (b)->arrived

// Lanes of a warp join a phase; false when others have named another count.
static bool join_barrier(simt_core *core, simt_warp *w, const simt_instr *in, uint32_t lanes,
                         uint32_t id, uint32_t count) {
  simt_barrier *b = &w->block->barriers[id];
  uint32_t expected = count ? count : w->block->threads;
  if (!(w->block->barriers_in_use >> id & 1))
    *b = (simt_barrier){.expected = expected, .pc = in->pc, .lanes = b->lanes};
  w->block->barriers_in_use |= 1u << id;
  if (b->expected != expected)
    return simt_fault_with(core, w, in, -1, SIMT_INVALID_BARRIER,
                           &(simt_fault_info){BARRIER_FACTS(b, id)},
                           "barrier %u is waited for with %u threads here and %u elsewhere", id,
                           expected, b->expected);
  b->whole_block |= !count;
  b->arrived += (uint32_t)__builtin_popcount(lanes);
  b->lanes[w->index] |= lanes;
  if (in->form == ISA_BARRIER_RED) {
    uint32_t p = *(const uint32_t *)(const void *)(w->regs + in->c);
    b->ones += (uint32_t)__builtin_popcount((in->c_negated ? ~p : p) & lanes);
    b->total += (uint32_t)__builtin_popcount(lanes);
  }
  return true;
}

bool simt_arrive_at_barrier(simt_core *core, simt_warp *w, uint32_t *at, const simt_instr *in,
                            uint32_t lanes) {
  uint32_t id, count;
  if (!read_barrier(core, w, in, lanes, &id, &count)) return false;
  simt_held_publish(core, w, lanes, ISA_SCOPE_CTA);
  if (core->reports_barriers)
    report_arrival(core, w, in, lanes, id, count ? count : w->block->threads, count == 0);
  if (!join_barrier(core, w, in, lanes, id, count)) return false;
  simt_barrier *b = &w->block->barriers[id];
  if (in->form == ISA_BARRIER_ARRIVE) {
    w->splits[*at].pc = in->pc + 1;
  } else {
    uint32_t held = simt_split_hold(w, at, lanes, SIMT_AT_BARRIER, in->pc);
    w->splits[held].barrier = (uint8_t)id;
  }
  if (b->arrived > b->expected)
    return simt_fault_with(
        core, w, in, -1, SIMT_INVALID_BARRIER, &(simt_fault_info){BARRIER_FACTS(b, id)},
        "%u threads arrived at barrier %u, which waits for %u", b->arrived, id, b->expected);
  if (is_complete(w->block, b)) complete_barrier(core, w->block, (uint8_t)id);
  return true;
}

// ---- collectives -------------------------------------------------------------------------------

static uint32_t member_mask(const simt_warp *w, const simt_instr *in, uint32_t lane) {
  return ((const uint32_t *)(const void *)(w->regs + in->collective.members))[lane];
}

static simt_collective_kind kind_of(const simt_instr *in) {
  switch (in->form) {
  case ISA_WARP_SYNC: return SIMT_COLLECTIVE_SYNCWARP;
  case ISA_SHUFFLE: return SIMT_COLLECTIVE_SHUFFLE;
  case ISA_MATCH: return SIMT_COLLECTIVE_MATCH;
  case ISA_REDUX: return SIMT_COLLECTIVE_REDUX;
  default: return SIMT_COLLECTIVE_VOTE;
  }
}

// The whole story, for checkers.
static void report_collective(simt_core *core, const simt_warp *w, const simt_instr *in,
                              uint32_t mask, uint32_t members, const uint32_t *pcs) {
  uint8_t source[SIMT_LANES];
  simt_collective_event event = {.pc = pcs ? pcs[__builtin_ctz(mask)] : in->pc,
                                 .block = w->block->index,
                                 .warp = w->index,
                                 .members = members,
                                 .mask = mask,
                                 .existing = w->lanes,
                                 .exited = w->lanes & ~w->alive,
                                 .kind = (uint8_t)kind_of(in),
                                 .pcs = pcs};
  if (in->form == ISA_SHUFFLE) {
    simt_shuffle_sources(w->regs, in, mask, source);
    event.source = source;
  }
  SIMT_NOTIFY(core, collective, &event);
}

void simt_run_collective(simt_core *core, simt_warp *w, const simt_instr *in, uint32_t mask,
                         uint32_t members, const uint32_t *pcs) {
  if (core->reports_collectives) report_collective(core, w, in, mask, members, pcs);
  simt_sync_kind kind = in->form == ISA_WARP_SYNC ? SIMT_SYNC_WARP
                        : in->form == ISA_SHUFFLE ? SIMT_SYNC_SHUFFLE
                                                  : SIMT_SYNC_VOTE;
  SIMT_NOTIFY(core, sync, kind, in->pc, w->block->index, w->index, mask);
  if (in->form == ISA_WARP_SYNC) { // computes nothing
    simt_held_publish(core, w, mask, ISA_SCOPE_CTA);
    return;
  }
  if (core->reports_undefined) {
    if (in->form != ISA_SHUFFLE) simt_undefined_collective(core, w, in, mask);
    else if (!simt_undefined_shuffle(core, w, in, mask, members)) core->reports_undefined = false;
  }
  simt_exec_collective(w->regs, in, mask);
}

// Sources and destinations of lanes that stand at different instructions are copied through the
// scratch slots, so that one exchange serves them all.
static void copy_lanes(uint8_t *to, const uint8_t *from, uint32_t lanes, uint8_t bytes) {
  for (SIMT_EACH_LANE(lane, lanes)) memcpy(to + lane * bytes, from + lane * bytes, bytes);
}

static void gather_operands(simt_warp *w, const simt_instr *in, const simt_instr *joint,
                            uint32_t lanes) {
  if (in->form == ISA_VOTE) {
    uint32_t *to = (uint32_t *)(void *)(w->regs + joint->a),
             p = *(const uint32_t *)(const void *)(w->regs + in->a);
    *to = (*to & ~lanes) | ((in->a_negated ? ~p : p) & lanes);
    return;
  }
  if (in->a != SIMT_NO_SLOT)
    copy_lanes(w->regs + joint->a, w->regs + in->a, lanes, in->collective.value_bytes);
  if (in->b != SIMT_NO_SLOT) copy_lanes(w->regs + joint->b, w->regs + in->b, lanes, 4);
  if (in->c != SIMT_NO_SLOT) copy_lanes(w->regs + joint->c, w->regs + in->c, lanes, 4);
}

static void scatter_results(simt_warp *w, const simt_instr *in, const simt_instr *joint,
                            uint32_t lanes) {
  bool predicate = in->form == ISA_VOTE && in->collective.operation != ISA_VOTE_BALLOT;
  const uint32_t *from = (const uint32_t *)(const void *)(w->regs + joint->d);
  if (in->d != SIMT_NO_SLOT && predicate) {
    uint32_t *to = (uint32_t *)(void *)(w->regs + in->d);
    *to = (*to & ~lanes) | (*from & lanes);
  } else if (in->d != SIMT_NO_SLOT) {
    copy_lanes(w->regs + in->d, w->regs + joint->d, lanes, 4);
  }
  if (in->collective.second_d == SIMT_NO_SLOT) return;
  uint32_t *to = (uint32_t *)(void *)(w->regs + in->collective.second_d);
  *to = (*to & ~lanes) |
        (*(const uint32_t *)(const void *)(w->regs + joint->collective.second_d) & lanes);
}

typedef struct party { // the splits that take part in one collective
  uint32_t lanes, index[SIMT_MAX_SPLITS], n;
  bool same_pc;
} party;

static bool compatible(const simt_instr *x, const simt_instr *y) {
  return x->form == y->form && x->collective.operation == y->collective.operation &&
         x->collective.value_bytes == y->collective.value_bytes;
}

static party find_party(const simt_core *core, const simt_warp *w, const simt_split *first) {
  party p = {.same_pc = true};
  const simt_instr *code = core->kernel->code;
  for (uint32_t i = 0; i < w->n_splits; i++) {
    const simt_split *s = &w->splits[i];
    if (s->state != SIMT_AT_COLLECTIVE || s->wait_mask != first->wait_mask ||
        !compatible(&code[s->pc], &code[first->pc]))
      continue;
    p.same_pc &= s->pc == first->pc;
    p.lanes |= s->mask;
    p.index[p.n++] = i;
  }
  return p;
}

// Lanes at different instructions: their operands are brought together in the scratch slots.
static void run_joint(simt_core *core, simt_warp *w, const party *p) {
  const simt_instr *code = core->kernel->code;
  simt_instr joint = code[w->splits[p->index[0]].pc];
  uint32_t scratch = core->kernel->scratch_slot, pcs[SIMT_LANES];
  joint.d = scratch, joint.a = scratch + 256, joint.b = scratch + 512, joint.c = scratch + 768,
  joint.collective.second_d = scratch + 1024;
  joint.a_negated = false;
  for (uint32_t i = 0; i < p->n; i++) {
    const simt_split *s = &w->splits[p->index[i]];
    gather_operands(w, &code[s->pc], &joint, s->mask);
    for (SIMT_EACH_LANE(lane, s->mask)) pcs[lane] = s->pc;
  }
  simt_run_collective(core, w, &joint, p->lanes, w->splits[p->index[0]].wait_mask, pcs);
  simt_undefined_clear(w, joint.d, SIMT_FULL_MASK); // lanes apart: taken as defined
  for (uint32_t i = 0; i < p->n; i++) {
    const simt_split *s = &w->splits[p->index[i]];
    scatter_results(w, &code[s->pc], &joint, s->mask);
    simt_undefined_clear(w, code[s->pc].d, s->mask);
    simt_undefined_clear(w, code[s->pc].collective.second_d, s->mask);
  }
}

static void run_party(simt_core *core, simt_warp *w, const party *p) {
  const simt_split *first = &w->splits[p->index[0]];
  const simt_instr *in = &core->kernel->code[first->pc];
  if (p->same_pc) {
    simt_run_collective(core, w, in, p->lanes, first->wait_mask, NULL);
  } else {
    run_joint(core, w, p);
  }
  for (uint32_t i = 0; i < p->n; i++) simt_split_wake(&w->splits[p->index[i]]);
}

// Wakes every collective whose lanes have all arrived or exited.
void simt_try_collectives(simt_core *core, simt_warp *w) {
  bool woken = false;
  uint32_t seen = 0;
  for (uint32_t i = 0; i < w->n_splits; i++) {
    if (w->splits[i].state != SIMT_AT_COLLECTIVE || w->splits[i].mask & seen) continue;
    party p = find_party(core, w, &w->splits[i]);
    seen |= p.lanes;
    if (w->splits[i].wait_mask & w->alive & ~p.lanes) continue;
    run_party(core, w, &p);
    woken = true;
  }
  if (woken) simt_split_merge(w);
}

// Lanes of one collective that name different masks are separate groups: each runs as soon as its
// own members are there (tiles of a warp do this).
bool simt_wait_for_collective(simt_core *core, simt_warp *w, uint32_t *at, const simt_instr *in,
                              uint32_t lanes) {
  uint32_t left = lanes;
  w->splits[*at].pc = in->pc + 1;
  while (left) {
    uint32_t first = (uint32_t)__builtin_ctz(left), members = member_mask(w, in, first), group = 0;
    for (SIMT_EACH_LANE(lane, left))
      if (member_mask(w, in, lane) == members) group |= 1u << lane;
    left &= ~group;
    uint32_t outsiders = group & ~members;
    if (outsiders) {
      simt_fault_info facts = {.member_mask = members, .faulting_lanes = outsiders};
      return simt_fault_with(core, w, in, __builtin_ctz(outsiders), SIMT_UNNAMED_LANE, &facts,
                             "the lane takes part in a warp-wide operation whose member mask "
                             "0x%08x leaves it (lane %d) out",
                             members, __builtin_ctz(outsiders));
    }
    if ((members & w->alive & ~group) == 0) {
      simt_run_collective(core, w, in, group, members, NULL);
      continue;
    }
    uint32_t held = simt_split_hold(w, at, group, SIMT_AT_COLLECTIVE, in->pc);
    w->splits[held].wait_mask = members;
    if (w->splits[*at].state != SIMT_READY) break; // no lane is left to go on
    w->splits[*at].pc = in->pc + 1;
  }
  simt_try_collectives(core, w);
  return true;
}

// ---- grid-wide barrier -------------------------------------------------------------------------
//
// As CUDA's own is built: the living threads of a block wait for each other; its first thread tells
// the grid and waits until the first threads of all blocks have; the others wait for it. So a block
// of which all threads have exited keeps the grid waiting for ever, and one whose first thread has
// exited neither waits for other blocks nor tells them anything. (Seen on an H100.)

static void release_block(simt_block *block) {
  block->at_grid_sync = 0;
  block->in_grid_sync = false;
  for (uint32_t k = 0; k < block->n_warps; k++) {
    simt_warp *w = &block->warps[k];
    for (uint32_t s = 0; s < w->n_splits; s++)
      if (w->splits[s].state == SIMT_AT_GRID_SYNC) simt_split_wake(&w->splits[s]);
    if (w->n_splits > 1) simt_split_merge(w);
  }
}

static void release_grid_sync(simt_core *core, const simt_warp *w, uint32_t lanes) {
  core->barriers++;
  core->effects++;
  for (uint32_t i = 0; i < core->n_resident; i++)
    if (core->blocks[i]->in_grid_sync) release_block(core->blocks[i]);
  core->at_grid_sync = 0;
  SIMT_NOTIFY(core, sync, SIMT_SYNC_GRID, core->grid_sync_pc, w->block->index, w->index, lanes);
}

// Threads of w's block have come to grid.sync() or have exited.
static void settle_grid_sync(simt_core *core, simt_warp *w, uint32_t lanes) {
  simt_block *block = w->block;
  if (!block->alive || block->at_grid_sync != block->alive || block->in_grid_sync) return;
  if (!(block->warps[0].alive & 1)) {
    core->effects++;
    release_block(block);
    return;
  }
  block->in_grid_sync = true;
  if (++core->at_grid_sync == core->grid_blocks) release_grid_sync(core, w, lanes);
}

bool simt_arrive_at_grid_sync(simt_core *core, simt_warp *w, uint32_t *at, const simt_instr *in,
                              uint32_t lanes) {
  if (!core->launch->cooperative)
    return simt_fault(core, w, in, -1, SIMT_NOT_COOPERATIVE,
                      "grid.sync() in an ordinary launch: blocks need not run together; launch the "
                      "kernel with cudaLaunchCooperativeKernel");
  core->effects++;
  simt_held_publish(core, w, lanes, ISA_SCOPE_GPU);
  simt_split_hold(w, at, lanes, SIMT_AT_GRID_SYNC, in->pc);
  w->block->at_grid_sync += (uint32_t)__builtin_popcount(lanes);
  core->grid_sync_pc = in->pc;
  settle_grid_sync(core, w, lanes);
  return true;
}

void simt_exit_from_grid(simt_core *core, simt_warp *w, uint32_t lanes) {
  if (w->block->at_grid_sync) settle_grid_sync(core, w, lanes);
}
