// SPDX-License-Identifier: MIT
// core/heap.h - private to the core: malloc() and free() of device code.
#ifndef SIMT_HEAP_H
#define SIMT_HEAP_H

#include "core/state.h"

bool simt_exec_heap(simt_core *core, simt_warp *warp, const simt_instr *in, uint32_t mask);
// The same for one thread: an address, 0 where the heap is exhausted; false after a fault.
uint64_t simt_heap_allocate(simt_core *core, uint64_t size_bytes, uint64_t alignment_bytes);
bool simt_heap_release(simt_core *core, simt_warp *warp, const simt_instr *in, uint32_t lane,
                       uint64_t address);

#endif
