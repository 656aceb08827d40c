// SPDX-License-Identifier: MIT
// device/platform.h - what the software GPU takes from the machine it runs on, beyond the heap:
// memory for device allocations, and, where there are any, host threads. A plug-in: the rooms below
// runtime/ make no operating-system calls.
//
// Contract: every function may be called from any host thread that `run` started. Failure is NULL
// or false, never an exit. Results do not depend on the platform, only speed does.
#ifndef SIMT_PLATFORM_H
#define SIMT_PLATFORM_H

#include <stdbool.h>
#include <stdint.h>

typedef struct simt_platform {
  void *data; // handed to every function

  // Zeroed memory, aligned to at least 16 bytes, or NULL. Programs allocate much that they never
  // touch, so untouched pages should cost nothing.
  void *(*map)(void *data, uint64_t size_bytes);
  void (*unmap)(void *data, void *bytes, uint64_t size_bytes);

  // The same for memory that the caller overwrites whole, and that no program has a pointer to:
  // anything may be in it, and what is given back may be handed out again. NULL: map and unmap.
  void *(*borrow)(void *data, uint64_t size_bytes);
  void (*give_back)(void *data, void *bytes, uint64_t size_bytes);

  // Whether the SIMT_PAGE_BYTES at `page` may have been written since map(). NULL: always assume
  // so.
  bool (*is_touched)(void *data, const void *page);

  // Calls work(argument, i) for every i < n, in parallel where it can, and returns when all have
  // returned. NULL: there is one host thread.
  void (*run)(void *data, uint32_t n, void (*work)(void *argument, uint32_t index), void *argument);
  uint32_t (*n_processors)(void *data); // threads that can run in parallel; with `run` only

  // Mutual exclusion between such threads; with `run` only. create: NULL when there is none left.
  void *(*lock_create)(void *data);
  void (*lock_destroy)(void *data, void *lock);
  void (*lock)(void *data, void *lock);
  void (*unlock)(void *data, void *lock);
} simt_platform;

// calloc and free, one host thread: runs anywhere.
const simt_platform *simt_platform_plain(void);

#endif
