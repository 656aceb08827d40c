// SPDX-License-Identifier: MIT
// device/platform.c - the platform that needs nothing but a heap.
#include "device/platform.h"

#include <stdlib.h>

static void *map(void *data, uint64_t size_bytes) {
  (void)data;
  return size_bytes > SIZE_MAX ? NULL : calloc((size_t)size_bytes, 1);
}

static void unmap(void *data, void *bytes, uint64_t size_bytes) {
  (void)data;
  (void)size_bytes;
  free(bytes);
}

const simt_platform *simt_platform_plain(void) {
  static const simt_platform plain = {.map = map, .unmap = unmap};
  return &plain;
}
