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
// Copies: a load whose value is only stored again is not a use (decode/analysis/copies.c). Bytes
// that are uninitialised at its source are uninitialised at its destination, too. The finding about
// the load is held back, and reported when such a byte is used, copied to the host, or stored where
// it cannot be followed: in local memory, or in memory that the host reads without a call.
//
// Computing: what a load has read may be thrown away, as a stencil's margin is. So the core follows
// it through registers (core/undefined.h), and the finding is held back until the value, or one
// computed from it, decides something or leaves the block: as a condition, an address, an operand
// of an atomic or a vote, or stored in global memory. Stored in shared memory it makes the bytes
// there uninitialised.
//
// Padding: compilers copy structures whole, gaps between their members included. A gap is taken for
// padding when it follows a written byte, is shorter than the widest element stored in that memory
// and ends where an element longer than the gap can begin: three bytes before a multiple of four,
// six before one of eight. It is not reported when the read or copy also covers written bytes.
// Copied bytes are judged where they were first copied. So a gap of that shape in an array of mixed
// widths is missed.
//
// Speculation: compilers load a variable before they know whether it is needed. Such loads are not
// reported (decode/analysis/speculation.c), and their bytes stay uninitialised.
//
// Not modelled: local memory; the last writer of single bytes.
#include "check/init.h"

#include <stdlib.h>

#include "check/checks.h"
#include "findings/site.h"

typedef simt_initcheck initcheck;
typedef simt_written_page page;
typedef simt_region region;

// ---- padding -----------------------------------------------------------------------------------

// Whether a member can begin at `end` for which `n` bytes of padding make room.
static bool is_aligned_for(uint64_t end, uint64_t n) {
  uint64_t alignment = 2;
  while (alignment <= n) alignment *= 2;
  return end % alignment == 0;
}

bool simt_initcheck_is_padding(uint64_t end, uint64_t n, uint32_t widest) {
  return n < widest && is_aligned_for(end, n);
}

// See the head of this file. `gaps` of `width` bytes at `address`, which counts from an aligned
// place.
static bool is_padding(uint32_t gaps, uint64_t address, uint32_t width, uint32_t widest) {
  while (gaps) {
    uint32_t first = simt_lowest_lane(gaps);
    uint32_t past = ~(gaps >> first), n = past ? simt_lowest_lane(past) : 32 - first;
    if (first == 0 || !simt_initcheck_is_padding(address + first + n, n, widest)) return false;
    if (first + n >= width) return true;
    gaps &= (uint32_t)~simt_bits_of(first, n);
  }
  return true;
}

// ---- findings ----------------------------------------------------------------------------------

// An exchange whose old value no instruction reads is a store.
static bool is_store_in_disguise(const initcheck *self, const simt_access *a) {
  const simt_instr *in = simt_code_at(self->info, a->pc);
  return in && in->memory.operation == ISA_ATOM_EXCH && in->memory.is_unread;
}

// Whether the bytes in `gaps` of the lanes' accesses do not matter, because nothing depends on
// them.
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

simt_finding simt_initcheck_describe(const simt_access *a, uint32_t reading, uint32_t gaps) {
  uint32_t lane = simt_lowest_lane(reading), element = simt_element_bytes(a);
  uint32_t lanes = a->pattern == SIMT_PATTERN_UNIFORM ? a->mask : reading;
  uint32_t at = simt_lowest_lane(gaps) / element * element;
  uint32_t n = (uint32_t)__builtin_popcountll(gaps >> at & simt_bits_of(0, element));
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
           shared ? "write every element before it is read, with __syncthreads() between, or read "
                    "only those that are written; shared memory begins with arbitrary values in "
                    "every block"
                  : "fill it first: a copy from the host, cudaMemset(), or a kernel launched "
                    "earlier; or check the index");
  return f;
}

static void take_as_written(initcheck *self, const simt_read *read) {
  simt_shared_shadow *s =
      read->space == PTX_SPACE_SHARED ? simt_blocks_of(&self->shadows, read->owner) : NULL;
  for (uint32_t left = read->lanes; left; left &= left - 1) {
    uint64_t at = read->address[simt_lowest_lane(left)];
    region *r = s ? NULL : simt_regions_find(&self->regions, at, read->width_bytes);
    if (s) simt_bits_put(s->written, (uint32_t)at, read->width_bytes, true);
    else if (r) simt_region_set(&self->regions, r, at - r->address, read->width_bytes, true);
  }
}

