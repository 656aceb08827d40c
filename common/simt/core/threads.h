// SPDX-License-Identifier: MIT
// core/threads.h - the blocks of a launch on several host threads.
#ifndef SIMT_THREADS_H
#define SIMT_THREADS_H

#include "core/state.h"

// Runs blocks [first, end). False: not tried or not valid; nothing has happened then, and the
// blocks must run in order.
bool simt_run_on_threads(simt_core *core, uint64_t first, uint64_t end);

#endif
