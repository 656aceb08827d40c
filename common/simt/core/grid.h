// SPDX-License-Identifier: MIT
// core/grid.h - the blocks of a launch on one host thread.
#ifndef SIMT_GRID_H
#define SIMT_GRID_H

#include "core/state.h"

// Makes contexts for the blocks that are resident at a time.
simt_status simt_core_set_up(simt_core *core, uint64_t n_blocks);
// Runs blocks [first, end) one after the other; false after a fault.
bool simt_core_run(simt_core *core, uint64_t first, uint64_t end);
// Runs all blocks, with as many together as there are contexts; false after a fault.
bool simt_core_run_together(simt_core *core, uint64_t n_blocks);

#endif