void simt_initcheck_release(initcheck *self, uint32_t origin) {
  simt_origin *from = &self->origins[origin - 1];
  simt_findings_release(self->findings, from->held);
  if (self->info && from->launch == self->info->launch) take_as_written(self, &from->latest);
  from->latest.lanes = 0;
}

// Returns the lanes whose mistake was reported: those that use uninitialised bytes, or none.
static uint32_t report(initcheck *self, const simt_access *a, const simt_victims *v) {
  if (!v->lanes || is_harmless(self, a, v->gaps) || simt_initcheck_follow(self, a, v)) return 0;
  simt_finding f = simt_initcheck_describe(a, v->lanes, v->first_gaps);
  if (v->origin) simt_initcheck_release(self, v->origin);
  else simt_findings_add(self->findings, &f);
  return v->lanes;
}

// ---- accesses ----------------------------------------------------------------------------------

// The first uninitialised byte that is used, or else that is copied.
static uint32_t first_used(uint32_t gaps, uint32_t copied) {
  return simt_lowest_lane(gaps & ~copied ? gaps & ~copied : gaps);
}

// `gaps`: the uninitialised bytes of what `lane` reads. `origin`: of the first of them.
static void judge(simt_victims *v, uint32_t lane, uint32_t gaps, uint32_t copied, uint32_t origin) {
  if (gaps & copied) {
    v->copying |= 1u << lane;
    v->copied[lane] = (uint16_t)(gaps & copied);
    v->origins[lane] = origin;
  }
  gaps &= ~copied;
  if (!gaps) return;
  if (!v->lanes) v->first_gaps = gaps, v->origin = origin;
  v->gaps |= gaps;
  v->lanes |= 1u << lane;
  v->read[lane] = (uint16_t)gaps;
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

static void look_at_page(const region *r, const simt_access *a, uint32_t lane, uint32_t copied,
                         simt_victims *v) {
  uint64_t at = a->address[lane] - r->address;
  const page *p = r->pages[at / SIMT_PAGE_BYTES];
  uint32_t gaps = p ? simt_bits_gaps(p->written, (uint32_t)(at % SIMT_PAGE_BYTES), a->width_bytes)
                    : (uint32_t)simt_bits_of(0, a->width_bytes);
  if (!gaps) return;
  uint32_t origin = simt_region_origin(r, at + first_used(gaps, copied));
  if (origin || !is_padding(gaps, at, a->width_bytes, r->widest))
    judge(v, lane, gaps, copied, origin);
}

// Full warp, neighbouring elements of one region: the usual case. False: another pattern, or some
// bytes are uninitialised.
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
  simt_victims v = {0};
  uint32_t copied = simt_initcheck_copied_bytes(self, a);
  for (uint32_t left = mask; left && a->kind != SIMT_STORE; left &= left - 1) {
    uint32_t lane = simt_lowest_lane(left);
    const region *r = region_of(self, a, a->address[lane]);
    if (r && r->missing) look_at_page(r, a, lane, copied, &v);
  }
  simt_initcheck_keep(self, a, &v);
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

static bool whole_warp_shared(simt_shared_shadow *s, const simt_access *a) {
  if (a->pattern != SIMT_PATTERN_CONTIGUOUS) return false;
  uint32_t at = (uint32_t)a->address[0], bytes = a->width_bytes * SIMT_LANES;
  if (a->kind != SIMT_STORE) return simt_bits_are_set(s->written, at, bytes);
  widen(&s->widest, a);
  simt_bits_put(s->written, at, bytes, true);
  return true;
}

static uint32_t shared_origin(const simt_shared_shadow *s, uint64_t at) {
  return s->origins[at / SIMT_WORD_BYTES];
}

static void check_shared(initcheck *self, const simt_access *a) {
  simt_shared_shadow *s = simt_blocks_of(&self->shadows, simt_owner_of(a));
  if (!s || whole_warp_shared(s, a)) return;
  uint32_t mask = a->mask;
  if (a->pattern == SIMT_PATTERN_UNIFORM) mask &= -mask;
  simt_victims v = {0};
  uint32_t copied = simt_initcheck_copied_bytes(self, a);
  for (uint32_t left = mask; left && a->kind != SIMT_STORE; left &= left - 1) {
    uint32_t lane = simt_lowest_lane(left);
    uint64_t at = a->address[lane];
    uint32_t gaps = simt_bits_gaps(s->written, (uint32_t)at, a->width_bytes);
    if (!gaps) continue;
    uint32_t origin = shared_origin(s, at + first_used(gaps, copied));
    if (origin || !is_padding(gaps, at, a->width_bytes, s->widest))
      judge(&v, lane, gaps, copied, origin);
  }
  simt_initcheck_keep(self, a, &v);
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
  bool copies = self->copies.n != 0;
  if (copies && a->kind == SIMT_LOAD)
    simt_copies_forget(&self->copies, a->block, a->warp, a->pc, a->mask);
  if (a->space == PTX_SPACE_SHARED) check_shared(self, a);
  else if (a->space == PTX_SPACE_GLOBAL) check_global(self, a);
  if (copies && a->kind == SIMT_STORE) simt_initcheck_store(self, a);
  if (a->undefined && a->kind == SIMT_STORE) simt_initcheck_store_computed(self, a);
}

static void on_undefined(simt_observer *observer, const simt_undefined_event *e) {
  if (e->origin) simt_initcheck_release((initcheck *)observer, e->origin);
}

// ---- launches and blocks -----------------------------------------------------------------------

static void drop_launch(initcheck *self) {
  free(self->hints);
  free(self->verdicts);
  free(self->held);
  simt_blocks_free(&self->shadows);
  simt_copies_free(&self->copies);
  self->hints = NULL;
  self->verdicts = NULL;
  self->held = NULL;
  self->n_hints = 0;
  self->info = NULL;
}

// The size of the bit map of a block's shared memory.
static uint64_t shadow_words(const simt_launch_info *info) {
  return info->shared_bytes / SIMT_BITS + 1;
}

static void on_launch_begin(simt_observer *observer, const simt_launch_info *info) {
  initcheck *self = (initcheck *)observer;
  drop_launch(self);
  self->info = info;
  self->hints = calloc(info->n_code, sizeof(region *));
  self->verdicts = calloc(info->n_code, 1);
  self->held = calloc(info->n_code, sizeof *self->held);
  self->n_hints = self->hints && self->verdicts && self->held ? info->n_code : 0;
  for (size_t i = 0; i < self->regions.n; i++)
    simt_region_look_again(&self->regions, self->regions.at[i]);
  uint64_t bytes = shadow_words(info) * sizeof(uint64_t);
  bytes += (info->shared_bytes / SIMT_WORD_BYTES + 1) * sizeof(uint32_t);
  simt_blocks_begin(&self->shadows, sizeof(simt_shared_shadow) + (size_t)bytes);
}

// Without memory the block's shared memory is not watched.
static void on_block_begin(simt_observer *observer, uint32_t block) {
  initcheck *self = (initcheck *)observer;
  if (!self->info->shared_bytes) return;
  simt_shared_shadow *s = simt_blocks_add(&self->shadows, block);
  if (!s) return;
  s->widest = 1;
  if (self->info->reserved_shared < self->info->shared_bytes)
    simt_bits_put(s->written, (uint32_t)self->info->reserved_shared,
                  (uint32_t)(self->info->shared_bytes - self->info->reserved_shared), true);
  s->origins = (uint32_t *)(void *)(s->written + shadow_words(self->info));
}

static void on_block_end(simt_observer *observer, uint32_t block) {
  simt_blocks_remove(&((initcheck *)observer)->shadows, block);
  simt_copies_end_block(&((initcheck *)observer)->copies, block);
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
  self->hooks.undefined = on_undefined;
  self->hooks.block_begin = on_block_begin;
  self->hooks.block_end = on_block_end;
  self->hooks.launch_end = on_launch_end;
  return &self->hooks;
}

void simt_initcheck_destroy(simt_observer *observer) {
  initcheck *self = (initcheck *)observer;
  if (!self) return;
  drop_launch(self);
  free(self->origins);
  simt_regions_free(&self->regions);
  free(self);
}
