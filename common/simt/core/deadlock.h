// SPDX-License-Identifier: MIT
// core/deadlock.h - why no thread of a block can continue.
#ifndef SIMT_DEADLOCK_H
#define SIMT_DEADLOCK_H

#include "core/state.h"

// No thread of the block can continue; always false.
bool simt_fault_deadlock(simt_core *core, const simt_block *block);
// All warps that can run only re-read memory that no thread changes any more; always false.
bool simt_fault_spinning(simt_core *core);

#endif
