// SPDX-License-Identifier: MIT
// core/stop.h - private to the core: where a launch that is run piece by piece is held. It is held
// before an instruction, never inside one; it is never held at a reconvergence point.
#ifndef SIMT_STOP_H
#define SIMT_STOP_H

#include "core/state.h"

// The launch continues until `until`, for at most `budget` warp instructions.
void simt_stop_set(simt_core *core, simt_until until, uint64_t budget);
// Whether to hold before `in`; if not, `in` is charged to the budget.
bool simt_stop_here(simt_core *core, const simt_warp *warp, const simt_instr *in);
// The last instruction asked about has not run after all.
void simt_stop_give_back(simt_core *core);

#endif
