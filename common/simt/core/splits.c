// SPDX-License-Identifier: MIT
// core/splits.c - the lanes of a warp as splits: how they diverge at a branch, reconverge, wait and
// wake.
//
// Invariants: the masks of a warp's splits and the arrived lanes of its reconvergence points are
// disjoint and together are its living lanes. The instruction at a split's `pc` has not run yet.
#include "core/splits.h"

#include <assert.h>
#include <string.h>

#include "core/schedule.h"
#include "core/state.h"

void simt_split_remove(simt_warp *w, uint32_t at) {
  w->n_splits--;
  memmove(&w->splits[at], &w->splits[at + 1], (w->n_splits - at) * sizeof *w->splits);
}

simt_split *simt_split_insert(simt_warp *w, uint32_t at, simt_split split) {
  assert(w->n_splits < SIMT_MAX_SPLITS);
  memmove(&w->splits[at + 1], &w->splits[at], (w->n_splits - at) * sizeof *w->splits);
  w->splits[at] = split;
  w->n_splits++;
  return &w->splits[at];
}

// Lanes that arrived at a barrier go on together.
void simt_split_merge(simt_warp *w) {
  if (w->apart) return;
  for (uint32_t i = w->n_splits; i-- > 1;) {
    for (uint32_t k = 0; k < i; k++) {
      simt_split *x = &w->splits[k], *y = &w->splits[i];
      if (x->state != SIMT_READY || y->state != SIMT_READY || x->pc != y->pc ||
          x->reconvergence != y->reconvergence || x->depth != y->depth)
        continue;
      x->mask |= y->mask;
      simt_split_remove(w, i);
      break;
    }
  }
}

uint32_t simt_split_lanes_with(const simt_warp *w, int32_t lane) {
  if (lane < 0) return w->alive;
  for (uint32_t i = 0; i < w->n_splits; i++)
    if (w->splits[i].mask >> lane & 1) return w->splits[i].mask;
  return UINT32_C(1) << lane;
}

// ---- reconvergence points ----------------------------------------------------------------------

// -1: no room. Lanes that merge again at barriers inside divergent code can nest reconvergence
// points without limit; when there is no room for another, they reconverge at an outer one.
static int32_t new_reconvergence(simt_warp *w, simt_reconvergence reconvergence) {
  uint32_t i = 0;
  while (i < w->reconvergences_high && w->reconvergences[i].in_use) i++;
  if (i == SIMT_MAX_RECONVERGENCES) return -1;
  w->reconvergences[i] = reconvergence;
  w->reconvergences[i].in_use = true;
  if (i == w->reconvergences_high) w->reconvergences_high++;
  return (int32_t)i;
}

void simt_reconvergence_drop(simt_warp *w, int32_t at) {
  w->reconvergences[at].in_use = false;
  while (w->reconvergences_high && !w->reconvergences[w->reconvergences_high - 1].in_use)
    w->reconvergences_high--;
}

// Once all lanes that are still expected have arrived, the lanes go on as one split.
static void close_if_complete(simt_warp *w, int32_t at) {
  simt_reconvergence *m = &w->reconvergences[at];
  if (m->arrived != m->members) return;
  simt_split together = {.pc = m->pc,
                         .mask = m->members,
                         .reconvergence = m->parent,
                         .state = SIMT_READY,
                         .depth = m->depth};
  simt_reconvergence_drop(w, at);
  if (together.mask) simt_split_insert(w, w->n_splits, together);
}

void simt_reconvergence_leave(simt_warp *w, int32_t reconvergence, uint32_t lanes) {
  while (reconvergence >= 0) {
    int32_t parent = w->reconvergences[reconvergence].parent;
    w->reconvergences[reconvergence].members &= ~lanes;
    close_if_complete(w, reconvergence);
    reconvergence = parent;
  }
}

bool simt_warp_release(simt_warp *w) {
  bool released = false;
  for (uint32_t i = 0; i < w->reconvergences_high; i++) {
    simt_reconvergence *m = &w->reconvergences[i];
    if (!m->in_use || !m->arrived) continue;
    simt_split released_split = {.pc = m->pc,
                                 .mask = m->arrived,
                                 .reconvergence = m->parent,
                                 .state = SIMT_READY,
                                 .depth = m->depth};
    m->members &= ~m->arrived;
    m->arrived = 0;
    simt_split_insert(w, 0, released_split);
    released = true;
  }
  return released;
}

