// SPDX-License-Identifier: MIT
// runtime/pool_blocks.c - where a memory pool puts its allocations, as an H100 with CUDA 13 does.
//
// A freed block goes to the next allocation of the same stream that fits best, at once; to other
// streams when they have waited for an event after the free, or the host for the stream. Free
// blocks side by side are joined when the same work is still to be done with them. Not modelled:
// what a GPU gives to another stream because it happens to have finished.
#include "runtime/pools.h"

#include <stdlib.h>
#include <string.h>

static bool insert(rt_blocks *b, size_t index, rt_block block) {
  if (b->n == b->capacity) {
    const size_t capacity = b->capacity ? 2 * b->capacity : 16;
    rt_block *grown = realloc(b->items, capacity * sizeof *grown);
    if (!grown) return false;
    b->items = grown;
    b->capacity = capacity;
  }
  memmove(&b->items[index + 1], &b->items[index], (b->n - index) * sizeof *b->items);
  b->items[index] = block;
  b->n++;
  return true;
}

static void drop(rt_blocks *b, size_t index) {
  b->n--;
  memmove(&b->items[index], &b->items[index + 1], (b->n - index) * sizeof *b->items);
}

static bool are_alike(const rt_block *x, const rt_block *y) {
  return x->state != RT_BLOCK_USED && x->state == y->state && x->stream == y->stream;
}

static void join(rt_blocks *b) {
  for (size_t i = 1; i < b->n;) {
    rt_block *left = &b->items[i - 1], *right = &b->items[i];
    if (!are_alike(left, right)) {
      i++;
      continue;
    }
    left->bytes += right->bytes;
    if (left->ticket < right->ticket) left->ticket = right->ticket;
    drop(b, i);
  }
}

// Cuts the block in two at `bytes`, if there is anything to cut off.
static bool cut(rt_blocks *b, size_t index, uint64_t bytes) {
  rt_block rest = b->items[index];
  if (rest.bytes <= bytes) return true;
  rest.at += bytes;
  rest.bytes -= bytes;
  if (!insert(b, index + 1, rest)) return false;
  b->items[index].bytes = bytes;
  return true;
}

static bool may_have(const rt_stream *stream, const rt_block *block) {
  if (!block->stream || block->stream == stream->id) return true;
  for (size_t i = 0; i < stream->n_known; i++)
    if (stream->known[i].stream == block->stream && stream->known[i].ticket >= block->ticket)
      return true;
  return false;
}

static size_t best_fit(const rt_blocks *b, uint64_t bytes, const rt_stream *stream) {
  size_t best = b->n;
  for (size_t i = 0; i < b->n; i++) {
    const rt_block *x = &b->items[i];
    if (x->state != RT_BLOCK_FREE || x->bytes < bytes || !may_have(stream, x)) continue;
    if (best == b->n || x->bytes < b->items[best].bytes) best = i;
  }
  return best;
}

static bool is_room(const rt_block *x) {
  return x->state == RT_BLOCK_UNMAPPED || (x->state == RT_BLOCK_FREE && !x->stream);
}

// The first of the blocks side by side that together have room for `bytes`.
static size_t first_room(const rt_blocks *b, uint64_t bytes) {
  size_t first = 0;
  uint64_t room = 0;
  for (size_t i = 0; i < b->n && room < bytes; i++) {
    if (!room) first = i;
    room = is_room(&b->items[i]) ? room + b->items[i].bytes : 0;
  }
  return first;
}

// Memory for all of [from, to), in whole steps.
static bool map(rt_blocks *b, uint64_t from, uint64_t to) {
  for (size_t i = 0; i < b->n && b->items[i].at < to; i++) {
    if (b->items[i].state != RT_BLOCK_UNMAPPED || b->items[i].at + b->items[i].bytes <= from)
      continue;
    const uint64_t start =
        b->items[i].at > from ? b->items[i].at : from / RT_POOL_STEP * RT_POOL_STEP;
    if (start > b->items[i].at) {
      if (!cut(b, i, start - b->items[i].at)) return false;
      continue;
    }
    if (!cut(b, i, (to - start + RT_POOL_STEP - 1) / RT_POOL_STEP * RT_POOL_STEP)) return false;
    b->items[i].state = RT_BLOCK_FREE;
    b->reserved += b->items[i].bytes;
  }
  return true;
}

bool simt_rt_blocks_take(rt_blocks *b, uint64_t bytes, const rt_stream *stream, uint64_t *at) {
  bytes = (bytes + RT_POOL_GRAIN - 1) / RT_POOL_GRAIN * RT_POOL_GRAIN;
  if (!b->n && !insert(b, 0, (rt_block){0, UINT64_MAX / 4, RT_BLOCK_UNMAPPED, 0, 0})) return false;
  size_t index = best_fit(b, bytes, stream);
  if (index == b->n) {
    index = first_room(b, bytes);
    const uint64_t from = b->items[index].at;
    if (!map(b, from, from + bytes)) return false;
    join(b);
    index = best_fit(b, bytes, stream);
  }
  if (index == b->n || !cut(b, index, bytes)) return false;
  b->items[index].state = RT_BLOCK_USED;
  *at = b->items[index].at;
  return true;
}

void simt_rt_blocks_give(rt_blocks *b, uint64_t at, unsigned long long stream,
                         unsigned long long ticket) {
  for (size_t i = 0; i < b->n; i++)
    if (b->items[i].at == at && b->items[i].state == RT_BLOCK_USED) {
      b->items[i].state = RT_BLOCK_FREE;
      b->items[i].stream = stream;
      b->items[i].ticket = ticket;
    }
  join(b);
}

void simt_rt_blocks_settle(rt_blocks *b, unsigned long long stream) {
  for (size_t i = 0; i < b->n; i++)
    if (!stream || b->items[i].stream == stream) b->items[i].stream = b->items[i].ticket = 0;
  join(b);
}

// The last whole step that is free, or the number of blocks.
static size_t last_whole(const rt_blocks *b, uint64_t *start) {
  for (size_t i = b->n; i-- > 0;) {
    const rt_block *x = &b->items[i];
    const uint64_t end = (x->at + x->bytes) / RT_POOL_STEP * RT_POOL_STEP;
    if (x->state != RT_BLOCK_FREE || x->stream || end < x->at + RT_POOL_STEP) continue;
    *start = end - RT_POOL_STEP;
    return i;
  }
  return b->n;
}

void simt_rt_blocks_release(rt_blocks *b, uint64_t keep) {
  uint64_t start = 0;
  while (b->reserved >= RT_POOL_STEP && b->reserved - RT_POOL_STEP >= keep) {
    size_t i = last_whole(b, &start);
    if (i == b->n) return;
    if (b->items[i].at < start) {
      if (!cut(b, i, start - b->items[i].at)) return;
      i++;
    }
    if (!cut(b, i, RT_POOL_STEP)) return;
    b->items[i].state = RT_BLOCK_UNMAPPED;
    b->reserved -= RT_POOL_STEP;
    join(b);
  }
}
