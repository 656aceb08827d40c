// SPDX-License-Identifier: MIT
// device/memory.c - allocations of the simulated device and the translation of its addresses.
//
// Two tables sorted by address: device memory (addresses are numbers that only grow, so an address
// is never handed out twice and use after free is always found) and memory shared with the host
// (address == host pointer). A freed entry stays as a tombstone for a while, for better messages.
// Not modelled: paging, fragmentation; each device's capacity is a plain byte budget.
#include "device/memory_tables.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
  ALIGNMENT_BYTES = 512, // what cudaMalloc promises is 256; this also keeps blocks apart
  GAP_BYTES = 512        // nothing is ever mapped right behind an allocation
};

// Allocations beyond this size are not poisoned: that would commit pages that the program may never
// touch.
static const uint64_t POISON_LIMIT_BYTES = UINT64_C(1) << 30;

typedef simt_allocation_table table;

simt_status simt_memory_create(simt_memory **memory, uint64_t capacity_bytes) {
  return simt_memory_create_on(memory, capacity_bytes, simt_platform_plain());
}

simt_status simt_memory_create_on(simt_memory **memory, uint64_t capacity_bytes,
                                  const simt_platform *platform) {
  *memory = calloc(1, sizeof **memory);
  if (!*memory) return SIMT_OUT_OF_MEMORY;
  (*memory)->platform = platform;
  (*memory)->capacity_bytes = capacity_bytes;
  (*memory)->next_address = SIMT_DEVICE_BASE;
  (*memory)->next_serial = 1;
  (*memory)->visible = UINT32_MAX;
  return SIMT_OK;
}

const simt_platform *simt_memory_platform(const simt_memory *memory) { return memory->platform; }

void simt_memory_set_device(simt_memory *memory, uint32_t device) { memory->current = device; }
void simt_memory_set_visible(simt_memory *memory, uint32_t devices) { memory->visible = devices; }

static bool is_variable(simt_allocation_kind kind) {
  return kind == SIMT_ALLOCATION_VARIABLE || kind == SIMT_ALLOCATION_CONSTANT;
}

static bool is_poisoned(simt_allocation_kind kind, uint64_t size_bytes) {
  return !is_variable(kind) && kind != SIMT_ALLOCATION_MANAGED && size_bytes <= POISON_LIMIT_BYTES;
}

// Bytes that are written whole before anything reads them need not be fresh; but a host pointer
// that is used after its memory was freed should not find another allocation's bytes there.
static bool is_recycled(const simt_memory *memory, simt_allocation_kind kind, uint64_t size_bytes) {
  return memory->platform->borrow && is_poisoned(kind, size_bytes) && !simt_is_host_kind(kind);
}

// A new allocation's bytes, poisoned where it does not begin as zero. NULL: there are none left.
static void *take_bytes(const simt_memory *memory, simt_allocation_kind kind, uint64_t size_bytes) {
  const simt_platform *p = memory->platform;
  void *host = kind == SIMT_ALLOCATION_HEAP // small and many: not worth pages of their own
                   ? malloc((size_t)size_bytes)
                   : is_recycled(memory, kind, size_bytes) ? p->borrow(p->data, size_bytes)
                                                           : p->map(p->data, size_bytes);
  if (host && is_poisoned(kind, size_bytes)) memset(host, SIMT_POISON_BYTE, (size_t)size_bytes);
  return host;
}

static void release_host(const simt_memory *memory, const simt_allocation *allocation) {
  const simt_platform *p = memory->platform;
  if (!allocation->host || allocation->is_borrowed) return;
  if (allocation->kind == SIMT_ALLOCATION_HEAP) free(allocation->host);
  else if (is_recycled(memory, allocation->kind, allocation->size_bytes))
    p->give_back(p->data, allocation->host, allocation->size_bytes);
  else p->unmap(p->data, allocation->host, allocation->size_bytes);
}

static void release_bytes(const simt_memory *memory, simt_allocation *allocation) {
  release_host(memory, allocation);
  free((char *)(uintptr_t)allocation->name);
}

