// SPDX-License-Identifier: MIT
// warp.c - one warp: divergence and reconvergence, barriers, and the loop that runs instructions.
//
// Invariants: the masks of a warp's splits and the arrived lanes of its meetings are disjoint and
// together are its living lanes. A split is at the instruction `pc` has not run yet.
// The order is fixed: the last ready split runs; at a divergent branch the lanes that fall through
// go first. So the same program always runs the same way.
// Not modelled: pipelines and their timing (model.c estimates time from counts).
#include "warp.h"

#include <assert.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

// ---- faults ---------------------------------------------------------------------------------------------

static void thread_position(const simt_core *core, const simt_warp *warp, uint32_t lane, uint32_t at[3]) {
  const uint32_t *block = core->launch->block;
  uint32_t t = warp->index * SIMT_LANES + lane;
  at[0] = t % block[0];
  at[1] = t / block[0] % block[1];
  at[2] = t / block[0] / block[1];
}

bool simt_fault(simt_core *core, const simt_warp *warp, const simt_instr *in, int lane, simt_status status,
                const char *format, ...) {
  if (core->status != SIMT_OK) return false; // the first fault is the one to report
  core->status = status;
  char what[1024], where[512], who[96];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(what, sizeof what, format, arguments);
  va_end(arguments);
  const simt_kernel *k = core->kernel;
  const uint32_t *b = warp->block->at;
  uint32_t t[3];
  thread_position(core, warp, lane < 0 ? 0 : (uint32_t)lane, t);
  if (lane < 0) snprintf(who, sizeof who, "warp %u", warp->index);
  else snprintf(who, sizeof who, "thread (%u,%u,%u)", t[0], t[1], t[2]);
  ptx_describe_loc(k->module->ptx, in->loc, in->ptx_line, where, sizeof where);
  simt_fail(core->diag, status, "%s: %s\n  in kernel %s, block (%u,%u,%u), %s", where, what, k->name, b[0],
            b[1], b[2], who);
  return false;
}

// ---- splits -------------------------------------------------------------------------------------------------

static void remove_split(simt_warp *w, uint32_t at) {
  w->n_splits--;
  memmove(&w->splits[at], &w->splits[at + 1], (w->n_splits - at) * sizeof *w->splits);
}

static simt_split *insert_split(simt_warp *w, uint32_t at, simt_split split) {
  assert(w->n_splits < SIMT_MAX_SPLITS);
  memmove(&w->splits[at + 1], &w->splits[at], (w->n_splits - at) * sizeof *w->splits);
  w->splits[at] = split;
  w->n_splits++;
  return &w->splits[at];
}

// Lanes that met at a barrier go on together.
static void merge_splits(simt_warp *w) {
  for (uint32_t i = w->n_splits; i-- > 1;) {
    for (uint32_t k = 0; k < i; k++) {
      simt_split *x = &w->splits[k], *y = &w->splits[i];
      if (x->state != SIMT_READY || y->state != SIMT_READY || x->pc != y->pc || x->meeting != y->meeting) continue;
      x->mask |= y->mask;
      remove_split(w, i);
      break;
    }
  }
}

static int last_ready(const simt_warp *w) {
  for (uint32_t i = w->n_splits; i-- > 0;)
    if (w->splits[i].state == SIMT_READY) return (int)i;
  return -1;
}

bool simt_warp_is_ready(const simt_warp *warp) { return last_ready(warp) >= 0; }

// ---- meetings ---------------------------------------------------------------------------------------------

static int32_t new_meeting(simt_warp *w, simt_meeting meeting) {
  uint32_t i = 0;
  while (i < w->meetings_high && w->meetings[i].in_use) i++;
  assert(i < SIMT_MAX_MEETINGS);
  w->meetings[i] = meeting;
  w->meetings[i].in_use = true;
  if (i == w->meetings_high) w->meetings_high++;
  return (int32_t)i;
}

static void drop_meeting(simt_warp *w, int32_t at) {
  w->meetings[at].in_use = false;
  while (w->meetings_high && !w->meetings[w->meetings_high - 1].in_use) w->meetings_high--;
}

// Once everybody who is still expected has arrived, the lanes go on as one split.
static void close_if_complete(simt_warp *w, int32_t at) {
  simt_meeting *m = &w->meetings[at];
  if (m->arrived != m->members) return;
  simt_split together = {.pc = m->pc, .mask = m->members, .meeting = m->parent, .state = SIMT_READY};
  drop_meeting(w, at);
  if (together.mask) insert_split(w, w->n_splits, together);
}

