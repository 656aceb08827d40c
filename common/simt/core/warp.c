// SPDX-License-Identifier: MIT
// core/warp.c - the loop that runs a warp's instructions.
//
// The order is fixed: the last ready split runs; at a divergent branch the lanes that fall through
// go first, unless the launch's schedule (core/schedule.c) says otherwise. So the same program
// always runs the same way under the same schedule. Not modelled: pipelines and their timing
// (profile/model.c estimates time from counts).
#include "core/warp.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/names.h"
#include "core/access.h"
#include "core/async.h"
#include "core/calls.h"
#include "core/cluster.h"
#include "core/collective.h"
#include "core/fault.h"
#include "core/device_calls.h"
#include "core/heap.h"
#include "core/print.h"
#include "core/random_turn.h"
#include "core/splits.h"
#include "core/state.h"
#include "core/stop.h"
#include "core/store_buffer.h"
#include "core/sync.h"
#include "core/texture.h"
#include "core/undefined.h"

// ---- leaving -----------------------------------------------------------------------------------

static void exit_lanes(simt_core *core, simt_warp *w, uint32_t at, const simt_instr *in,
                       uint32_t lanes) {
  simt_split *s = &w->splits[at];
  int32_t reconvergence = s->reconvergence;
  core->effects++;
  w->alive &= ~lanes;
  w->block->alive -= simt_count_lanes(lanes);
  s->mask &= ~lanes;
  if (!s->mask) simt_split_remove(w, at);
  simt_reconvergence_leave(w, reconvergence, lanes);
  simt_held_publish(core, w, lanes, ISA_SCOPE_CTA);
  SIMT_NOTIFY(core, exit, in->pc, w->block->index, w->index, lanes);
  simt_try_collectives(core, w);
  if (w->block->alive) simt_exit_from_barriers(core, w->block);
  simt_exit_from_grid(core, w, lanes);
  if (core->kernel->uses_cluster_barrier) simt_exit_from_cluster(core, w, lanes);
}

// A clock that moves with the work done: four cycles per instruction. Deterministic.
static void read_clock(simt_warp *w, const simt_instr *in, uint32_t mask) {
  const simt_instr *start = in; // a block of instructions is counted as a whole at its beginning
  while (start->form != SIMT_FORM_MARKER) start--;
  const uint64_t done = w->instructions - start->marker.n_instrs + (uint64_t)(in - start);
  const uint64_t now = done * 4 >> (in->clock.upper_half ? 32 : 0);
  for (SIMT_EACH_LANE(lane, mask)) {
    if (in->clock.bytes == 8) ((uint64_t *)(void *)(w->regs + in->d))[lane] = now;
    else ((uint32_t *)(void *)(w->regs + in->d))[lane] = (uint32_t)now;
  }
}

// ---- the loop ----------------------------------------------------------------------------------

// The loop below is expanded three times; the usual copy has everything in it.
#define INLINE static inline __attribute__((always_inline))

typedef enum step { STEP_ON, STEP_SWITCH, STEP_PAUSE, STEP_HOLD, STEP_FAULT } step;

// Enters a basic block: lanes reconverge, the entry is counted, time passes.
INLINE step pass_marker(simt_core *core, simt_warp *w, uint32_t *at, const simt_instr *in) {
  simt_split *s = &w->splits[*at];
  while (s->reconvergence >= 0 && w->reconvergences[s->reconvergence].pc == in->pc &&
         w->reconvergences[s->reconvergence].depth == s->depth) {
    simt_reconvergence *m = &w->reconvergences[s->reconvergence];
    m->arrived |= s->mask;
    if (m->arrived != m->members) return simt_split_remove(w, *at), STEP_SWITCH;
    s->mask = m->members;
    int32_t parent = m->parent;
    simt_reconvergence_drop(w, s->reconvergence);
    s->reconvergence = parent;
  }
  core->profile.entries[in->marker.block]++;
  core->profile.lanes[in->marker.block] += simt_count_lanes(s->mask);
  if (w->block->reports_entries)
    SIMT_NOTIFY(core, enter, w->block->index, w->index, in->marker.block);
  s->pc = in->pc + 1;
  w->instructions += in->marker.n_instrs;
  core->budget -= in->marker.n_instrs;
  return core->budget > 0 ? STEP_ON : STEP_SWITCH;
}

