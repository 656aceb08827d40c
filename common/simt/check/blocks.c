// SPDX-License-Identifier: MIT
// check/blocks.c - see check/blocks.h. The table is at most half full and has no tombstones: when
// an entry goes, those that it had displaced move up.
#include "check/blocks.h"

#include <stdlib.h>
#include <string.h>

void simt_blocks_begin(simt_blocks *b, size_t state_bytes) {
  simt_blocks_free(b);
  b->state_bytes = state_bytes;
}

static uint32_t start_of(const simt_blocks *b, uint64_t key) {
  return (uint32_t)(key * UINT64_C(0x9e3779b97f4a7c15) >> 32) & (b->n_slots - 1);
}

// The slot of a key, or the free slot into which it would go.
static simt_block_slot *find(const simt_blocks *b, uint64_t key) {
  uint32_t at = start_of(b, key);
  while (b->slots[at].key && b->slots[at].key != key) at = (at + 1) & (b->n_slots - 1);
  return &b->slots[at];
}

static bool grow(simt_blocks *b) {
  simt_blocks old = *b;
  uint32_t n = old.n_slots ? 2 * old.n_slots : 16;
  void **spare = realloc(b->spare, n * sizeof *spare);
  if (!spare) return false;
  b->spare = spare;
  simt_block_slot *slots = calloc(n, sizeof *slots);
  if (!slots) return false;
  b->slots = slots;
  b->n_slots = n;
  for (uint32_t i = 0; i < old.n_slots; i++)
    if (old.slots[i].key) *find(b, old.slots[i].key) = old.slots[i];
  free(old.slots);
  return true;
}

void *simt_blocks_add(simt_blocks *b, uint32_t block) {
  simt_blocks_remove(b, block);
  if (2 * b->n_used >= b->n_slots && !grow(b)) return NULL;
  void *state = b->n_spare ? b->spare[--b->n_spare] : malloc(b->state_bytes);
  if (!state) return NULL;
  memset(state, 0, b->state_bytes);
  uint64_t key = (uint64_t)block + 1;
  *find(b, key) = (simt_block_slot){key, state};
  b->n_used++;
  b->last_key = key;
  return b->last_state = state;
}

void *simt_blocks_of(simt_blocks *b, uint32_t block) {
  uint64_t key = (uint64_t)block + 1;
  if (key == b->last_key) return b->last_state;
  if (!b->n_slots) return NULL;
  const simt_block_slot *slot = find(b, key);
  if (!slot->key) return NULL;
  b->last_key = key;
  return b->last_state = slot->state;
}

// Deletes from a table with linear probing: moves up every entry that the freed slot had displaced.
static void close_gap(simt_blocks *b, uint32_t gap) {
  uint32_t mask = b->n_slots - 1;
  for (uint32_t at = (gap + 1) & mask; b->slots[at].key; at = (at + 1) & mask) {
    uint32_t away = (at - start_of(b, b->slots[at].key)) & mask;
    if (away < ((at - gap) & mask)) continue;
    b->slots[gap] = b->slots[at];
    b->slots[at].key = 0;
    gap = at;
  }
}

void simt_blocks_remove(simt_blocks *b, uint32_t block) {
  if (!b->n_slots) return;
  simt_block_slot *slot = find(b, (uint64_t)block + 1);
  if (!slot->key) return;
  if (slot->key == b->last_key) b->last_key = 0;
  b->spare[b->n_spare++] = slot->state;
  slot->key = 0;
  b->n_used--;
  close_gap(b, (uint32_t)(slot - b->slots));
}

void simt_blocks_each(const simt_blocks *b, void (*visit)(void *state, void *data), void *data) {
  for (uint32_t i = 0; i < b->n_slots; i++)
    if (b->slots[i].key) visit(b->slots[i].state, data);
}

void simt_blocks_free(simt_blocks *b) {
  for (uint32_t i = 0; i < b->n_slots; i++)
    if (b->slots[i].key) free(b->slots[i].state);
  for (uint32_t i = 0; i < b->n_spare; i++) free(b->spare[i]);
  free(b->slots);
  free(b->spare);
  *b = (simt_blocks){0};
}