static void leave_meetings(simt_warp *w, int32_t meeting, uint32_t lanes) {
  while (meeting >= 0) {
    int32_t parent = w->meetings[meeting].parent;
    w->meetings[meeting].members &= ~lanes;
    close_if_complete(w, meeting);
    meeting = parent;
  }
}

bool simt_warp_release(simt_warp *w) {
  bool released = false;
  for (uint32_t i = 0; i < w->meetings_high; i++) {
    simt_meeting *m = &w->meetings[i];
    if (!m->in_use || !m->arrived) continue;
    simt_split alone = {.pc = m->pc, .mask = m->arrived, .meeting = m->parent, .state = SIMT_READY};
    m->members &= ~m->arrived;
    m->arrived = 0;
    insert_split(w, 0, alone);
    released = true;
  }
  return released;
}

// ---- branches ---------------------------------------------------------------------------------------------

// The meeting for lanes that diverge at `in`: the innermost one, if they are due there anyway.
static int32_t meeting_for(simt_warp *w, const simt_split *s, const simt_instr *in) {
  if (in->reconverge == SIMT_NO_PC) return s->meeting;
  if (s->meeting >= 0 && w->meetings[s->meeting].pc == in->reconverge) return s->meeting;
  return new_meeting(w, (simt_meeting){.pc = in->reconverge, .members = s->mask, .parent = s->meeting});
}

// Splits the running split (index *at) into lanes that fall through and lanes that jump. Lanes
// whose next instruction is the meeting point have arrived there already.
static void diverge(simt_warp *w, uint32_t *at, const simt_instr *in, uint32_t taken) {
  simt_split *s = &w->splits[*at];
  uint32_t staying = s->mask & ~taken;
  int32_t meeting = meeting_for(w, s, in);
  simt_meeting *m = meeting >= 0 ? &w->meetings[meeting] : NULL;
  s->meeting = meeting;
  if (m && m->pc == in->target) {
    m->arrived |= taken;
    s->mask = staying;
    s->pc = in->pc + 1;
  } else if (m && m->pc == in->pc + 1) {
    m->arrived |= staying;
    s->mask = taken;
    s->pc = in->target;
  } else {
    s->mask = staying;
    s->pc = in->pc + 1;
    insert_split(w, *at, (simt_split){.pc = in->target, .mask = taken, .meeting = meeting, .state = SIMT_READY});
    ++*at;
  }
}

// ---- waiting ------------------------------------------------------------------------------------------------

// Lanes `waiting` of the running split wait at its pc in `state`; any others go on behind it.
// Returns the index of the split that waits; *at follows the split that goes on, if any.
static uint32_t hold(simt_warp *w, uint32_t *at, uint32_t waiting, uint8_t state, uint32_t pc) {
  simt_split *s = &w->splits[*at];
  s->pc = pc;
  if (s->mask == waiting) {
    s->state = state;
    return *at;
  }
  simt_split held = *s;
  held.mask = waiting;
  held.state = state;
  s->mask &= ~waiting;
  s->pc = pc + 1;
  insert_split(w, *at, held);
  return (*at)++;
}

static void wake(simt_warp *w, simt_split *s) {
  (void)w;
  s->state = SIMT_READY;
  s->pc++;
}

// ---- block barriers -------------------------------------------------------------------------------------------

static void write_reduction(simt_warp *w, const simt_instr *in, const simt_split *s, const simt_barrier *b) {
  if (in->form != ISA_BARRIER_RED || in->d == SIMT_NO_SLOT) return;
  if (in->sub == ISA_BOOL_NONE) {
    uint32_t *d = (uint32_t *)(void *)(w->regs + in->d);
    for (SIMT_EACH_LANE(lane, s->mask)) d[lane] = b->ones;
    return;
  }
  bool value = in->sub == ISA_BOOL_AND ? b->ones == b->total : b->ones != 0;
  uint32_t *d = (uint32_t *)(void *)(w->regs + in->d);
  *d = value ? *d | s->mask : *d & ~s->mask;
}

