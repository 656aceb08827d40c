// SPDX-License-Identifier: MIT
// core/footprint.c - see core/footprint.h. What was there is kept by allocation, which is what
// core/speculate.c watches; what was written by page, of which only those are kept that changed.
//
// Bytes need not be compared again while nothing may have changed them (n_changes). So the copy of
// a large allocation that stays as it is can be done without.
#include "core/footprint.h"

#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "device/memory_tables.h"

#define NEVER UINT64_MAX

typedef struct page { // that the launch changed
  uint64_t offset;    // in the allocation
  size_t n_bytes;
  uint8_t *after; // [n_bytes]
} page;

typedef struct part { // of one allocation
  uint64_t serial, address, size_bytes;
  const uint8_t *host; // while it is being taken
  uint8_t *before;     // [size_bytes]; NULL: there was no room for it
  uint64_t n_changes;  // of the allocation when it last held these bytes; NEVER: compare them
  page *pages;
  uint32_t n_pages, room;
} part;

struct simt_footprint {
  uint64_t most_bytes, n_bytes;
  part *parts;
  uint32_t n_parts, room;
  bool is_taken, has_failed;
  bool polls; // the kernel may wait for the host
};

// ---- which kernels -----------------------------------------------------------------------------

// Forms that are not named here, future ones too, are taken for something else than memory.
static bool depends_on_memory_alone(uint8_t form) {
  switch (form) {
  case ISA_LANES:
  case ISA_SETP:
  case ISA_PACK:
  case ISA_UNPACK:
  case ISA_ISSPACEP: // only modules make and free constants; engine/repeat.c sees to that
  case ISA_LOAD:
  case ISA_STORE:
  case ISA_ATOM:
  case ISA_RED:
  case ISA_BRANCH:
  case ISA_EXIT:
  case ISA_TRAP: // a launch that faults leaves no footprint
  case ISA_BARRIER:
  case ISA_BARRIER_RED:
  case ISA_BARRIER_ARRIVE:
  case ISA_CLUSTER_ARRIVE:
  case ISA_CLUSTER_WAIT:
  case ISA_WARP_SYNC:
  case ISA_SHUFFLE:
  case ISA_VOTE:
  case ISA_MATCH:
  case ISA_REDUX:
  case ISA_ACTIVEMASK:
  case ISA_FENCE:
  case ISA_NANOSLEEP:
  case ISA_NOP:
  case ISA_ASYNC_COPY:
  case ISA_ASYNC_COMMIT:
  case ISA_ASYNC_WAIT:
  case ISA_BULK_COPY:
  case ISA_TEXTURE:
  case SIMT_FORM_MARKER:
  case SIMT_FORM_ASSERT: // one that fails is a fault
  case SIMT_FORM_GRID_SYNC:
  case SIMT_FORM_CALL:
  case SIMT_FORM_RETURN: return true;
  default: return false;
  }
}

bool simt_is_repeatable(const simt_kernel *kernel) {
  for (uint32_t pc = 0; pc < kernel->n_code; pc++)
    if (!depends_on_memory_alone(kernel->code[pc].form)) return false;
  return true;
}

// Loads that see what others do while the kernel runs.
static bool polls(const simt_kernel *kernel) {
  for (uint32_t pc = 0; pc < kernel->n_code; pc++)
    if (kernel->code[pc].form == ISA_LOAD && kernel->code[pc].memory.order != ISA_WEAK) return true;
  return false;
}

// ---- life --------------------------------------------------------------------------------------

simt_footprint *simt_footprint_create(uint64_t most_bytes) {
  simt_footprint *f = calloc(1, sizeof *f);
  if (f) f->most_bytes = most_bytes;
  return f;
}

static void empty(simt_footprint *f) {
  for (uint32_t i = 0; i < f->n_parts; i++) {
    for (uint32_t k = 0; k < f->parts[i].n_pages; k++) free(f->parts[i].pages[k].after);
    free(f->parts[i].pages);
    free(f->parts[i].before);
  }
  free(f->parts);
  *f = (simt_footprint){.most_bytes = f->most_bytes};
}

void simt_footprint_destroy(simt_footprint *f) {
  if (f) empty(f);
  free(f);
}

bool simt_footprint_is_taken(const simt_footprint *f) { return f->is_taken; }
uint64_t simt_footprint_bytes(const simt_footprint *f) { return f->n_bytes; }

// ---- taking ------------------------------------------------------------------------------------

// `bytes` of host memory, or NULL where that is too much.
static void *keep(simt_footprint *f, const void *from, uint64_t bytes) {
  void *copy = f->most_bytes - f->n_bytes >= bytes ? malloc((size_t)bytes + 1) : NULL;
  if (!copy) return NULL;
  f->n_bytes += bytes;
  return memcpy(copy, from, (size_t)bytes);
}

