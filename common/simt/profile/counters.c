// SPDX-License-Identifier: MIT
// profile/counters.c - the observer that counts: it applies the rules of profile/transactions.h to
// every warp access and adds up the rest.
//
// Invariants: an access costs no allocation except when the atomic map grows; what the core knows
// about the addresses (simt_pattern) is used before the rules.
// Not modelled: which sectors hit a cache (profile/model.c assumes), bank conflicts between loads
// and stores in flight.
#include "profile/counters.h"

#include <stdlib.h>
#include <string.h>

#include "profile/atomic_map.h"
#include "profile/request.h"
#include "profile/transactions.h"

// ---- the observer ------------------------------------------------------------------------------

// The sectors that the first lanes of the running block's scattered loads touched lately, a small
// direct-mapped cache. Entries of other blocks do not count, so that the result does not depend on
// which blocks share an observer.
enum { RECENT_SLOTS = 1024 };
typedef struct recent_sector {
  uint64_t sector;
  uint32_t block;
  bool in_use;
} recent_sector;

typedef struct counters_observer {
  simt_observer hooks; // first: a simt_observer * is a counters_observer *
  simt_counters counts;
  simt_atomic_map atomics;
  const simt_launch_info *info; // of the running launch
  uint8_t *is_load;             // [n_code]: a global load was executed at this pc; may be NULL
  uint32_t is_load_size;
  recent_sector recent[RECENT_SLOTS];
} counters_observer;

static void count_global_atomic(counters_observer *self, const simt_access *a) {
  simt_counters *c = &self->counts;
  unsigned lanes = simt_count_lanes(a->mask);
  c->global_atomic_requests++;
  c->global_atomic_lanes += lanes;
  if (a->is_float) c->global_atomic_float_lanes += lanes;
  if (a->pattern == SIMT_PATTERN_UNIFORM) {
    simt_atomic_map_add(&self->atomics, a->address[simt_first_lane(a->mask)], lanes);
    return;
  }
  for (uint32_t left = a->mask; left != 0; left &= left - 1)
    simt_atomic_map_prefetch(&self->atomics, a->address[simt_first_lane(left)]);
  for (uint32_t left = a->mask; left != 0; left &= left - 1)
    simt_atomic_map_add(&self->atomics, a->address[simt_first_lane(left)], 1);
}

// Did the running block lately load the sector that this load's first lane touches?
static bool is_repeated(counters_observer *self, const simt_access *a) {
  uint64_t sector = a->address[simt_first_lane(a->mask)] >> SIMT_SECTOR_SHIFT;
  recent_sector *slot = &self->recent[(sector * UINT64_C(0x9e3779b97f4a7c15) >> 48) % RECENT_SLOTS];
  bool same = slot->in_use && slot->sector == sector && slot->block == a->block;
  *slot = (recent_sector){.sector = sector, .block = a->block, .in_use = true};
  return same;
}

static void count_global_load(counters_observer *self, const simt_access *a) {
  simt_counters *c = &self->counts;
  unsigned sectors = simt_access_sectors(a), bytes = simt_count_lanes(a->mask) * a->width_bytes;
  c->global_load_requests++;
  c->global_load_sectors += sectors;
  c->global_load_bytes += bytes;
  if (sectors * SIMT_SECTOR_BYTES > 2 * bytes && is_repeated(self, a))
    c->global_load_repeated_sectors += sectors;
  if (a->pc < self->is_load_size) self->is_load[a->pc] = 1;
}

static void count_global(counters_observer *self, const simt_access *a) {
  simt_counters *c = &self->counts;
  if (a->kind == SIMT_LOAD) {
    count_global_load(self, a);
  } else if (a->kind == SIMT_STORE) {
    c->global_store_requests++;
    c->global_store_sectors += simt_access_sectors(a);
    c->global_store_bytes += simt_count_lanes(a->mask) * a->width_bytes;
  } else {
    count_global_atomic(self, a);
  }
}

static void count_shared_atomic(simt_counters *c, const simt_access *a) {
  unsigned lanes = simt_count_lanes(a->mask);
  bool is_uniform = a->pattern == SIMT_PATTERN_UNIFORM;
  unsigned passes = is_uniform ? lanes : simt_count_atomic_passes(a->address, a->mask);
  unsigned same = passes;
  if (!is_uniform && passes > 1 && passes > c->shared_atomic_max_degree)
    same = simt_count_same_address(a->address, a->mask, (unsigned)c->shared_atomic_max_degree);
  c->shared_atomic_requests++;
  c->shared_atomic_lanes += lanes;
  if (a->is_float) c->shared_atomic_float_lanes += lanes;
  c->shared_atomic_passes += passes;
  // No more lanes can share an address than share its bank: only then is it worth a search.
  if (passes > c->shared_atomic_max_degree && same > c->shared_atomic_max_degree)
    c->shared_atomic_max_degree = same;
}

