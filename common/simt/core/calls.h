// SPDX-License-Identifier: MIT
// core/calls.h - private to the core: calls of functions that have bodies of their own.
#ifndef SIMT_CALLS_H
#define SIMT_CALLS_H

#include "core/state.h"

// After the stack there is room for the arguments of a call whose frame does not fit.
enum { SIMT_ARGUMENT_BYTES = 8192 };

// Bytes of local memory per thread for the frames of calls, when cudaLimitStackSize is `limit` (0:
// CUDA's default).
uint32_t simt_call_stack_bytes(uint64_t limit_bytes);
// Forgets all calls: the warp begins a block.
void simt_calls_start(simt_warp *warp);
// The running split calls or returns; *at follows it. False: a device fault.
bool simt_exec_call(simt_core *core, simt_warp *warp, uint32_t *at, const simt_instr *in);
bool simt_exec_return(simt_core *core, simt_warp *warp, uint32_t *at, const simt_instr *in);

#endif
