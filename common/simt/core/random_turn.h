// SPDX-License-Identifier: MIT
// core/random_turn.h - private to the core: a warp's turn in the random schedule.
#ifndef SIMT_RANDOM_TURN_H
#define SIMT_RANDOM_TURN_H

#include "core/state.h"

// Chooses how long the turn of `warp` is and which of its lanes run. False: the turn is skipped.
bool simt_random_turn(simt_core *core, simt_warp *warp);

#endif
