// SPDX-License-Identifier: MIT
// check/init.c - initcheck: which bytes were written, by which launch each word last, and who reads
// uninitialised bytes.
//
// Allocations are shadowed by check/written.h. Shared memory has a bit per byte, cleared when a
// block begins.
// Variables and pinned memory count as written: they begin as zeros, or the host writes them
// without a call. So does memory that was never announced to this file. The host writes managed
// memory without a call, too: there a page that has been touched before a launch counts as written,
// and one that has not been is known to be uninitialised. After a finding its bytes count as
// written, so that one mistake is one finding.
//
// Padding: compilers copy structures whole, gaps between their members included. A gap is taken
// for padding when it follows a written byte, is shorter than the widest element stored in that
// memory and ends where an element longer than the gap can begin: three bytes before a multiple of
// four, six before one of eight. It is no finding when a read or a copy also
// covers written bytes. So a hole of that shape in an array of mixed widths is missed.
//
// Speculation: compilers load a variable before they know whether it is asked for. Such loads are
// no findings (decode/analysis/speculation.c), and their bytes stay uninitialised.
//
// Not modelled: local memory; single bytes in the question who wrote last.
#include <inttypes.h>
#include <stdlib.h>

#include "check/blocks.h"
#include "findings/site.h"
#include "check/written.h"
#include "check/checks.h"

typedef simt_written_page page;
typedef simt_region region;
typedef simt_page_piece piece;

typedef struct shared_shadow { // of a running block
  uint32_t widest;             // as of a region
  uint64_t written[];
} shared_shadow;

typedef struct initcheck {
  simt_observer hooks;
  simt_findings *findings;
  simt_regions regions;
  // The running launch.
  const simt_launch_info *info;
  region **hints;    // [n_code]: where the instruction went last
  uint8_t *verdicts; // [n_code]: elements << 1 | whether reading them is harmless, as last asked
  uint32_t n_hints;
  simt_blocks shadows; // of shared_shadow
} initcheck;

// ---- padding -----------------------------------------------------------------------------------

// Whether a member that `n` bytes of padding make room for can begin at `end`.
static bool is_aligned_for(uint64_t end, uint64_t n) {
  uint64_t alignment = 2;
  while (alignment <= n) alignment *= 2;
  return end % alignment == 0;
}

// See the head of this file. `gaps` of `width` bytes at `address` (relative to what is aligned).
static bool is_padding(uint32_t gaps, uint64_t address, uint32_t width, uint32_t widest) {
  while (gaps) {
    uint32_t first = simt_lowest_lane(gaps);
    uint32_t past = ~(gaps >> first), n = past ? simt_lowest_lane(past) : 32 - first;
    if (first == 0 || n >= widest || !is_aligned_for(address + first + n, n)) return false;
    if (first + n >= width) return true;
    gaps &= (uint32_t)~simt_bits_of(first, n);
  }
  return true;
}

void simt_initcheck_set_platform(simt_observer *observer, const simt_platform *platform) {
  ((initcheck *)observer)->regions.platform = platform;
}

// ---- what the host does ------------------------------------------------------------------------

void simt_initcheck_allocated(simt_observer *observer, const simt_allocation *allocation) {
  simt_regions_add(&((initcheck *)observer)->regions, allocation);
}

void simt_initcheck_freed(simt_observer *observer, const simt_allocation *allocation) {
  simt_regions_remove(&((initcheck *)observer)->regions, allocation->address);
}

void simt_initcheck_host_wrote(simt_observer *observer, uint64_t address, uint64_t size_bytes) {
  initcheck *self = (initcheck *)observer;
  region *r = simt_regions_find(&self->regions, address, size_bytes);
  if (r) simt_region_write(&self->regions, r, address - r->address, size_bytes, 0);
}

// One piece of a copy that lies in one page on both sides. `p`: the source's page.
static void copy_piece(initcheck *self, region *to, uint64_t at, const page *p, uint32_t first,
                       uint32_t n) {
  if (p == &self->regions.complete) {
    simt_region_write(&self->regions, to, at, n, 0);
    return;
  }
  if (!p) {
    simt_region_set(&self->regions, to, at, n, false);
    return;
  }
  for (uint32_t i = 0; i < n; i++) {
    uint32_t from = first + i;
    if (p->written[from / SIMT_BITS] >> from % SIMT_BITS & 1)
      simt_region_write(&self->regions, to, at + i, 1, p->writer[from / SIMT_WORD_BYTES]);
    else simt_region_set(&self->regions, to, at + i, 1, false);
  }
}