static void table_free(const simt_memory *memory, table *t) {
  for (size_t i = 0; i < t->n; i++) release_bytes(memory, &t->items[i]);
  free(t->items);
}

void simt_memory_destroy(simt_memory *memory) {
  if (!memory) return;
  table_free(memory, &memory->device);
  table_free(memory, &memory->host);
  free(memory);
}

size_t simt_table_upper_bound(const table *t, uint64_t address) {
  size_t low = 0, high = t->n;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (t->items[middle].address <= address) low = middle + 1;
    else high = middle;
  }
  return low;
}

static bool table_insert(table *t, const simt_allocation *allocation) {
  if (t->n == t->capacity) {
    size_t capacity = t->capacity ? 2 * t->capacity : 64;
    simt_allocation *items = realloc(t->items, capacity * sizeof *items);
    if (!items) return false;
    t->items = items;
    t->capacity = capacity;
  }
  size_t at = simt_table_upper_bound(t, allocation->address);
  memmove(&t->items[at + 1], &t->items[at], (t->n - at) * sizeof *t->items);
  t->items[at] = *allocation;
  t->n++;
  return true;
}

static void place(simt_memory *memory, simt_allocation *allocation) {
  if (simt_is_host_kind(allocation->kind)) {
    allocation->address = (uint64_t)(uintptr_t)allocation->host;
    return;
  }
  allocation->address = memory->next_address;
  uint64_t end = allocation->address + allocation->size_bytes + GAP_BYTES;
  memory->next_address = (end + ALIGNMENT_BYTES - 1) / ALIGNMENT_BYTES * ALIGNMENT_BYTES;
}

// What an allocation takes of the device's memory: the host's own takes nothing of it.
static uint64_t charged(simt_allocation_kind kind, uint64_t size_bytes) {
  return simt_is_host_kind(kind) ? 0 : size_bytes;
}

simt_status simt_memory_alloc(simt_memory *memory, uint64_t size_bytes, simt_allocation_kind kind,
                              const char *name, uint64_t *address, simt_diag *diag) {
  *address = 0;
  if (size_bytes == 0) return SIMT_OK;
  const uint64_t left = memory->capacity_bytes - memory->used_bytes[memory->current];
  if (charged(kind, size_bytes) > left)
    return simt_fail(diag, SIMT_OUT_OF_MEMORY,
                     "device memory is exhausted: %" PRIu64 " bytes asked for, %" PRIu64
                     " of %" PRIu64 " free",
                     size_bytes, left, memory->capacity_bytes);
  void *host = take_bytes(memory, kind, size_bytes);
  if (!host)
    return simt_fail(diag, SIMT_OUT_OF_MEMORY, "the host cannot provide %" PRIu64 " bytes",
                     size_bytes);
  simt_allocation allocation = {.size_bytes = size_bytes,
                                .host = host,
                                .kind = kind,
                                .device = (uint8_t)memory->current,
                                .serial = memory->next_serial,
                                .name = name ? strdup(name) : NULL};
  place(memory, &allocation);
  table *t = simt_is_host_kind(kind) ? &memory->host : &memory->device;
  if ((name && !allocation.name) || !table_insert(t, &allocation)) {
    release_bytes(memory, &allocation);
    return simt_fail(diag, SIMT_OUT_OF_MEMORY, "no host memory left for the allocation table");
  }
  memory->next_serial++;
  memory->used_bytes[memory->current] += charged(kind, size_bytes);
  if (kind == SIMT_ALLOCATION_HEAP) memory->heap_bytes[memory->current] += size_bytes;
  *address = allocation.address;
  return SIMT_OK;
}

void simt_memory_align(simt_memory *memory, uint64_t alignment_bytes) {
  if (alignment_bytes > ALIGNMENT_BYTES)
    memory->next_address =
        (memory->next_address + alignment_bytes - 1) / alignment_bytes * alignment_bytes;
}

