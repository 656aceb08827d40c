// SPDX-License-Identifier: MIT
// check/race/pairs.c - what racecheck has found in a launch: one finding for each pair of places,
// with a count. They go to the set of findings when the launch ends, so that what workers on other
// host threads have found can be merged in the order of blocks, or dropped.
#include <stdlib.h>
#include <string.h>

#include "check/race/race_internal.h"
#include "findings/site.h"

enum { LANES = SIMT_LANES };

static bool is_same_pair(const simt_finding *a, const simt_finding *b) {
  return a->kind == b->kind && a->first.pc == b->first.pc && a->second.pc == b->second.pc &&
         a->relation == b->relation && a->space == b->space;
}

void simt_race_add(simt_race *r, const simt_finding *finding, uint64_t count) {
  for (uint32_t i = 0; i < r->n_pairs; i++) {
    if (!is_same_pair(&r->pairs[i].finding, finding)) continue;
    r->pairs[i].count += count;
    return;
  }
  if (r->n_pairs == r->pairs_capacity) {
    uint32_t capacity = r->pairs_capacity ? 2 * r->pairs_capacity : 8;
    simt_race_pair *grown = realloc(r->pairs, capacity * sizeof *grown);
    if (!grown) {
      r->is_incomplete = true;
      return;
    }
    r->pairs = grown;
    r->pairs_capacity = capacity;
  }
  r->pairs[r->n_pairs++] = (simt_race_pair){*finding, count};
}

static simt_act act_of(uint32_t who) {
  switch (who & SIMT_WHO_ATOMIC) {
  case SIMT_WHO_READ: return SIMT_ACT_READ;
  case SIMT_WHO_WRITE: return SIMT_ACT_WRITE;
  default: return SIMT_ACT_ATOMIC;
  }
}

static simt_finding_kind kind_of(uint32_t earlier, uint32_t later) {
  if ((earlier & SIMT_WHO_ATOMIC) == SIMT_WHO_ATOMIC ||
      (later & SIMT_WHO_ATOMIC) == SIMT_WHO_ATOMIC)
    return SIMT_FINDING_race_atomic;
  if (!(earlier & SIMT_WHO_WRITE)) return SIMT_FINDING_race_write_after_read;
  if (!(later & SIMT_WHO_WRITE)) return SIMT_FINDING_race_read_after_write;
  return SIMT_FINDING_race_write_after_write;
}

uint64_t simt_race_stored(const simt_access *a, uint32_t lane, uint32_t at, uint32_t n) {
  uint64_t value = 0;
  uint32_t element = simt_element_bytes(a);
  for (uint32_t done = 0; done < n;) { // a word may hold several elements
    uint32_t from = (at + done) % element, left = element - from;
    const uint8_t *slot = a->data[(at + done) / element];
    if (left > n - done) left = n - done;
    if (slot) memcpy((uint8_t *)&value + done, slot + (size_t)lane * a->lane_bytes + from, left);
    done += left;
  }
  return value;
}

// The element that holds `address`: where it is, and its value as far as it is known.
static void describe_second(const simt_visit *v, simt_finding *f, uint32_t lane, uint64_t address) {
  const simt_access *a = v->access;
  uint32_t element = simt_element_bytes(a);
  uint32_t at = (uint32_t)(address - a->address[lane]) / element * element;
  bool is_load = a->kind == SIMT_LOAD;
  f->address = a->address[lane] + at;
  f->width_bytes = element;
  f->second.value_bytes = 0;
  if (element > sizeof f->second.value || (is_load ? !a->memory : !a->data[0])) return;
  f->second.value_bytes = (uint8_t)element;
  if (is_load) memcpy(&f->second.value, a->memory + f->address, element);
  else f->second.value = simt_race_stored(a, lane, at, element);
}

// Two lanes of one and the same store.
static bool is_one_store(const simt_race *r, const simt_visit *v, uint32_t tick, uint32_t who,
                         uint32_t lane, uint64_t address) {
  const simt_access *a = v->access;
  return a->kind == SIMT_STORE && tick == r->order.tick && who == v->who && a->mask >> lane & 1 &&
         address - a->address[lane] < a->width_bytes;
}

