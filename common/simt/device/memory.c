// SPDX-License-Identifier: MIT
// device/memory.c - allocations of the simulated device and the translation of its addresses.
//
// Two tables sorted by address: device memory (addresses are numbers that only grow, so an address
// is never handed out twice and use after free is always found) and memory shared with the host
// (address == host pointer). A freed entry stays as a tombstone for a while, for better messages.
// Not modelled: paging, peers, fragmentation; capacity is a plain byte budget.
#include "device/memory.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
  ALIGNMENT_BYTES = 512, // what cudaMalloc promises is 256; this also keeps blocks apart
  GAP_BYTES = 512,       // nothing is ever mapped right behind an allocation
  TOMBSTONES = 256
};

// Zero pages stay zero pages beyond this size: poisoning would commit memory that no program
// touches.
static const uint64_t POISON_LIMIT_BYTES = UINT64_C(1) << 30;

typedef struct table {
  simt_allocation *items; // sorted by address
  size_t n, capacity;
} table;

struct simt_memory {
  const simt_platform *platform;
  table device, host;
  simt_allocation tombstones[TOMBSTONES]; // ring of freed allocations, names dropped
  size_t n_freed;
  uint64_t capacity_bytes, used_bytes, heap_bytes, next_address, next_serial;
};

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
  return SIMT_OK;
}

const simt_platform *simt_memory_platform(const simt_memory *memory) { return memory->platform; }

