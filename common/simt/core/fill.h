// SPDX-License-Identifier: MIT
// core/fill.h - the initial values in a warp's register file.
#ifndef SIMT_FILL_H
#define SIMT_FILL_H

#include "core/state.h"

// All of them: for a new warp context.
void simt_fill_warp(const simt_core *core, simt_warp *warp);
// Those that change from block to block.
void simt_fill_block(const simt_core *core, simt_warp *warp);

#endif
