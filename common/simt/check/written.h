// SPDX-License-Identifier: MIT
// check/written.h - initcheck's memory: which bytes of an allocation were written, and in which
// launch each four-byte word was written last.
//
// A region (an allocation) has one bit per byte and one launch number per word, in pages that exist
// only once a kernel writes there: a page that was never written is NULL, one that the host wrote
// whole is the shared page `complete`. So memory grows with what kernels wrote, by 9 bytes for
// every 8 written; without memory a page counts as written, a region is not watched.
// Invariant: `missing` of a page and of a region are its bytes that are not written.
// Not modelled: who wrote a single byte.
#ifndef SIMT_CHECK_WRITTEN_H
#define SIMT_CHECK_WRITTEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "device/lane.h"
#include "device/memory.h"

enum { SIMT_WORD_BYTES = 4, SIMT_BITS = 64 };
#define SIMT_MOST_ORIGINS 0x7fffffffu
#define SIMT_ORIGIN_MARK 0x80000000u // of a writer

typedef struct simt_written_page {
  uint64_t written[SIMT_PAGE_BYTES / SIMT_BITS];
  uint32_t writer[SIMT_PAGE_BYTES / SIMT_WORD_BYTES]; // launch; 0: the host, or none; or an origin
  uint32_t missing;                                   // uninitialised bytes of the page
} simt_written_page;

typedef struct simt_region { // an allocation
  uint64_t address, size_bytes, serial;
  uint64_t missing; // uninitialised bytes
  uint32_t widest;  // bytes of the widest element a kernel stored; the checker keeps it
  bool is_noted;    // the host has copied some of them; the checker keeps this, too
  uint64_t n_pages;
  simt_written_page **pages;
  const uint8_t *managed; // its bytes, which the host writes without a call; else NULL
} simt_region;

typedef struct simt_regions {
  const simt_platform *platform; // knows which pages of managed memory the host may have written
  simt_written_page complete;
  simt_region **at; // [n] by address
  size_t n, capacity;
} simt_regions;

// The part of a range that lies in one page.
typedef struct simt_page_piece {
  uint64_t page;
  uint32_t first, n;
} simt_page_piece;

// ---- bits of 64-bit words, one bit per byte of memory

// Bits [first, first + n) of one word, n in 1 … 64.
static inline uint64_t simt_bits_of(uint32_t first, uint32_t n) {
  return (n == SIMT_BITS ? UINT64_MAX : (UINT64_C(1) << n) - 1) << first;
}

// The unset ones of `width` bits from `at` on, which lie in one word (an access is aligned to its
// width), from bit 0 of the result on.
static inline uint32_t simt_bits_gaps(const uint64_t *bits, uint32_t at, uint32_t width) {
  return (uint32_t)(~bits[at / SIMT_BITS] >> at % SIMT_BITS & simt_bits_of(0, width));
}

bool simt_bits_are_set(const uint64_t *bits, uint32_t first, uint32_t n);
// Sets or clears bits [first, first + n); returns how many changed.
uint32_t simt_bits_put(uint64_t *bits, uint32_t first, uint32_t n, bool value);

// Of an uninitialised byte at `at` of the page: its origin; 0: no thread has copied it there.
static inline uint32_t simt_page_origin(const simt_written_page *p, uint64_t at) {
  uint32_t writer = p->writer[at / SIMT_WORD_BYTES];
  return writer & SIMT_ORIGIN_MARK ? writer & ~SIMT_ORIGIN_MARK : 0;
}

// ---- regions

// `platform`: NULL: managed memory counts as written.
void simt_regions_begin(simt_regions *regions, const simt_platform *platform);
void simt_regions_free(simt_regions *regions);
void simt_regions_add(simt_regions *regions, const simt_allocation *allocation);
void simt_regions_remove(simt_regions *regions, uint64_t address);
// The region that contains a range, or NULL.
simt_region *simt_regions_find(const simt_regions *regions, uint64_t address, uint64_t size_bytes);

static inline bool simt_region_holds(const simt_region *r, uint64_t address, uint64_t size_bytes) {
  uint64_t at = address - r->address;
  return at < r->size_bytes && size_bytes <= r->size_bytes - at;
}

// Ranges [at, at + n) and [at, end) below are relative to the region and lie inside it.

// Bytes are written: by a launch, or (0) by the host.
void simt_region_write(simt_regions *regions, simt_region *r, uint64_t at, uint64_t n,
                       uint32_t launch);
// Pages of managed memory that the host may have written by now count as written.
void simt_region_look_again(simt_regions *regions, simt_region *r);
// Bytes count as written, or as uninitialised, whatever their origin.
void simt_region_set(simt_regions *regions, simt_region *r, uint64_t at, uint64_t n, bool written);
// Uninitialised bytes were copied there. `origin` says from where, in the checker's own terms: 1 …
// SIMT_MOST_ORIGINS, or 0 where no thread has copied them before.
void simt_region_copy_gap(simt_regions *regions, simt_region *r, uint64_t at, uint64_t n,
                          uint32_t origin);
uint32_t simt_region_origin(const simt_region *r, uint64_t at);
bool simt_region_is_written(const simt_region *r, uint64_t at, uint64_t n);
// The first byte in [at, end) that is written (or is not), or `end`.
uint64_t simt_region_find(const simt_region *r, uint64_t at, uint64_t end, bool written);
// The next piece of [*at, end), past which *at then points; false: there is none.
bool simt_region_next_piece(uint64_t *at, uint64_t end, simt_page_piece *piece);

#endif
