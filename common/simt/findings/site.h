// SPDX-License-Identifier: MIT
// findings/site.h - how checkers describe a witness: its place, its value, and its lanes as text.
#ifndef SIMT_FINDINGS_SITE_H
#define SIMT_FINDINGS_SITE_H

#include <stdio.h>
#include <string.h>

#include "findings/findings.h"

static inline uint32_t simt_lowest_lane(uint32_t mask) { return (uint32_t)__builtin_ctz(mask); }

// Bytes of one element of what a lane loads or stores.
static inline uint32_t simt_element_bytes(const simt_access *a) {
  return a->vector > 1 ? a->width_bytes / a->vector : a->width_bytes;
}

// What `lane` did, with the value of the element at `offset_bytes` from its address: of a load and
// an atomic what it found there, of a store what it writes.
static inline simt_site simt_site_of_access(const simt_access *a, uint32_t lane,
                                            uint32_t offset_bytes) {
  simt_site site = {.act = a->kind == SIMT_LOAD    ? SIMT_ACT_READ
                           : a->kind == SIMT_STORE ? SIMT_ACT_WRITE
                                                   : SIMT_ACT_ATOMIC,
                    .is_volatile = a->is_volatile,
                    .pc = a->pc,
                    .block = a->block,
                    .warp = a->warp,
                    .lane = (int32_t)lane};
  uint32_t element = simt_element_bytes(a);
  const uint8_t *slot = a->kind == SIMT_STORE ? a->data[offset_bytes / element] : NULL;
  const uint8_t *bytes = slot                    ? slot + (size_t)lane * a->lane_bytes
                         : a->kind == SIMT_STORE ? NULL
                         : a->memory             ? a->memory + a->address[lane] + offset_bytes
                                                 : NULL;
  if (!bytes || element > sizeof site.value) return site;
  memcpy(&site.value, bytes, element);
  site.value_bytes = (uint8_t)element;
  return site;
}

// "lane 4", "lanes 0-15", "lanes 1, 3, 5 and 29 more".
static inline const char *simt_name_lanes(uint32_t mask, char *out, size_t out_bytes) {
  uint32_t first = simt_lowest_lane(mask), last = 31 - (uint32_t)__builtin_clz(mask);
  uint32_t n = (uint32_t)__builtin_popcount(mask);
  if (n == 1) snprintf(out, out_bytes, "lane %u", first);
  else if (n == last - first + 1) snprintf(out, out_bytes, "lanes %u-%u", first, last);
  else {
    uint32_t second = simt_lowest_lane(mask & (mask - 1));
    if (n == 2) snprintf(out, out_bytes, "lanes %u and %u", first, second);
    else snprintf(out, out_bytes, "lanes %u, %u and %u more", first, second, n - 2);
  }
  return out;
}

// "k.cu:12": the line of an instruction, the innermost one in the kernel's own file; "" when there
// is none.
static inline const char *simt_name_line(const simt_launch_info *info, uint32_t pc, char *out,
                                         size_t out_bytes) {
  const ptx_loc *locs = info->module ? info->module->locs : NULL, *own = NULL;
  int32_t first = info->code_loc && pc < info->n_code ? info->code_loc[pc] : -1, outermost = first;
  while (outermost >= 0 && locs[outermost].inlined_at >= 0) outermost = locs[outermost].inlined_at;
  for (int32_t at = first; at >= 0 && !own; at = locs[at].inlined_at)
    if (locs[at].line && locs[at].file == locs[outermost].file) own = &locs[at];
  out[0] = '\0';
  for (uint32_t i = 0; own && i < info->module->n_files; i++) {
    simt_str name = info->module->files[i].name;
    if (info->module->files[i].number != own->file) continue;
    for (uint32_t k = name.size; k-- > 0;)
      if (name.at[k] == '/') {
        name = (simt_str){name.at + k + 1, name.size - k - 1};
        break;
      }
    snprintf(out, out_bytes, "%.*s:%u", SIMT_STR_ARG(name), own->line);
  }
  return out;
}

#endif