static void complete_barrier(simt_core *core, simt_block *block, uint8_t id) {
  simt_barrier done = block->barriers[id];
  block->barriers[id] = (simt_barrier){0};
  core->effects++;
  for (uint32_t i = 0; i < block->n_warps; i++) {
    simt_warp *w = &block->warps[i];
    bool woken = false;
    for (uint32_t k = 0; k < w->n_splits; k++) {
      simt_split *s = &w->splits[k];
      if (s->state != SIMT_AT_BARRIER || s->barrier != id) continue;
      write_reduction(w, &core->kernel->code[s->pc], s, &done);
      wake(w, s);
      woken = true;
    }
    if (woken && w->n_splits > 1) merge_splits(w);
  }
  SIMT_NOTIFY(core, sync, SIMT_SYNC_BLOCK_BARRIER, done.pc, block->index, 0, done.arrived);
}

// Threads that `lanes` of a warp stand for at a counted barrier: a warp counts whole.
static uint32_t counted_threads(const simt_warp *w, uint32_t lanes, bool counted) {
  uint32_t n = (uint32_t)__builtin_popcount(lanes);
  uint32_t existing = (uint32_t)__builtin_popcount(w->lanes);
  if (counted && existing < SIMT_LANES && (lanes >> (existing - 1) & 1)) n += SIMT_LANES - existing;
  return n;
}

static bool read_barrier(simt_core *core, simt_warp *w, const simt_instr *in, uint32_t lanes, uint32_t *id, uint32_t *count) {
  uint32_t first = (uint32_t)__builtin_ctz(lanes);
  *id = ((const uint32_t *)(const void *)(w->regs + in->a))[first];
  *count = in->b == SIMT_NO_SLOT ? 0 : ((const uint32_t *)(const void *)(w->regs + in->b))[first];
  if (*id >= SIMT_BARRIERS)
    return simt_fault(core, w, in, (int)first, SIMT_ILLEGAL_INSTRUCTION, "barrier %u does not exist: a block has barriers 0 to 15", *id);
  if (in->b != SIMT_NO_SLOT && (*count == 0 || *count % SIMT_LANES))
    return simt_fault(core, w, in, (int)first, SIMT_ILLEGAL_INSTRUCTION, "barrier %u is given %u threads, which is not a multiple of 32", *id, *count);
  return true;
}

// False after a fault. *at is the running split; it may wait afterwards.
static bool arrive_at_barrier(simt_core *core, simt_warp *w, uint32_t *at, const simt_instr *in, uint32_t lanes) {
  uint32_t id, count;
  if (!read_barrier(core, w, in, lanes, &id, &count)) return false;
  simt_barrier *b = &w->block->barriers[id];
  uint32_t expected = count ? count : w->block->threads;
  if (b->arrived == 0) *b = (simt_barrier){.expected = expected, .pc = in->pc};
  if (b->expected != expected)
    return simt_fault(core, w, in, -1, SIMT_ILLEGAL_INSTRUCTION, "barrier %u is waited for with %u threads here and %u elsewhere", id, expected, b->expected);
  b->arrived += counted_threads(w, lanes, count != 0);
  if (in->form == ISA_BARRIER_RED) {
    uint32_t p = *(const uint32_t *)(const void *)(w->regs + in->c);
    b->ones += (uint32_t)__builtin_popcount((in->c_negated ? ~p : p) & lanes);
    b->total += (uint32_t)__builtin_popcount(lanes);
  }
  if (in->form == ISA_BARRIER_ARRIVE) {
    w->splits[*at].pc = in->pc + 1;
  } else {
    uint32_t held = hold(w, at, lanes, SIMT_AT_BARRIER, in->pc);
    w->splits[held].barrier = (uint8_t)id;
  }
  if (b->arrived > b->expected)
    return simt_fault(core, w, in, -1, SIMT_ILLEGAL_INSTRUCTION, "%u threads arrived at barrier %u, which waits for %u", b->arrived, id, b->expected);
  if (b->arrived == b->expected) complete_barrier(core, w->block, (uint8_t)id);
  return true;
}

// ---- collectives ------------------------------------------------------------------------------------------------

static uint32_t member_mask(const simt_warp *w, const simt_instr *in, uint32_t lane) {
  return ((const uint32_t *)(const void *)(w->regs + in->v[0]))[lane];
}

static void notify_collective(simt_core *core, const simt_warp *w, const simt_instr *in, uint32_t mask) {
  simt_sync_kind kind = in->form == ISA_WARP_SYNC ? SIMT_SYNC_WARP
                        : in->form == ISA_SHUFFLE ? SIMT_SYNC_SHUFFLE
                                                  : SIMT_SYNC_VOTE;
  SIMT_NOTIFY(core, sync, kind, in->pc, w->block->index, w->index, mask);
}

