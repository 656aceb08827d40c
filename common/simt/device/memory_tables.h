// SPDX-License-Identifier: MIT
// device/memory_tables.h - what memory.c and memory_explain.c share. Private to them.
#ifndef SIMT_MEMORY_TABLES_H
#define SIMT_MEMORY_TABLES_H

#include "device/memory.h"

enum { SIMT_TOMBSTONES = 256 };

typedef struct simt_allocation_table {
  simt_allocation *items; // sorted by address
  size_t n, capacity;
} simt_allocation_table;

struct simt_memory {
  const simt_platform *platform;
  simt_allocation_table device, host;
  simt_allocation tombstones[SIMT_TOMBSTONES]; // ring of freed allocations, names dropped
  size_t n_freed;
  uint64_t capacity_bytes; // of every device
  uint64_t used_bytes[SIMT_MAX_DEVICES], heap_bytes[SIMT_MAX_DEVICES];
  uint64_t next_address, next_serial;
  uint32_t current; // the device that allocates
  uint32_t visible; // a bit for every device whose memory is found
};

static inline bool simt_is_host_kind(simt_allocation_kind kind) {
  return kind == SIMT_ALLOCATION_PINNED || kind == SIMT_ALLOCATION_MANAGED ||
         kind == SIMT_ALLOCATION_REGISTERED;
}

// Everything is visible except while a kernel runs: then only memory of its own device, and memory
// that its device may access.
static inline bool simt_is_visible(const simt_memory *memory, const simt_allocation *a) {
  return (memory->visible >> a->device | a->shared_with >> memory->current) & 1;
}

// Index of the first item whose address is above `address`.
size_t simt_table_upper_bound(const simt_allocation_table *t, uint64_t address);
// The item that `address` lies in, whichever device it belongs to, or NULL.
simt_allocation *simt_table_lookup(const simt_allocation_table *t, uint64_t address);

#endif