uint64_t simt_memory_reserve(simt_memory *memory, uint64_t size_bytes, uint64_t alignment_bytes) {
  const uint64_t address =
      (memory->next_address + alignment_bytes - 1) / alignment_bytes * alignment_bytes;
  memory->next_address =
      (address + size_bytes + GAP_BYTES + ALIGNMENT_BYTES - 1) / ALIGNMENT_BYTES * ALIGNMENT_BYTES;
  return address;
}

static bool is_taken(const table *t, uint64_t address, uint64_t size_bytes) {
  if (!t->items) return false;
  const size_t above = simt_table_upper_bound(t, address);
  const simt_allocation *below = above ? &t->items[above - 1] : NULL;
  return (below && address - below->address < below->size_bytes) ||
         (above < t->n && t->items[above].address - address < size_bytes);
}

simt_status simt_memory_map(simt_memory *memory, uint64_t address, uint64_t size_bytes, void *host,
                            simt_diag *diag) {
  if (is_taken(&memory->device, address, size_bytes))
    return simt_fail(diag, SIMT_INVALID_ARGUMENT, "there is memory at 0x%" PRIx64 " already",
                     address);
  if (size_bytes > memory->capacity_bytes - memory->used_bytes[memory->current])
    return simt_fail(diag, SIMT_OUT_OF_MEMORY, "device memory is exhausted");
  simt_allocation allocation = {.address = address,
                                .size_bytes = size_bytes,
                                .host = host,
                                .kind = SIMT_ALLOCATION_DEVICE,
                                .device = (uint8_t)memory->current,
                                .serial = memory->next_serial++,
                                .is_borrowed = host != NULL,
                                .is_placed = true};
  if (!host) allocation.host = take_bytes(memory, allocation.kind, size_bytes);
  if (!allocation.host || !table_insert(&memory->device, &allocation)) {
    if (allocation.host) release_bytes(memory, &allocation);
    return simt_fail(diag, SIMT_OUT_OF_MEMORY, "the host has no memory to spare");
  }
  memory->used_bytes[memory->current] += size_bytes;
  return SIMT_OK;
}

simt_status simt_memory_adopt(simt_memory *memory, void *host, uint64_t size_bytes,
                              const char *name, simt_diag *diag) {
  simt_allocation allocation = {.address = (uint64_t)(uintptr_t)host,
                                .size_bytes = size_bytes,
                                .host = host,
                                .kind = SIMT_ALLOCATION_REGISTERED,
                                .device = (uint8_t)memory->current,
                                .serial = memory->next_serial,
                                .is_borrowed = true};
  const bool overlaps = is_taken(&memory->host, allocation.address, size_bytes);
  if (!size_bytes || size_bytes > UINT64_MAX - allocation.address || overlaps)
    return simt_fail(diag, SIMT_INVALID_ARGUMENT,
                     "all or part of the memory at %p is known to the device already", host);
  allocation.name = name ? strdup(name) : NULL;
  if ((name && !allocation.name) || !table_insert(&memory->host, &allocation)) {
    release_bytes(memory, &allocation);
    return simt_fail(diag, SIMT_OUT_OF_MEMORY, "no host memory left for the allocation table");
  }
  memory->next_serial++;
  return SIMT_OK;
}

simt_allocation *simt_table_lookup(const table *t, uint64_t address) {
  size_t at = simt_table_upper_bound(t, address);
  if (at == 0) return NULL;
  simt_allocation *item = &t->items[at - 1];
  return address - item->address < item->size_bytes ? item : NULL;
}

simt_status simt_memory_rehome(simt_memory *memory, uint64_t address, void *host) {
  simt_allocation *item = simt_table_lookup(&memory->device, address);
  if (!item || item->address != address) return SIMT_NOT_FOUND;
  memcpy(host, item->host, (size_t)item->size_bytes);
  release_host(memory, item);
  item->host = host;
  item->is_borrowed = true;
  return SIMT_OK;
}

