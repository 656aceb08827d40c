// SPDX-License-Identifier: MIT
// check/race/clock.c - see check/race/clock.h.
#include "check/race/clock.h"

#include <stddef.h>
#include <stdlib.h>

enum { FANOUT_LOG2 = 5, FANOUT = 1 << FANOUT_LOG2 };

// A node of a map. At level 0 its children are clocks, above that nodes.
struct simt_clock_map {
  uint32_t refs;
  void *child[FANOUT];
};

static void *take(simt_clocks *clocks, size_t bytes) {
  void *memory = NULL;
  if (clocks->used_bytes + bytes <= clocks->limit_bytes) memory = calloc(1, bytes);
  if (memory) clocks->used_bytes += bytes;
  else clocks->is_exhausted = true;
  return memory;
}

static void give_back(simt_clocks *clocks, void *memory, size_t bytes) {
  clocks->used_bytes -= bytes;
  free(memory);
}

void simt_clocks_begin(simt_clocks *clocks, uint64_t n_blocks) {
  clocks->is_exhausted = false;
  clocks->levels = 1;
  while (n_blocks > UINT64_C(1) << FANOUT_LOG2 * clocks->levels) clocks->levels++;
}

// ---- putting clocks together -------------------------------------------------------------------

void simt_clock_begin(simt_clocks *clocks, uint32_t floor) {
  clocks->floor = floor;
  clocks->first = SIMT_CLOCK_THREADS;
  clocks->last = 0;
}

void simt_clock_raise(simt_clocks *clocks, uint32_t first, uint32_t last, uint32_t tick) {
  if (tick <= clocks->floor) return;
  if (first < clocks->first) clocks->first = first;
  if (last > clocks->last) clocks->last = last;
  for (uint32_t t = first; t <= last; t++)
    if (clocks->tick[t] < tick) clocks->tick[t] = tick;
}

void simt_clock_add(simt_clocks *clocks, const simt_clock *clock) {
  if (!clock) return;
  if (clocks->floor < clock->floor) clocks->floor = clock->floor;
  for (uint32_t i = 0; i < clock->n_spans; i++)
    simt_clock_raise(clocks, clock->span[i].first, clock->span[i].last, clock->span[i].tick);
}

// The end of the run of threads that begins at `t` and is known until the same tick.
static uint32_t end_of_run(const simt_clocks *clocks, uint32_t t) {
  uint32_t end = t + 1;
  while (end <= clocks->last && clocks->tick[end] == clocks->tick[t]) end++;
  return end;
}

static size_t clock_bytes(uint32_t n_spans) {
  return offsetof(simt_clock, span) + n_spans * sizeof(simt_clock_span);
}

simt_clock *simt_clock_finish(simt_clocks *clocks) {
  uint32_t n = 0;
  for (uint32_t t = clocks->first; t <= clocks->last; t = end_of_run(clocks, t))
    n += clocks->tick[t] > clocks->floor;
  simt_clock *clock = take(clocks, clock_bytes(n));
  if (clock) {
    clock->refs = 1;
    clock->floor = clocks->floor;
  }
  for (uint32_t t = clocks->first; t <= clocks->last;) {
    uint32_t end = end_of_run(clocks, t), tick = clocks->tick[t];
    if (clock && tick > clocks->floor)
      clock->span[clock->n_spans++] = (simt_clock_span){(uint16_t)t, (uint16_t)(end - 1), tick};
    t = end;
  }
  for (uint32_t t = clocks->first; t <= clocks->last; t++) clocks->tick[t] = 0;
  return clock;
}

simt_clock *simt_clock_keep(simt_clock *clock) {
  if (clock) clock->refs++;
  return clock;
}

void simt_clock_drop(simt_clocks *clocks, simt_clock *clock) {
  if (clock && --clock->refs == 0) give_back(clocks, clock, clock_bytes(clock->n_spans));
}

uint32_t simt_clock_of(const simt_clock *clock, uint32_t thread) {
  uint32_t low = 0, high = clock->n_spans;
  while (low < high) {
    uint32_t middle = (low + high) / 2;
    if (clock->span[middle].last < thread) low = middle + 1;
    else high = middle;
  }
  bool is_inside = low < clock->n_spans && clock->span[low].first <= thread;
  return is_inside ? clock->span[low].tick : clock->floor;
}

