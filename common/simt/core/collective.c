// SPDX-License-Identifier: MIT
// core/collective.c - shuffles, votes and the like: lanes of a warp wait until all members have
// arrived, at one instruction or at several of the same kind. Source: PTX ISA, shfl.sync,
// bar.warp.sync.
#include "core/collective.h"

#include <string.h>

#include "core/fault.h"
#include "core/splits.h"
#include "core/state.h"
#include "core/store_buffer.h"
#include "core/undefined.h"
#include "lanes/collective.h"

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

// Reports the operation with all its details to the checkers.
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

// Tells the observers; `pcs` as below.
static void announce(simt_core *core, simt_warp *w, const simt_instr *in, uint32_t mask,
                     uint32_t members, const uint32_t *pcs) {
  if (core->reports_collectives) report_collective(core, w, in, mask, members, pcs);
  simt_sync_kind kind = in->form == ISA_WARP_SYNC ? SIMT_SYNC_WARP
                        : in->form == ISA_SHUFFLE ? SIMT_SYNC_SHUFFLE
                                                  : SIMT_SYNC_VOTE;
  SIMT_NOTIFY(core, sync, kind, in->pc, w->block->index, w->index, mask);
  if (!core->reports_undefined || in->form == ISA_WARP_SYNC) return;
  if (in->form != ISA_SHUFFLE) simt_undefined_collective(core, w, in, mask);
  else if (!simt_undefined_shuffle(core, w, in, mask, members)) core->reports_undefined = false;
}

static void perform(simt_core *core, simt_warp *w, const simt_instr *in, uint32_t mask) {
  if (in->form == ISA_WARP_SYNC) { // computes nothing
    simt_held_publish(core, w, mask, ISA_SCOPE_CTA);
  } else if (in->form == ISA_MATCH) {
    const uint32_t n_values = simt_exec_match(w->regs, in, mask);
    SIMT_NOTIFY(core, match, in->pc, w->block->index, w->index, n_values);
  } else {
    simt_exec_collective(w->regs, in, mask);
  }
}

void simt_run_collective(simt_core *core, simt_warp *w, const simt_instr *in, uint32_t mask,
                         uint32_t members, const uint32_t *pcs) {
  announce(core, w, in, mask, members, pcs);
  perform(core, w, in, mask);
}

// Sources and destinations of lanes at different instructions are copied through the scratch slots,
// so that one exchange serves them all.
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

// Lanes at different instructions: their operands are gathered in the scratch slots.
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
  simt_undefined_clear(w, joint.d,
                       SIMT_FULL_MASK); // lanes at different instructions: taken as defined
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

static bool fault_unnamed(simt_core *core, const simt_warp *w, const simt_instr *in,
                          uint32_t members, uint32_t outsiders) {
  simt_fault_info facts = {.member_mask = members, .faulting_lanes = outsiders};
  return simt_fault_with(core, w, in, __builtin_ctz(outsiders), SIMT_UNNAMED_LANE, &facts,
                         "the lane takes part in a warp-wide operation whose member mask "
                         "0x%08x leaves it (lane %d) out",
                         members, __builtin_ctz(outsiders));
}

static uint32_t lanes_that_name(const simt_warp *w, const simt_instr *in, uint32_t members,
                                uint32_t lanes) {
  uint32_t group = 0;
  for (SIMT_EACH_LANE(lane, lanes))
    if (member_mask(w, in, lane) == members) group |= 1u << lane;
  return group;
}

static bool is_exit(const simt_core *core, uint32_t pc) {
  const simt_instr *next = &core->kernel->code[pc];
  while (next->form == SIMT_FORM_MARKER) next++;
  return next->form == ISA_EXIT && next->guard == SIMT_NO_SLOT;
}

// The lanes that have not left, and do not stand in front of an exit either.
static uint32_t staying_lanes(const simt_core *core, const simt_warp *w) {
  uint32_t lanes = w->alive;
  for (uint32_t i = 0; i < w->n_splits; i++) {
    const simt_split *s = &w->splits[i];
    if (s->state == SIMT_READY && is_exit(core, s->pc)) lanes &= ~s->mask;
  }
  for (uint32_t i = 0; i < w->reconvergences_high; i++) {
    const simt_reconvergence *r = &w->reconvergences[i];
    if (r->in_use && is_exit(core, r->pc)) lanes &= ~r->arrived;
  }
  return lanes;
}

// Lanes of one collective that name different masks are separate groups: each runs as soon as its
// own members have arrived (tiles of a warp do this). What an H100 does beyond the PTX ISA, printed
// by tests/simt/programs/odd_masks.cu:
// - When all lanes that have not left arrive together with one mask, they all take part, whatever
//   the mask says. Otherwise a lane that its mask leaves out is a fault.
// - Groups of a shuffle that are complete together read each other's values.
bool simt_wait_for_collective(simt_core *core, simt_warp *w, uint32_t *at, const simt_instr *in,
                              uint32_t lanes) {
  uint32_t left = lanes, exchange = 0; // lanes of complete groups that shuffle
  w->splits[*at].pc = in->pc + 1;
  while (left) {
    uint32_t members = member_mask(w, in, (uint32_t)__builtin_ctz(left)),
             group = lanes_that_name(w, in, members, left), outsiders = group & ~members;
    left &= ~group;
    if (outsiders && group != staying_lanes(core, w))
      return fault_unnamed(core, w, in, members, outsiders);
    if ((members & w->alive & ~group) == 0) {
      announce(core, w, in, group, members, NULL);
      if (in->form == ISA_SHUFFLE) exchange |= group;
      else perform(core, w, in, group);
      continue;
    }
    uint32_t held = simt_split_hold(w, at, group, SIMT_AT_COLLECTIVE, in->pc);
    w->splits[held].wait_mask = members;
    if (w->splits[*at].state != SIMT_READY) break; // no lane is left to continue
    w->splits[*at].pc = in->pc + 1;
  }
  if (exchange) perform(core, w, in, exchange);
  simt_try_collectives(core, w);
  return true;
}
