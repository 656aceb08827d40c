// SPDX-License-Identifier: MIT
// check/blocks.h - a checker's state for each running block, found by the block's index.
//
// Few blocks run at a time (one, some, or all of a cooperative launch), whatever the size of the
// grid; states of blocks that have ended are reused. Memory is allocated per state; when that
// fails, the block has no state (NULL) and is not checked.
#ifndef SIMT_CHECK_BLOCKS_H
#define SIMT_CHECK_BLOCKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct simt_block_slot {
  uint64_t key; // block index + 1; 0: free
  void *state;
} simt_block_slot;

typedef struct simt_blocks {
  size_t state_bytes;
  simt_block_slot *slots; // [n_slots], a power of two; open addressing
  uint32_t n_slots, n_used;
  uint64_t last_key; // of the block asked for last
  void *last_state;
  void **spare; // states to be reused; room for [n_slots]
  uint32_t n_spare;
} simt_blocks;

// Starts empty; every state has `state_bytes` bytes.
void simt_blocks_begin(simt_blocks *blocks, size_t state_bytes);
// A zeroed state for a block that begins (again).
void *simt_blocks_add(simt_blocks *blocks, uint32_t block);
void *simt_blocks_of(simt_blocks *blocks, uint32_t block);
// The block has ended.
void simt_blocks_remove(simt_blocks *blocks, uint32_t block);
// Calls `visit` for the state of every running block, in no particular order.
void simt_blocks_each(const simt_blocks *blocks, void (*visit)(void *state, void *data),
                      void *data);
void simt_blocks_free(simt_blocks *blocks);

#endif
