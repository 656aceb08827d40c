// SPDX-License-Identifier: MIT
// base/arena.h - region memory and string views. Everything a module or a launch owns lives in one
// arena and is freed whole. Exhaustion is reported (NULL), never fatal, and tests provoke it with
// simt_arena_limit().
#ifndef SIMT_ARENA_H
#define SIMT_ARENA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct simt_arena_chunk simt_arena_chunk;

typedef struct simt_arena {
  simt_arena_chunk *chunks; // newest first
  size_t used_bytes;        // sum of all requests
  size_t limit_bytes;       // 0: no limit
} simt_arena;

// A zeroed simt_arena is an empty arena.
void *simt_arena_alloc(simt_arena *arena, size_t size_bytes, size_t align_bytes); // zeroed; or NULL
void simt_arena_free(simt_arena *arena); // frees all; reusable
void simt_arena_limit(simt_arena *arena, size_t limit_bytes);

// As above for n items; NULL also when n * item_bytes overflows.
void *simt_arena_alloc_array(simt_arena *arena, size_t n, size_t item_bytes, size_t align_bytes);

#define SIMT_ARENA_NEW(arena, type)                                                                \
  ((type *)simt_arena_alloc((arena), sizeof(type), _Alignof(type)))
#define SIMT_ARENA_ARRAY(arena, type, n)                                                           \
  ((type *)simt_arena_alloc_array((arena), (size_t)(n), sizeof(type), _Alignof(type)))

// A view of characters owned elsewhere (usually the module's copy of its PTX text).
typedef struct simt_str {
  const char *at;
  uint32_t size;
} simt_str;

#define SIMT_STR(literal) ((simt_str){(literal), sizeof(literal) - 1})
#define SIMT_STR_ARG(s) (int)(s).size, (s).at // for "%.*s"

simt_str simt_str_of(const char *c_string);
bool simt_str_equal(simt_str a, simt_str b);
bool simt_str_is(simt_str a, const char *c_string);
bool simt_str_starts(simt_str a, const char *prefix);
bool simt_str_contains(simt_str a, const char *part);
char *simt_str_copy(simt_arena *arena, simt_str s); // NUL-terminated, or NULL

#endif
