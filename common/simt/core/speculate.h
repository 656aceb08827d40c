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
//
// The same notes, kept by a single thread that assumes nothing, say what a launch has touched
// (core/footprint.h).
#ifndef SIMT_SPECULATE_H
#define SIMT_SPECULATE_H

#include "device/lane.h"
#include "device/memory.h"

enum { SIMT_MAX_HOST_THREADS = 16 };

typedef struct simt_speculation simt_speculation;

// What one host thread needs to note its stores into one allocation.
typedef struct simt_write_log {
  uint32_t *words;        // one bit per 4-byte word: written by this thread; NULL: the only thread
  uint64_t base, n_words; // device address of word 0
  void *pages;            // of core/speculate.c; NULL: these stores are not noted
} simt_write_log;

// NULL when out of memory. `platform` must have threads, unless n_threads is 1: a single thread
// never has to stop, and breaking means that the notes are incomplete.
simt_speculation *simt_speculation_begin(uint32_t n_threads, const simt_platform *platform);

// `thread` is about to read or write `allocation`; for a write, *log is where to note stores.
// False: the assumption is broken or the log is full; the thread should stop.
bool simt_speculation_touch(simt_speculation *s, uint32_t thread, const simt_allocation *allocation,
                            bool is_write, simt_write_log *log);
// Saves the old bytes and notes that [address, address + size_bytes) is written. False: the old
// bytes could not be saved, so the store must not happen and the thread must stop.
bool simt_speculation_write(simt_speculation *s, const simt_write_log *log, uint64_t address,
                            uint64_t size_bytes);

// Whether several threads take part; NULL is allowed.
bool simt_speculation_is_shared(const simt_speculation *s);
void simt_speculation_break(simt_speculation *s); // a thread faulted: the outcome is void
bool simt_speculation_is_broken(simt_speculation *s);

// After all threads have ended: true if the assumption held. Otherwise memory has been restored,
// or, with a single thread, the notes are incomplete.
bool simt_speculation_settle(simt_speculation *s);
void simt_speculation_free(simt_speculation *s); // NULL is allowed

// ---- What has been touched, once it is settled. Valid until it is freed.

typedef struct simt_touched {
  uint64_t serial, address, size_bytes; // of an allocation
  const uint8_t *host;
  bool is_written;
  bool is_hosts; // pinned, managed or registered: the host may change it at any time
} simt_touched;

typedef struct simt_saved_page {
  const uint8_t *host; // where the bytes are
  const uint8_t *copy; // [n_bytes] as they were before the first store
  size_t n_bytes;
} simt_saved_page;

void simt_speculation_each(const simt_speculation *s,
                           void (*visit)(const simt_touched *touched, void *data), void *data);
void simt_speculation_each_page(const simt_speculation *s,
                                void (*visit)(const simt_saved_page *page, void *data), void *data);

#endif