// Sources and destinations of lanes that stand at different instructions are copied through the
// scratch slots, so that one exchange serves them all.
static void copy_lanes(uint8_t *to, const uint8_t *from, uint32_t lanes, uint8_t bytes) {
  for (SIMT_EACH_LANE(lane, lanes)) memcpy(to + lane * bytes, from + lane * bytes, bytes);
}

static void gather_operands(const simt_core *core, simt_warp *w, const simt_instr *in, const simt_instr *joint, uint32_t lanes) {
  (void)core;
  if (in->form == ISA_VOTE) {
    uint32_t *to = (uint32_t *)(void *)(w->regs + joint->a), p = *(const uint32_t *)(const void *)(w->regs + in->a);
    *to = (*to & ~lanes) | ((in->a_negated ? ~p : p) & lanes);
    return;
  }
  if (in->a != SIMT_NO_SLOT) copy_lanes(w->regs + joint->a, w->regs + in->a, lanes, in->data_bytes);
  if (in->b != SIMT_NO_SLOT) copy_lanes(w->regs + joint->b, w->regs + in->b, lanes, 4);
  if (in->c != SIMT_NO_SLOT) copy_lanes(w->regs + joint->c, w->regs + in->c, lanes, 4);
}

static void scatter_results(simt_warp *w, const simt_instr *in, const simt_instr *joint, uint32_t lanes) {
  bool predicate = in->form == ISA_VOTE && in->sub != ISA_VOTE_BALLOT;
  const uint32_t *from = (const uint32_t *)(const void *)(w->regs + joint->d);
  if (in->d != SIMT_NO_SLOT && predicate) {
    uint32_t *to = (uint32_t *)(void *)(w->regs + in->d);
    *to = (*to & ~lanes) | (*from & lanes);
  } else if (in->d != SIMT_NO_SLOT) {
    copy_lanes(w->regs + in->d, w->regs + joint->d, lanes, 4);
  }
  if (in->e == SIMT_NO_SLOT) return;
  uint32_t *to = (uint32_t *)(void *)(w->regs + in->e);
  *to = (*to & ~lanes) | (*(const uint32_t *)(const void *)(w->regs + joint->e) & lanes);
}

typedef struct party { // the splits that take part in one collective
  uint32_t lanes, index[SIMT_MAX_SPLITS], n;
  bool same_pc;
} party;

static bool compatible(const simt_instr *x, const simt_instr *y) {
  return x->form == y->form && x->sub == y->sub && x->data_bytes == y->data_bytes;
}

static party find_party(const simt_core *core, const simt_warp *w, const simt_split *first) {
  party p = {.same_pc = true};
  const simt_instr *code = core->kernel->code;
  for (uint32_t i = 0; i < w->n_splits; i++) {
    const simt_split *s = &w->splits[i];
    if (s->state != SIMT_AT_COLLECTIVE || s->wait_mask != first->wait_mask || !compatible(&code[s->pc], &code[first->pc])) continue;
    p.same_pc &= s->pc == first->pc;
    p.lanes |= s->mask;
    p.index[p.n++] = i;
  }
  return p;
}

static void run_party(simt_core *core, simt_warp *w, const party *p) {
  const simt_instr *code = core->kernel->code;
  const simt_instr *first = &code[w->splits[p->index[0]].pc];
  if (p->same_pc) {
    simt_exec_collective(w->regs, first, p->lanes);
  } else {
    simt_instr joint = *first;
    uint32_t scratch = core->kernel->scratch_slot;
    joint.d = scratch, joint.a = scratch + 256, joint.b = scratch + 512, joint.c = scratch + 768, joint.e = scratch + 1024;
    joint.a_negated = false;
    for (uint32_t i = 0; i < p->n; i++) gather_operands(core, w, &code[w->splits[p->index[i]].pc], &joint, w->splits[p->index[i]].mask);
    simt_exec_collective(w->regs, &joint, p->lanes);
    for (uint32_t i = 0; i < p->n; i++) scatter_results(w, &code[w->splits[p->index[i]].pc], &joint, w->splits[p->index[i]].mask);
  }
  notify_collective(core, w, first, p->lanes);
  for (uint32_t i = 0; i < p->n; i++) wake(w, &w->splits[p->index[i]]);
}

