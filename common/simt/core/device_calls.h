// SPDX-License-Identifier: MIT
// core/device_calls.h - private to the core: calls of CUDA's runtime by device code.
#ifndef SIMT_DEVICE_CALLS_H
#define SIMT_DEVICE_CALLS_H

#include "core/state.h"

bool simt_exec_device_call(simt_core *core, simt_warp *warp, const simt_instr *in, uint32_t mask);

#endif
