// SPDX-License-Identifier: MIT
// core/splits.c - the lanes of a warp as splits: how they part at a branch, meet again, wait and
// wake.
//
// Invariants: the masks of a warp's splits and the arrived lanes of its meetings are disjoint and
// together are its living lanes. A split is at the instruction `pc` has not run yet.
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

// Lanes that met at a barrier go on together.
void simt_split_merge(simt_warp *w) {
  if (w->apart) return;
  for (uint32_t i = w->n_splits; i-- > 1;) {
    for (uint32_t k = 0; k < i; k++) {
      simt_split *x = &w->splits[k], *y = &w->splits[i];
      if (x->state != SIMT_READY || y->state != SIMT_READY || x->pc != y->pc ||
          x->meeting != y->meeting)
        continue;
      x->mask |= y->mask;
      simt_split_remove(w, i);
      break;
    }
  }
}

int simt_split_last_ready(const simt_warp *w) {
  for (uint32_t i = w->n_splits; i-- > 0;)
    if (w->splits[i].state == SIMT_READY) return (int)i;
  return -1;
}

// ---- meetings ----------------------------------------------------------------------------------

// -1: no room. Lanes that join again at barriers inside divergent code can nest meetings without
// end; those beyond the last one just meet further out.
static int32_t new_meeting(simt_warp *w, simt_meeting meeting) {
  uint32_t i = 0;
  while (i < w->meetings_high && w->meetings[i].in_use) i++;
  if (i == SIMT_MAX_MEETINGS) return -1;
  w->meetings[i] = meeting;
  w->meetings[i].in_use = true;
  if (i == w->meetings_high) w->meetings_high++;
  return (int32_t)i;
}

void simt_meeting_drop(simt_warp *w, int32_t at) {
  w->meetings[at].in_use = false;
  while (w->meetings_high && !w->meetings[w->meetings_high - 1].in_use) w->meetings_high--;
}

// Once everybody who is still expected has arrived, the lanes go on as one split.
static void close_if_complete(simt_warp *w, int32_t at) {
  simt_meeting *m = &w->meetings[at];
  if (m->arrived != m->members) return;
  simt_split together = {
      .pc = m->pc, .mask = m->members, .meeting = m->parent, .state = SIMT_READY};
  simt_meeting_drop(w, at);
  if (together.mask) simt_split_insert(w, w->n_splits, together);
}

void simt_meeting_leave(simt_warp *w, int32_t meeting, uint32_t lanes) {
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
    simt_split_insert(w, 0, alone);
    released = true;
  }
  return released;
}

// ---- branches ----------------------------------------------------------------------------------

// The meeting for lanes that diverge at `in`: the innermost one, if they are due there anyway.
static int32_t meeting_for(simt_warp *w, const simt_split *s, const simt_instr *in) {
  if (in->branch.reconverge == SIMT_NO_PC) return s->meeting;
  if (s->meeting >= 0 && w->meetings[s->meeting].pc == in->branch.reconverge) return s->meeting;
  int32_t made = new_meeting(
      w, (simt_meeting){.pc = in->branch.reconverge, .members = s->mask, .parent = s->meeting});
  return made >= 0 ? made : s->meeting;
}

// Splits the running split (index *at) into lanes that fall through and lanes that jump. Lanes
// whose next instruction is the meeting point have arrived there already.
void simt_split_diverge(simt_core *core, simt_warp *w, uint32_t *at, const simt_instr *in,
                        uint32_t taken) {
  simt_split *s = &w->splits[*at];
  uint32_t staying = s->mask & ~taken;
  int32_t meeting = simt_schedule_meets(core) ? meeting_for(w, s, in) : s->meeting;
  simt_meeting *m = meeting >= 0 ? &w->meetings[meeting] : NULL;
  s->meeting = meeting;
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

// ---- waiting -----------------------------------------------------------------------------------

// Lanes `waiting` of the running split wait at its pc in `state`; any others go on behind it.
// Returns the index of the split that waits; *at follows the split that goes on, if any.
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
