// SPDX-License-Identifier: MIT
// core/undefined.h - follows values that are undefined because a shuffle read a lane that took no
// part.
//
// Reading such a lane is not a mistake as long as the result is not used: `x = shfl_down(v, s); if
// (lane + s < n) v += x;` is right. So the lanes of every register that hold such a value are
// followed through arithmetic, and only a use is reported: a store, an address, a branch, a vote.
// This is done only while some register holds such a value, and only for an observer; otherwise the
// usual loop runs (core/warp.c). Lenient where precision would cost more than it gives: values kept
// in local memory, passed to expanded calls, or exchanged by lanes at different instructions are
// taken as defined.
#ifndef SIMT_UNDEFINED_H
#define SIMT_UNDEFINED_H

#include "core/state.h"

// The shuffle of lanes `mask` at `in` is about to run: undefined values move with it, and lanes
// that read outside `mask` get new ones. False when out of memory: then nothing is followed.
bool simt_undefined_shuffle(simt_core *core, simt_warp *w, const simt_instr *in, uint32_t mask,
                            uint32_t members);
// Another warp-wide operation: using an undefined value in it is reported.
void simt_undefined_collective(simt_core *core, simt_warp *w, const simt_instr *in, uint32_t mask);
// The instruction that lanes `mask` of the `active` ones are about to run.
void simt_undefined_step(simt_core *core, simt_warp *w, const simt_instr *in, uint32_t mask,
                         uint32_t active);
// The lanes of a register are written from outside.
void simt_undefined_clear(simt_warp *w, uint32_t slot, uint32_t mask);

#endif