INLINE step branch(simt_core *core, simt_warp *w, uint32_t *at, const simt_instr *in,
                   uint32_t taken) {
  simt_split *s = &w->splits[*at];
  if (in->guard != SIMT_NO_SLOT) SIMT_NOTIFY(core, branch, in->pc, taken, s->mask);
  if (taken == s->mask) s->pc = in->branch.target;
  else if (!taken) s->pc = in->pc + 1;
  else simt_split_diverge(core, w, at, in, taken);
  return STEP_ON;
}

// Everything that changes which lanes run next. `m`: lanes whose guard holds.
INLINE step control(simt_core *core, simt_warp *w, uint32_t *at, const simt_instr *in, uint32_t m) {
  switch (in->form) {
  case SIMT_FORM_MARKER: return pass_marker(core, w, at, in);
  case ISA_BRANCH: return branch(core, w, at, in, m);
  case SIMT_FORM_CALL: return simt_exec_call(core, w, at, in) ? STEP_ON : STEP_FAULT;
  case SIMT_FORM_RETURN: return simt_exec_return(core, w, at, in) ? STEP_ON : STEP_FAULT;
  default: break;
  }
  w->splits[*at].pc = in->pc + 1;
  if (!m) return STEP_ON;
  switch (in->form) {
  case ISA_EXIT: exit_lanes(core, w, *at, in, m); return STEP_SWITCH;
  case ISA_TRAP: simt_fault(core, w, in, __builtin_ctz(m), SIMT_TRAP, "trap"); return STEP_FAULT;
  case ISA_BARRIER:
  case ISA_BARRIER_RED:
  case ISA_BARRIER_ARRIVE:
    return simt_arrive_at_barrier(core, w, at, in, m) ? STEP_SWITCH : STEP_FAULT;
  case ISA_CLUSTER_ARRIVE:
    return simt_arrive_at_cluster(core, w, at, in, m) ? STEP_SWITCH : STEP_FAULT;
  case ISA_CLUSTER_WAIT:
    return simt_wait_for_cluster(core, w, at, in, m) ? STEP_SWITCH : STEP_FAULT;
  case SIMT_FORM_GRID_SYNC:
    return simt_arrive_at_grid_sync(core, w, at, in, m) ? STEP_SWITCH : STEP_FAULT;
  default: return simt_wait_for_collective(core, w, at, in, m) ? STEP_SWITCH : STEP_FAULT;
  }
}

static void fence(simt_core *core, simt_warp *w, const simt_instr *in, uint32_t m) {
  simt_fence_event event = {.pc = in->pc,
                            .block = w->block->index,
                            .warp = w->index,
                            .mask = m,
                            .order = in->fence.order,
                            .scope = in->fence.scope};
  if (in->fence.order != ISA_ACQUIRE) simt_held_publish(core, w, m, in->fence.scope);
  SIMT_NOTIFY(core, fence, &event);
  SIMT_NOTIFY(core, sync, SIMT_SYNC_FENCE, in->pc, w->block->index, w->index, m);
}

static step call_control(simt_core *core, simt_warp *w, uint32_t *at, const simt_instr *in,
                         uint32_t m) {
  return control(core, w, at, in, m);
}

