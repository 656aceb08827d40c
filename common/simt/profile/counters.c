// SPDX-License-Identifier: MIT
// profile/counters.c - the counting rules and the observer that applies them to every warp access.
//
// Invariants: an access costs no allocation except when the atomic map grows; what the core knows
// about the addresses (simt_pattern) is used first, then a pass that suffices for ascending
// addresses, and only what is left is sorted out by search.
// Not modelled: which sectors hit a cache (profile/model.c assumes), bank conflicts between loads
// and stores in flight.
#include "profile/counters.h"

#include <stdlib.h>
#include <string.h>

#include "profile/atomic_map.h"

enum { FULL_MASK = -1, SECTOR_SHIFT = 5, WORD_SHIFT = 2, SEARCH_SLOTS = 128 };

// Number of lanes in a mask. Nearly always all; without a popcount instruction the compiler's
// builtin would be a call.
static unsigned lanes_of(uint32_t mask) {
  if (mask == (uint32_t)FULL_MASK) return SIMT_LANES;
  mask -= mask >> 1 & 0x55555555u;
  mask = (mask & 0x33333333u) + (mask >> 2 & 0x33333333u);
  return ((mask + (mask >> 4)) & 0x0f0f0f0fu) * 0x01010101u >> 24;
}

static unsigned first_lane(uint32_t mask) { return (unsigned)__builtin_ctz(mask); }

// ---- sectors -----------------------------------------------------------------------------------

// Set of up to 64 distinct sector numbers.
typedef struct sector_set {
  uint64_t key[SEARCH_SLOTS];
  uint64_t is_used[SEARCH_SLOTS / 64];
  unsigned n;
} sector_set;

static void sector_insert(sector_set *set, uint64_t sector) {
  unsigned at = (unsigned)(sector * UINT64_C(0x9e3779b97f4a7c15) >> 57);
  while (set->is_used[at / 64] >> at % 64 & 1) {
    if (set->key[at] == sector) return;
    at = (at + 1) % SEARCH_SLOTS;
  }
  set->is_used[at / 64] |= UINT64_C(1) << at % 64;
  set->key[at] = sector;
  set->n++;
}

static unsigned search_sectors(const uint64_t *address, uint32_t mask, uint32_t width_bytes) {
  sector_set set;
  memset(set.is_used, 0, sizeof set.is_used);
  set.n = 0;
  for (; mask != 0; mask &= mask - 1) {
    uint64_t at = address[first_lane(mask)];
    sector_insert(&set, at >> SECTOR_SHIFT);
    sector_insert(&set, (at + width_bytes - 1) >> SECTOR_SHIFT);
  }
  return set.n;
}

// Full warp, all accesses aligned to `width_bytes` and ascending: the number of steps from one
// sector to another, plus one. Returns 0 when the addresses are not like that. Written with
// arithmetic instead of branches so that a compiler vectorises it.
static unsigned ascending_sectors(const uint64_t address[SIMT_LANES], uint32_t width_bytes) {
  uint64_t misaligned = address[SIMT_LANES - 1], descends = 0, steps = 0;
  for (int l = 0; l < SIMT_LANES - 1; l++) {
    uint64_t step = (address[l + 1] >> SECTOR_SHIFT) - (address[l] >> SECTOR_SHIFT);
    misaligned |= address[l];
    descends |= step;
    steps += (step | (0 - step)) >> 63;
  }
  if (descends >> 63 || (misaligned & (width_bytes - 1)) != 0) return 0;
  return (unsigned)steps + 1;
}

unsigned simt_count_sectors(const uint64_t address[SIMT_LANES], uint32_t mask,
                            uint32_t width_bytes) {
  if (mask == 0 || width_bytes == 0) return 0;
  if (mask == (uint32_t)FULL_MASK && (width_bytes & (width_bytes - 1)) == 0) {
    unsigned n = ascending_sectors(address, width_bytes);
    if (n != 0) return n;
  }
  uint64_t next = 0; // first sector not yet counted
  unsigned n = 0;
  for (uint32_t left = mask; left != 0; left &= left - 1) {
    uint64_t at = address[first_lane(left)];
    uint64_t first = at >> SECTOR_SHIFT, last = (at + width_bytes - 1) >> SECTOR_SHIFT;
    if (first + 1 < next) return search_sectors(address, mask, width_bytes);
    if (first < next) first = next;
    if (last >= first) n += (unsigned)(last - first + 1);
    if (last >= next) next = last + 1;
  }
  return n;
}

