// SPDX-License-Identifier: MIT
// base/map.c - see base/map.h. Linear probing, at most half full.
#include "base/map.h"

uint32_t simt_hash_text(const char *text, size_t size) {
  uint32_t hash = 2166136261u;
  for (size_t i = 0; i < size; i++) hash = (hash ^ (uint8_t)text[i]) * 16777619u;
  return hash;
}

// The entry of `name`, or the free one where it would be added.
static simt_map_entry *entry_of(const simt_map *map, simt_str name) {
  uint32_t i = simt_hash_text(name.at, name.size) & (map->capacity - 1);
  while (map->entries[i].name.at && !simt_str_equal(map->entries[i].name, name))
    i = (i + 1) & (map->capacity - 1);
  return &map->entries[i];
}

static bool grow(simt_map *map, simt_arena *arena) {
  simt_map larger = {.capacity = map->capacity ? 2 * map->capacity : 16, .n = map->n};
  larger.entries = SIMT_ARENA_ARRAY(arena, simt_map_entry, larger.capacity);
  if (!larger.entries) return false;
  for (uint32_t i = 0; i < map->capacity; i++)
    if (map->entries[i].name.at) *entry_of(&larger, map->entries[i].name) = map->entries[i];
  *map = larger;
  return true;
}

bool simt_map_add(simt_map *map, simt_arena *arena, simt_str name, uint32_t value) {
  if (2 * map->n >= map->capacity && !grow(map, arena)) return false;
  simt_map_entry *entry = entry_of(map, name);
  if (entry->name.at) return true;
  *entry = (simt_map_entry){.name = {name.at ? name.at : "", name.size}, .value = value};
  map->n++;
  return true;
}

bool simt_map_find(const simt_map *map, simt_str name, uint32_t *value) {
  if (!map->capacity) return false;
  const simt_map_entry *entry = entry_of(map, name);
  if (!entry->name.at) return false;
  *value = entry->value;
  return true;
}
