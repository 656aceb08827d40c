// SPDX-License-Identifier: MIT
// profile/extrapolate.h - from the blocks of a launch that have run to all of it, where some stand
// for the others (core/sample.h): whether they may, and the counters of the whole.
#ifndef SIMT_EXTRAPOLATE_H
#define SIMT_EXTRAPOLATE_H

#include "profile/counters.h"
#include "profile/trace.h"

// Whether the blocks that have run are alike enough to stand for `n_blocks`: of the instructions
// they have run, the standard deviation is at most a twentieth of the mean, and none has run half
// as many again; and if there are global atomics, their addresses are the same few for all blocks,
// or others for each.
bool simt_is_enough(const simt_trace *trace, const simt_counters *counters);

// From `n_run` blocks to `n_blocks`: sums grow in proportion. What is the largest of all warps
// stays. Blocks, warps and threads are those of the grid already.
void simt_extrapolate(simt_counters *counters, uint64_t n_run, uint64_t n_blocks);

#endif
