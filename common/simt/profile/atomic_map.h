// SPDX-License-Identifier: MIT
// profile/atomic_map.h - how often each global address was the target of an atomic: an
// open-addressing hash map from address to lane operations, sized for the hot path of the counters.
//
// Invariants: the table has no tombstones and is at most half full; sixteen neighbouring words
// share one run of slots, so that a warp on consecutive addresses stays in a few cache lines.
// Not modelled: removal. Growth stops at SIMT_MAX_ATOMIC_ADDRESSES or when memory runs out; after
// that new addresses are dropped and known ones still counted.
#ifndef SIMT_ATOMIC_MAP_H
#define SIMT_ATOMIC_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
  // Distinct global addresses that the atomics of one launch are told apart by. Beyond it, counts
  // of addresses seen before stay exact and new addresses are not recorded: the launch's
  // global_atomic_addresses then reads exactly this number.
  SIMT_MAX_ATOMIC_ADDRESSES = 1 << 22
};

typedef struct simt_atomic_slot {
  uint64_t address; // valid when count != 0
  uint64_t count;
} simt_atomic_slot;

// A zeroed map is an empty map and owns nothing.
typedef struct simt_atomic_map {
  simt_atomic_slot *slots; // [capacity], or NULL
  size_t capacity;         // power of two
  size_t used;             // distinct addresses
  size_t last;             // slot of the latest address: the same one often comes again
  uint64_t max_count;
  bool is_full; // addresses were dropped
} simt_atomic_map;

void simt_atomic_map_add(simt_atomic_map *map, uint64_t address, uint64_t count);
// Has the cache fetch the address's slot: for all lanes of a scattered atomic before they are
// added.
void simt_atomic_map_prefetch(const simt_atomic_map *map, uint64_t address);
void simt_atomic_map_merge(simt_atomic_map *map, const simt_atomic_map *from);
void simt_atomic_map_clear(simt_atomic_map *map); // keeps a small table for the next launch
void simt_atomic_map_free(simt_atomic_map *map);

#endif
