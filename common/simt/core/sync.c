// SPDX-License-Identifier: MIT
// core/sync.c - where threads of a block or of the grid wait for each other. Source: PTX ISA, bar /
// barrier. For the lanes of a warp: core/collective.c.
#include "core/sync.h"

#include "core/fault.h"
#include "core/splits.h"
#include "core/state.h"
#include "core/store_buffer.h"
#include "core/undefined.h"

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
    if (b->lanes[i]) n += simt_count_lanes(~(block->warps[i].alive | b->lanes[i]));
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

// Whether the lanes agree on one value: all lanes must give a barrier the same id and the same
// count.
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
                           "threads wait at barrier %u with a count of %u here and %u elsewhere",
                           id, expected, b->expected);
  b->whole_block |= !count;
  b->arrived += simt_count_lanes(lanes);
  b->lanes[w->index] |= lanes;
  if (in->form == ISA_BARRIER_RED) {
    uint32_t p = *(const uint32_t *)(const void *)(w->regs + in->c);
    b->ones += simt_count_lanes((in->c_negated ? ~p : p) & lanes);
    b->total += simt_count_lanes(lanes);
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

// ---- grid-wide barrier -------------------------------------------------------------------------
//
// CUDA's own grid.sync() works like this: the living threads of a block wait for each other; its
// first thread reports to the grid and waits until the first threads of all blocks have; the others
// wait for it. So a block all of whose threads have exited keeps the grid waiting forever, and one
// whose first thread has exited neither waits for other blocks nor reports to them. (Seen on an
// H100.)

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

// Threads of w's block have reached grid.sync() or have exited.
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
  w->block->at_grid_sync += simt_count_lanes(lanes);
  core->grid_sync_pc = in->pc;
  settle_grid_sync(core, w, lanes);
  return true;
}

void simt_exit_from_grid(simt_core *core, simt_warp *w, uint32_t lanes) {
  if (w->block->at_grid_sync) settle_grid_sync(core, w, lanes);
}