static bool is_devices_own(const simt_allocation *a) {
  return !simt_is_host_kind(a->kind) && !a->is_borrowed;
}

static void add_part(const simt_touched *touched, void *data) {
  simt_footprint *f = data;
  if (f->polls && touched->is_hosts) f->has_failed = true;
  part *parts = simt_grow(f->parts, f->n_parts, &f->room, sizeof *parts);
  if (!parts) {
    f->has_failed = true;
    return;
  }
  f->parts = parts;
  parts[f->n_parts++] = (part){.serial = touched->serial,
                               .address = touched->address,
                               .size_bytes = touched->size_bytes,
                               .host = touched->host,
                               .n_changes = NEVER};
}

static void sort_by_size(part *parts, uint32_t n) { // there are few
  for (uint32_t i = 1; i < n; i++) {
    const part p = parts[i];
    uint32_t at = i;
    for (; at && parts[at - 1].size_bytes > p.size_bytes; at--) parts[at] = parts[at - 1];
    parts[at] = p;
  }
}

// The bytes that they hold now, behind the launch, the small ones first; add_page() puts back what
// was there before.
static void keep_parts(simt_footprint *f, const simt_memory *memory) {
  sort_by_size(f->parts, f->n_parts);
  for (uint32_t i = 0; i < f->n_parts; i++) {
    part *p = &f->parts[i];
    const simt_allocation *a = simt_memory_find(memory, p->address, p->size_bytes);
    p->before = keep(f, p->host, p->size_bytes);
    if (a && is_devices_own(a)) p->n_changes = a->n_changes;
    f->has_failed |= !p->before && p->n_changes == NEVER;
  }
}

static part *part_of(const simt_footprint *f, const uint8_t *host) {
  for (uint32_t i = 0; i < f->n_parts; i++) {
    part *p = &f->parts[i];
    if (host >= p->host && host < p->host + p->size_bytes) return p;
  }
  return NULL;
}

static void add_page(const simt_saved_page *saved, void *data) {
  simt_footprint *f = data;
  if (f->has_failed || !memcmp(saved->copy, saved->host, saved->n_bytes)) return;
  part *p = part_of(f, saved->host);
  uint8_t *after = keep(f, saved->host, saved->n_bytes);
  page *pages = p ? simt_grow(p->pages, p->n_pages, &p->room, sizeof *pages) : NULL;
  if (pages) p->pages = pages;
  if (!pages || !after || !p->before) {
    free(after);
    f->has_failed = true;
    return;
  }
  page *new = &pages[p->n_pages++];
  *new = (page){
      .offset = (uint64_t)(saved->host - p->host), .n_bytes = saved->n_bytes, .after = after};
  p->n_changes = NEVER; // it does not hold any more what it held
  memcpy(p->before + new->offset, saved->copy, saved->n_bytes);
}

void simt_footprint_take(const simt_core *core, const simt_speculation *notes) {
  simt_footprint *f = core->launch->footprint;
  if (!f) return;
  f->polls = polls(core->kernel);
  simt_speculation_each(notes, add_part, f);
  keep_parts(f, core->memory);
  simt_speculation_each_page(notes, add_page, f);
  if (f->has_failed) empty(f);
  else f->is_taken = true;
}

// ---- repeating ---------------------------------------------------------------------------------

static bool holds_again(part *p, const simt_allocation *a) {
  if (p->n_changes != NEVER && a->n_changes == p->n_changes) return true;
  if (!p->before || memcmp(a->host, p->before, (size_t)p->size_bytes) != 0) return false;
  if (is_devices_own(a)) p->n_changes = a->n_changes;
  return true;
}

bool simt_footprint_is_met(simt_footprint *f, const simt_memory *memory) {
  if (!f->is_taken) return false;
  for (uint32_t i = 0; i < f->n_parts; i++) { // the small ones first
    part *p = &f->parts[i];
    const simt_allocation *a = simt_memory_find(memory, p->address, p->size_bytes);
    if (!a || a->serial != p->serial || !holds_again(p, a)) return false;
  }
  return true;
}

void simt_footprint_repeat(const simt_footprint *f, simt_memory *memory) {
  for (uint32_t i = 0; i < f->n_parts; i++) {
    const part *p = &f->parts[i];
    if (!p->n_pages) continue;
    uint8_t *host = simt_memory_change(memory, p->address, p->size_bytes);
    for (uint32_t k = 0; k < p->n_pages; k++)
      memcpy(host + p->pages[k].offset, p->pages[k].after, p->pages[k].n_bytes);
  }
}