// Instructions after which the same lanes continue with the next one. False after a fault.
static bool plain(simt_core *core, simt_warp *w, const simt_instr *in, uint32_t m,
                  uint32_t active) {
  switch (in->form) {
  case ISA_ATOM:
  case ISA_RED: return simt_exec_atomic(core, w, in, m);
  case ISA_ISSPACEP: simt_exec_isspacep(core, w, in, m); return true;
  case ISA_ACTIVEMASK: {
    uint32_t *d = (uint32_t *)(void *)(w->regs + in->d);
    for (SIMT_EACH_LANE(lane, m)) d[lane] = active;
    return true;
  }
  case ISA_FENCE: fence(core, w, in, m); return true;
  case ISA_BRKPT: return simt_fault(core, w, in, __builtin_ctz(m), SIMT_TRAP, "breakpoint");
  case ISA_NANOSLEEP:
    core->budget = 0;
    w->spins += SIMT_SPINS;
    w->rereads += SIMT_SPINS;
    return true;
  case SIMT_FORM_PRINTF: return simt_exec_printf(core, w, in, m);
  case SIMT_FORM_ASSERT: return simt_exec_assert(core, w, in, m);
  case SIMT_FORM_CLOCK: read_clock(w, in, m); return true;
  case ISA_TEXTURE: return simt_exec_texture(core, w, in, m);
  case ISA_SURFACE_LOAD:
  case ISA_SURFACE_STORE: return simt_exec_surface(core, w, in, m);
  case ISA_ASYNC_COPY: return simt_exec_async_copy(core, w, in, m);
  case ISA_BULK_COPY: return simt_exec_bulk_copy(core, w, in, m);
  case ISA_ASYNC_COMMIT: simt_exec_async_commit(w, m); return true;
  case ISA_ASYNC_WAIT: return simt_exec_async_wait(core, w, in, m);
  case SIMT_FORM_HEAP: return simt_exec_heap(core, w, in, m);
  case SIMT_FORM_DEVICE_CALL: return simt_exec_device_call(core, w, in, m);
  default: return true;
  }
}

static uint32_t first_member(const simt_warp *w, const simt_instr *in, uint32_t m) {
  return ((const uint32_t *)(const void *)(w->regs + in->collective.members))[__builtin_ctz(m)];
}

// A full-mask collective of converged lanes, the common case, without leaving the inner loop.
static bool converged(const simt_warp *w, const simt_instr *in, uint32_t m) {
  const uint32_t *members = (const uint32_t *)(const void *)(w->regs + in->collective.members);
  uint32_t first = members[__builtin_ctz(m)], different = 0;
  for (uint32_t lane = 0; lane < SIMT_LANES; lane++)
    different |= (members[lane] ^ first) & -(m >> lane & 1);
  return !different && !(first & w->alive & ~m) && !(m & ~first);
}

// Random slices end before memory accesses, which are the only instructions that others can see,
// and before the few other instructions that plain() runs.
static bool pauses_here(simt_core *core, simt_warp *w, uint32_t at, uint32_t pc) {
  if (core->schedule != SIMT_SCHEDULE_RANDOM) return false;
  if (core->steps) return core->steps--, false;
  w->splits[at].pc = pc;
  return true;
}

// Leaves run_split() with the split at `pc`: where it continues, or where a fault is reported.
INLINE step leave_at(simt_warp *w, uint32_t at, uint32_t pc, step why) {
  w->splits[at].pc = pc;
  return why;
}

INLINE bool is_held_here(simt_core *core, simt_warp *w, const simt_instr *in) {
  return in->form != SIMT_FORM_MARKER && simt_stop_here(core, w, in);
}

// Whether a register holds an undefined value from here on, so that the careful copy goes on.
INLINE bool must_follow(const simt_warp *w, bool careful) {
  return !careful && w->undefined.n_slots;
}

// The lanes of `mask` whose guard holds.
INLINE uint32_t guarded(const uint8_t *regs, const simt_instr *in, uint32_t mask) {
  if (in->guard == SIMT_NO_SLOT) return mask;
  uint32_t p = *(const uint32_t *)(const void *)(regs + in->guard);
  return mask & (in->guard_negated ? ~p : p);
}

