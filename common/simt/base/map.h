// SPDX-License-Identifier: MIT
// base/map.h - a hash table from names to numbers, so that look-ups stay fast with thousands of
// names. It grows as it fills; keys are views of text that outlives the table.
#ifndef SIMT_MAP_H
#define SIMT_MAP_H

#include "base/arena.h"

// FNV-1a.
uint32_t simt_hash_text(const char *text, size_t size);

typedef struct simt_map_entry {
  simt_str name; // at NULL: free
  uint32_t value;
} simt_map_entry;

// A zeroed simt_map is an empty table.
typedef struct simt_map {
  simt_map_entry *entries; // [capacity], a power of two; open addressing
  uint32_t capacity, n;
} simt_map;

// Adds a name; a name that is there already keeps its value. False: out of memory, and nothing has
// changed. Memory comes from `arena`, which also keeps outgrown tables: together at most twice the
// last one.
bool simt_map_add(simt_map *map, simt_arena *arena, simt_str name, uint32_t value);
bool simt_map_find(const simt_map *map, simt_str name, uint32_t *value); // false: absent

#endif
