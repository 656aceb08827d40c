// SPDX-License-Identifier: MIT
// profile/cache.c - see profile/cache.h.
#include "profile/cache.h"

#include <stdlib.h>
#include <string.h>

// Of the lines only what is used is ever touched, so that most of their pages never exist.
bool simt_cache_create(simt_cache *cache, uint64_t bytes) {
  uint64_t sets = (bytes >> SIMT_LINE_SHIFT) / SIMT_CACHE_WAYS;
  *cache = (simt_cache){.n_sets = sets ? (size_t)sets : 1};
  cache->lines = malloc(cache->n_sets * SIMT_CACHE_WAYS * sizeof *cache->lines);
  cache->sets = calloc(cache->n_sets, sizeof *cache->sets);
  if (cache->lines && cache->sets) return true;
  simt_cache_destroy(cache);
  return false;
}

void simt_cache_clear(simt_cache *cache) {
  if (cache->n_groups) memset(cache->sets, 0, cache->n_sets * sizeof *cache->sets);
  cache->n_groups = 0;
  cache->clock = 0;
  cache->evicted_dirty = 0;
}

void simt_cache_destroy(simt_cache *cache) {
  free(cache->lines);
  free(cache->sets);
  *cache = (simt_cache){0};
}

static unsigned count_sectors(uint8_t mask) { return (unsigned)__builtin_popcount(mask); }

static size_t set_of(const simt_cache *cache, uint64_t line) {
  // The upper half of the product: the lower bits decide what is in a sample.
  return (size_t)((simt_cache_hash(line) >> 32) * cache->n_sets >> 32);
}

// The line's entry, or NULL.
static simt_cache_line *find(const simt_cache *cache, size_t set, uint64_t line) {
  const uint32_t n = cache->sets[set].n;
  for (uint32_t i = 0; i < n; i++) {
    simt_cache_line *way = simt_cache_way(cache, set, i);
    if (way->line == line) return way;
  }
  return NULL;
}

const simt_cache_line *simt_cache_peek(const simt_cache *cache, uint64_t line) {
  return find(cache, set_of(cache, line), line);
}

static simt_cache_line *oldest_of(const simt_cache *cache, size_t set) {
  simt_cache_line *oldest = simt_cache_way(cache, set, 0);
  for (uint32_t i = 1; i < SIMT_CACHE_WAYS; i++) {
    simt_cache_line *way = simt_cache_way(cache, set, i);
    if (way->used < oldest->used) oldest = way;
  }
  return oldest;
}

// A free way, or one whose line gives way.
static simt_cache_line *make_room(simt_cache *cache, size_t set, uint64_t line) {
  simt_cache_set *s = &cache->sets[set];
  if (s->n == SIMT_CACHE_WAYS) {
    const uint64_t any = simt_cache_hash(line + cache->clock) >> 40;
    simt_cache_line *way = cache->replaces_any
                               ? simt_cache_way(cache, set, (uint32_t)(any % SIMT_CACHE_WAYS))
                               : oldest_of(cache, set);
    cache->evicted_dirty += count_sectors(way->dirty);
    return way;
  }
  const uint32_t way = s->n++;
  if (way % SIMT_CACHE_GROUP == 0) s->group[way / SIMT_CACHE_GROUP] = (uint32_t)cache->n_groups++;
  return simt_cache_way(cache, set, way);
}

uint8_t simt_cache_touch(simt_cache *cache, uint64_t line, uint8_t mask, bool allocate, bool dirty,
                         simt_cache_line **entry) {
  const size_t set = set_of(cache, line);
  simt_cache_line *e = find(cache, set, line);
  uint8_t hits = e ? e->valid & mask : 0;
  if (!e && allocate) {
    e = make_room(cache, set, line);
    *e = (simt_cache_line){.line = line};
  }
  if (entry) *entry = e;
  if (!e) return 0;
  e->used = ++cache->clock;
  if (allocate) e->valid |= mask;
  if (dirty) e->dirty |= mask & e->valid;
  return hits;
}