void simt_initcheck_copied(simt_observer *observer, uint64_t to, uint64_t from,
                           uint64_t size_bytes) {
  initcheck *self = (initcheck *)observer;
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

static hole_count count_holes(const region *r, uint64_t at, uint64_t end) {
  hole_count holes = {0};
  uint64_t start = at, counted = UINT64_MAX; // the last word counted
  for (;;) {
    uint64_t first = simt_region_find(r, at, end, false);
    if (first == end) return holes;
    at = simt_region_find(r, first, end, true);
    bool padding = first > start && at - first < r->widest && is_aligned_for(at, at - first);
    if (padding) continue;
    if (!holes.n) holes.first_byte = first;
    uint64_t low = first / SIMT_WORD_BYTES, high = (at - 1) / SIMT_WORD_BYTES;
    holes.n += high - low + 1 - (low == counted);
    counted = high;
  }
}

void simt_initcheck_host_reads(simt_observer *observer, uint64_t address, uint64_t size_bytes) {
  initcheck *self = (initcheck *)observer;
  region *r = simt_regions_find(&self->regions, address, size_bytes);
  if (!r || !r->missing || !size_bytes) return;
  simt_region_look_again(&self->regions, r);
  uint64_t at = address - r->address;
  hole_count holes = count_holes(r, at, at + size_bytes);
  if (!holes.n) return;
  uint64_t words = (at + size_bytes - 1) / SIMT_WORD_BYTES - at / SIMT_WORD_BYTES + 1;
  char text[400];
  snprintf(text, sizeof text,
           "%" PRIu64 " of the %" PRIu64 " four-byte words copied from allocation #%" PRIu64
           " (%" PRIu64
           " bytes) were never written, by no kernel, copy or cudaMemset. The first is "
           "word %" PRIu64 " of the allocation (byte %" PRIu64 ").",
           holes.n, words, r->serial, r->size_bytes, holes.first_byte / SIMT_WORD_BYTES,
           holes.first_byte);
  simt_findings_add_text(self->findings, SIMT_FINDING_output_never_written, text);
  simt_region_set(&self->regions, r, at, size_bytes, true);
}

uint64_t simt_initcheck_last_writer(const simt_observer *observer, uint64_t address) {
  const region *r = simt_regions_find(&((const initcheck *)observer)->regions, address, 1);
  if (!r) return 0;
  uint64_t at = address - r->address;
  const page *p = r->pages[at / SIMT_PAGE_BYTES];
  return p ? p->writer[at % SIMT_PAGE_BYTES / SIMT_WORD_BYTES] : 0;
}

// ---- findings ----------------------------------------------------------------------------------

// Which lanes read uninitialised bytes, gathered lane by lane.
typedef struct victims {
  uint32_t lanes;
  uint32_t first_gaps, gaps; // uninitialised bytes of the lowest of them, and of any
} victims;

// An exchange whose old value no instruction reads is a store.
static bool is_store_in_disguise(const initcheck *self, const simt_access *a) {
  const simt_instr *in = simt_code_at(self->info, a->pc);
  return in && in->memory.operation == ISA_ATOM_EXCH && in->memory.is_unread;
}

// Whether bytes in `gaps` of what the lanes access do not matter, because nothing depends on them.
static bool is_harmless(initcheck *self, const simt_access *a, uint32_t gaps) {
  if (a->kind == SIMT_ATOMIC) return is_store_in_disguise(self, a);
  uint32_t element = simt_element_bytes(a), elements = 0;
  for (uint32_t i = 0; i * element < a->width_bytes; i++)
    if (gaps >> i * element & simt_bits_of(0, element)) elements |= 1u << i;
  uint8_t *known = a->pc < self->n_hints ? &self->verdicts[a->pc] : NULL;
  if (known && *known >> 1 == elements) return *known & 1;
  bool harmless = simt_load_is_speculative(self->info, a->pc, elements);
  if (known) *known = (uint8_t)(elements << 1 | harmless);
  return harmless;
}

// Returns the lanes whose mistake was reported: those that read uninitialised bytes, or none.
static uint32_t report(initcheck *self, const simt_access *a, const victims *v) {
  if (!v->lanes || is_harmless(self, a, v->gaps)) return 0;
  uint32_t lane = simt_lowest_lane(v->lanes), element = simt_element_bytes(a);
  uint32_t lanes = a->pattern == SIMT_PATTERN_UNIFORM ? a->mask : v->lanes;
  uint32_t at = simt_lowest_lane(v->first_gaps) / element * element;
  uint32_t n = (uint32_t)__builtin_popcountll(v->first_gaps >> at & simt_bits_of(0, element));
  bool shared = a->space == PTX_SPACE_SHARED;
  char part[48] = "", all[64];
  if (n < element) snprintf(part, sizeof part, "%u of its %u bytes: ", n, element);
  simt_finding f = {.kind = shared ? SIMT_FINDING_uninitialised_shared
                                   : SIMT_FINDING_uninitialised_global,
                    .first = simt_site_of_access(a, lane, at),
                    .space = a->space,
                    .address = a->address[lane] + at,
                    .width_bytes = element};
  snprintf(f.detail, sizeof f.detail, "%s%s; %s read such bytes here", part,
           shared ? "no thread of the block had written there by then"
                  : "no kernel, no copy and no cudaMemset has written there",
           simt_name_lanes(lanes, all, sizeof all));
  snprintf(f.advice, sizeof f.advice, "%s",
           shared ? "write every element before it is read, with __syncthreads() between; shared "
                    "memory begins with arbitrary values in every block"
                  : "fill it first: a copy from the host, cudaMemset(), or a kernel launched "
                    "earlier; or check the index");
  simt_findings_add(self->findings, &f);
  return v->lanes;
}

// ---- accesses ----------------------------------------------------------------------------------

static void judge(victims *v, uint32_t lane, uint32_t gaps, uint64_t at, uint32_t width,
                  uint32_t widest) {
  if (!gaps || is_padding(gaps, at, width, widest)) return;
  if (!v->lanes) v->first_gaps = gaps;
  v->gaps |= gaps;
  v->lanes |= 1u << lane;
}

static region *region_of(initcheck *self, const simt_access *a, uint64_t address) {
  region *r = a->pc < self->n_hints ? self->hints[a->pc] : NULL;
  if (r && simt_region_holds(r, address, a->width_bytes)) return r;
  r = simt_regions_find(&self->regions, address, a->width_bytes);
  if (a->pc < self->n_hints) self->hints[a->pc] = r;
  return r;
}

static void widen(uint32_t *widest, const simt_access *a) {
  uint32_t element = simt_element_bytes(a);
  if (a->kind == SIMT_STORE && element > *widest) *widest = element;
}

static void look_at_page(const region *r, const simt_access *a, uint32_t lane, victims *v) {
  uint64_t at = a->address[lane] - r->address;
  const page *p = r->pages[at / SIMT_PAGE_BYTES];
  uint32_t gaps = p ? simt_bits_gaps(p->written, (uint32_t)(at % SIMT_PAGE_BYTES), a->width_bytes)
                    : (uint32_t)simt_bits_of(0, a->width_bytes);
  judge(v, lane, gaps, at, a->width_bytes, r->widest);
}

// Full warp, neighbouring elements of one region: the usual case. False: not that, or not clean.
static bool whole_warp_global(initcheck *self, const simt_access *a) {
  if (a->pattern != SIMT_PATTERN_CONTIGUOUS) return false;
  region *r = region_of(self, a, a->address[0]);
  uint64_t bytes = (uint64_t)a->width_bytes * SIMT_LANES;
  if (!r || !simt_region_holds(r, a->address[0], bytes)) return false;
  uint64_t at = a->address[0] - r->address;
  if (a->kind != SIMT_STORE && r->missing && !simt_region_is_written(r, at, bytes)) return false;
  if (a->kind == SIMT_LOAD) return true;
  widen(&r->widest, a);
  simt_region_write(&self->regions, r, at, bytes, (uint32_t)self->info->launch);
  return true;
}

static void check_global(initcheck *self, const simt_access *a) {
  if (whole_warp_global(self, a)) return;
  uint32_t mask = a->mask;
  if (a->pattern == SIMT_PATTERN_UNIFORM) mask &= -mask; // one stands for all
  victims v = {0};
  for (uint32_t left = mask; left && a->kind != SIMT_STORE; left &= left - 1) {
    uint32_t lane = simt_lowest_lane(left);
    const region *r = region_of(self, a, a->address[lane]);
    if (r && r->missing) look_at_page(r, a, lane, &v);
  }
  v.lanes = report(self, a, &v);
  for (uint32_t left = a->kind == SIMT_LOAD ? v.lanes : mask; left; left &= left - 1) {
    uint32_t lane = simt_lowest_lane(left);
    region *r = region_of(self, a, a->address[lane]);
    if (!r) continue;
    widen(&r->widest, a);
    uint64_t at = a->address[lane] - r->address;
    if (a->kind == SIMT_LOAD) simt_region_set(&self->regions, r, at, a->width_bytes, true);
    else simt_region_write(&self->regions, r, at, a->width_bytes, (uint32_t)self->info->launch);
  }
}

static bool whole_warp_shared(shared_shadow *s, const simt_access *a) {
  if (a->pattern != SIMT_PATTERN_CONTIGUOUS) return false;
  uint32_t at = (uint32_t)a->address[0], bytes = a->width_bytes * SIMT_LANES;
  if (a->kind != SIMT_STORE) return simt_bits_are_set(s->written, at, bytes);
  widen(&s->widest, a);
  simt_bits_put(s->written, at, bytes, true);
  return true;
}

static void check_shared(initcheck *self, const simt_access *a) {
  shared_shadow *s = simt_blocks_of(&self->shadows, a->block);
  if (!s || whole_warp_shared(s, a)) return;
  uint32_t mask = a->mask;
  if (a->pattern == SIMT_PATTERN_UNIFORM) mask &= -mask;
  victims v = {0};
  for (uint32_t left = mask; left && a->kind != SIMT_STORE; left &= left - 1) {
    uint32_t lane = simt_lowest_lane(left);
    uint64_t at = a->address[lane];
    uint32_t gaps = simt_bits_gaps(s->written, (uint32_t)at, a->width_bytes);
    if (gaps) judge(&v, lane, gaps, at, a->width_bytes, s->widest);
  }
  v.lanes = report(self, a, &v);
  widen(&s->widest, a);
  for (uint32_t left = a->kind == SIMT_LOAD ? v.lanes : mask; left; left &= left - 1) {
    uint32_t at = (uint32_t)a->address[simt_lowest_lane(left)];
    s->written[at / SIMT_BITS] |= simt_bits_of(at % SIMT_BITS, a->width_bytes);
  }
}

static void on_access(simt_observer *observer, const simt_access *a) {
  initcheck *self = (initcheck *)observer;
  if (!a->mask) return;
  if (a->space == PTX_SPACE_SHARED) check_shared(self, a);
  else if (a->space == PTX_SPACE_GLOBAL) check_global(self, a);
}

// ---- launches and blocks -----------------------------------------------------------------------

static void drop_launch(initcheck *self) {
  free(self->hints);
  free(self->verdicts);
  simt_blocks_free(&self->shadows);
  self->hints = NULL;
  self->verdicts = NULL;
  self->n_hints = 0;
  self->info = NULL;
}

static void on_launch_begin(simt_observer *observer, const simt_launch_info *info) {
  initcheck *self = (initcheck *)observer;
  drop_launch(self);
  self->info = info;
  self->hints = calloc(info->n_code, sizeof(region *));
  self->verdicts = calloc(info->n_code, 1);
  self->n_hints = self->hints && self->verdicts ? info->n_code : 0;
  for (size_t i = 0; i < self->regions.n; i++)
    simt_region_look_again(&self->regions, self->regions.at[i]);
  uint64_t words = info->shared_bytes / SIMT_BITS + 1;
  simt_blocks_begin(&self->shadows, sizeof(shared_shadow) + (size_t)words * sizeof(uint64_t));
}

// Without memory the block's shared memory is not watched.
static void on_block_begin(simt_observer *observer, uint32_t block) {
  initcheck *self = (initcheck *)observer;
  if (!self->info->shared_bytes) return;
  shared_shadow *s = simt_blocks_add(&self->shadows, block);
  if (s) s->widest = 1;
}

static void on_block_end(simt_observer *observer, uint32_t block) {
  simt_blocks_remove(&((initcheck *)observer)->shadows, block);
}

static void on_launch_end(simt_observer *observer, const simt_launch_info *info,
                          const simt_profile *profile) {
  (void)info, (void)profile;
  drop_launch((initcheck *)observer);
}

simt_observer *simt_initcheck_create(simt_findings *findings) {
  initcheck *self = calloc(1, sizeof *self);
  if (!self) return NULL;
  self->findings = findings;
  simt_regions_begin(&self->regions, NULL);
  self->hooks.launch_begin = on_launch_begin;
  self->hooks.access = on_access;
  self->hooks.block_begin = on_block_begin;
  self->hooks.block_end = on_block_end;
  self->hooks.launch_end = on_launch_end;
  return &self->hooks;
}

void simt_initcheck_destroy(simt_observer *observer) {
  initcheck *self = (initcheck *)observer;
  if (!self) return;
  drop_launch(self);
  simt_regions_free(&self->regions);
  free(self);
}
