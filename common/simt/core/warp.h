// SPDX-License-Identifier: MIT
// core/warp.h - one warp running its kernel.
#ifndef SIMT_WARP_H
#define SIMT_WARP_H

#include "core/state.h"

// Puts the warp's lanes at the beginning of the kernel.
void simt_warp_start(simt_core *core, simt_warp *warp);
// Runs until no split is ready or the slice is spent; false after a fault.
bool simt_warp_run(simt_core *core, simt_warp *warp);
bool simt_warp_is_ready(const simt_warp *warp);

#endif
