// SPDX-License-Identifier: MIT
// check/race/clock.h - racecheck's clocks: how much one thread knows of what others have done.
//
// A textbook detector gives every thread a vector with an entry for every other thread. A grid has
// too many threads for that, but nearly all that they know is the same, so that is what is stored:
//
//   tick      one counter for the whole launch, advanced by every synchronisation. An access is
//             stamped with the tick at which it ran. To know a thread *until* tick k is to be
//             ordered after all its accesses with a stamp below k.
//   floor     a block barrier lets all threads of a block know each other until now: one number.
//   clock     what is known of one block beyond that: a floor, and spans of threads known until
//             later than the floor. A warp, or one thread, is one span.
//   map       clocks of many blocks, by block: what an atomic has handed on from all blocks that
//             arrived before. A radix tree whose parts are shared between old and new versions,
//             so that the last of n blocks learns of all others without n copies of n entries.
//
// Clocks and maps never change once made; they are counted by reference and freed with the last.
// Memory is bounded: beyond the limit `is_exhausted` is set and results are NULL, which says less
// than is known; a thread that sees the flag must stop reporting.
#ifndef SIMT_CHECK_CLOCK_H
#define SIMT_CHECK_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

enum { SIMT_CLOCK_THREADS = 1024 }; // of a block

typedef struct simt_clock_span {
  uint16_t first, last; // threads of the block, both included
  uint32_t tick;
} simt_clock_span;

typedef struct simt_clock {
  uint32_t refs;
  uint32_t floor; // all threads of the block are known until here
  uint32_t n_spans;
  simt_clock_span span[]; // [n_spans] ascending, disjoint, each tick above the floor
} simt_clock;

typedef struct simt_clock_map simt_clock_map;

// Where clocks come from: one per checker and host thread.
typedef struct simt_clocks {
  uint64_t used_bytes, limit_bytes;
  bool is_exhausted;
  uint32_t levels; // of maps; all maps alive at a time have the same
  // The clock under construction; ticks are zero outside [first, last].
  uint32_t floor, first, last;
  uint32_t tick[SIMT_CLOCK_THREADS];
} simt_clocks;

// Maps made from now on hold blocks 0 … n_blocks - 1. No map may be alive.
void simt_clocks_begin(simt_clocks *clocks, uint64_t n_blocks);

// Building a clock: begin, then any number of raise and add, then finish, which gives a new
// reference (NULL: no memory). The result is the maximum of all its inputs.
void simt_clock_begin(simt_clocks *clocks, uint32_t floor);
void simt_clock_raise(simt_clocks *clocks, uint32_t first, uint32_t last, uint32_t tick);
void simt_clock_add(simt_clocks *clocks, const simt_clock *clock); // NULL: nothing
simt_clock *simt_clock_finish(simt_clocks *clocks);

simt_clock *simt_clock_keep(simt_clock *clock); // another reference; NULL stays NULL
void simt_clock_drop(simt_clocks *clocks, simt_clock *clock);
// The tick until which `clock` (not NULL) knows `thread`.
uint32_t simt_clock_of(const simt_clock *clock, uint32_t thread);

// The map with one clock; takes over the caller's reference. NULL: no memory, or `clock` is NULL.
simt_clock_map *simt_clock_map_single(simt_clocks *clocks, uint32_t block, simt_clock *clock);
// A new reference to the map that knows what either knows. NULL (no memory, or two empty maps).
simt_clock_map *simt_clock_map_join(simt_clocks *clocks, simt_clock_map *a, simt_clock_map *b);
// *into = what either knows; its old reference is dropped. `map` may be NULL.
void simt_clock_map_learn(simt_clocks *clocks, simt_clock_map **into, simt_clock_map *map);
const simt_clock *simt_clock_map_find(const simt_clocks *clocks, const simt_clock_map *map,
                                      uint32_t block); // NULL: nothing known
simt_clock_map *simt_clock_map_keep(simt_clock_map *map);
void simt_clock_map_drop(simt_clocks *clocks, simt_clock_map *map);

#endif
