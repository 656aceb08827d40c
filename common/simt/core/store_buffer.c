// SPDX-License-Identifier: MIT
// core/store_buffer.c - the schedule delayed-stores: stores become visible as late as the memory
// model allows.
//
// A weak store stays with its lane until the lane synchronises, then (global memory) with its block
// until a thread of the block synchronises with the whole GPU, else until the kernel ends:
//
//   lane  -> block   block barrier, __syncwarp, fence or release of any scope, exit; at this point
//   stores to
//                    shared memory land
//   block -> memory  fence or release of gpu or sys scope, the grid barrier, the end of the kernel
//
// A lane sees its own and its block's held stores in place of memory, byte by byte. Strong accesses
// (volatile, relaxed, atomics) go to memory: held bytes of the same location that the lane may see
// land first, so that every location stays coherent; others wait, as a relaxed access orders
// nothing else. Shuffles, votes, matches and redux publish nothing. So a missing fence shows in
// `partial[b] = x; atomicAdd(&count, 1)`, and before a flag.
//
// Only stores that no synchronisation orders are seen later than in lockstep, so what a program
// without races computes does not change.
// Invariants: of one byte, the lane's value is newer than the block's, the block's newer than
// memory's, as far as the program orders them. Not modelled: loads that see old values (only stores
// are late), stores of one lane that become visible one after the other, device printf of strings
// that are held. When a launch has no slots left (SIMT_MAX_HELD_SLOTS), stores without a slot land
// early, with everything that their map holds.
#include "core/store_buffer.h"

#include <stdlib.h>
#include <string.h>

#include "core/state.h"

enum { WORD_BYTES = 8, FIRST_CAPACITY = 16 };
#define NO_ADDRESS UINT64_MAX

// ---- bytes by address: open addressing over words of 8 bytes -----------------------------------

typedef struct word {
  uint64_t address; // multiple of WORD_BYTES; NO_ADDRESS: free
  uint8_t bytes[WORD_BYTES];
  uint8_t mask; // which of them are held
} word;

typedef struct word_map {
  word *at;             // [capacity]
  uint32_t n, capacity; // n: entries in use, those without bytes included
} word_map;

struct simt_held {
  word_map block;
  word_map *lanes; // [n_lanes]
  uint32_t n_lanes;
};

// Takes over those of `from` that `mask` names.
static void take_bytes(uint8_t *to, const uint8_t *from, uint8_t mask) {
  if (mask == 0xff) memcpy(to, from, WORD_BYTES);
  else
    for (; mask; mask &= (uint8_t)(mask - 1)) {
      int i = __builtin_ctz(mask);
      to[i] = from[i];
    }
}

static word *slot_of(const word_map *map, uint64_t address) {
  uint64_t i = (address / WORD_BYTES * UINT64_C(0x9E3779B97F4A7C15) >> 32) & (map->capacity - 1);
  while (map->at[i].address != address && map->at[i].address != NO_ADDRESS)
    i = (i + 1) & (map->capacity - 1);
  return &map->at[i];
}

static bool grow(simt_core *core, word_map *map) {
  word_map bigger = {.n = map->n, .capacity = map->capacity ? 2 * map->capacity : FIRST_CAPACITY};
  uint32_t more = bigger.capacity - map->capacity;
  if (more > SIMT_MAX_HELD_SLOTS - core->held_slots) return false;
  bigger.at = malloc(bigger.capacity * sizeof *bigger.at);
  if (!bigger.at) return false;
  for (uint32_t i = 0; i < bigger.capacity; i++) bigger.at[i].address = NO_ADDRESS;
  for (uint32_t i = 0; i < map->capacity; i++)
    if (map->at[i].address != NO_ADDRESS) *slot_of(&bigger, map->at[i].address) = map->at[i];
  free(map->at);
  *map = bigger;
  core->held_slots += more;
  return true;
}