// Wakes every collective whose lanes have all arrived or exited.
static void try_collectives(simt_core *core, simt_warp *w) {
  bool woken = false;
  for (uint32_t i = 0; i < w->n_splits; i++) {
    if (w->splits[i].state != SIMT_AT_COLLECTIVE) continue;
    party p = find_party(core, w, &w->splits[i]);
    if (w->splits[i].wait_mask & w->alive & ~p.lanes) continue;
    run_party(core, w, &p);
    woken = true;
  }
  if (woken) merge_splits(w);
}

// Lanes of one collective that name different masks are separate groups: each runs as soon as its
// own members are there (tiles of a warp do this).
static bool collective(simt_core *core, simt_warp *w, uint32_t *at, const simt_instr *in, uint32_t lanes) {
  uint32_t left = lanes;
  w->splits[*at].pc = in->pc + 1;
  while (left) {
    uint32_t first = (uint32_t)__builtin_ctz(left), members = member_mask(w, in, first), group = 0;
    for (SIMT_EACH_LANE(lane, left))
      if (member_mask(w, in, lane) == members) group |= 1u << lane;
    left &= ~group;
    uint32_t strangers = group & ~members;
    if (strangers)
      return simt_fault(core, w, in, __builtin_ctz(strangers), SIMT_ILLEGAL_INSTRUCTION,
                        "the lane takes part in a warp-wide operation whose member mask 0x%08x leaves it (lane %d) out", members, __builtin_ctz(strangers));
    if ((members & w->alive & ~group) == 0) {
      simt_exec_collective(w->regs, in, group);
      notify_collective(core, w, in, group);
      continue;
    }
    uint32_t held = hold(w, at, group, SIMT_AT_COLLECTIVE, in->pc);
    w->splits[held].wait_mask = members;
    if (w->splits[*at].state != SIMT_READY) break; // nobody is left to go on
    w->splits[*at].pc = in->pc + 1;
  }
  try_collectives(core, w);
  return true;
}

// ---- grid-wide barrier ---------------------------------------------------------------------------------------------

void simt_release_grid_sync(simt_core *core) {
  for (uint32_t i = 0; i < core->n_resident; i++) {
    simt_block *block = &core->blocks[i];
    block->at_grid_sync = 0;
    for (uint32_t k = 0; k < block->n_warps; k++) {
      simt_warp *w = &block->warps[k];
      for (uint32_t s = 0; s < w->n_splits; s++)
        if (w->splits[s].state == SIMT_AT_GRID_SYNC) wake(w, &w->splits[s]);
      if (w->n_splits > 1) merge_splits(w);
    }
  }
  core->at_grid_sync = 0;
}

static bool arrive_at_grid_sync(simt_core *core, simt_warp *w, uint32_t *at, const simt_instr *in, uint32_t lanes) {
  if (!core->launch->cooperative)
    return simt_fault(core, w, in, -1, SIMT_ILLEGAL_INSTRUCTION,
                      "grid.sync() in an ordinary launch: blocks need not run together; launch the kernel with cudaLaunchCooperativeKernel");
  uint32_t n = (uint32_t)__builtin_popcount(lanes);
  core->effects++;
  hold(w, at, lanes, SIMT_AT_GRID_SYNC, in->pc);
  w->block->at_grid_sync += n;
  core->at_grid_sync += n;
  if (core->at_grid_sync < core->grid_threads) return true;
  simt_release_grid_sync(core);
  SIMT_NOTIFY(core, sync, SIMT_SYNC_GRID, in->pc, w->block->index, w->index, lanes);
  return true;
}

// ---- leaving ------------------------------------------------------------------------------------------------------

static void exit_lanes(simt_core *core, simt_warp *w, uint32_t at, uint32_t lanes) {
  simt_split *s = &w->splits[at];
  int32_t meeting = s->meeting;
  core->effects++;
  w->alive &= ~lanes;
  w->block->alive -= (uint32_t)__builtin_popcount(lanes);
  s->mask &= ~lanes;
  if (!s->mask) remove_split(w, at);
  leave_meetings(w, meeting, lanes);
  try_collectives(core, w);
}