static void release_bytes(const simt_memory *memory, simt_allocation *allocation) {
  const simt_platform *p = memory->platform;
  if (allocation->kind == SIMT_ALLOCATION_HEAP) free(allocation->host);
  else if (allocation->host && !allocation->is_borrowed)
    p->unmap(p->data, allocation->host, allocation->size_bytes);
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

// Index of the first item whose address is above `address`.
static size_t upper_bound(const table *t, uint64_t address) {
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
  size_t at = upper_bound(t, allocation->address);
  memmove(&t->items[at + 1], &t->items[at], (t->n - at) * sizeof *t->items);
  t->items[at] = *allocation;
  t->n++;
  return true;
}

static bool is_host_kind(simt_allocation_kind kind) {
  return kind == SIMT_ALLOCATION_PINNED || kind == SIMT_ALLOCATION_MANAGED ||
         kind == SIMT_ALLOCATION_REGISTERED;
}

static bool is_variable(simt_allocation_kind kind) {
  return kind == SIMT_ALLOCATION_VARIABLE || kind == SIMT_ALLOCATION_CONSTANT;
}

static void place(simt_memory *memory, simt_allocation *allocation) {
  if (is_host_kind(allocation->kind)) {
    allocation->address = (uint64_t)(uintptr_t)allocation->host;
    return;
  }
  allocation->address = memory->next_address;
  uint64_t end = allocation->address + allocation->size_bytes + GAP_BYTES;
  memory->next_address = (end + ALIGNMENT_BYTES - 1) / ALIGNMENT_BYTES * ALIGNMENT_BYTES;
}

simt_status simt_memory_alloc(simt_memory *memory, uint64_t size_bytes, simt_allocation_kind kind,
                              const char *name, uint64_t *address, simt_diag *diag) {
  *address = 0;
  if (size_bytes == 0) return SIMT_OK;
  if (size_bytes > memory->capacity_bytes - memory->used_bytes)
    return simt_fail(
        diag, SIMT_OUT_OF_MEMORY,
        "device memory is exhausted: %" PRIu64 " bytes asked for, %" PRIu64 " of %" PRIu64 " free",
        size_bytes, memory->capacity_bytes - memory->used_bytes, memory->capacity_bytes);
  void *host = kind == SIMT_ALLOCATION_HEAP // small and many: not worth pages of their own
                   ? malloc((size_t)size_bytes)
                   : memory->platform->map(memory->platform->data, size_bytes);
  if (!host)
    return simt_fail(diag, SIMT_OUT_OF_MEMORY, "the host has no %" PRIu64 " bytes to spare",
                     size_bytes);
  simt_allocation allocation = {.size_bytes = size_bytes,
                                .host = host,
                                .kind = kind,
                                .serial = memory->next_serial,
                                .name = name ? strdup(name) : NULL};
  bool begins_as_zero = is_variable(kind) || kind == SIMT_ALLOCATION_MANAGED;
  if (!begins_as_zero && size_bytes <= POISON_LIMIT_BYTES)
    memset(host, SIMT_POISON_BYTE, (size_t)size_bytes);
  place(memory, &allocation);
  table *t = is_host_kind(kind) ? &memory->host : &memory->device;
  if ((name && !allocation.name) || !table_insert(t, &allocation)) {
    release_bytes(memory, &allocation);
    return simt_fail(diag, SIMT_OUT_OF_MEMORY, "no host memory left for the allocation table");
  }
  memory->next_serial++;
  memory->used_bytes += size_bytes;
  if (kind == SIMT_ALLOCATION_HEAP) memory->heap_bytes += size_bytes;
  *address = allocation.address;
  return SIMT_OK;
}

simt_status simt_memory_adopt(simt_memory *memory, void *host, uint64_t size_bytes,
                              const char *name, simt_diag *diag) {
  simt_allocation allocation = {.address = (uint64_t)(uintptr_t)host,
                                .size_bytes = size_bytes,
                                .host = host,
                                .kind = SIMT_ALLOCATION_REGISTERED,
                                .serial = memory->next_serial,
                                .is_borrowed = true};
  const table *t = &memory->host;
  const size_t above = upper_bound(t, allocation.address);
  const simt_allocation *below = above ? &t->items[above - 1] : NULL;
  const bool overlaps = (below && allocation.address - below->address < below->size_bytes) ||
                        (above < t->n && t->items[above].address - allocation.address < size_bytes);
  if (!size_bytes || size_bytes > UINT64_MAX - allocation.address || overlaps)
    return simt_fail(diag, SIMT_INVALID_ARGUMENT,
                     "memory at %p is known to the device already, in part or as a whole", host);
  allocation.name = name ? strdup(name) : NULL;
  if ((name && !allocation.name) || !table_insert(&memory->host, &allocation)) {
    release_bytes(memory, &allocation);
    return simt_fail(diag, SIMT_OUT_OF_MEMORY, "no host memory left for the allocation table");
  }
  memory->next_serial++;
  memory->used_bytes += size_bytes;
  return SIMT_OK;
}

static simt_allocation *lookup(const table *t, uint64_t address) {
  size_t at = upper_bound(t, address);
  if (at == 0) return NULL;
  simt_allocation *item = &t->items[at - 1];
  return address - item->address < item->size_bytes ? item : NULL;
}

simt_status simt_memory_rehome(simt_memory *memory, uint64_t address, void *host) {
  simt_allocation *item = lookup(&memory->device, address);
  if (!item || item->address != address) return SIMT_NOT_FOUND;
  memcpy(host, item->host, (size_t)item->size_bytes);
  if (!item->is_borrowed)
    memory->platform->unmap(memory->platform->data, item->host, item->size_bytes);
  item->host = host;
  item->is_borrowed = true;
  return SIMT_OK;
}

static void bury(simt_memory *memory, table *t, simt_allocation *item) {
  memory->used_bytes -= item->size_bytes;
  if (item->kind == SIMT_ALLOCATION_HEAP) memory->heap_bytes -= item->size_bytes;
  simt_allocation *tomb = &memory->tombstones[memory->n_freed++ % TOMBSTONES];
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
    simt_allocation *item = lookup(tables[i], address);
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

const simt_allocation *simt_memory_find(const simt_memory *memory, uint64_t address,
                                        uint64_t size_bytes) {
  const simt_allocation *item = lookup(&memory->device, address);
  if (!item) item = lookup(&memory->host, address);
  if (!item || size_bytes > item->size_bytes - (address - item->address)) return NULL;
  return item;
}

void simt_memory_label(simt_memory *memory, uint64_t address, const char *label) {
  simt_allocation *item = lookup(&memory->device, address);
  if (!item) item = lookup(&memory->host, address);
  if (!item) return;
  snprintf(item->label, sizeof item->label, "%s", label);
  item->label_offset_bytes = address - item->address;
}

uint8_t *simt_memory_host(const simt_memory *memory, uint64_t address, uint64_t size_bytes) {
  const simt_allocation *item = simt_memory_find(memory, address, size_bytes);
  return item ? item->host + (address - item->address) : NULL;
}

uint64_t simt_memory_heap_bytes(const simt_memory *memory) { return memory->heap_bytes; }

void simt_memory_info(const simt_memory *memory, uint64_t *free_bytes, uint64_t *total_bytes) {
  *free_bytes = memory->capacity_bytes - memory->used_bytes;
  *total_bytes = memory->capacity_bytes;
}

void simt_memory_each(const simt_memory *memory, void (*visit)(const simt_allocation *, void *),
                      void *data) {
  for (size_t i = 0; i < memory->device.n; i++) visit(&memory->device.items[i], data);
  for (size_t i = 0; i < memory->host.n; i++) visit(&memory->host.items[i], data);
}

// ---- messages ----------------------------------------------------------------------------------

// "allocation #2 (1024 bytes at 0x700000000)" or "variable 'table' (16 bytes at 0x…)".
static int describe(const simt_allocation *a, char *out, size_t out_bytes) {
  if (a->name)
    return snprintf(out, out_bytes, "%s '%s' (%" PRIu64 " bytes at 0x%" PRIx64 ")",
                    a->kind == SIMT_ALLOCATION_CONSTANT ? "constant" : "variable", a->name,
                    a->size_bytes, a->address);
  if (a->label[0])
    return snprintf(out, out_bytes, "`%s` (%" PRIu64 " bytes at 0x%" PRIx64 ")", a->label,
                    a->size_bytes - a->label_offset_bytes, a->address + a->label_offset_bytes);
  return snprintf(out, out_bytes, "allocation #%" PRIu64 " (%" PRIu64 " bytes at 0x%" PRIx64 ")",
                  a->serial, a->size_bytes, a->address);
}

static const simt_allocation *find_tombstone(const simt_memory *memory, uint64_t address) {
  size_t n = memory->n_freed < TOMBSTONES ? memory->n_freed : TOMBSTONES;
  for (size_t i = 0; i < n;
       i++) { // newest first: a reused host address belongs to the latest owner
    const simt_allocation *t = &memory->tombstones[(memory->n_freed - 1 - i) % TOMBSTONES];
    if (address - t->address < t->size_bytes) return t;
  }
  return NULL;
}

// The live allocation whose edge is nearest to `address`, and how far away that edge is.
static const simt_allocation *nearest(const simt_memory *memory, uint64_t address,
                                      uint64_t *distance, bool *before) {
  const table *tables[] = {&memory->device, &memory->host};
  const simt_allocation *best = NULL;
  *distance = UINT64_MAX;
  for (size_t i = 0; i < 2; i++) {
    const table *t = tables[i];
    size_t at = upper_bound(t, address);
    if (at > 0 && address >= t->items[at - 1].address) {
      uint64_t end = t->items[at - 1].address + t->items[at - 1].size_bytes;
      uint64_t d = address >= end ? address - end : 0;
      if (d < *distance) best = &t->items[at - 1], *distance = d, *before = false;
    }
    if (at < t->n && t->items[at].address - address < *distance)
      best = &t->items[at], *distance = t->items[at].address - address, *before = true;
  }
  return best;
}

// How far from an allocation an address may lie for a wrong index into it to be the likely cause.
// What the host allocates lies beside pinned memory, so there it has to be near.
static bool is_in_reach(const simt_allocation *a, uint64_t distance) {
  return distance <= (is_host_kind(a->kind) ? UINT64_C(1) << 16 : UINT64_C(1) << 34);
}

// What lies at an address that cannot be accessed, or near it: one of the three, or nothing.
typedef struct surroundings {
  const simt_allocation *item; // contains it, and ends too early
  const simt_allocation *dead; // contained it
  const simt_allocation *near; // is what was meant, perhaps
  uint64_t distance;           // from `near`
  bool before;                 // `near` begins behind the address
} surroundings;

static const uint64_t NULL_PAGE_BYTES = 0x10000;

static surroundings look_around(const simt_memory *memory, uint64_t address) {
  surroundings s = {.item = simt_memory_find(memory, address, 1)};
  if (!s.item) s.dead = find_tombstone(memory, address);
  if (s.item || s.dead || address < NULL_PAGE_BYTES) return s;
  s.near = nearest(memory, address, &s.distance, &s.before);
  if (s.near && !is_in_reach(s.near, s.distance)) s.near = NULL;
  return s;
}

simt_nearest simt_memory_nearest(const simt_memory *memory, uint64_t address) {
  surroundings s = look_around(memory, address);
  if (s.item) return (simt_nearest){.allocation = s.item};
  if (s.dead) return (simt_nearest){.allocation = s.dead, .is_freed = true};
  if (!s.near) return (simt_nearest){0};
  int64_t distance = s.before ? -(int64_t)s.distance : (int64_t)s.distance + 1;
  return (simt_nearest){.allocation = s.near, .distance_bytes = distance};
}

static bool is_no_address(uint64_t address) { return address >> 47 != 0; }

simt_status simt_memory_fault_of(const simt_memory *memory, uint64_t address) {
  surroundings s = look_around(memory, address);
  if (s.dead) return SIMT_FREED_MEMORY;
  bool is_host = !s.item && !s.near && address >= NULL_PAGE_BYTES && !is_no_address(address);
  return is_host ? SIMT_HOST_POINTER : SIMT_ILLEGAL_ADDRESS;
}

static void explain_far(uint64_t address, char *out, size_t out_bytes) {
  if (address == 0) snprintf(out, out_bytes, "a null pointer");
  else if (address < NULL_PAGE_BYTES)
    snprintf(out, out_bytes, "a null pointer plus %" PRIu64 " bytes", address);
  else if (is_no_address(address))
    snprintf(out, out_bytes, "no address at all: perhaps a pointer that was never set");
  else
    snprintf(out, out_bytes,
             "not device memory: perhaps an ordinary host pointer (of malloc, new, or a variable) "
             "where one from cudaMalloc is wanted");
}

static void explain_inside(const simt_allocation *item, uint64_t address, uint32_t width_bytes,
                           const char *owner, char *out, size_t out_bytes) {
  uint64_t from_start = address - item->address, left = item->size_bytes - from_start;
  if (left < width_bytes)
    snprintf(out, out_bytes, "only %" PRIu64 " of its %u bytes lie inside %s", left, width_bytes,
             owner);
  else snprintf(out, out_bytes, "%" PRIu64 " bytes from the start of %s", from_start, owner);
}

const char *simt_memory_explain(const simt_memory *memory, uint64_t address, uint32_t width_bytes,
                                char *out, size_t out_bytes) {
  char owner[160];
  surroundings s = look_around(memory, address);
  const simt_allocation *known = s.item ? s.item : s.dead ? s.dead : s.near;
  if (known) describe(known, owner, sizeof owner);
  if (s.item) explain_inside(s.item, address, width_bytes, owner, out, out_bytes);
  else if (s.dead)
    snprintf(out, out_bytes, "byte %" PRIu64 " of %s, which has been freed",
             address - s.dead->address, owner);
  else if (s.near)
    snprintf(out, out_bytes, "%" PRIu64 " bytes %s %s", s.distance,
             s.before ? "before" : "past the end of", owner);
  else explain_far(address, out, out_bytes);
  return out;
}