// ---- branches ----------------------------------------------------------------------------------

// The reconvergence point for lanes that diverge at `in`: the innermost one, if it is theirs
// already.
static int32_t reconvergence_for(simt_warp *w, const simt_split *s, const simt_instr *in) {
  if (in->branch.reconverge == SIMT_NO_PC) return s->reconvergence;
  if (s->reconvergence >= 0 && w->reconvergences[s->reconvergence].pc == in->branch.reconverge &&
      w->reconvergences[s->reconvergence].depth == s->depth)
    return s->reconvergence;
  int32_t made = new_reconvergence(w, (simt_reconvergence){.pc = in->branch.reconverge,
                                                           .members = s->mask,
                                                           .depth = s->depth,
                                                           .parent = s->reconvergence});
  return made >= 0 ? made : s->reconvergence;
}

// Splits the running split (index *at) into lanes that fall through and lanes that jump. Lanes
// whose next instruction is the reconvergence point have arrived there already.
void simt_split_diverge(simt_core *core, simt_warp *w, uint32_t *at, const simt_instr *in,
                        uint32_t taken) {
  simt_split *s = &w->splits[*at];
  uint32_t staying = s->mask & ~taken;
  int32_t reconvergence =
      simt_schedule_reconverges(core) ? reconvergence_for(w, s, in) : s->reconvergence;
  simt_reconvergence *m = reconvergence >= 0 ? &w->reconvergences[reconvergence] : NULL;
  if (m && m->depth != s->depth) m = NULL;
  s->reconvergence = reconvergence;
  if (m && m->pc == in->branch.target) {
    m->arrived |= taken;
    s->mask = staying;
    s->pc = in->pc + 1;
  } else if (m && m->pc == in->pc + 1) {
    m->arrived |= staying;
    s->mask = taken;
    s->pc = in->branch.target;
  } else {
    simt_split later = *s;
    s->mask = staying, s->pc = in->pc + 1;
    later.mask = taken, later.pc = in->branch.target;
    if (simt_schedule_jumps_first(core)) {
      simt_split first = later;
      later = *s;
      *s = first;
    }
    simt_split_insert(w, *at, later);
    ++*at;
  }
}

// ---- calls and returns -------------------------------------------------------------------------

static void expect_at(simt_core *core, simt_warp *w, simt_split *s, uint32_t pc) {
  if (pc == SIMT_NO_PC || !simt_schedule_reconverges(core)) return;
  int32_t made = new_reconvergence(
      w, (simt_reconvergence){
             .pc = pc, .members = s->mask, .parent = s->reconvergence, .depth = s->depth});
  if (made >= 0) s->reconvergence = made;
}

void simt_split_scatter(simt_core *core, simt_warp *w, uint32_t *at, const uint32_t *target,
                        uint32_t join, int depth) {
  const uint32_t mask = w->splits[*at].mask;
  uint32_t first = target[__builtin_ctz(mask)], here = 0;
  for (SIMT_EACH_LANE(lane, mask)) here |= (uint32_t)(target[lane] == first) << lane;
  if (here != mask) expect_at(core, w, &w->splits[*at], join);
  simt_split rest = w->splits[*at];
  rest.depth = (uint16_t)(rest.depth + depth);
  w->splits[*at].pc = first;
  w->splits[*at].mask = here;
  w->splits[*at].depth = rest.depth;
  for (rest.mask = mask & ~here; rest.mask; rest.mask &= ~here) {
    simt_split other = rest;
    other.pc = target[__builtin_ctz(rest.mask)];
    here = 0;
    for (SIMT_EACH_LANE(lane, rest.mask)) here |= (uint32_t)(target[lane] == other.pc) << lane;
    other.mask = here;
    simt_split_insert(w, *at, other);
    ++*at;
  }
}

// ---- waiting -----------------------------------------------------------------------------------

// Lanes `waiting` of the running split wait at its pc in `state`; any others continue after it.
// Returns the index of the split that waits; *at follows the split that continues, if any.
uint32_t simt_split_hold(simt_warp *w, uint32_t *at, uint32_t waiting, uint8_t state, uint32_t pc) {
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
  simt_split_insert(w, *at, held);
  return (*at)++;
}

void simt_split_wake(simt_split *s) {
  s->state = SIMT_READY;
  s->pc++;
}