// ---- wavefronts --------------------------------------------------------------------------------

unsigned simt_ideal_wavefronts(uint32_t mask, uint32_t width_bytes) {
  if (mask == 0) return 0;
  return width_bytes <= SIMT_BANK_BYTES ? 1 : width_bytes / SIMT_BANK_BYTES;
}

// Distinct words of the busiest bank when addresses do not ascend: per bank a chain of its words.
static unsigned search_bank_passes(const uint64_t *address, uint32_t mask, uint32_t n_words) {
  uint64_t words[4 * SIMT_LANES];
  uint8_t next[4 * SIMT_LANES], head[SIMT_BANKS], degree[SIMT_BANKS] = {0};
  unsigned n = 0, most = 0;
  memset(head, 0xff, sizeof head);
  for (uint32_t left = mask; left != 0; left &= left - 1) {
    uint64_t word = address[first_lane(left)] >> WORD_SHIFT;
    for (uint64_t w = word; w < word + n_words; w++) {
      unsigned bank = (unsigned)(w % SIMT_BANKS), i = head[bank];
      while (i != 0xff && words[i] != w) i = next[i];
      if (i != 0xff) continue;
      words[n] = w;
      next[n] = head[bank];
      head[bank] = (uint8_t)n++;
      if (++degree[bank] > most) most = degree[bank];
    }
  }
  return most;
}

// Passes that one group of lanes needs: the most distinct words of one bank. At least 1.
static unsigned bank_passes(const uint64_t *address, uint32_t mask, uint32_t n_words) {
  uint32_t busy = 0, again = 0;
  uint32_t lane_banks = n_words == 1 ? 1u : (1u << n_words) - 1u;
  for (uint32_t left = mask; left != 0; left &= left - 1) {
    unsigned bank = (unsigned)(address[first_lane(left)] >> WORD_SHIFT) % SIMT_BANKS;
    uint32_t banks = lane_banks << bank | (uint32_t)((uint64_t)lane_banks << bank >> 32);
    again |= busy & banks;
    busy |= banks;
  }
  if (again == 0) return 1;
  uint8_t degree[SIMT_BANKS] = {0};
  uint64_t next = 0; // first word not yet counted
  unsigned most = 1;
  for (uint32_t left = mask; left != 0; left &= left - 1) {
    uint64_t word = address[first_lane(left)] >> WORD_SHIFT;
    if (word + n_words == next) continue; // the same words as the lane before
    if (word < next) return search_bank_passes(address, mask, n_words);
    for (uint64_t w = word; w < word + n_words; w++) {
      unsigned now = ++degree[w % SIMT_BANKS];
      if (now > most) most = now;
    }
    next = word + n_words;
  }
  return most;
}

// Does every active lane's neighbour, lane ^ distance, sleep or read the same address?
static bool neighbours_agree(const uint64_t *address, uint32_t mask, unsigned distance) {
  for (uint32_t left = mask; left != 0; left &= left - 1) {
    unsigned lane = first_lane(left), other = lane ^ distance;
    if (mask >> other & 1 && address[other] != address[lane]) return false;
  }
  return true;
}

static unsigned count_wavefronts(const uint64_t *address, uint32_t mask, uint32_t width_bytes,
                                 bool may_merge) {
  if (mask == 0) return 0;
  if (width_bytes <= SIMT_BANK_BYTES) return bank_passes(address, mask, 1);
  uint32_t n_words = width_bytes / SIMT_BANK_BYTES;
  unsigned n_groups = n_words, n = 0;
  if (may_merge && (neighbours_agree(address, mask, 1) || neighbours_agree(address, mask, 2)))
    n_groups /= 2;
  unsigned group_lanes = SIMT_LANES / n_groups;
  uint32_t group = group_lanes == SIMT_LANES ? (uint32_t)FULL_MASK : (1u << group_lanes) - 1u;
  for (unsigned g = 0; g < n_groups; g++)
    n += bank_passes(address, mask & group << g * group_lanes, n_words);
  return n;
}

unsigned simt_count_wavefronts(const uint64_t address[SIMT_LANES], uint32_t mask,
                               uint32_t width_bytes) {
  return count_wavefronts(address, mask, width_bytes, true);
}

unsigned simt_count_store_wavefronts(const uint64_t address[SIMT_LANES], uint32_t mask,
                                     uint32_t width_bytes) {
  return count_wavefronts(address, mask, width_bytes, false);
}