// Takes over the bytes of `from`; false when there is no room.
static bool put(simt_core *core, word_map *map, const word *from) {
  if (2 * map->n >= map->capacity && !grow(core, map)) return false;
  word *to = slot_of(map, from->address);
  if (to->address == NO_ADDRESS) {
    *to = (word){.address = from->address};
    map->n++;
  }
  take_bytes(to->bytes, from->bytes, from->mask);
  to->mask |= from->mask;
  return true;
}

// ---- landing -----------------------------------------------------------------------------------

static bool is_shared(uint64_t address) {
  return address - SIMT_SHARED_WINDOW < SIMT_CLUSTER_WINDOW_BYTES;
}

static void land(simt_core *core, simt_block *block, const word *x) {
  if (is_shared(x->address)) { // words do not cross the window's end
    const uint64_t at = x->address - SIMT_SHARED_WINDOW, rank = at >> SIMT_RANK_SHIFT;
    uint8_t *shared = block->cluster->blocks[rank]->shared;
    take_bytes(shared + (at & (SIMT_SHARED_WINDOW_BYTES - 1)), x->bytes, x->mask);
    return;
  }
  for (int i = 0; i < WORD_BYTES; i++) {
    if (!(x->mask >> i & 1)) continue;
    uint8_t *byte = simt_memory_change(core->heap, x->address + (uint64_t)i, 1);
    if (byte) *byte = x->bytes[i]; // else a kernel has freed the memory in the meantime
  }
}

static void land_all(simt_core *core, simt_block *block, word_map *map) {
  for (uint32_t i = 0; i < map->capacity && map->n; i++) {
    if (map->at[i].address == NO_ADDRESS) continue;
    land(core, block, &map->at[i]);
    map->at[i].address = NO_ADDRESS;
    map->n--;
  }
}

// Newer bytes join `map`, or land when it can hold no more; older ones must have landed by then.
static void put_or_land(simt_core *core, simt_block *block, word_map *map, const word *x) {
  if (put(core, map, x)) return;
  land_all(core, block, map);
  if (!put(core, map, x)) land(core, block, x);
}

// Everything in `map` moves on: the part in global memory to `to`, the part in shared memory to
// memory.
static void move_all(simt_core *core, simt_block *block, word_map *map, word_map *to) {
  for (uint32_t i = 0; i < map->capacity && map->n; i++) {
    word *x = &map->at[i];
    if (x->address == NO_ADDRESS) continue;
    if (is_shared(x->address)) land(core, block, x);
    else put_or_land(core, block, to, x);
    x->address = NO_ADDRESS;
    map->n--;
  }
}

// ---- life --------------------------------------------------------------------------------------

static simt_held *make_held(uint32_t n_lanes) {
  simt_held *held = calloc(1, sizeof *held);
  if (!held) return NULL;
  held->n_lanes = n_lanes;
  held->lanes = calloc(n_lanes + 1, sizeof *held->lanes);
  if (held->lanes) return held;
  free(held);
  return NULL;
}

static void free_held(simt_held *held) {
  if (!held) return;
  for (uint32_t i = 0; i < held->n_lanes; i++) free(held->lanes[i].at);
  free(held->lanes);
  free(held->block.at);
  free(held);
}

bool simt_held_begin(simt_core *core) {
  core->held_slots = 0;
  core->held = core->holds_stores ? make_held(0) : NULL;
  return core->held || !core->holds_stores;
}

bool simt_held_begin_block(simt_core *core, simt_block *block) {
  block->held = core->holds_stores ? make_held(core->block_threads) : NULL;
  return block->held || !core->holds_stores;
}

void simt_held_end_block(simt_core *core, simt_block *block) {
  if (!core->holds_stores) return;
  for (uint32_t i = 0; i < block->held->n_lanes; i++)
    move_all(core, block, &block->held->lanes[i], &block->held->block);
  move_all(core, block, &block->held->block, &core->held->block);
}

