// SPDX-License-Identifier: MIT
// core/sync.h - private to the core: arriving at barriers of the block and of the grid. In all of
// them *at is the index of the running split, which may wait afterwards; false after a fault.
#ifndef SIMT_SYNC_H
#define SIMT_SYNC_H

#include "core/state.h"

bool simt_arrive_at_barrier(simt_core *core, simt_warp *w, uint32_t *at, const simt_instr *in,
                            uint32_t lanes);
bool simt_arrive_at_grid_sync(simt_core *core, simt_warp *w, uint32_t *at, const simt_instr *in,
                              uint32_t lanes);
// Completes the barriers that waited only for threads that exit now.
void simt_exit_from_barriers(simt_core *core, simt_block *block);
void simt_exit_from_grid(simt_core *core, simt_warp *w, uint32_t lanes);

#endif
