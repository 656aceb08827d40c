// SPDX-License-Identifier: MIT
// core/access_event.h - what observers learn of accesses to memory, and what they say of the values
// that are loaded.
#ifndef SIMT_ACCESS_EVENT_H
#define SIMT_ACCESS_EVENT_H

#include "core/state.h"
#include "core/transfer.h"

// The lanes of `mask` are about to access memory. `owner`: as in simt_access. `memory`: the byte at
// address 0 of the space, or NULL.
void simt_notify_access(simt_core *core, simt_warp *w, const simt_instr *in, uint8_t space,
                        uint32_t owner, const simt_addresses *a, uint32_t mask, uint32_t width,
                        const uint8_t *memory);
// This store into shared memory may be made from now on.
void simt_announce_copy(simt_core *core, simt_warp *warp, const simt_instr *store, uint32_t mask);

#endif
