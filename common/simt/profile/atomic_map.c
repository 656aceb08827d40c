// SPDX-License-Identifier: MIT
// profile/atomic_map.c - see profile/atomic_map.h.
#include "profile/atomic_map.h"

#include <stdlib.h>
#include <string.h>

enum { FIRST_CAPACITY = 1 << 8, KEPT_CAPACITY = 1 << 12, RUN_SLOTS = 16 };

static size_t slot_of(uint64_t address, size_t capacity) {
  uint64_t word = address >> 2;
  uint64_t run = (word / RUN_SLOTS) * UINT64_C(0x9e3779b97f4a7c15) >> 24;
  return (size_t)(run * RUN_SLOTS + word % RUN_SLOTS) & (capacity - 1);
}

// The slot that holds `address` or the free one where it belongs.
static size_t find_slot(const simt_atomic_slot *slots, size_t capacity, uint64_t address) {
  size_t at = slot_of(address, capacity);
  while (slots[at].count != 0 && slots[at].address != address) at = (at + 1) & (capacity - 1);
  return at;
}

static bool grow(simt_atomic_map *map) {
  size_t capacity = map->capacity == 0 ? FIRST_CAPACITY : map->capacity * 2;
  if (capacity > 2 * (size_t)SIMT_MAX_ATOMIC_ADDRESSES) return false;
  simt_atomic_slot *slots = calloc(capacity, sizeof *slots);
  if (slots == NULL) return false;
  for (size_t i = 0; i < map->capacity; i++) {
    if (map->slots[i].count == 0) continue;
    slots[find_slot(slots, capacity, map->slots[i].address)] = map->slots[i];
  }
  free(map->slots);
  map->slots = slots;
  map->capacity = capacity;
  return true;
}

static void count_in(simt_atomic_map *map, size_t at, uint64_t count) {
  uint64_t total = map->slots[at].count += count;
  map->last = at;
  if (total > map->max_count) map->max_count = total;
}

void simt_atomic_map_prefetch(const simt_atomic_map *map, uint64_t address) {
  if (map->slots != NULL)
    __builtin_prefetch(&map->slots[slot_of(address, map->capacity)], 1); // 1: to be written
}

void simt_atomic_map_add(simt_atomic_map *map, uint64_t address, uint64_t count) {
  if (map->slots != NULL) {
    simt_atomic_slot *last = &map->slots[map->last];
    if (last->address == address && last->count != 0) {
      count_in(map, map->last, count);
      return;
    }
    size_t at = find_slot(map->slots, map->capacity, address);
    if (map->slots[at].count != 0) {
      count_in(map, at, count);
      return;
    }
  }
  if (count == 0) return;
  if (map->is_full || (map->used >= map->capacity / 2 && !grow(map))) {
    map->is_full = true;
    return;
  }
  size_t at = find_slot(map->slots, map->capacity, address);
  map->slots[at].address = address;
  map->used++;
  count_in(map, at, count);
}

void simt_atomic_map_merge(simt_atomic_map *map, const simt_atomic_map *from) {
  for (size_t i = 0; i < from->capacity; i++) {
    if (from->slots[i].count != 0)
      simt_atomic_map_add(map, from->slots[i].address, from->slots[i].count);
  }
  map->is_full = map->is_full || from->is_full;
}

void simt_atomic_map_clear(simt_atomic_map *map) {
  if (map->capacity > KEPT_CAPACITY) {
    simt_atomic_map_free(map);
    return;
  }
  if (map->used != 0) memset(map->slots, 0, map->capacity * sizeof *map->slots);
  map->used = 0;
  map->last = 0;
  map->max_count = 0;
  map->is_full = false;
}

void simt_atomic_map_free(simt_atomic_map *map) {
  free(map->slots);
  memset(map, 0, sizeof *map);
}