static void read_clock(simt_warp *w, const simt_instr *in, uint32_t mask) {
  // A clock that moves with the work done: four cycles an instruction. Deterministic.
  uint64_t now = w->instructions * 4 >> (in->sub ? 32 : 0);
  for (SIMT_EACH_LANE(lane, mask)) {
    if (in->data_bytes == 8) ((uint64_t *)(void *)(w->regs + in->d))[lane] = now;
    else ((uint32_t *)(void *)(w->regs + in->d))[lane] = (uint32_t)now;
  }
}

// ---- the loop -----------------------------------------------------------------------------------------------------

typedef enum step { STEP_ON, STEP_SWITCH, STEP_FAULT } step;

// Enters a basic block: lanes meet, the entry is counted, time passes.
static step pass_marker(simt_core *core, simt_warp *w, uint32_t *at, const simt_instr *in) {
  simt_split *s = &w->splits[*at];
  while (s->meeting >= 0 && w->meetings[s->meeting].pc == in->pc) {
    simt_meeting *m = &w->meetings[s->meeting];
    m->arrived |= s->mask;
    if (m->arrived != m->members) return remove_split(w, *at), STEP_SWITCH;
    s->mask = m->members;
    int32_t parent = m->parent;
    drop_meeting(w, s->meeting);
    s->meeting = parent;
  }
  core->profile.entries[in->target]++;
  core->profile.lanes[in->target] += (uint32_t)__builtin_popcount(s->mask);
  s->pc = in->pc + 1;
  w->instructions += (uint64_t)in->offset;
  core->budget -= in->offset;
  return core->budget > 0 ? STEP_ON : STEP_SWITCH;
}

static step branch(simt_core *core, simt_warp *w, uint32_t *at, const simt_instr *in, uint32_t taken) {
  simt_split *s = &w->splits[*at];
  if (in->guard != SIMT_NO_SLOT) SIMT_NOTIFY(core, branch, in->pc, taken, s->mask);
  if (taken == s->mask) s->pc = in->target;
  else if (!taken) s->pc = in->pc + 1;
  else diverge(w, at, in, taken);
  return STEP_ON;
}

// Everything that changes which lanes run next. `m`: lanes whose guard holds.
static step control(simt_core *core, simt_warp *w, uint32_t *at, const simt_instr *in, uint32_t m) {
  switch (in->form) {
  case SIMT_FORM_MARKER: return pass_marker(core, w, at, in);
  case ISA_BRANCH: return branch(core, w, at, in, m);
  default: break;
  }
  w->splits[*at].pc = in->pc + 1;
  if (!m) return STEP_ON;
  switch (in->form) {
  case ISA_EXIT: exit_lanes(core, w, *at, m); return STEP_SWITCH;
  case ISA_TRAP: simt_fault(core, w, in, __builtin_ctz(m), SIMT_TRAP, "trap"); return STEP_FAULT;
  case ISA_BARRIER:
  case ISA_BARRIER_RED:
  case ISA_BARRIER_ARRIVE: return arrive_at_barrier(core, w, at, in, m) ? STEP_SWITCH : STEP_FAULT;
  case SIMT_FORM_GRID_SYNC: return arrive_at_grid_sync(core, w, at, in, m) ? STEP_SWITCH : STEP_FAULT;
  default: return collective(core, w, at, in, m) ? STEP_SWITCH : STEP_FAULT;
  }
}

// Instructions after which the same lanes go on with the next one. False after a fault.
static bool plain(simt_core *core, simt_warp *w, const simt_instr *in, uint32_t m, uint32_t active) {
  switch (in->form) {
  case ISA_ATOM:
  case ISA_RED: return simt_exec_atomic(core, w, in, m);
  case ISA_ISSPACEP: simt_exec_isspacep(w, in, m); return true;
  case ISA_ACTIVEMASK: {
    uint32_t *d = (uint32_t *)(void *)(w->regs + in->d);
    for (SIMT_EACH_LANE(lane, m)) d[lane] = active;
    return true;
  }
  case ISA_FENCE: SIMT_NOTIFY(core, sync, SIMT_SYNC_FENCE, in->pc, w->block->index, w->index, m); return true;
  case ISA_NANOSLEEP: core->budget = 0; w->spins += SIMT_SPINS; w->rereads += SIMT_SPINS; return true;
  case SIMT_FORM_PRINTF: return simt_exec_printf(core, w, in, m);
  case SIMT_FORM_ASSERT: return simt_exec_assert(core, w, in, m);
  case SIMT_FORM_CLOCK: read_clock(w, in, m); return true;
  default: return true;
  }
}

