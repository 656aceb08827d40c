// SPDX-License-Identifier: MIT
// runtime/pools.h - the layout of a memory pool: which parts of its addresses are in use. Private
// to pool.c and pool_blocks.c.
#ifndef SIMT_RUNTIME_POOLS_H
#define SIMT_RUNTIME_POOLS_H

#include "runtime/runtime.h"

typedef enum rt_block_state {
  RT_BLOCK_USED,
  RT_BLOCK_FREE,
  RT_BLOCK_UNMAPPED // addresses without memory
} rt_block_state;

typedef struct rt_block { // side by side from address 0 of the pool on; the last one is unmapped
  uint64_t at, bytes;
  rt_block_state state;
  // Free: the work of this stream up to here may still use it; stream 0: nothing does.
  unsigned long long stream, ticket;
} rt_block;

typedef struct rt_blocks {
  rt_block *items; // [n]
  size_t n, capacity;
  uint64_t reserved; // bytes that have memory: pieces of RT_POOL_STEP
} rt_blocks;

#define RT_POOL_STEP (UINT64_C(32) << 20) // as on an H100
#define RT_POOL_GRAIN UINT64_C(512)

// Takes `bytes` for work of `stream`: of the free blocks that it may have the smallest, and of
// these the first; else new memory. False: the host has no memory for the list.
bool simt_rt_blocks_take(rt_blocks *b, uint64_t bytes, const rt_stream *stream, uint64_t *at);
// The block at that place is freed, in the order of a stream (0: all work is done with it).
void simt_rt_blocks_give(rt_blocks *b, uint64_t at, unsigned long long stream,
                         unsigned long long ticket);
// The host knows that the work of the stream (0: of all) has been done.
void simt_rt_blocks_settle(rt_blocks *b, unsigned long long stream);
// Gives back memory that nothing uses, down to `keep` bytes.
void simt_rt_blocks_release(rt_blocks *b, uint64_t keep);

#endif
