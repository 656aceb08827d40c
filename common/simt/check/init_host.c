// SPDX-License-Identifier: MIT
// check/init_host.c - initcheck, the host's side: allocations, copies and memsets, and copies to
// the host of what was never written. check/init.c has the rules.
#include <inttypes.h>
#include <stdio.h>

#include "check/checks.h"
#include "check/init.h"

typedef simt_written_page page;
typedef simt_region region;
typedef simt_page_piece piece;

void simt_initcheck_set_platform(simt_observer *observer, const simt_platform *platform) {
  ((simt_initcheck *)observer)->regions.platform = platform;
}

void simt_initcheck_allocated(simt_observer *observer, const simt_allocation *allocation) {
  simt_regions_add(&((simt_initcheck *)observer)->regions, allocation);
}

void simt_initcheck_freed(simt_observer *observer, const simt_allocation *allocation) {
  simt_regions_remove(&((simt_initcheck *)observer)->regions, allocation->address);
}

void simt_initcheck_host_wrote(simt_observer *observer, uint64_t address, uint64_t size_bytes) {
  simt_initcheck *self = (simt_initcheck *)observer;
  region *r = simt_regions_find(&self->regions, address, size_bytes);
  if (r) simt_region_write(&self->regions, r, address - r->address, size_bytes, 0);
}

// One piece of a copy that lies in one page on both sides. `p`: the source's page.
static void copy_piece(simt_initcheck *self, region *to, uint64_t at, const page *p, uint32_t first,
                       uint32_t n) {
  if (p == &self->regions.complete) {
    simt_region_write(&self->regions, to, at, n, 0);
    return;
  }
  if (!p) {
    simt_region_copy_gap(&self->regions, to, at, n, 0);
    return;
  }
  for (uint32_t i = 0; i < n; i++) {
    uint32_t from = first + i;
    if (p->written[from / SIMT_BITS] >> from % SIMT_BITS & 1)
      simt_region_write(&self->regions, to, at + i, 1, p->writer[from / SIMT_WORD_BYTES]);
    else simt_region_copy_gap(&self->regions, to, at + i, 1, simt_page_origin(p, from));
  }
}

void simt_initcheck_copied(simt_observer *observer, uint64_t to, uint64_t from,
                           uint64_t size_bytes) {
  simt_initcheck *self = (simt_initcheck *)observer;
  region *t = simt_regions_find(&self->regions, to, size_bytes),
         *f = simt_regions_find(&self->regions, from, size_bytes);
  if (!t || !size_bytes || to == from) return;
  if (!f) { // memory that was not announced counts as written
    simt_region_write(&self->regions, t, to - t->address, size_bytes, 0);
    return;
  }
  simt_region_look_again(&self->regions, f);
  if (f->widest > t->widest) t->widest = f->widest;
  uint64_t at = from - f->address, end = at + size_bytes;
  for (piece c; simt_region_next_piece(&at, end, &c);) {
    uint64_t target = c.page * SIMT_PAGE_BYTES + c.first + f->address - from + to - t->address;
    copy_piece(self, t, target, f->pages[c.page], c.first, c.n);
  }
}

typedef struct hole_count { // of the four-byte words of a range
  uint64_t n, first_byte;   // words with bytes missing; the first such byte
} hole_count;

// How far from `at` the uninitialised bytes have one origin; at most until `end`.
static uint64_t end_of_origin(const region *r, uint64_t at, uint64_t end) {
  uint32_t origin = simt_region_origin(r, at);
  while (at < end && simt_region_origin(r, at) == origin)
    at = r->pages[at / SIMT_PAGE_BYTES] ? (at / SIMT_WORD_BYTES + 1) * SIMT_WORD_BYTES
                                        : (at / SIMT_PAGE_BYTES + 1) * SIMT_PAGE_BYTES;
  return at < end ? at : end;
}

// Counts the words without an origin; the others are reported at the load that they come from.
static hole_count count_holes(simt_initcheck *self, const region *r, uint64_t at, uint64_t end) {
  hole_count holes = {0};
  uint64_t start = at, counted = UINT64_MAX; // the last word counted
  for (;;) {
    uint64_t first = simt_region_find(r, at, end, false);
    if (first == end) return holes;
    at = simt_region_find(r, first, end, true);
    uint32_t origin = simt_region_origin(r, first);
    if (!origin && first > start && simt_initcheck_is_padding(at, at - first, r->widest)) continue;
    at = end_of_origin(r, first, at);
    if (origin) {
      simt_initcheck_release(self, origin);
      continue;
    }
    if (!holes.n) holes.first_byte = first;
    uint64_t low = first / SIMT_WORD_BYTES, high = (at - 1) / SIMT_WORD_BYTES;
    holes.n += high - low + 1 - (low == counted);
    counted = high;
  }
}

void simt_initcheck_host_reads(simt_observer *observer, uint64_t address, uint64_t size_bytes) {
  simt_initcheck *self = (simt_initcheck *)observer;
  region *r = simt_regions_find(&self->regions, address, size_bytes);
  if (!r || !r->missing || !size_bytes) return;
  simt_region_look_again(&self->regions, r);
  uint64_t at = address - r->address;
  hole_count holes = count_holes(self, r, at, at + size_bytes);
  if (!holes.n || r->is_noted) return; // once for an allocation
  uint64_t words = (at + size_bytes - 1) / SIMT_WORD_BYTES - at / SIMT_WORD_BYTES + 1;
  char text[400];
  snprintf(text, sizeof text,
           "%" PRIu64 " of the %" PRIu64 " four-byte words copied from allocation #%" PRIu64
           " (%" PRIu64
           " bytes) were never written by a kernel, a copy or cudaMemset. The first is "
           "word %" PRIu64 " of the allocation (byte %" PRIu64 ").",
           holes.n, words, r->serial, r->size_bytes, holes.first_byte / SIMT_WORD_BYTES,
           holes.first_byte);
  simt_findings_add_text(self->findings, SIMT_FINDING_output_never_written, text);
  r->is_noted = true;
}

// The launch that wrote the word at byte `at` of the region last, or 0.
static uint64_t writer_of(const simt_initcheck *self, const region *r, uint64_t at) {
  const page *p = r->pages[at / SIMT_PAGE_BYTES];
  uint32_t writer = p ? p->writer[at % SIMT_PAGE_BYTES / SIMT_WORD_BYTES] : 0;
  return writer & SIMT_ORIGIN_MARK ? self->origins[(writer & ~SIMT_ORIGIN_MARK) - 1].launch
                                   : writer;
}

uint64_t simt_initcheck_last_writer(const simt_observer *observer, uint64_t address) {
  const simt_initcheck *self = (const simt_initcheck *)observer;
  const region *r = simt_regions_find(&self->regions, address, 1);
  return r ? writer_of(self, r, address - r->address) : 0;
}

uint64_t simt_initcheck_first_written(const simt_observer *observer, uint64_t address,
                                      uint64_t size_bytes) {
  const simt_initcheck *self = (const simt_initcheck *)observer;
  const region *r = size_bytes ? simt_regions_find(&self->regions, address, size_bytes) : NULL;
  if (!r) return 0;
  uint64_t begin = address - r->address, end = begin + size_bytes;
  for (uint64_t at = begin - begin % SIMT_WORD_BYTES; at < end; at += SIMT_WORD_BYTES) {
    if (!r->pages[at / SIMT_PAGE_BYTES]) at |= SIMT_PAGE_BYTES - SIMT_WORD_BYTES; // its last word
    else if (writer_of(self, r, at)) return r->address + (at < begin ? begin : at);
  }
  return 0;
}
