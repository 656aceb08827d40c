// SPDX-License-Identifier: MIT
// core/warp.h - one warp running its kernel.
#ifndef SIMT_WARP_H
#define SIMT_WARP_H

#include "core/state.h"

// Puts the warp's lanes at the beginning of the kernel.
void simt_warp_start(simt_core *core, simt_warp *warp);
// Begins a turn: how long it may be, and under the random schedule which lanes run. False: the
// turn is skipped.
bool simt_warp_begin_turn(simt_core *core, simt_warp *warp);
// Runs until no split is ready or the slice is spent (SIMT_DONE: the turn is over), or until the
// launch pauses: then a call with the same warp continues where this one stopped.
simt_outcome simt_warp_run(simt_core *core, simt_warp *warp);

#endif
