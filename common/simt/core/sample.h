// SPDX-License-Identifier: MIT
// core/sample.h - some of a launch's blocks, which stand for all of them.
#ifndef SIMT_SAMPLE_H
#define SIMT_SAMPLE_H

#include "core/state.h"

// Sets core->order: first the sample, ascending, then the other blocks, ascending. In the sample
// are one block of each of core->launch->n_sampled stretches of the grid, the first and the last
// block, and those whose every step an observer wants to know. The same every time. Returns how
// many they are; n_blocks when there is no memory, or nothing would be gained: then all run.
uint64_t simt_sample_make(simt_core *core, uint64_t n_blocks);

#endif