static bool is_one_cluster(const simt_race *r, const simt_visit *v, const simt_conflict *c) {
  if (r->info.cluster_blocks <= 1) return false;
  const uint32_t earlier = simt_order_block_at(&r->order, c->tick);
  return simt_race_cluster(&r->info, earlier) == simt_race_cluster(&r->info, v->block->block);
}

static simt_relation relation_of(const simt_race *r, const simt_visit *v, const simt_conflict *c) {
  if (!c->is_own) return is_one_cluster(r, v, c) ? SIMT_RELATION_CLUSTER : SIMT_RELATION_GRID;
  if (simt_who_warp(c->who) != v->access->warp) return SIMT_RELATION_BLOCK;
  return is_one_store(r, v, c->tick, c->who, c->lane, c->address) ? SIMT_RELATION_LANE
                                                                  : SIMT_RELATION_WARP;
}

static bool is_narrow(const simt_race *r, const simt_visit *v, const simt_conflict *c) {
  return c->too_narrow ||
         (!c->is_own && simt_order_is_narrow(&r->order, v->block, v->access->warp, c->later_lane,
                                             c->tick, simt_who_warp(c->who) * LANES + c->lane));
}

static simt_site site_of(uint32_t who, uint32_t block, uint32_t lane) {
  return (simt_site){.act = (uint8_t)act_of(who),
                     .is_volatile = (who & SIMT_WHO_VOLATILE) != 0,
                     .pc = simt_who_pc(who),
                     .block = block,
                     .warp = simt_who_warp(who),
                     .lane = (int32_t)lane};
}

// Whether a file is one of the library's headers: a program may have files of the same name, but
// not in the folders that compilers take these headers from.
static bool is_header_of_groups(simt_str name) {
  return simt_str_contains(name, "/include/cooperative_groups.h") ||
         simt_str_contains(name, "/include/cooperative_groups/") ||
         simt_str_contains(name, "/include/simt/cooperative_groups.h") ||
         simt_str_contains(name, "/include/simt/cooperative_groups/");
}

// NVIDIA's tiles of several warps pass values on in shared memory, and rely on shuffles and on
// lanes in step between these accesses. That is the library's to answer for, not the program's.
static bool is_inside_groups(const simt_race *r, uint32_t pc) {
  const simt_launch_info *l = &r->info;
  const int32_t at = l->code_loc && pc < l->n_code ? l->code_loc[pc] : -1;
  if (at < 0 || (uint32_t)at >= l->module->n_locs) return false;
  for (uint32_t i = 0; i < l->module->n_files; i++)
    if (l->module->files[i].number == l->module->locs[at].file)
      return is_header_of_groups(l->module->files[i].name);
  return false;
}

void simt_race_report(simt_race *r, const simt_visit *v, const simt_conflict *c) {
  if (r->order.clocks.is_exhausted) return; // too little is known by now
  if (v->access->space == PTX_SPACE_SHARED && is_inside_groups(r, simt_who_pc(c->who)) &&
      is_inside_groups(r, simt_who_pc(v->who)))
    return;
  uint32_t block = c->is_own ? v->block->block : simt_order_block_at(&r->order, c->tick);
  simt_finding f = {.kind = kind_of(c->who, v->who),
                    .first = site_of(c->who, block, c->lane),
                    .second = site_of(v->who, v->block->block, c->later_lane),
                    .relation = (uint8_t)relation_of(r, v, c),
                    .space = v->access->space};
  if (is_narrow(r, v, c)) f.kind = SIMT_FINDING_race_scope;
  else if (f.kind == SIMT_FINDING_race_write_after_write && v->same_value)
    f.kind = SIMT_FINDING_race_same_value;
  f.first.value = c->value;
  f.first.value_bytes = c->value_bytes;
  describe_second(v, &f, c->later_lane, c->address);
  if (f.space == PTX_SPACE_SHARED) f.address &= SIMT_SHARED_WINDOW_BYTES - 1; // in its block
  simt_race_add(r, &f, 1);
}
