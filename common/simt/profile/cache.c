// SPDX-License-Identifier: MIT
// profile/cache.c - see profile/cache.h.
#include "profile/cache.h"

#include <stdlib.h>
#include <string.h>

bool simt_cache_create(simt_cache *cache, uint64_t bytes) {
  uint64_t sets = (bytes >> SIMT_LINE_SHIFT) / SIMT_CACHE_WAYS;
  *cache = (simt_cache){.n_sets = sets ? (size_t)sets : 1};
  cache->lines = calloc(cache->n_sets * SIMT_CACHE_WAYS, sizeof *cache->lines);
  cache->in_use = calloc(cache->n_sets, sizeof *cache->in_use);
  if (cache->lines && cache->in_use) return true;
  simt_cache_destroy(cache);
  return false;
}

void simt_cache_clear(simt_cache *cache) {
  for (size_t set = 0; cache->lines && set < cache->n_sets; set++) {
    if (!cache->in_use[set]) continue;
    memset(&cache->lines[set * SIMT_CACHE_WAYS], 0, SIMT_CACHE_WAYS * sizeof *cache->lines);
    cache->in_use[set] = false;
  }
  cache->clock = 0;
  cache->evicted_dirty = 0;
}

void simt_cache_destroy(simt_cache *cache) {
  free(cache->lines);
  free(cache->in_use);
  *cache = (simt_cache){0};
}

static unsigned count_sectors(uint8_t mask) { return (unsigned)__builtin_popcount(mask); }

// The line's entry, or the one to be replaced.
static simt_cache_line *find(const simt_cache *cache, uint64_t line, bool *found) {
  // The upper half of the product: the lower bits decide what is in a sample.
  size_t set = (size_t)((simt_cache_hash(line) >> 32) * cache->n_sets >> 32);
  simt_cache_line *ways = cache->lines + set * SIMT_CACHE_WAYS, *oldest = ways;
  for (int i = 0; i < SIMT_CACHE_WAYS; i++) {
    if (ways[i].valid && ways[i].line == line) return *found = true, &ways[i];
    if (!ways[i].valid) oldest = oldest->valid ? &ways[i] : oldest;
    else if (oldest->valid && ways[i].used < oldest->used) oldest = &ways[i];
  }
  *found = false;
  if (!oldest->valid || !cache->replaces_any) return oldest;
  return &ways[(simt_cache_hash(line + cache->clock) >> 40) % SIMT_CACHE_WAYS];
}

const simt_cache_line *simt_cache_peek(const simt_cache *cache, uint64_t line) {
  bool found;
  const simt_cache_line *e = find(cache, line, &found);
  return found ? e : NULL;
}

uint8_t simt_cache_touch(simt_cache *cache, uint64_t line, uint8_t mask, bool allocate, bool dirty,
                         simt_cache_line **entry) {
  bool found;
  simt_cache_line *e = find(cache, line, &found);
  uint8_t hits = found ? e->valid & mask : 0;
  if (entry) *entry = found || allocate ? e : NULL;
  if (!found && !allocate) return 0;
  if (!found) {
    cache->evicted_dirty += e->valid ? count_sectors(e->dirty) : 0;
    *e = (simt_cache_line){.line = line};
    cache->in_use[(size_t)(e - cache->lines) / SIMT_CACHE_WAYS] = true;
  }
  e->used = ++cache->clock;
  if (allocate) e->valid |= mask;
  if (dirty) e->dirty |= mask & e->valid;
  return hits;
}
