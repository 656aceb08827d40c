// SPDX-License-Identifier: MIT
// check/init_copies.c - initcheck: uninitialised bytes on their way from a load to where they, or
// what was computed from them, are stored. check/init.c has the rules.
#include <stdlib.h>
#include <string.h>

#include "check/init.h"
#include "findings/site.h"

uint32_t simt_initcheck_copied_bytes(const simt_initcheck *self, const simt_access *a) {
  const uint8_t *copied = self->info->facts.copied;
  if (a->kind != SIMT_LOAD || !copied || a->pc >= self->n_hints) return 0;
  uint32_t element = simt_element_bytes(a), bytes = 0;
  for (uint32_t i = 0; i < a->vector; i++)
    if (copied[a->pc] >> i & 1) bytes |= (uint32_t)simt_bits_of(i * element, element);
  return bytes;
}

// One for each block, so that a finding is about one whose value was used; after many blocks, one
// for all others.
enum { ORIGINS_PER_LOAD = 64 };

uint32_t simt_initcheck_origin(simt_initcheck *self, const simt_access *a, uint32_t reading,
                               uint32_t gaps) {
  if (a->pc >= self->n_hints) return 0;
  simt_load_origin *made = &self->held[a->pc];
  if (made->origin && (made->block == a->block || made->n >= ORIGINS_PER_LOAD)) return made->origin;
  if (self->n_origins == self->origins_capacity) {
    uint32_t capacity = self->origins_capacity ? 2 * self->origins_capacity : 16;
    simt_origin *grown = realloc(self->origins, capacity * sizeof *grown);
    if (!grown) return 0;
    self->origins = grown;
    self->origins_capacity = capacity;
  }
  simt_finding f = simt_initcheck_describe(a, reading, gaps);
  uint32_t held = simt_findings_hold(self->findings, &f);
  if (!held) return 0;
  self->origins[self->n_origins++] = (simt_origin){.held = held, .launch = self->info->launch};
  *made = (simt_load_origin){self->n_origins, a->block, made->n + 1};
  return self->n_origins;
}

void simt_initcheck_keep(simt_initcheck *self, const simt_access *a, const simt_victims *v) {
  if (!v->copying) return;
  uint32_t first = simt_lowest_lane(v->copying);
  uint32_t made = simt_initcheck_origin(self, a, v->copying, v->copied[first]);
  simt_copied *c = made ? simt_copies_of(&self->copies, a->block, a->warp, a->pc) : NULL;
  if (!c) return;
  uint32_t lanes = a->pattern == SIMT_PATTERN_UNIFORM ? a->mask : v->copying;
  c->lanes |= lanes;
  for (; lanes; lanes &= lanes - 1) {
    uint32_t lane = simt_lowest_lane(lanes);
    uint32_t from = v->copying >> lane & 1 ? lane : first;
    c->gaps[lane] = v->copied[from];
    c->origin[lane] = v->origins[from] ? v->origins[from] : made;
  }
}

// Some bytes that a lane has just stored are uninitialised. Where they cannot be followed any
// further, this is the last chance to report them.
static void store_gap(simt_initcheck *self, const simt_access *a, uint64_t address, uint32_t gaps,
                      uint32_t origin) {
  simt_region *r =
      a->space == PTX_SPACE_GLOBAL ? simt_regions_find(&self->regions, address, 1) : NULL;
  simt_shared_shadow *s =
      a->space == PTX_SPACE_SHARED ? simt_blocks_of(&self->shadows, simt_owner_of(a)) : NULL;
  if ((!r || r->managed) && !s) {
    simt_initcheck_release(self, origin);
    return;
  }
  for (; gaps; gaps &= gaps - 1) {
    uint64_t at = address + simt_lowest_lane(gaps);
    if (r) {
      simt_region_copy_gap(&self->regions, r, at - r->address, 1, origin);
    } else {
      simt_bits_put(s->written, (uint32_t)at, 1, false);
      s->origins[at / SIMT_WORD_BYTES] = origin;
    }
  }
}

void simt_initcheck_store(simt_initcheck *self, const simt_access *a) {
  const uint32_t *sources = &self->info->facts.copy_sources[a->pc * SIMT_COPY_ELEMENTS];
  uint32_t width = simt_element_bytes(a);
  for (uint32_t i = 0; i < a->vector; i++) {
    uint32_t source = sources[i]; // cppcheck-suppress objectIndex ; an array per instruction
    if (source == SIMT_NO_COPY) continue;
    uint32_t pc = source / SIMT_COPY_ELEMENTS, element = source % SIMT_COPY_ELEMENTS;
    const simt_copied *c = simt_copies_find(&self->copies, a->block, a->warp, pc);
    uint32_t first = element * simt_code_at(self->info, pc)->memory.width_bytes;
    for (uint32_t left = c ? a->mask & c->lanes : 0; left; left &= left - 1) {
      uint32_t lane = simt_lowest_lane(left);
      uint32_t gaps = c->gaps[lane] >> first & (uint32_t)simt_bits_of(0, width);
      if (gaps) store_gap(self, a, a->address[lane] + i * width, gaps, c->origin[lane]);
    }
  }
}

// ---- what is computed --------------------------------------------------------------------------

bool simt_initcheck_follow(simt_initcheck *self, const simt_access *a, const simt_victims *v) {
  if (!a->undefined) return false;
  uint32_t origin = v->origin;
  if (!origin) origin = simt_initcheck_origin(self, a, v->lanes, v->first_gaps);
  if (!origin) return false;
  simt_read *latest = &self->origins[origin - 1].latest;
  *latest = (simt_read){.lanes = v->lanes,
                        .owner = simt_owner_of(a),
                        .width_bytes = a->width_bytes,
                        .space = a->space};
  memcpy(latest->address, a->address, sizeof latest->address);
  uint32_t width = simt_element_bytes(a);
  for (uint32_t i = 0; i < a->vector; i++) {
    uint32_t lanes = 0, bytes = (uint32_t)simt_bits_of(i * width, width);
    for (uint32_t left = v->lanes; left; left &= left - 1) {
      uint32_t lane = simt_lowest_lane(left);
      if (v->read[lane] & bytes) lanes |= 1u << lane;
    }
    if (lanes && a->pattern == SIMT_PATTERN_UNIFORM) lanes = a->mask;
    a->undefined->lanes[i] = lanes;
    a->undefined->origin[i] = origin;
  }
  return true;
}

void simt_initcheck_store_computed(simt_initcheck *self, const simt_access *a) {
  uint32_t width = simt_element_bytes(a);
  for (uint32_t i = 0; i < a->vector; i++) {
    uint32_t lanes = a->undefined->lanes[i], origin = a->undefined->origin[i];
    if (lanes && a->space != PTX_SPACE_SHARED) simt_initcheck_release(self, origin);
    if (a->space != PTX_SPACE_SHARED) continue;
    for (; lanes; lanes &= lanes - 1) {
      uint64_t address = a->address[simt_lowest_lane(lanes)] + i * width;
      store_gap(self, a, address, (uint32_t)simt_bits_of(0, width), origin);
    }
  }
}
