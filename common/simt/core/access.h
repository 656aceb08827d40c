// SPDX-License-Identifier: MIT
// core/access.h - loads, stores and atomics of a warp.
#ifndef SIMT_ACCESS_H
#define SIMT_ACCESS_H

#include "core/state.h"

// The lanes of `mask` access memory; false after a fault.
bool simt_exec_load(simt_core *core, simt_warp *warp, const simt_instr *in, uint32_t mask);
bool simt_exec_store(simt_core *core, simt_warp *warp, const simt_instr *in, uint32_t mask);
bool simt_exec_atomic(simt_core *core, simt_warp *warp, const simt_instr *in, uint32_t mask);
void simt_exec_isspacep(const simt_core *core, simt_warp *warp, const simt_instr *in,
                        uint32_t mask);
// Reads `size_bytes` at a generic address of one lane; NULL when out of bounds.
const uint8_t *simt_lane_bytes(simt_core *core, simt_warp *warp, int lane, uint64_t address,
                               uint64_t size_bytes);

#endif
