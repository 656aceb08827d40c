// SPDX-License-Identifier: MIT
// check/written.c - see check/written.h.
#include "check/written.h"

#include <stdlib.h>
#include <string.h>

typedef simt_written_page page;
typedef simt_region region;
typedef simt_page_piece piece;

// ---- bits --------------------------------------------------------------------------------------

// The first bit in [at, end) that is `value`, or `end`.
static uint32_t find_bit(const uint64_t *bits, uint32_t at, uint32_t end, bool value) {
  while (at < end) {
    uint64_t word = (value ? bits[at / SIMT_BITS] : ~bits[at / SIMT_BITS]) >> at % SIMT_BITS;
    if (word) {
      at += (uint32_t)__builtin_ctzll(word);
      break;
    }
    at = at / SIMT_BITS * SIMT_BITS + SIMT_BITS;
  }
  return at < end ? at : end;
}

bool simt_bits_are_set(const uint64_t *bits, uint32_t first, uint32_t n) {
  return find_bit(bits, first, first + n, false) == first + n;
}

uint32_t simt_bits_put(uint64_t *bits, uint32_t first, uint32_t n, bool value) {
  uint32_t changed = 0, end = first + n;
  for (uint32_t at = first, next; at < end; at = next) {
    next =
        at / SIMT_BITS * SIMT_BITS + SIMT_BITS < end ? at / SIMT_BITS * SIMT_BITS + SIMT_BITS : end;
    uint64_t mask = simt_bits_of(at % SIMT_BITS, next - at), *word = &bits[at / SIMT_BITS];
    uint64_t flips = (value ? ~*word : *word) & mask;
    if (flips) changed += (uint32_t)__builtin_popcountll(flips);
    *word ^= flips;
  }
  return changed;
}

// ---- pages -------------------------------------------------------------------------------------

static uint32_t page_size(const region *r, uint64_t index) {
  uint64_t left = r->size_bytes - index * SIMT_PAGE_BYTES;
  return left < SIMT_PAGE_BYTES ? (uint32_t)left : SIMT_PAGE_BYTES;
}

static void drop_page(simt_regions *self, page *p) {
  if (p != &self->complete) free(p);
}

static void make_complete(simt_regions *self, region *r, uint64_t index) {
  page *old = r->pages[index];
  r->missing -= old ? old->missing : page_size(r, index);
  drop_page(self, old);
  r->pages[index] = &self->complete;
}

// A page that may be changed. Without memory it counts as written from now on: NULL.
static page *own_page(simt_regions *self, region *r, uint64_t index) {
  page *old = r->pages[index];
  if (old && old != &self->complete) return old;
  page *p = calloc(1, sizeof *p);
  if (!p) {
    make_complete(self, r, index);
    return NULL;
  }
  if (old) *p = *old;
  else p->missing = page_size(r, index);
  r->pages[index] = p;
  return p;
}

bool simt_region_next_piece(uint64_t *at, uint64_t end, piece *p) {
  if (*at >= end) return false;
  p->page = *at / SIMT_PAGE_BYTES;
  p->first = (uint32_t)(*at % SIMT_PAGE_BYTES);
  uint64_t left = end - *at;
  p->n = left < SIMT_PAGE_BYTES - p->first ? (uint32_t)left : SIMT_PAGE_BYTES - p->first;
  *at += p->n;
  return true;
}

static void set_writer(page *p, uint32_t first, uint32_t n, uint32_t launch) {
  uint32_t end = (first + n - 1) / SIMT_WORD_BYTES + 1;
  for (uint32_t i = first / SIMT_WORD_BYTES; i < end; i++) p->writer[i] = launch;
}

void simt_region_write(simt_regions *self, region *r, uint64_t at, uint64_t n, uint32_t launch) {
  uint64_t end = at + n;
  for (piece c; simt_region_next_piece(&at, end, &c);) {
    page *p = r->pages[c.page];
    if (launch == 0 && (p == &self->complete || c.n == page_size(r, c.page))) {
      make_complete(self, r, c.page);
      continue;
    }
    p = own_page(self, r, c.page);
    if (!p) continue;
    uint32_t changed = p->missing ? simt_bits_put(p->written, c.first, c.n, true) : 0;
    p->missing -= changed;
    r->missing -= changed;
    set_writer(p, c.first, c.n, launch);
  }
}

void simt_region_set(simt_regions *self, region *r, uint64_t at, uint64_t n, bool written) {
  uint64_t end = at + n;
  for (piece c; simt_region_next_piece(&at, end, &c);) {
    if (r->pages[c.page] == (written ? &self->complete : NULL)) continue;
    page *p = own_page(self, r, c.page);
    if (!p) continue;
    uint32_t changed = simt_bits_put(p->written, c.first, c.n, written);
    p->missing += written ? -changed : changed;
    r->missing += written ? -(uint64_t)changed : changed;
  }
}

// Words that data without a known origin is copied to keep the writer that they had.
static void forget_origin(page *p, uint32_t first, uint32_t n) {
  for (uint32_t i = first / SIMT_WORD_BYTES; i <= (first + n - 1) / SIMT_WORD_BYTES; i++)
    if (p->writer[i] & SIMT_ORIGIN_MARK) p->writer[i] = 0;
}

