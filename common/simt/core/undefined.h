// SPDX-License-Identifier: MIT
// core/undefined.h - follows undefined values: what a shuffle read from a lane that took no part,
// and what a load read from memory that an observer knows to be uninitialised.
//
// Reading them is not a mistake as long as the result is not used: `x = shfl_down(v, s); if (lane +
// s < n) v += x;` is right, and so is a stencil whose margin is computed from elements that are not
// there, and thrown away. So the lanes of every register that hold such a value are followed
// through arithmetic, and only a use is reported: an address, a branch, a vote, a store. This is
// done only while some register holds such a value, and only for an observer; otherwise the usual
// loop runs (core/warp.c).
//
// What cannot be followed: values in local memory, passed to functions, or exchanged by lanes at
// different instructions. There those of shuffles are taken as defined, and those of loads as used.
// A store of a loaded one to shared or global memory is no use here: the observer that knows the
// memory learns of it, and decides.
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
// What an observer has said of the load `in`. Out of memory: nothing is followed.
void simt_undefined_load(simt_core *core, simt_warp *w, const simt_instr *in,
                         const simt_access_undefined *loaded);
// Which of the elements that lanes `mask` store at `in` are undefined.
void simt_undefined_store(const simt_warp *w, const simt_instr *in, uint32_t mask,
                          simt_access_undefined *stored);
// The lanes of a register are written from outside.
void simt_undefined_clear(simt_warp *w, uint32_t slot, uint32_t mask);

#endif
