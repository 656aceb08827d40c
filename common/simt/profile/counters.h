// SPDX-License-Identifier: MIT
// profile/counters.h - what a launch did, in numbers: the counters observer.
#ifndef SIMT_COUNTERS_H
#define SIMT_COUNTERS_H

#include "include/simt.h"
#include "device/observer.h"
#include "profile/transactions.h"

// The observer that fills simt_counters for one launch after another. NULL: out of memory.
simt_observer *simt_counters_observer_create(void);
void simt_counters_observer_destroy(simt_observer *observer);
// Counters of the latest launch that ended (the running one between launch_begin and launch_end);
// owned by the observer. All zero before the first.
const simt_counters *simt_counters_of(const simt_observer *observer);

// The counters of a launch that is going on, of which `info` and `profile` are the core's. Events
// are counted to the instruction; instructions when their basic block is entered.
void simt_counters_so_far(const simt_observer *observer, const simt_launch_info *info,
                          const simt_profile *profile, simt_counters *out);

// Adds one launch's counters to a total: sums are added, maxima taken.
void simt_counters_add(simt_counters *total, const simt_counters *launch);

#endif
