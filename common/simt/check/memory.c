// SPDX-License-Identifier: MIT
// check/memory.c - the part of memcheck that needs an observer: accesses that leave the shared
// array from which their address is computed. They hit a neighbouring array, so their address is
// valid.
//
// Which array is meant is known per instruction (simt_code_facts.provenance); instructions whose
// address may come from several arrays are not judged, nor are those that leave one array of the
// dynamic shared memory for another, because to the hardware and to PTX all of it is one array.
// Bounds of memory as a whole, alignment, liveness and constant memory are device faults, which
// the execution core always checks (core/access.c); leaks and wrong frees belong to check/checks.c.
#include <inttypes.h>
#include <stdlib.h>

#include "findings/site.h"
#include "check/checks.h"
#include "base/names.h"

typedef struct memcheck {
  simt_observer hooks;
  simt_findings *findings;
  const simt_launch_info *info;
} memcheck;

// The array that the address of the access at `pc` is computed from; NULL when that is not known.
static const simt_shared_variable *array_of(const simt_launch_info *info, uint32_t pc) {
  if (!info || !info->facts.provenance || pc >= info->n_code) return NULL;
  int array = info->facts.provenance[pc];
  return array < 0 || (uint32_t)array >= info->n_shared_variables ? NULL
                                                                  : &info->shared_variables[array];
}

// One past the last byte of an array.
static uint64_t end_of(const simt_launch_info *info, const simt_shared_variable *v) {
  return v->is_dynamic ? info->shared_bytes : v->offset_bytes + v->size_bytes;
}

static bool contains(const simt_launch_info *info, const simt_shared_variable *v, uint64_t offset,
                     uint32_t width) {
  uint64_t end = end_of(info, v);
  return offset >= v->offset_bytes && offset < end && width <= end - offset;
}

// "a[64]", "a[-1]", or "a + 6 bytes" when the offset is not a whole number of elements.
static const char *name_element(const simt_shared_variable *v, uint64_t offset, uint32_t element,
                                char *out, size_t out_bytes) {
  char name[96];
  int64_t at = (int64_t)(offset - v->offset_bytes);
  simt_display_variable(v->name.at, v->name.size, name, sizeof name);
  if (v->size_bytes == element && !at) snprintf(out, out_bytes, "%s", name);
  else if (at % element) snprintf(out, out_bytes, "%s + %" PRId64 " bytes", name, at);
  else snprintf(out, out_bytes, "%s[%" PRId64 "]", name, at / element);
  return out;
}

static void describe(const simt_launch_info *info, const simt_shared_variable *meant,
                     uint64_t offset, uint32_t element, simt_finding *f) {
  char there[128], hit[128] = "no array", name[96];
  name_element(meant, offset, element, there, sizeof there);
  for (uint32_t i = 0; i < info->n_shared_variables; i++) {
    const simt_shared_variable *v = &info->shared_variables[i];
    if (v != meant && contains(info, v, offset, 1))
      name_element(v, offset, element, hit, sizeof hit);
  }
  simt_display_variable(meant->name.at, meant->name.size, name, sizeof name);
  uint64_t n = (end_of(info, meant) - meant->offset_bytes) / element;
  snprintf(f->detail, sizeof f->detail,
           "%.64s: %.32s has %" PRIu64 " element%s of %u byte%s; what lies "
           "there is %.64s",
           there, name, n, n == 1 ? "" : "s", element, element == 1 ? "" : "s", hit);
  snprintf(f->advice, sizeof f->advice,
           "check the index against the size of %.64s, or make the array larger", name);
}

// The first element of a lane's access that lies outside.
static void report(memcheck *self, const simt_access *a, uint32_t lane,
                   const simt_shared_variable *meant) {
  uint32_t element = simt_element_bytes(a), at = 0;
  while (at + element < a->width_bytes &&
         contains(self->info, meant, a->address[lane] + at, element))
    at += element;
  simt_finding f = {.kind = SIMT_FINDING_outside_array,
                    .first = simt_site_of_access(a, lane, at),
                    .space = PTX_SPACE_SHARED,
                    .address = a->address[lane] + at,
                    .width_bytes = element};
  describe(self->info, meant, f.address, element, &f);
  simt_findings_add(self->findings, &f);
}

static void on_access(simt_observer *observer, const simt_access *a) {
  memcheck *self = (memcheck *)observer;
  if (a->space != PTX_SPACE_SHARED) return;
  const simt_shared_variable *meant = array_of(self->info, a->pc);
  if (!meant || !a->mask) return;
  uint32_t first = simt_lowest_lane(a->mask);
  bool one_is_all = a->pattern == SIMT_PATTERN_UNIFORM ||
                    (a->pattern == SIMT_PATTERN_CONTIGUOUS &&
                     contains(self->info, meant, a->address[SIMT_LANES - 1], a->width_bytes));
  if (one_is_all && contains(self->info, meant, a->address[first], a->width_bytes)) return;
  for (uint32_t left = a->mask; left; left &= left - 1) {
    uint32_t lane = simt_lowest_lane(left);
    if (contains(self->info, meant, a->address[lane], a->width_bytes)) continue;
    report(self, a, lane, meant);
    return; // one witness for the warp
  }
}

static void on_launch_begin(simt_observer *observer, const simt_launch_info *info) {
  ((memcheck *)observer)->info = info;
}

static void on_launch_end(simt_observer *observer, const simt_launch_info *info,
                          const simt_profile *profile) {
  (void)info, (void)profile;
  ((memcheck *)observer)->info = NULL;
}

simt_observer *simt_memcheck_create(simt_findings *findings) {
  memcheck *self = calloc(1, sizeof *self);
  if (!self) return NULL;
  self->findings = findings;
  self->hooks.launch_begin = on_launch_begin;
  self->hooks.access = on_access;
  self->hooks.launch_end = on_launch_end;
  return &self->hooks;
}

void simt_memcheck_destroy(simt_observer *observer) { free(observer); }
