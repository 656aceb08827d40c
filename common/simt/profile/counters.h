// SPDX-License-Identifier: MIT
// profile/counters.h - what a launch did, in numbers: the counters observer and the rules it counts
// by.
//
// The counting rules are pure functions so that a hand calculation can be checked against them.
// `address` holds one byte address per lane; entries of lanes outside `mask` are never read.
#ifndef SIMT_COUNTERS_H
#define SIMT_COUNTERS_H

#include "include/simt.h"
#include "device/observer.h"

enum {
  SIMT_SECTOR_BYTES = 32,
  SIMT_BANKS = 32,
  SIMT_BANK_BYTES = 4,
  // Distinct global addresses that the atomics of one launch are told apart by. Beyond it, counts
  // of addresses seen before stay exact and new addresses are not recorded: the launch's
  // global_atomic_addresses then reads exactly this number.
  SIMT_MAX_ATOMIC_ADDRESSES = 1 << 22
};

// Distinct 32-byte sectors that the lanes of `mask` touch, each `width_bytes` (1 … 32) from its
// address. An access that straddles a sector boundary counts both.
unsigned simt_count_sectors(const uint64_t address[SIMT_LANES], uint32_t mask,
                            uint32_t width_bytes);

// Passes ("wavefronts") over the 32 four-byte banks that a shared load needs. The rule, measured
// on an H200 (figures/data/h200-wavefronts.csv):
// - A pass delivers one word from each bank, to any number of lanes: lanes that access the same
// word
//   share it, lanes that access different words of one bank wait for another pass.
// - Up to 4 bytes per lane: the warp is one group; its passes are the most distinct words that any
//   bank has to deliver.
// - 8 bytes: two groups, the half-warps; 16 bytes: four, the quarter-warps; they go one after
//   another and each takes at least one pass, even when none of its lanes is active.
// - 8- and 16-byte *loads* merge groups pairwise (8 bytes: one group is left, 16 bytes: two) when
//   every active lane's neighbour, lane ^ 1, is inactive or reads the same address; likewise with
//   lane ^ 2. The condition is judged for the warp as a whole.
unsigned simt_count_wavefronts(const uint64_t address[SIMT_LANES], uint32_t mask,
                               uint32_t width_bytes);
// The same for a shared store, whose groups never merge.
unsigned simt_count_store_wavefronts(const uint64_t address[SIMT_LANES], uint32_t mask,
                                     uint32_t width_bytes);
// Passes of an access without conflicts and without merging: 1 up to 4 bytes per lane, 2 for 8,
// 4 for 16; 0 when no lane is active. Bank conflicts are wavefronts beyond this.
unsigned simt_ideal_wavefronts(uint32_t mask, uint32_t width_bytes);

// Most active lanes that share one address; 0 when no lane is active.
unsigned simt_count_same_address(const uint64_t address[SIMT_LANES], uint32_t mask);

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
