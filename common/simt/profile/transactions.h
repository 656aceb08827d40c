// SPDX-License-Identifier: MIT
// profile/transactions.h - what one warp access costs in the memory system: sectors of global
// memory, passes over the banks of shared memory.
//
// The counting rules are pure functions so that a hand calculation can be checked against them.
// `address` holds one byte address per lane; entries of lanes outside `mask` are never read.
#ifndef SIMT_TRANSACTIONS_H
#define SIMT_TRANSACTIONS_H

#include "device/lane.h"

enum { SIMT_SECTOR_BYTES = 32, SIMT_BANKS = 32, SIMT_BANK_BYTES = 4 };
enum { SIMT_SECTOR_SHIFT = 5 }; // of an address, to the number of its sector

static inline unsigned simt_first_lane(uint32_t mask) { return (unsigned)__builtin_ctz(mask); }

// Distinct 32-byte sectors that the lanes of `mask` touch, each `width_bytes` (1 … 32) from its
// address. An access that straddles a sector boundary counts both.
unsigned simt_count_sectors(const uint64_t address[SIMT_LANES], uint32_t mask,
                            uint32_t width_bytes);

// Passes ("wavefronts") over the 32 four-byte banks that a shared load needs. The rule, measured
// on an H200 (figures/data/h200-wavefronts.csv):
// - A pass delivers one word from each bank, to any number of lanes: lanes that access the same
//   word share it, lanes that access different words of one bank wait for another pass.
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

// Passes of an atomic on shared memory, 4 bytes per lane: those of one bank go one after another,
// whether they are on the same word or not.
unsigned simt_count_atomic_passes(const uint64_t address[SIMT_LANES], uint32_t mask);

// Packets by which stores and atomics of a warp reach the shared memory of another block of the
// cluster (measured: figures/data/h100-clusters.csv). A store: one per sector that is written as a
// whole, else one per 16 bytes of which something is written. An atomic: one per sector, and as
// many as the most lanes that meet at one address in it.
unsigned simt_count_store_packets(const uint64_t address[SIMT_LANES], uint32_t mask,
                                  uint32_t width_bytes);
unsigned simt_count_atomic_packets(const uint64_t address[SIMT_LANES], uint32_t mask);

// Most active lanes that share one address; 0 when no lane is active. Exact where it is more than
// `least`, else anything up to that: only banks with more than so many lanes are searched.
unsigned simt_count_same_address(const uint64_t address[SIMT_LANES], uint32_t mask, unsigned least);

#endif
