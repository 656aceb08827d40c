// SPDX-License-Identifier: MIT
// base/arena.c - region memory in growing chunks, and string views.
//
// Invariants: chunks are calloc'ed and no byte is handed out twice, so arena memory is always zero;
// used_bytes is the sum of the requests, without padding and chunk headers, so that a limit means
// the same on every host.
// Not modelled: freeing single blocks.
#include "base/arena.h"

#include <stdalign.h>
#include <stdlib.h>
#include <string.h>

struct simt_arena_chunk {
  simt_arena_chunk *next;
  size_t size_bytes; // of `bytes`
  size_t used_bytes; // including alignment padding
  alignas(max_align_t) unsigned char bytes[];
};

enum { FIRST_CHUNK_BYTES = 4096, LARGEST_CHUNK_BYTES = 1 << 20 };

// Space for size_bytes in `chunk`, or NULL when it does not fit.
static void *take(simt_arena_chunk *chunk, size_t size_bytes, size_t align_bytes) {
  uintptr_t start = (uintptr_t)(chunk->bytes + chunk->used_bytes);
  size_t padding = (size_t)(-start & (align_bytes - 1));
  size_t left = chunk->size_bytes - chunk->used_bytes;
  if (padding > left || size_bytes > left - padding) return NULL;
  void *at = chunk->bytes + chunk->used_bytes + padding;
  chunk->used_bytes += padding + size_bytes;
  return at;
}

static simt_arena_chunk *new_chunk(const simt_arena *arena, size_t at_least_bytes) {
  size_t size = FIRST_CHUNK_BYTES;
  if (arena->chunks != NULL && arena->chunks->size_bytes < LARGEST_CHUNK_BYTES)
    size = 2 * arena->chunks->size_bytes;
  else if (arena->chunks != NULL) size = LARGEST_CHUNK_BYTES;
  if (size < at_least_bytes) size = at_least_bytes;
  if (size > SIZE_MAX - sizeof(simt_arena_chunk)) return NULL;
  simt_arena_chunk *chunk = calloc(1, sizeof *chunk + size);
  if (chunk != NULL) chunk->size_bytes = size;
  return chunk;
}

void *simt_arena_alloc(simt_arena *arena, size_t size_bytes, size_t align_bytes) {
  if (align_bytes == 0 || (align_bytes & (align_bytes - 1)) != 0) return NULL;
  if (size_bytes > SIZE_MAX - arena->used_bytes) return NULL;
  size_t used = arena->used_bytes + size_bytes;
  if (arena->limit_bytes != 0 && used > arena->limit_bytes) return NULL;
  void *at = arena->chunks != NULL ? take(arena->chunks, size_bytes, align_bytes) : NULL;
  if (at == NULL) {
    if (size_bytes > SIZE_MAX - align_bytes) return NULL;
    simt_arena_chunk *chunk = new_chunk(arena, size_bytes + align_bytes);
    if (chunk == NULL) return NULL;
    chunk->next = arena->chunks;
    arena->chunks = chunk;
    at = take(chunk, size_bytes, align_bytes);
  }
  arena->used_bytes = used;
  return at;
}

void *simt_arena_alloc_array(simt_arena *arena, size_t n, size_t item_bytes, size_t align_bytes) {
  if (item_bytes != 0 && n > SIZE_MAX / item_bytes) return NULL;
  return simt_arena_alloc(arena, n * item_bytes, align_bytes);
}

void simt_arena_free(simt_arena *arena) {
  simt_arena_chunk *chunk = arena->chunks;
  while (chunk != NULL) {
    simt_arena_chunk *next = chunk->next;
    free(chunk);
    chunk = next;
  }
  arena->chunks = NULL;
  arena->used_bytes = 0;
}

void simt_arena_limit(simt_arena *arena, size_t limit_bytes) { arena->limit_bytes = limit_bytes; }

simt_str simt_str_of(const char *c_string) {
  return (simt_str){c_string, (uint32_t)strlen(c_string)};
}

bool simt_str_equal(simt_str a, simt_str b) {
  return a.size == b.size && (a.size == 0 || memcmp(a.at, b.at, a.size) == 0);
}

bool simt_str_is(simt_str a, const char *c_string) {
  return simt_str_equal(a, simt_str_of(c_string));
}

bool simt_str_starts(simt_str a, const char *prefix) {
  size_t size = strlen(prefix);
  return a.size >= size && (size == 0 || memcmp(a.at, prefix, size) == 0);
}

bool simt_str_contains(simt_str a, const char *part) {
  size_t size = strlen(part);
  for (uint32_t i = 0; i + size <= a.size; i++)
    if (memcmp(a.at + i, part, size) == 0) return true;
  return false;
}

char *simt_str_copy(simt_arena *arena, simt_str s) {
  char *copy = simt_arena_alloc(arena, (size_t)s.size + 1, 1);
  if (copy != NULL && s.size != 0) memcpy(copy, s.at, s.size);
  return copy;
}