void simt_held_end(simt_core *core) {
  if (!core->holds_stores) return;
  for (uint32_t i = 0; i < core->n_resident && core->blocks; i++) {
    if (core->held && core->blocks[i]->held) simt_held_end_block(core, core->blocks[i]);
    free_held(core->blocks[i]->held);
  }
  if (core->held) land_all(core, NULL, &core->held->block);
  free_held(core->held);
}

// ---- accesses ----------------------------------------------------------------------------------

static word_map *map_of(const simt_warp *w, uint32_t lane) {
  return &w->block->held->lanes[w->index * SIMT_LANES + lane];
}

// The part of [address, address + n) that lies in its first word: `bytes` of it, at most n.
static uint32_t first_part(uint64_t address, uint32_t n, word *x) {
  uint32_t at = (uint32_t)(address % WORD_BYTES);
  uint32_t bytes = n < WORD_BYTES - at ? n : WORD_BYTES - at;
  *x = (word){.address = address - at, .mask = (uint8_t)(((1u << bytes) - 1) << at)};
  return bytes;
}

void simt_hold(simt_core *core, simt_warp *w, uint32_t lane, uint64_t address, const uint8_t *bytes,
               uint32_t n) {
  word_map *own = map_of(w, lane);
  for (uint32_t part; n; address += part, bytes += part, n -= part) {
    word x;
    part = first_part(address, n, &x);
    memcpy(x.bytes + address % WORD_BYTES, bytes, part);
    if (put(core, own, &x)) continue;
    land_all(core, w->block, &w->block->held->block); // older than what the lane holds
    put_or_land(core, w->block, own, &x);
  }
}

static uint8_t overlay(const word_map *map, const word *wanted, uint8_t *bytes) {
  if (!map->n) return 0;
  const word *x = slot_of(map, wanted->address);
  if (x->address == NO_ADDRESS) return 0;
  uint8_t mask = x->mask & wanted->mask;
  take_bytes(bytes, x->bytes, mask);
  return mask;
}

bool simt_held_overlay(const simt_warp *w, uint32_t lane, uint64_t address, uint8_t *bytes,
                       uint32_t n) {
  const word_map *own = map_of(w, lane), *block = &w->block->held->block;
  if (!own->n && !block->n) return false;
  uint8_t any = 0;
  for (uint32_t part; n; address += part, bytes += part, n -= part) {
    word wanted;
    part = first_part(address, n, &wanted);
    uint64_t at = address % WORD_BYTES;
    memcpy(wanted.bytes + at, bytes, part);
    any |= overlay(block, &wanted, wanted.bytes);
    any |= overlay(own, &wanted, wanted.bytes);
    memcpy(bytes, wanted.bytes + at, part);
  }
  return any != 0;
}

// Lands those bytes of `wanted` that the map holds; they are no longer held.
static void settle(simt_core *core, simt_block *block, word_map *map, const word *wanted) {
  if (!map->n) return;
  word *x = slot_of(map, wanted->address);
  if (x->address == NO_ADDRESS) return;
  word part = *x;
  part.mask &= wanted->mask;
  x->mask &= (uint8_t)~wanted->mask;
  land(core, block, &part);
}

void simt_held_settle(simt_core *core, simt_warp *w, uint32_t lane, uint64_t address, uint32_t n) {
  for (uint32_t part; n; address += part, n -= part) {
    word wanted;
    part = first_part(address, n, &wanted);
    settle(core, w->block, &w->block->held->block, &wanted);
    settle(core, w->block, map_of(w, lane), &wanted);
  }
}

void simt_held_publish(simt_core *core, simt_warp *w, uint32_t lanes, uint8_t scope) {
  if (!core->holds_stores) return;
  word_map *block = &w->block->held->block;
  bool any = false;
  for (SIMT_EACH_LANE(lane, lanes)) {
    any |= map_of(w, lane)->n != 0;
    move_all(core, w->block, map_of(w, lane), block);
  }
  if (scope != ISA_SCOPE_CTA) {
    any |= block->n != 0;
    land_all(core, w->block, block);
  }
  core->effects += any;
}
