// SPDX-License-Identifier: MIT
// core/collective.h - private to the core: operations of several lanes of a warp.
#ifndef SIMT_CORE_COLLECTIVE_H
#define SIMT_CORE_COLLECTIVE_H

#include "core/state.h"

// A shuffle, vote, … whose lanes have not all arrived yet. *at is the index of the running split,
// which may wait afterwards; false after a fault.
bool simt_wait_for_collective(simt_core *core, simt_warp *w, uint32_t *at, const simt_instr *in,
                              uint32_t lanes);
// Wakes every collective whose lanes have all arrived or exited.
void simt_try_collectives(simt_core *core, simt_warp *w);
// The lanes of `mask` have all arrived: reports to observers, then does what the operation does.
// `pcs`: the pc of each lane, or NULL: all are at `in`.
void simt_run_collective(simt_core *core, simt_warp *w, const simt_instr *in, uint32_t mask,
                         uint32_t members, const uint32_t *pcs);

#endif