static void bury(simt_memory *memory, table *t, simt_allocation *item) {
  memory->used_bytes[item->device] -= charged(item->kind, item->size_bytes);
  if (item->kind == SIMT_ALLOCATION_HEAP) memory->heap_bytes[item->device] -= item->size_bytes;
  simt_allocation *tomb = &memory->tombstones[memory->n_freed++ % SIMT_TOMBSTONES];
  *tomb = *item;
  release_bytes(memory, item);
  tomb->host = NULL;
  tomb->name = NULL;
  size_t index = (size_t)(item - t->items);
  memmove(item, item + 1, (t->n - index - 1) * sizeof *item);
  t->n--;
}

simt_status simt_memory_free(simt_memory *memory, uint64_t address, simt_diag *diag) {
  table *tables[] = {&memory->device, &memory->host};
  for (size_t i = 0; i < 2; i++) {
    simt_allocation *item = simt_table_lookup(tables[i], address);
    if (!item || item->address != address) continue;
    bury(memory, tables[i], item);
    return SIMT_OK;
  }
  char why[256];
  simt_memory_explain(memory, address, 1, why, sizeof why);
  return simt_fail(diag, SIMT_NOT_FOUND,
                   "cannot free 0x%" PRIx64 ": it is not the start of a live allocation (%s)",
                   address, why);
}

void simt_memory_free_all_of(simt_memory *memory, uint32_t device,
                             void (*visit)(const simt_allocation *, void *), void *data) {
  table *tables[] = {&memory->device, &memory->host};
  for (size_t i = 0; i < 2; i++)
    for (size_t k = tables[i]->n; k-- > 0;) {
      simt_allocation *item = &tables[i]->items[k];
      if (item->device != device || is_variable(item->kind) || item->name) continue;
      visit(item, data);
      bury(memory, tables[i], item);
    }
}

const simt_allocation *simt_memory_find(const simt_memory *memory, uint64_t address,
                                        uint64_t size_bytes) {
  const simt_allocation *item = simt_table_lookup(&memory->device, address);
  if (item && !simt_is_visible(memory, item)) return NULL;
  if (!item) item = simt_table_lookup(&memory->host, address);
  if (!item || size_bytes > item->size_bytes - (address - item->address)) return NULL;
  return item;
}

void simt_memory_share(simt_memory *memory, uint64_t address, uint32_t devices) {
  simt_allocation *item = simt_table_lookup(&memory->device, address);
  if (item && item->address == address) item->shared_with = devices;
}

void simt_memory_set_flags(simt_memory *memory, uint64_t address, uint8_t flags) {
  simt_allocation *item = simt_table_lookup(&memory->host, address);
  if (item && item->address == address) item->host_flags = flags;
}

void simt_memory_label(simt_memory *memory, uint64_t address, const char *label) {
  simt_allocation *item = simt_table_lookup(&memory->device, address);
  if (!item) item = simt_table_lookup(&memory->host, address);
  if (!item) return;
  snprintf(item->label, sizeof item->label, "%s", label);
  item->label_offset_bytes = address - item->address;
}

uint8_t *simt_memory_host(const simt_memory *memory, uint64_t address, uint64_t size_bytes) {
  const simt_allocation *item = simt_memory_find(memory, address, size_bytes);
  return item ? item->host + (address - item->address) : NULL;
}

uint8_t *simt_memory_change(simt_memory *memory, uint64_t address, uint64_t size_bytes) {
  uint8_t *bytes = simt_memory_host(memory, address, size_bytes);
  simt_allocation *item = bytes ? simt_table_lookup(&memory->device, address) : NULL;
  if (item) item->n_changes++;
  return bytes;
}

uint64_t simt_memory_heap_bytes(const simt_memory *memory) {
  return memory->heap_bytes[memory->current];
}

void simt_memory_info(const simt_memory *memory, uint64_t *free_bytes, uint64_t *total_bytes) {
  *free_bytes = memory->capacity_bytes - memory->used_bytes[memory->current];
  *total_bytes = memory->capacity_bytes;
}

void simt_memory_each(const simt_memory *memory, void (*visit)(const simt_allocation *, void *),
                      void *data) {
  for (size_t i = 0; i < memory->device.n; i++) visit(&memory->device.items[i], data);
  for (size_t i = 0; i < memory->host.n; i++) visit(&memory->host.items[i], data);
}