static void count_shared(counters_observer *self, const simt_access *a) {
  simt_counters *c = &self->counts;
  if (a->kind == SIMT_ATOMIC) {
    count_shared_atomic(c, a);
    return;
  }
  unsigned wavefronts = simt_access_wavefronts(a),
           ideal = simt_ideal_wavefronts(a->mask, a->width_bytes);
  uint64_t words = simt_count_lanes(a->mask) * (uint64_t)((a->width_bytes + 3) / SIMT_BANK_BYTES);
  if (ideal > wavefronts) ideal = wavefronts; // merged groups are not a negative conflict
  if (a->kind == SIMT_LOAD) {
    c->shared_load_requests++;
    c->shared_load_wavefronts += wavefronts;
    c->shared_load_ideal += ideal;
    c->shared_load_words += words;
  } else {
    c->shared_store_requests++;
    c->shared_store_wavefronts += wavefronts;
    c->shared_store_ideal += ideal;
    c->shared_store_words += words;
  }
}

static void on_access(simt_observer *observer, const simt_access *access) {
  counters_observer *self = (counters_observer *)observer;
  if (access->mask == 0) return;
  if (access->space == PTX_SPACE_GLOBAL) {
    count_global(self, access);
  } else if (access->space == PTX_SPACE_SHARED) {
    count_shared(self, access);
  } else {
    self->counts.local_requests++;
  }
}

static void on_branch(simt_observer *observer, uint32_t pc, uint32_t taken, uint32_t active) {
  simt_counters *c = &((counters_observer *)observer)->counts;
  (void)pc;
  c->branches++;
  c->divergent_branches += taken != 0 && taken != active;
}

static void on_sync(simt_observer *observer, simt_sync_kind kind, uint32_t pc, uint32_t block,
                    uint32_t warp, uint32_t mask) {
  simt_counters *c = &((counters_observer *)observer)->counts;
  (void)pc, (void)block, (void)warp, (void)mask;
  switch (kind) {
  case SIMT_SYNC_BLOCK_BARRIER: c->block_barriers++; break;
  case SIMT_SYNC_WARP: c->warp_syncs++; break;
  case SIMT_SYNC_GRID: c->grid_syncs++; break;
  case SIMT_SYNC_CLUSTER: break;
  case SIMT_SYNC_FENCE: c->fences++; break;
  case SIMT_SYNC_SHUFFLE: c->shuffles++; break;
  case SIMT_SYNC_VOTE: c->votes++; break;
  }
}

// Prepares for `info`'s launch. Without memory for is_load, load groups are simply not counted.
static void begin(counters_observer *self, const simt_launch_info *info) {
  memset(&self->counts, 0, sizeof self->counts);
  simt_atomic_map_clear(&self->atomics);
  for (size_t i = 0; i < RECENT_SLOTS; i++) self->recent[i].in_use = false;
  self->info = info;
  if (self->is_load_size < info->n_code) {
    free(self->is_load);
    self->is_load = malloc(info->n_code);
    self->is_load_size = self->is_load != NULL ? info->n_code : 0;
  }
  if (self->is_load_size != 0) memset(self->is_load, 0, self->is_load_size);
}

static void on_launch_begin(simt_observer *observer, const simt_launch_info *info) {
  begin((counters_observer *)observer, info);
}

static simt_observer *on_fork(simt_observer *observer, uint32_t n_workers) {
  (void)n_workers;
  counters_observer *worker = (counters_observer *)simt_counters_observer_create();
  if (worker == NULL) return NULL;
  begin(worker, ((counters_observer *)observer)->info);
  return &worker->hooks;
}

static void on_join(simt_observer *observer, simt_observer *worker) {
  counters_observer *self = (counters_observer *)observer, *from = (counters_observer *)worker;
  simt_counters_add(&self->counts, &from->counts);
  simt_atomic_map_merge(&self->atomics, &from->atomics);
  uint32_t n = self->is_load_size < from->is_load_size ? self->is_load_size : from->is_load_size;
  for (uint32_t pc = 0; pc < n; pc++) self->is_load[pc] |= from->is_load[pc];
  simt_counters_observer_destroy(worker);
}

// Instructions of one basic block, which `entries` warps ran with `lanes` active lanes in all.
static void count_code_block(const counters_observer *self, const simt_launch_info *info,
                             const simt_code_block *block, uint64_t entries, uint64_t lanes,
                             simt_counters *c) {
  bool has_loads = false;
  for (uint32_t pc = block->first_pc; pc < block->first_pc + block->n_instrs; pc++) {
    uint8_t class = info->code_class[pc];
    has_loads = has_loads || (pc < self->is_load_size && self->is_load[pc] != 0);
    if (class >= SIMT_CLASS_COUNT) continue;
    c->class_warp_instructions[class] += entries;
    c->warp_instructions += entries;
    c->lane_instructions += lanes;
    if (class == SIMT_CLASS_FP32) c->fp32_lanes += lanes;
  }
  if (has_loads) c->global_load_groups += entries;
}