unsigned simt_count_same_address(const uint64_t address[SIMT_LANES], uint32_t mask) {
  unsigned most = 0;
  while (mask != 0) {
    uint64_t at = address[first_lane(mask)];
    uint32_t same = 0;
    for (uint32_t left = mask; left != 0; left &= left - 1) {
      unsigned lane = first_lane(left);
      same |= (uint32_t)(address[lane] == at) << lane;
    }
    if (lanes_of(same) > most) most = lanes_of(same);
    mask &= ~same;
  }
  return most;
}

// Atomics of one bank go one after another, whether they are on the same word or not.
static unsigned atomic_passes(const uint64_t *address, uint32_t mask) {
  uint8_t degree[SIMT_BANKS] = {0};
  unsigned most = 0;
  for (; mask != 0; mask &= mask - 1) {
    unsigned now = ++degree[(address[first_lane(mask)] >> WORD_SHIFT) % SIMT_BANKS];
    if (now > most) most = now;
  }
  return most;
}

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

static unsigned access_sectors(const simt_access *a) {
  if (a->pattern == SIMT_PATTERN_ANY)
    return simt_count_sectors(a->address, a->mask, a->width_bytes);
  uint64_t first = a->address[first_lane(a->mask)];
  uint64_t lanes = a->pattern == SIMT_PATTERN_CONTIGUOUS ? SIMT_LANES : 1;
  uint64_t last = first + lanes * a->width_bytes - 1;
  return (unsigned)((last >> SECTOR_SHIFT) - (first >> SECTOR_SHIFT) + 1);
}

static unsigned access_wavefronts(const simt_access *a) {
  if (a->pattern == SIMT_PATTERN_CONTIGUOUS && a->width_bytes >= SIMT_BANK_BYTES)
    return simt_ideal_wavefronts(a->mask, a->width_bytes);
  if (a->pattern == SIMT_PATTERN_UNIFORM && a->width_bytes <= SIMT_BANK_BYTES) return 1;
  return count_wavefronts(a->address, a->mask, a->width_bytes, a->kind == SIMT_LOAD);
}

static void count_global_atomic(counters_observer *self, const simt_access *a) {
  simt_counters *c = &self->counts;
  unsigned lanes = lanes_of(a->mask);
  c->global_atomic_requests++;
  c->global_atomic_lanes += lanes;
  if (a->is_float) c->global_atomic_float_lanes += lanes;
  if (a->pattern == SIMT_PATTERN_UNIFORM) {
    simt_atomic_map_add(&self->atomics, a->address[first_lane(a->mask)], lanes);
    return;
  }
  for (uint32_t left = a->mask; left != 0; left &= left - 1)
    simt_atomic_map_add(&self->atomics, a->address[first_lane(left)], 1);
}

// Did the running block lately load the sector that this load's first lane touches?
static bool is_repeated(counters_observer *self, const simt_access *a) {
  uint64_t sector = a->address[first_lane(a->mask)] >> SECTOR_SHIFT;
  recent_sector *slot = &self->recent[(sector * UINT64_C(0x9e3779b97f4a7c15) >> 48) % RECENT_SLOTS];
  bool same = slot->in_use && slot->sector == sector && slot->block == a->block;
  *slot = (recent_sector){.sector = sector, .block = a->block, .in_use = true};
  return same;
}

static void count_global_load(counters_observer *self, const simt_access *a) {
  simt_counters *c = &self->counts;
  unsigned sectors = access_sectors(a), bytes = lanes_of(a->mask) * a->width_bytes;
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
    c->global_store_sectors += access_sectors(a);
    c->global_store_bytes += lanes_of(a->mask) * a->width_bytes;
  } else {
    count_global_atomic(self, a);
  }
}

static void count_shared_atomic(simt_counters *c, const simt_access *a) {
  unsigned lanes = lanes_of(a->mask);
  bool is_uniform = a->pattern == SIMT_PATTERN_UNIFORM;
  unsigned passes = is_uniform ? lanes : atomic_passes(a->address, a->mask);
  unsigned same = passes;
  if (!is_uniform && passes > 1 && passes > c->shared_atomic_max_degree)
    same = simt_count_same_address(a->address, a->mask);
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
  unsigned wavefronts = access_wavefronts(a),
           ideal = simt_ideal_wavefronts(a->mask, a->width_bytes);
  uint64_t words = lanes_of(a->mask) * (uint64_t)((a->width_bytes + 3) / SIMT_BANK_BYTES);
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
