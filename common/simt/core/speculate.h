// SPDX-License-Identifier: MIT
// core/speculate.h - running the blocks of one launch on several host threads without any visible
// effect on results.
//
// Blocks of an ordinary launch are independent if no block reads what another writes and no two
// write the same word. That is not known beforehand, so the threads run on that assumption and
// check it: an allocation that one thread reads and another writes, or a word that two threads
// write, breaks it. Then memory is put back as it was and the blocks run one after the other. So
// results, counts and faults are always those of running in order. Kernels with global atomics,
// fences, volatile accesses or printf are never tried.
#ifndef SIMT_SPECULATE_H
#define SIMT_SPECULATE_H

#include "device/lane.h"
#include "device/memory.h"

enum { SIMT_MAX_HOST_THREADS = 16 };

typedef struct simt_speculation simt_speculation;

// What one host thread needs to note its stores into one allocation.
typedef struct simt_write_log {
  uint32_t *words;        // one bit per 4-byte word: written by this thread
  uint64_t base, n_words; // device address of word 0
  void *pages;            // of core/speculate.c
} simt_write_log;

// NULL when out of memory. `platform` must have threads.
simt_speculation *simt_speculation_begin(uint32_t n_threads, const simt_platform *platform);

// `thread` is about to read or write `allocation`; for a write, *log is where to note stores.
// False: the assumption is broken or the log is full; the thread should stop.
bool simt_speculation_touch(simt_speculation *s, uint32_t thread, const simt_allocation *allocation,
                            bool is_write, simt_write_log *log);
// Saves the old bytes and notes that [address, address + size_bytes) is written. False: the old
// bytes could not be saved, so the store must not happen and the thread must stop.
bool simt_speculation_write(simt_speculation *s, const simt_write_log *log, uint64_t address,
                            uint64_t size_bytes);

void simt_speculation_break(simt_speculation *s); // a thread faulted: the outcome is void
bool simt_speculation_is_broken(simt_speculation *s);

// After all threads have ended: true if the assumption held. Otherwise memory has been restored.
bool simt_speculation_end(simt_speculation *s);

#endif
