// SPDX-License-Identifier: MIT
// core/print.h - device printf and assert.
#ifndef SIMT_PRINT_H
#define SIMT_PRINT_H

#include "core/state.h"

// For the lanes of `mask`; false after a fault.
bool simt_exec_printf(simt_core *core, simt_warp *warp, const simt_instr *in, uint32_t mask);
bool simt_exec_assert(simt_core *core, simt_warp *warp, const simt_instr *in, uint32_t mask);

#endif