// A full-mask collective of converged lanes, the common case, without leaving the inner loop.
static bool converged(const simt_warp *w, const simt_instr *in, uint32_t m) {
  const uint32_t *members = (const uint32_t *)(const void *)(w->regs + in->v[0]);
  uint32_t first = members[__builtin_ctz(m)], different = 0;
  for (uint32_t lane = 0; lane < SIMT_LANES; lane++) different |= (members[lane] ^ first) & -(m >> lane & 1);
  return !different && !(first & w->alive & ~m) && !(m & ~first);
}

// Runs split `at` until it waits, ends or its slice is over.
static step run_split(simt_core *core, simt_warp *w, uint32_t at) {
  const simt_instr *code = core->kernel->code;
  uint8_t *regs = w->regs;
  uint32_t pc = w->splits[at].pc, mask = w->splits[at].mask;
  for (;;) {
    const simt_instr *in = &code[pc];
    uint32_t m = mask;
    if (in->guard != SIMT_NO_SLOT) {
      uint32_t p = *(const uint32_t *)(const void *)(regs + in->guard);
      m &= in->guard_negated ? ~p : p;
    }
    switch (in->form) {
    case ISA_LANES:
    case ISA_SETP:
    case ISA_PACK:
    case ISA_UNPACK:
      if (m) in->lanes(regs, in, m);
      pc++;
      break;
    case ISA_LOAD:
      if (m && !simt_exec_load(core, w, in, m)) return STEP_FAULT;
      pc++;
      break;
    case ISA_STORE:
      if (m && !simt_exec_store(core, w, in, m)) return STEP_FAULT;
      pc++;
      break;
    case ISA_SHUFFLE:
    case ISA_VOTE:
    case ISA_MATCH:
    case ISA_REDUX:
    case ISA_WARP_SYNC:
      if (m && converged(w, in, m)) {
        simt_exec_collective(regs, in, m);
        notify_collective(core, w, in, m);
        pc++;
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
    case SIMT_FORM_GRID_SYNC: {
      step next = control(core, w, &at, in, m);
      if (next != STEP_ON) return next;
      pc = w->splits[at].pc;
      mask = w->splits[at].mask;
      break;
    }
    default:
      if (m && !plain(core, w, in, m, mask)) return STEP_FAULT;
      pc++;
    }
  }
}

// The slice is spent: the running split goes to the back; if the others only spin, lanes that
// wait at a meeting may be what they spin for.
static void rotate(simt_warp *w) {
  int at = last_ready(w);
  if (at > 0) {
    simt_split s = w->splits[at];
    remove_split(w, (uint32_t)at);
    insert_split(w, 0, s);
  }
  if (w->spins >= SIMT_SPINS) simt_warp_release(w);
}

static bool check_limit(simt_core *core, simt_warp *w) {
  int at = last_ready(w);
  if (w->instructions < core->max_warp_instructions || at < 0) return true;
  const simt_instr *in = &core->kernel->code[w->splits[at].pc];
  return simt_fault(core, w, in, __builtin_ctz(w->splits[at].mask), SIMT_TIMEOUT,
                    "no end in sight: the warp has run %" PRIu64 " instructions and loops here (raise SIMT_MAX_WARP_INSTRUCTIONS if that is meant)",
                    w->instructions);
}

bool simt_warp_run(simt_core *core, simt_warp *warp) {
  core->budget = SIMT_SLICE;
  warp->spins = warp->rereads = 0;
  for (int at = last_ready(warp); at >= 0; at = last_ready(warp)) {
    if (run_split(core, warp, (uint32_t)at) == STEP_FAULT) return false;
    if (core->budget > 0) continue;
    rotate(warp);
    return check_limit(core, warp);
  }
  return true;
}

void simt_warp_start(simt_core *core, simt_warp *warp) {
  const simt_kernel *k = core->kernel;
  for (uint32_t i = 0; i < k->n_zero_slots; i++) memset(warp->regs + k->zero_slots[2 * i], 0, k->zero_slots[2 * i + 1]);
  warp->alive = warp->lanes;
  warp->n_splits = 1;
  warp->splits[0] = (simt_split){.pc = 0, .mask = warp->lanes, .meeting = -1, .state = SIMT_READY};
  warp->meetings_high = 0;
  warp->instructions = 0;
}
