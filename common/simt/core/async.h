// SPDX-License-Identifier: MIT
// core/async.h - private to the core: asynchronous copies into shared memory.
#ifndef SIMT_ASYNC_H
#define SIMT_ASYNC_H

#include "core/state.h"

void simt_async_start(simt_warp *warp); // the warp begins a block: nothing is in flight
bool simt_exec_async_copy(simt_core *core, simt_warp *warp, const simt_instr *in, uint32_t mask);
bool simt_exec_bulk_copy(simt_core *core, simt_warp *warp, const simt_instr *in, uint32_t mask);
void simt_exec_async_commit(simt_warp *warp, uint32_t mask);
bool simt_exec_async_wait(simt_core *core, simt_warp *warp, const simt_instr *in, uint32_t mask);

#endif
