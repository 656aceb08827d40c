// SPDX-License-Identifier: MIT
// check/race/locations.c - see check/race/locations.h.
#include "check/race/locations.h"

#include <stdlib.h>
#include <string.h>

static simt_location *find_slot(simt_location *at, uint32_t capacity, uint64_t key) {
  uint32_t i = (uint32_t)(key * UINT64_C(0x9e3779b97f4a7c15) >> 32) & (capacity - 1);
  while (at[i].key && at[i].key != key) i = (i + 1) & (capacity - 1);
  return &at[i];
}

simt_clock_map *simt_locations_at(const simt_locations *l, uint64_t key) {
  return l->n ? find_slot(l->at, l->capacity, key)->map : NULL;
}

static bool grow(simt_clocks *c, simt_locations *l) {
  uint32_t capacity = l->capacity ? 2 * l->capacity : 64;
  simt_location *at = NULL;
  if (c->used_bytes + capacity * sizeof *at <= c->limit_bytes) at = calloc(capacity, sizeof *at);
  if (!at) {
    c->is_exhausted = true;
    return false;
  }
  c->used_bytes += (uint64_t)(capacity - l->capacity) * sizeof *at;
  for (uint32_t i = 0; i < l->capacity; i++)
    if (l->at[i].key) *find_slot(at, capacity, l->at[i].key) = l->at[i];
  free(l->at);
  l->at = at;
  l->capacity = capacity;
  return true;
}

void simt_locations_attach(simt_clocks *c, simt_locations *l, uint64_t key, simt_clock_map *map,
                           bool replaces) {
  if (!map && (!replaces || !l->n)) return;
  if (2 * l->n >= l->capacity && !grow(c, l)) return;
  simt_location *slot = find_slot(l->at, l->capacity, key);
  if (!slot->key) {
    if (!map) return;
    slot->key = key;
    l->n++;
  }
  if (replaces) {
    simt_clock_map_drop(c, slot->map);
    slot->map = NULL;
  }
  simt_clock_map_learn(c, &slot->map, map);
}

void simt_locations_clear(simt_clocks *c, simt_locations *l) {
  if (!l->n) return;
  for (uint32_t i = 0; i < l->capacity; i++) simt_clock_map_drop(c, l->at[i].map);
  memset(l->at, 0, l->capacity * sizeof *l->at);
  l->n = 0;
}

void simt_locations_free(simt_clocks *c, simt_locations *l) {
  simt_locations_clear(c, l);
  c->used_bytes -= (uint64_t)l->capacity * sizeof *l->at;
  free(l->at);
  memset(l, 0, sizeof *l);
}
