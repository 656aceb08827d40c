// SPDX-License-Identifier: MIT
// device/memory_explain.c - what lies at an address that cannot be accessed, or near it: as a
// record, as the kind of the fault, in words.
#include <inttypes.h>
#include <stdio.h>

#include "device/memory_tables.h"

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
  size_t n = memory->n_freed < SIMT_TOMBSTONES ? memory->n_freed : SIMT_TOMBSTONES;
  for (size_t i = 0; i < n;
       i++) { // newest first: a reused host address belongs to the latest owner
    const simt_allocation *t = &memory->tombstones[(memory->n_freed - 1 - i) % SIMT_TOMBSTONES];
    if (address - t->address < t->size_bytes) return t;
  }
  return NULL;
}

// The live allocation whose edge is nearest to `address`, and how far away that edge is.
static const simt_allocation *nearest(const simt_memory *memory, uint64_t address,
                                      uint64_t *distance, bool *before) {
  const simt_allocation_table *tables[] = {&memory->device, &memory->host};
  const simt_allocation *best = NULL;
  *distance = UINT64_MAX;
  for (size_t i = 0; i < 2; i++) {
    const simt_allocation_table *t = tables[i];
    size_t at = simt_table_upper_bound(t, address);
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

// The largest distance from an allocation at which a wrong index is still the likely cause. The
// host's other memory lies beside pinned memory, so there the distance has to be small.
static bool is_in_reach(const simt_allocation *a, uint64_t distance) {
  return distance <= (simt_is_host_kind(a->kind) ? UINT64_C(1) << 16 : UINT64_C(1) << 34);
}

// What lies at an address that cannot be accessed, or near it: one of these, or nothing.
typedef struct surroundings {
  const simt_allocation *item; // contains it, and ends too early
  const simt_allocation *peer; // contains it, and belongs to a device that is not visible
  const simt_allocation *dead; // contained it
  const simt_allocation *near; // perhaps the one that was meant
  uint64_t distance;           // from `near`
  bool before;                 // `near` begins behind the address
} surroundings;

static const uint64_t NULL_PAGE_BYTES = 0x10000;

static surroundings look_around(const simt_memory *memory, uint64_t address) {
  surroundings s = {.item = simt_memory_find(memory, address, 1)};
  if (!s.item) s.peer = simt_table_lookup(&memory->device, address);
  if (s.peer && simt_is_visible(memory, s.peer)) s.peer = NULL; // it ends too early
  if (!s.item && !s.peer) s.dead = find_tombstone(memory, address);
  if (s.item || s.peer || s.dead || address < NULL_PAGE_BYTES) return s;
  s.near = nearest(memory, address, &s.distance, &s.before);
  if (s.near && !is_in_reach(s.near, s.distance)) s.near = NULL;
  return s;
}

simt_nearest simt_memory_nearest(const simt_memory *memory, uint64_t address) {
  surroundings s = look_around(memory, address);
  if (s.item || s.peer) return (simt_nearest){.allocation = s.item ? s.item : s.peer};
  if (s.dead) return (simt_nearest){.allocation = s.dead, .is_freed = true};
  if (!s.near) return (simt_nearest){0};
  int64_t distance = s.before ? -(int64_t)s.distance : (int64_t)s.distance + 1;
  return (simt_nearest){.allocation = s.near, .distance_bytes = distance};
}

static bool is_no_address(uint64_t address) { return address >> 47 != 0; }

simt_status simt_memory_fault_of(const simt_memory *memory, uint64_t address) {
  surroundings s = look_around(memory, address);
  if (s.peer) return SIMT_PEER_MEMORY;
  if (s.dead) return SIMT_FREED_MEMORY;
  bool is_host = !s.item && !s.near && address >= NULL_PAGE_BYTES && !is_no_address(address);
  return is_host ? SIMT_HOST_POINTER : SIMT_ILLEGAL_ADDRESS;
}

static void explain_far(uint64_t address, char *out, size_t out_bytes) {
  if (address == 0) snprintf(out, out_bytes, "a null pointer");
  else if (address < NULL_PAGE_BYTES)
    snprintf(out, out_bytes, "a null pointer plus %" PRIu64 " bytes", address);
  else if (is_no_address(address))
    snprintf(out, out_bytes, "not an address: perhaps a pointer that was never set");
  else
    snprintf(
        out, out_bytes,
        "not device memory: perhaps an ordinary host pointer (from malloc, new, or a variable) "
        "where one from cudaMalloc is needed");
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
  const simt_allocation *known = s.item ? s.item : s.peer ? s.peer : s.dead ? s.dead : s.near;
  if (known) describe(known, owner, sizeof owner);
  if (s.item) explain_inside(s.item, address, width_bytes, owner, out, out_bytes);
  else if (s.peer)
    snprintf(out, out_bytes,
             "byte %" PRIu64 " of %s, memory of device %u; the kernel runs on device %u, for which "
             "peer access is not enabled: after cudaSetDevice(%u), call "
             "cudaDeviceEnablePeerAccess(%u, 0)",
             address - s.peer->address, owner, s.peer->device, memory->current, memory->current,
             s.peer->device);
  else if (s.dead)
    snprintf(out, out_bytes, "byte %" PRIu64 " of %s, which has been freed",
             address - s.dead->address, owner);
  else if (s.near)
    snprintf(out, out_bytes, "%" PRIu64 " bytes %s %s", s.distance,
             s.before ? "before" : "past the end of", owner);
  else explain_far(address, out, out_bytes);
  return out;
}