void simt_region_copy_gap(simt_regions *self, region *r, uint64_t at, uint64_t n, uint32_t origin) {
  simt_region_set(self, r, at, n, false);
  uint64_t end = at + n;
  for (piece c; simt_region_next_piece(&at, end, &c);) {
    page *p = origin ? own_page(self, r, c.page) : r->pages[c.page];
    if (!p || p == &self->complete) continue;
    if (origin) set_writer(p, c.first, c.n, origin | SIMT_ORIGIN_MARK);
    else forget_origin(p, c.first, c.n);
  }
}

uint32_t simt_region_origin(const region *r, uint64_t at) {
  const page *p = r->pages[at / SIMT_PAGE_BYTES];
  return p ? simt_page_origin(p, at % SIMT_PAGE_BYTES) : 0;
}

bool simt_region_is_written(const region *r, uint64_t at, uint64_t n) {
  uint64_t end = at + n;
  for (piece c; simt_region_next_piece(&at, end, &c);) {
    const page *p = r->pages[c.page];
    if (!p || (p->missing && !simt_bits_are_set(p->written, c.first, c.n))) return false;
  }
  return true;
}

uint64_t simt_region_find(const region *r, uint64_t at, uint64_t end, bool written) {
  for (piece c; simt_region_next_piece(&at, end, &c);) {
    const page *p = r->pages[c.page];
    if (!p && written) continue;
    uint32_t found = p ? find_bit(p->written, c.first, c.first + c.n, written) : c.first;
    if (found < c.first + c.n) return c.page * SIMT_PAGE_BYTES + found;
  }
  return end;
}

// ---- regions -----------------------------------------------------------------------------------

// Index of the first region whose address is above `address`.
static size_t upper_bound(const simt_regions *self, uint64_t address) {
  size_t low = 0, high = self->n;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (self->at[middle]->address <= address) low = middle + 1;
    else high = middle;
  }
  return low;
}

simt_region *simt_regions_find(const simt_regions *self, uint64_t address, uint64_t size_bytes) {
  size_t at = upper_bound(self, address);
  if (at == 0 || !simt_region_holds(self->at[at - 1], address, size_bytes)) return NULL;
  return self->at[at - 1];
}

static void free_region(simt_regions *self, region *r) {
  for (uint64_t i = 0; i < r->n_pages; i++) drop_page(self, r->pages[i]);
  free(r->pages);
  free(r);
}

static region *make_region(simt_regions *self, const simt_allocation *a) {
  region *r = calloc(1, sizeof *r);
  if (!r) return NULL;
  *r = (region){
      .address = a->address, .size_bytes = a->size_bytes, .serial = a->serial, .widest = 1};
  r->n_pages = (a->size_bytes + SIMT_PAGE_BYTES - 1) / SIMT_PAGE_BYTES;
  r->pages = calloc(r->n_pages, sizeof(page *));
  if (!r->pages) {
    free(r);
    return NULL;
  }
  r->missing = a->size_bytes;
  if (a->kind == SIMT_ALLOCATION_MANAGED && self->platform && self->platform->is_touched)
    r->managed = a->host;
  else if (a->kind != SIMT_ALLOCATION_DEVICE) simt_region_write(self, r, 0, r->size_bytes, 0);
  return r;
}

void simt_region_look_again(simt_regions *self, region *r) {
  if (!r->managed || !r->missing) return;
  for (uint64_t i = 0; i < r->n_pages; i++) {
    const page *p = r->pages[i];
    const uint64_t at = i * SIMT_PAGE_BYTES;
    if ((p && !p->missing) || !self->platform->is_touched(self->platform->data, r->managed + at))
      continue;
    simt_region_set(self, r, at, page_size(r, i), true);
  }
}

void simt_regions_add(simt_regions *self, const simt_allocation *allocation) {
  if (!allocation->size_bytes) return;
  if (self->n == self->capacity) {
    size_t capacity = self->capacity ? 2 * self->capacity : 64;
    region **regions = realloc(self->at, capacity * sizeof *regions);
    if (!regions) return;
    self->at = regions;
    self->capacity = capacity;
  }
  region *r = make_region(self, allocation);
  if (!r) return;
  size_t at = upper_bound(self, r->address);
  memmove(&self->at[at + 1], &self->at[at], (self->n - at) * sizeof *self->at);
  self->at[at] = r;
  self->n++;
}

void simt_regions_remove(simt_regions *self, uint64_t address) {
  size_t at = upper_bound(self, address);
  if (at == 0 || self->at[at - 1]->address != address) return;
  free_region(self, self->at[at - 1]);
  memmove(&self->at[at - 1], &self->at[at], (self->n - at) * sizeof *self->at);
  self->n--;
}

void simt_regions_begin(simt_regions *self, const simt_platform *platform) {
  *self = (simt_regions){.platform = platform};
  memset(self->complete.written, 0xff, sizeof self->complete.written);
}

void simt_regions_free(simt_regions *self) {
  for (size_t i = 0; i < self->n; i++) free_region(self, self->at[i]);
  free(self->at);
}