// Adds to *c what is not counted event by event.
static void complete(const counters_observer *self, const simt_launch_info *info,
                     const simt_profile *profile, simt_counters *c) {
  c->launches = 1;
  c->blocks = info->n_blocks;
  c->warps = info->n_blocks * info->warps_per_block;
  c->threads = info->n_blocks * info->block_threads;
  c->global_atomic_addresses = self->atomics.used;
  c->global_atomic_max_degree = self->atomics.max_count;
  for (uint32_t b = 0; profile != NULL && b < info->n_code_blocks; b++) {
    if (profile->entries[b] != 0)
      count_code_block(self, info, &info->code_blocks[b], profile->entries[b], profile->lanes[b],
                       c);
  }
}

static void on_launch_end(simt_observer *observer, const simt_launch_info *info,
                          const simt_profile *profile) {
  counters_observer *self = (counters_observer *)observer;
  complete(self, info, profile, &self->counts);
  self->info = NULL;
}

void simt_counters_so_far(const simt_observer *observer, const simt_launch_info *info,
                          const simt_profile *profile, simt_counters *out) {
  const counters_observer *self = (const counters_observer *)observer;
  *out = self->counts;
  if (self->info) complete(self, info, profile, out);
}

simt_observer *simt_counters_observer_create(void) {
  counters_observer *self = calloc(1, sizeof *self);
  if (self == NULL) return NULL;
  self->hooks.launch_begin = on_launch_begin;
  self->hooks.access = on_access;
  self->hooks.branch = on_branch;
  self->hooks.sync = on_sync;
  self->hooks.fork = on_fork;
  self->hooks.join = on_join;
  self->hooks.discard = simt_counters_observer_destroy;
  self->hooks.launch_end = on_launch_end;
  return &self->hooks;
}

void simt_counters_observer_destroy(simt_observer *observer) {
  counters_observer *self = (counters_observer *)observer;
  if (self == NULL) return;
  simt_atomic_map_free(&self->atomics);
  free(self->is_load);
  free(self);
}

const simt_counters *simt_counters_of(const simt_observer *observer) {
  return &((const counters_observer *)observer)->counts;
}

// ---- names and sums ----------------------------------------------------------------------------

#define COMBINE_SUM(field) total->field += launch->field
#define COMBINE_MAX(field)                                                                         \
  if (launch->field > total->field) total->field = launch->field

void simt_counters_add(simt_counters *total, const simt_counters *launch) {
#define SIMT_COUNTER(name, combine, description) COMBINE_##combine(name);
#include "include/simt_counters.def"
#undef SIMT_COUNTER
  for (size_t i = 0; i < SIMT_CLASS_COUNT; i++)
    total->class_warp_instructions[i] += launch->class_warp_instructions[i];
}

typedef struct counter_row {
  const char *name, *description;
  size_t offset_bytes;
} counter_row;

static const counter_row counter_rows[SIMT_COUNTER_COUNT] = {
#define SIMT_COUNTER(name, combine, description)                                                   \
  {#name, description, offsetof(simt_counters, name)},
#include "include/simt_counters.def"
#undef SIMT_COUNTER
};

static const char *const class_names[SIMT_CLASS_COUNT] = {
    [SIMT_CLASS_INTEGER] = "integer", [SIMT_CLASS_FP16] = "fp16",
    [SIMT_CLASS_FP32] = "fp32",       [SIMT_CLASS_FP64] = "fp64",
    [SIMT_CLASS_SPECIAL] = "special", [SIMT_CLASS_DIVISION] = "division",
    [SIMT_CLASS_CONVERT] = "convert", [SIMT_CLASS_COMPARE] = "compare",
    [SIMT_CLASS_MOVE] = "move",       [SIMT_CLASS_PARAMETER] = "parameter",
    [SIMT_CLASS_GLOBAL] = "global",   [SIMT_CLASS_SHARED] = "shared",
    [SIMT_CLASS_LOCAL] = "local",     [SIMT_CLASS_ATOMIC] = "atomic",
    [SIMT_CLASS_BARRIER] = "barrier", [SIMT_CLASS_SHUFFLE] = "shuffle",
    [SIMT_CLASS_VOTE] = "vote",       [SIMT_CLASS_BRANCH] = "branch",
    [SIMT_CLASS_CONTROL] = "control",
};

const char *simt_class_name(simt_class c) {
  return (unsigned)c < SIMT_CLASS_COUNT ? class_names[c] : NULL;
}

const char *simt_counter_name(size_t index) {
  return index < SIMT_COUNTER_COUNT ? counter_rows[index].name : NULL;
}

const char *simt_counter_description(size_t index) {
  return index < SIMT_COUNTER_COUNT ? counter_rows[index].description : NULL;
}

uint64_t simt_counter_value(const simt_counters *counters, size_t index) {
  if (index >= SIMT_COUNTER_COUNT) return 0;
  uint64_t value;
  memcpy(&value, (const char *)counters + counter_rows[index].offset_bytes, sizeof value);
  return value;
}