// Runs split `at` until it waits, ends or its slice is over. `careful`: random slices end where
// pauses_here() says, and undefined values are followed (twice for an instruction at which the
// split pauses: the second time its operands count as defined). `stepped`: the launch may be held
// before any instruction. Both are constants where this function is expanded, so that the usual
// loop need not test them.
INLINE step run_split(simt_core *core, simt_warp *w, uint32_t at, bool careful, bool stepped) {
  const simt_instr *code = core->kernel->code;
  uint8_t *regs = w->regs;
  uint32_t pc = w->splits[at].pc, mask = w->splits[at].mask;
  for (;; pc++) {
    const simt_instr *in = &code[pc];
    if (stepped && is_held_here(core, w, in)) return leave_at(w, at, pc, STEP_HOLD);
    uint32_t m = guarded(regs, in, mask);
    if (careful && w->undefined.n_slots) simt_undefined_step(core, w, in, m, mask);
    switch (in->form) {
    case ISA_LANES:
    case ISA_SETP:
    case ISA_PACK:
    case ISA_UNPACK:
      if (m) in->lanes(regs, in, m);
      break;
    case ISA_LOAD:
      if (careful && m && pauses_here(core, w, at, pc)) return STEP_PAUSE;
      if (m && !simt_exec_load(core, w, in, m)) return leave_at(w, at, pc, STEP_FAULT);
      if (must_follow(w, careful)) return leave_at(w, at, pc + 1, STEP_SWITCH);
      break;
    case ISA_STORE:
      if (careful && m && pauses_here(core, w, at, pc)) return STEP_PAUSE;
      if (m && !simt_exec_store(core, w, in, m)) return leave_at(w, at, pc, STEP_FAULT);
      break;
    case ISA_SHUFFLE:
    case ISA_VOTE:
    case ISA_MATCH:
    case ISA_REDUX:
    case ISA_WARP_SYNC:
      if (m && converged(w, in, m)) {
        simt_run_collective(core, w, in, m, first_member(w, in, m), NULL);
        if (must_follow(w, careful)) return leave_at(w, at, pc + 1, STEP_SWITCH);
        break;
      }
      // fall through
    case SIMT_FORM_MARKER:
    case ISA_BRANCH:
    case ISA_EXIT:
    case ISA_TRAP:
    case ISA_BARRIER:
    case ISA_BARRIER_RED:
    case ISA_BARRIER_ARRIVE:
    case ISA_CLUSTER_ARRIVE:
    case ISA_CLUSTER_WAIT:
    case SIMT_FORM_CALL:
    case SIMT_FORM_RETURN:
    case SIMT_FORM_GRID_SYNC: {
      step next = careful ? call_control(core, w, &at, in, m) : control(core, w, &at, in, m);
      if (next != STEP_ON) return next;
      pc = w->splits[at].pc - 1; // the loop's pc++ follows
      mask = w->splits[at].mask;
      break;
    }
    default:
      if (careful && m && pauses_here(core, w, at, pc)) return STEP_PAUSE;
      if (m && !plain(core, w, in, m, mask)) return leave_at(w, at, pc, STEP_FAULT);
    }
  }
}

static step run_plain_split(simt_core *core, simt_warp *w, uint32_t at) {
  return run_split(core, w, at, false, false);
}
static step run_careful_split(simt_core *core, simt_warp *w, uint32_t at) {
  return run_split(core, w, at, true, false);
}
static step run_stepped_split(simt_core *core, simt_warp *w, uint32_t at) {
  return run_split(core, w, at, true, true);
}

// The slice is spent: the running split goes to the back. If the others only spin, they may be
// waiting for lanes that wait at a reconvergence point.
static void rotate(simt_warp *w) {
  int at = simt_split_last_ready(w);
  if (at > 0) {
    simt_split s = w->splits[at];
    simt_split_remove(w, (uint32_t)at);
    simt_split_insert(w, 0, s);
  }
  if (w->spins >= SIMT_SPINS) simt_warp_release(w), w->spins = 0;
}

