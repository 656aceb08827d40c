// SPDX-License-Identifier: MIT
// base/grow.h - arrays of the heap that grow by one item at a time.
#ifndef SIMT_GROW_H
#define SIMT_GROW_H

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

// The array with room for one more than its `n` items, perhaps elsewhere; NULL: no memory, and the
// array is as it was. *room: how many it has room for, 0 of a NULL array.
static inline void *simt_grow(void *array, uint32_t n, uint32_t *room, size_t item_bytes) {
  if (n < *room) return array;
  const uint32_t more = *room ? 2 * *room : 16;
  void *larger = realloc(array, more * item_bytes);
  if (larger) *room = more;
  return larger;
}

#endif
