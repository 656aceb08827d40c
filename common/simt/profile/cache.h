// SPDX-License-Identifier: MIT
// profile/cache.h - a sectored, set-associative cache: 128-byte lines of four sectors, each valid
// and dirty on its own. Used as one SM's L1 and as the L2.
//
// What is replaced: in the L2 the line that was used longest ago. In the L1 any line of the set: a
// GPU's L1 that is walked over again and again and is a little too small still hits most of the
// time, where one that drops the oldest line would never hit. (RRZE-HPC gpu-benches, gpu-cache: an
// A100's L1 of at most 192 KiB still serves 84 % of the reads of 204 KiB.)
// Not modelled: the hardware's own replacement and hash functions, which are not public (sets, and
// lines to be replaced, are chosen by a mixing function here), and the two halves of the L2.
#ifndef SIMT_CACHE_H
#define SIMT_CACHE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "device/memory.h"

enum { SIMT_LINE_SHIFT = 7, SIMT_LINE_SECTORS = 4, SIMT_CACHE_WAYS = 16 };

typedef struct simt_cache_line {
  uint64_t line;        // address >> SIMT_LINE_SHIFT
  uint32_t used;        // when, for replacement
  uint8_t valid, dirty; // bit per sector
  float arrives;        // a client's: when the sectors that were asked for last are there
} simt_cache_line;

// Most sets of a large cache hold a line or two. Their entries lie side by side, in groups that a
// set is given as it needs them, so that looking a line up stays within little memory.
enum { SIMT_CACHE_GROUP = 4, SIMT_CACHE_GROUPS = SIMT_CACHE_WAYS / SIMT_CACHE_GROUP };
typedef struct simt_cache_set {
  uint32_t group[SIMT_CACHE_GROUPS]; // of entries in `lines`
  uint32_t n;                        // ways in use: the first ones
} simt_cache_set;

typedef struct simt_cache {
  simt_cache_set *sets;   // [n_sets]
  simt_cache_line *lines; // [n_sets * SIMT_CACHE_WAYS], of which n_groups groups are in use
  size_t n_sets, n_groups;
  uint32_t clock;
  bool replaces_any;      // false: the line that was used longest ago
  uint64_t evicted_dirty; // sectors
} simt_cache;

// Room for `bytes`, at least one set; replaces the oldest. False: out of memory.
bool simt_cache_create(simt_cache *cache, uint64_t bytes);
void simt_cache_clear(simt_cache *cache);
void simt_cache_destroy(simt_cache *cache);

// A line of device memory as if that began where it usually does: where it begins must not change
// what the caches hold, nor with that a modelled time. Lines of local memory lie far above.
static inline uint64_t simt_usual_line(uint64_t line) {
  const uint64_t first = SIMT_DEVICE_BASE >> SIMT_LINE_SHIFT;
  const bool is_moved = SIMT_DEVICE_BASE != SIMT_USUAL_DEVICE_BASE && line >= first;
  return is_moved && line >> 40 == 0 ? line - first + (SIMT_USUAL_DEVICE_BASE >> SIMT_LINE_SHIFT)
                                     : line;
}

// Which also decides what a sample of lines contains.
static inline uint64_t simt_cache_hash(uint64_t line) {
  line = simt_usual_line(line);
  line *= UINT64_C(0x9e3779b97f4a7c15);
  line ^= line >> 29;
  line *= UINT64_C(0xbf58476d1ce4e5b9);
  return line ^ line >> 32;
}

// A way of a set that is in use (way < sets[set].n).
static inline simt_cache_line *simt_cache_way(const simt_cache *cache, size_t set, uint32_t way) {
  const size_t group = cache->sets[set].group[way / SIMT_CACHE_GROUP];
  return &cache->lines[group * SIMT_CACHE_GROUP + way % SIMT_CACHE_GROUP];
}

// The line's entry, or NULL.
const simt_cache_line *simt_cache_peek(const simt_cache *cache, uint64_t line);

// Touches the sectors of `mask` (not 0) in a line: returns those that were valid. `allocate`: the
// others are valid from now on; `dirty`: all of them are modified. *entry (if not NULL): the line's
// entry, NULL when it has none.
uint8_t simt_cache_touch(simt_cache *cache, uint64_t line, uint8_t mask, bool allocate, bool dirty,
                         simt_cache_line **entry);

#endif
