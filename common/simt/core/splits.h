// SPDX-License-Identifier: MIT
// core/splits.h - private to the core: operations on the splits and reconvergence points of one
// warp.
#ifndef SIMT_SPLITS_H
#define SIMT_SPLITS_H

#include "core/state.h"

// The split array is ordered: the last ready split runs. Indices move when splits come and go.
void simt_split_remove(simt_warp *w, uint32_t at);
simt_split *simt_split_insert(simt_warp *w, uint32_t at, simt_split split);
void simt_split_merge(simt_warp *w); // ready splits at one place become one, unless kept apart
// Index, or -1. Inline, because it is called several times in every turn of every warp.
static inline int simt_split_last_ready(const simt_warp *w) {
  for (uint32_t i = w->n_splits; i-- > 0;)
    if (w->splits[i].state == SIMT_READY) return (int)i;
  return -1;
}
// The lanes in the same split as `lane`, itself included; for -1: all that have not exited.
uint32_t simt_split_lanes_with(const simt_warp *w, int32_t lane);

// Splits the running split (index *at) at branch `in`: lanes of `taken` jump, the others fall
// through and, unless the schedule says otherwise, run first. *at follows the running split.
void simt_split_diverge(simt_core *core, simt_warp *w, uint32_t *at, const simt_instr *in,
                        uint32_t taken);

// Sends the lanes of the running split to individual targets, one call deeper (depth 1) or back
// (depth -1). Where they differ, the lanes are expected together again at `join`, unless that is
// SIMT_NO_PC. *at follows the split that runs first.
void simt_split_scatter(simt_core *core, simt_warp *w, uint32_t *at, const uint32_t *target,
                        uint32_t join, int depth);

// Lanes `waiting` of the running split wait at `pc` in `state`; any others continue after it.
// Returns the index of the split that waits; *at follows the split that continues, if any.
uint32_t simt_split_hold(simt_warp *w, uint32_t *at, uint32_t waiting, uint8_t state, uint32_t pc);
void simt_split_wake(simt_split *s); // ready again, after the instruction at which it waited

// Lets lanes that wait at reconvergence points continue without the others; false: there were none.
bool simt_warp_release(simt_warp *warp);

void simt_reconvergence_drop(simt_warp *w, int32_t at);
// `lanes` left the kernel: `reconvergence` and those around it no longer expect them.
void simt_reconvergence_leave(simt_warp *w, int32_t reconvergence, uint32_t lanes);

#endif
