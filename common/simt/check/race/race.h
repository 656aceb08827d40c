// SPDX-License-Identifier: MIT
// check/race/race.h - what racecheck offers beyond check/checks.h.
#ifndef SIMT_CHECK_RACE_H
#define SIMT_CHECK_RACE_H

#include "check/checks.h"

// Shadow memory (half of it global, a quarter that of all resident blocks' shared memory) and
// clocks together take at most this much in a launch (default 1 GiB); several host threads share it
// evenly. What lies beyond is not watched, and a note says so. Not counted: less than 100 KB for
// each resident block.
void simt_racecheck_limit(simt_observer *observer, uint64_t limit_bytes);

// Pairs of places found racing in the launch that runs; they go to the findings when it ends.
uint32_t simt_racecheck_pairs(const simt_observer *observer);
const simt_finding *simt_racecheck_pair(const simt_observer *observer, uint32_t i, uint64_t *count);

#endif
