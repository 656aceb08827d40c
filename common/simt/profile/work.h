// SPDX-License-Identifier: MIT
// profile/work.h - who did the work of a launch: how many threads took part in it, and how much of
// it lay on the busiest warp. What sums cannot show: one thread that reads everything makes no more
// requests than a block whose threads read side by side with wide gaps.
//
// An observer like the counters, off unless asked for. Not counted: arithmetic, which the core
// tells by basic block, not by warp.
#ifndef SIMT_WORK_H
#define SIMT_WORK_H

#include "device/observer.h"
#include "include/simt.h"

// Launches with more warps are not counted: all members read 0.
enum { SIMT_WORK_MAX_WARPS = 1 << 22 };

// NULL: out of memory.
simt_observer *simt_work_observer_create(void);
void simt_work_observer_destroy(simt_observer *observer);
// Of the latest launch that ended.
simt_work simt_work_of(const simt_observer *observer);

#endif
