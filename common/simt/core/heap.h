// SPDX-License-Identifier: MIT
// core/heap.h - private to the core: malloc() and free() of device code.
#ifndef SIMT_HEAP_H
#define SIMT_HEAP_H

#include "core/state.h"

bool simt_exec_heap(simt_core *core, simt_warp *warp, const simt_instr *in, uint32_t mask);

#endif
