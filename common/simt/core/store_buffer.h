// SPDX-License-Identifier: MIT
// core/store_buffer.h - private to the core: stores that their lane has made and others cannot see
// yet (the schedule delayed-stores). Addresses are generic ones: shared memory lies in its window.
#ifndef SIMT_STORE_BUFFER_H
#define SIMT_STORE_BUFFER_H

#include "core/state.h"

// Slots for words of 8 bytes that the held stores of one launch may take, all maps together: 24
// bytes each, 192 MiB; enough for 16 MiB of output. Stores without a slot land early.
enum { SIMT_MAX_HELD_SLOTS = 1 << 23 };

// Buffers for the launch and for each block that becomes resident; false: out of memory. At the end
// everything lands in memory.
bool simt_held_begin(simt_core *core);
bool simt_held_begin_block(simt_core *core, simt_block *block);
void simt_held_end(simt_core *core);
void simt_held_end_block(simt_core *core, simt_block *block);

// Lane `lane` stores `n` bytes, which stay with it.
void simt_hold(simt_core *core, simt_warp *w, uint32_t lane, uint64_t address, const uint8_t *bytes,
               uint32_t n);
// Overlays the `n` bytes of memory in `bytes` with the held stores that the lane may see; false:
// there are none.
bool simt_held_overlay(const simt_warp *w, uint32_t lane, uint64_t address, uint8_t *bytes,
                       uint32_t n);
// Lands the held stores to these bytes that the lane may see: a strong access is about to happen
// there.
void simt_held_settle(simt_core *core, simt_warp *w, uint32_t lane, uint64_t address, uint32_t n);
// The lanes synchronise with the threads of `scope` (isa_scope): what they stored before becomes
// visible to those threads.
void simt_held_publish(simt_core *core, simt_warp *w, uint32_t lanes, uint8_t scope);

#endif