// Whether `a` knows all that `b` knows.
static bool covers(const simt_clock *a, const simt_clock *b) {
  if (a->floor < b->floor) return false;
  for (uint32_t i = 0; i < b->n_spans; i++)
    for (uint32_t t = b->span[i].first; t <= b->span[i].last; t++)
      if (simt_clock_of(a, t) < b->span[i].tick) return false;
  return true;
}

static simt_clock *join_clocks(simt_clocks *clocks, simt_clock *a, simt_clock *b) {
  if (covers(a, b)) return simt_clock_keep(a);
  if (covers(b, a)) return simt_clock_keep(b);
  simt_clock_begin(clocks, 0);
  simt_clock_add(clocks, a);
  simt_clock_add(clocks, b);
  return simt_clock_finish(clocks);
}

// ---- maps --------------------------------------------------------------------------------------

static void *keep_at(void *item, uint32_t level) {
  if (level == 0) return simt_clock_keep(item);
  return simt_clock_map_keep(item);
}

static void drop_at(simt_clocks *clocks, void *item, uint32_t level) {
  if (!item) return;
  if (level == 0) {
    simt_clock_drop(clocks, item);
    return;
  }
  simt_clock_map *node = item;
  if (--node->refs) return;
  for (uint32_t i = 0; i < FANOUT; i++) drop_at(clocks, node->child[i], level - 1);
  give_back(clocks, node, sizeof *node);
}

// Subtrees that only one side has, or that both share, are reused without a visit.
static void *join_at(simt_clocks *clocks, void *a, void *b, uint32_t level) {
  if (!b || a == b) return keep_at(a, level);
  if (!a) return keep_at(b, level);
  if (level == 0) return join_clocks(clocks, a, b);
  simt_clock_map *node = take(clocks, sizeof *node), *left = a, *right = b;
  if (!node) return NULL;
  node->refs = 1;
  bool is_left = true;
  for (uint32_t i = 0; i < FANOUT; i++) {
    node->child[i] = join_at(clocks, left->child[i], right->child[i], level - 1);
    is_left &= node->child[i] == left->child[i];
  }
  if (!is_left) return node;
  drop_at(clocks, node, level);
  return keep_at(a, level);
}

static uint32_t digit(uint32_t block, uint32_t level) {
  uint32_t shift = FANOUT_LOG2 * (level - 1);
  return shift < 32 ? block >> shift & (FANOUT - 1) : 0;
}

simt_clock_map *simt_clock_map_single(simt_clocks *clocks, uint32_t block, simt_clock *clock) {
  void *item = clock;
  for (uint32_t level = 1; level <= clocks->levels && item; level++) {
    simt_clock_map *node = take(clocks, sizeof *node);
    if (!node) {
      drop_at(clocks, item, level - 1);
      return NULL;
    }
    node->refs = 1;
    node->child[digit(block, level)] = item;
    item = node;
  }
  return item;
}

simt_clock_map *simt_clock_map_join(simt_clocks *clocks, simt_clock_map *a, simt_clock_map *b) {
  return join_at(clocks, a, b, clocks->levels);
}

void simt_clock_map_learn(simt_clocks *clocks, simt_clock_map **into, simt_clock_map *map) {
  if (!map || *into == map) return;
  simt_clock_map *joined = simt_clock_map_join(clocks, *into, map);
  simt_clock_map_drop(clocks, *into);
  *into = joined;
}

const simt_clock *simt_clock_map_find(const simt_clocks *clocks, const simt_clock_map *map,
                                      uint32_t block) {
  const void *item = map;
  for (uint32_t level = clocks->levels; level > 0 && item; level--)
    item = ((const simt_clock_map *)item)->child[digit(block, level)];
  return item;
}

simt_clock_map *simt_clock_map_keep(simt_clock_map *map) {
  if (map) map->refs++;
  return map;
}

void simt_clock_map_drop(simt_clocks *clocks, simt_clock_map *map) {
  drop_at(clocks, map, clocks->levels);
}