static bool check_limit(simt_core *core, simt_warp *w) {
  int at = simt_split_last_ready(w);
  if (w->instructions < core->max_warp_instructions || at < 0) return true;
  const simt_instr *in = &core->kernel->code[w->splits[at].pc];
  return simt_fault(
      core, w, in, __builtin_ctz(w->splits[at].mask), SIMT_TIMEOUT,
      "instruction limit reached: the warp has run %" PRIu64
      " instructions and loops here (raise SIMT_MAX_WARP_INSTRUCTIONS if that is intended)",
      w->instructions);
}

bool simt_warp_begin_turn(simt_core *core, simt_warp *warp) {
  uint64_t left = warp->instructions < core->max_warp_instructions
                      ? core->max_warp_instructions - warp->instructions
                      : 1;
  core->budget = left < SIMT_SLICE ? (int64_t)left : SIMT_SLICE;
  // Random slices are too short to tell spinning from work, so the counts continue from slice to
  // slice.
  bool random = core->schedule == SIMT_SCHEDULE_RANDOM;
  if (!random) warp->spins = warp->rereads = 0;
  return !random || simt_random_turn(core, warp);
}

simt_outcome simt_warp_run(simt_core *core, simt_warp *warp) {
  bool random = core->schedule == SIMT_SCHEDULE_RANDOM;
  for (int at = simt_split_last_ready(warp); at >= 0; at = simt_split_last_ready(warp)) {
    step next = core->stop.is_set                   ? run_stepped_split(core, warp, (uint32_t)at)
                : random || warp->undefined.n_slots ? run_careful_split(core, warp, (uint32_t)at)
                                                    : run_plain_split(core, warp, (uint32_t)at);
    if (next == STEP_FAULT) return SIMT_FAULTED;
    if (next == STEP_HOLD) return SIMT_HELD;
    if (next == STEP_PAUSE) simt_stop_give_back(core);
    if (next != STEP_PAUSE && core->budget > 0) continue;
    rotate(warp);
    return check_limit(core, warp) ? SIMT_DONE : SIMT_FAULTED;
  }
  return SIMT_DONE;
}

static void start_splits(const simt_core *core, simt_warp *w) {
  simt_split all = {.pc = 0, .mask = w->lanes, .reconvergence = -1, .state = SIMT_READY};
  w->apart = core->schedule == SIMT_SCHEDULE_LANE_SERIAL;
  w->n_splits = 0;
  if (!w->apart) {
    simt_split_insert(w, 0, all);
    return;
  }
  for (SIMT_EACH_LANE(lane, w->lanes)) { // before the others: the last one runs first
    all.mask = 1u << lane;
    simt_split_insert(w, 0, all);
  }
}

void simt_warp_start(simt_core *core, simt_warp *warp) {
  const simt_kernel *k = core->kernel;
  memset(warp->regs + SIMT_CARRY_SLOT, 0, sizeof(uint32_t));
  for (uint32_t i = 0; i < k->n_zero_slots; i++)
    memset(warp->regs + k->zero_slots[2 * i], 0, k->zero_slots[2 * i + 1]);
  warp->alive = warp->lanes;
  warp->cluster_arrived = warp->cluster_passed = 0;
  simt_calls_start(warp);
  simt_async_start(warp);
  start_splits(core, warp);
  warp->reconvergences_high = 0;
  warp->instructions = 0;
  warp->spins = warp->rereads = warp->skipped_turns = 0;
  memset(warp->device_error, 0, sizeof warp->device_error);
  if (!warp->undefined.n_slots) return;
  memset(warp->undefined.lanes, 0, k->register_bytes / 4 * sizeof *warp->undefined.lanes);
  warp->undefined.n_slots = 0;
}
