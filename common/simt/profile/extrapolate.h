// SPDX-License-Identifier: MIT
// profile/extrapolate.h - the counters of a whole launch of which only some blocks were run
// (core/sample.h), and whether these blocks are alike enough for that.
#ifndef SIMT_EXTRAPOLATE_H
#define SIMT_EXTRAPOLATE_H

#include "profile/counters.h"
#include "profile/trace.h"

// Whether the blocks that have run are alike enough to stand for `n_blocks`: the standard deviation
// of their instruction counts is at most a twentieth of the mean, and no count exceeds one and a
// half times the mean; and global atomics, if any, go to the same few addresses from all blocks, or
// to different ones from each.
bool simt_is_enough(const simt_trace *trace, const simt_counters *counters);

// From `n_run` blocks to `n_blocks`: sums grow in proportion, maxima over warps stay. Blocks, warps
// and threads are already those of the whole grid.
void simt_extrapolate(simt_counters *counters, uint64_t n_run, uint64_t n_blocks);

#endif
