// SPDX-License-Identifier: MIT
// check/race/locations.h - what is attached to each word of memory: the knowledge that a write with
// release semantics leaves there for a read with acquire semantics.
//
// A hash table without deletion of single words; its memory counts towards the clocks' limit, and
// when that is reached the clocks are exhausted.
#ifndef SIMT_CHECK_LOCATIONS_H
#define SIMT_CHECK_LOCATIONS_H

#include "check/race/clock.h"

typedef struct simt_location {
  uint64_t key; // 0: free
  simt_clock_map *map;
} simt_location;

typedef struct simt_locations {
  simt_location *at; // [capacity]
  uint32_t n, capacity;
} simt_locations;

// The key of a 4-byte word: its address / 4, in shared or in global memory.
static inline uint64_t simt_locations_key(uint64_t word, bool is_shared) {
  return (word << 1 | is_shared) + 1;
}

// NULL: nothing.
simt_clock_map *simt_locations_at(const simt_locations *locations, uint64_t key);
// Adds `map` to what is attached, or replaces it.
void simt_locations_attach(simt_clocks *clocks, simt_locations *locations, uint64_t key,
                           simt_clock_map *map, bool replaces);
void simt_locations_clear(simt_clocks *clocks, simt_locations *locations); // keeps its room
void simt_locations_free(simt_clocks *clocks, simt_locations *locations);

#endif
