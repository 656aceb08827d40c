// SPDX-License-Identifier: MIT
// core/fault.h - device faults: the message a reader sees and the record of where it was.
#ifndef SIMT_FAULT_H
#define SIMT_FAULT_H

#include "core/state.h"

// Reports a device fault of lane `lane` (or of the warp: lane < 0) at `in`; always returns false.
bool simt_fault(simt_core *core, const simt_warp *warp, const simt_instr *in, int lane,
                simt_status status, const char *format, ...) __attribute__((format(printf, 6, 7)));

#endif
