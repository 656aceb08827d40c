// SPDX-License-Identifier: MIT
// core/fault.h - device faults: the message for the user and the record that programs query.
#ifndef SIMT_FAULT_H
#define SIMT_FAULT_H

#include "core/state.h"

// Reports a device fault of lane `lane` (or of the warp: lane < 0) at `in`; always returns false.
// Only the first fault of a launch is kept.
bool simt_fault(simt_core *core, const simt_warp *warp, const simt_instr *in, int lane,
                simt_status status, const char *format, ...) __attribute__((format(printf, 6, 7)));
// The same with further details: the access, the wait and the faulting lanes of `facts`.
// Site, threads and kernel are filled in.
bool simt_fault_with(simt_core *core, const simt_warp *warp, const simt_instr *in, int lane,
                     simt_status status, const simt_fault_info *facts, const char *format, ...)
    __attribute__((format(printf, 7, 8)));

#endif
