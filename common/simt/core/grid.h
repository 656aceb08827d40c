// SPDX-License-Identifier: MIT
// core/grid.h - the blocks of a launch on one host thread.
#ifndef SIMT_GRID_H
#define SIMT_GRID_H

#include "core/state.h"

// Makes contexts for the blocks that are resident at a time.
simt_status simt_core_set_up(simt_core *core, uint64_t n_blocks);
// Starts blocks [first, end), as many as have a context; the others follow as these end.
void simt_core_begin(simt_core *core, uint64_t first, uint64_t end);
// Runs the blocks until all have ended (SIMT_DONE), or until the launch pauses (core/stop.h); then
// the next call continues where this one stopped.
simt_outcome simt_core_advance(simt_core *core);

#endif
