// SPDX-License-Identifier: MIT
// profile/traffic.c - see profile/traffic.h.
#include "profile/traffic.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void simt_l2_cool(simt_l2 *l2) {
  simt_cache_clear(&l2->cache);
  l2->known_shift = 0;
  l2->n_left = 0;
}

void simt_l2_destroy(simt_l2 *l2) { simt_cache_destroy(&l2->cache); }

static bool is_in_sample(uint64_t line, unsigned shift) {
  return (simt_cache_hash(line) & ((UINT64_C(1) << shift) - 1)) == 0;
}

static void copy_set(simt_cache *to, const simt_cache *from, size_t set, unsigned shift) {
  for (uint32_t i = 0; i < from->sets[set].n; i++) {
    const simt_cache_line *line = simt_cache_way(from, set, i);
    if (!is_in_sample(line->line, shift)) continue;
    simt_cache_touch(to, line->line, line->valid, true, false, NULL);
    simt_cache_touch(to, line->line, line->dirty, true, true, NULL);
  }
}

// A sample of other lines than before: what both contain stays.
static bool resample(simt_l2 *l2, const simt_model_device *device, unsigned shift, double share) {
  if (l2->known_shift < shift) l2->known_shift = shift;
  if (l2->cache.lines && l2->shift == shift && l2->share == share) return true;
  simt_cache old = l2->cache;
  l2->shift = shift;
  l2->share = share;
  if (!simt_cache_create(&l2->cache, (uint64_t)((double)(device->l2_bytes >> shift) * share))) {
    simt_cache_destroy(&old);
    return false;
  }
  for (size_t set = 0; set < old.n_sets; set++) copy_set(&l2->cache, &old, set, shift);
  simt_cache_destroy(&old);
  return true;
}

static unsigned count(uint8_t mask) { return (unsigned)__builtin_popcount(mask); }

// DRAM gives pairs of sectors, 64 bytes: both are in the L2 afterwards.
static unsigned count_pairs(uint8_t mask) {
  return ((mask & 3) != 0 ? 1u : 0u) + ((mask & 12) != 0 ? 1u : 0u);
}
static uint8_t whole_pairs(uint8_t mask) {
  return (uint8_t)(((mask & 3) != 0 ? 3 : 0) | ((mask & 12) != 0 ? 12 : 0));
}

// ---- what blocks that have not run would have left there ---------------------------------------

// Whether a line would be there that blocks which have not run may have touched in a launch before.
// A grid of the same size has the same sample: what its blocks look for, they have touched
// themselves.
typedef enum remains { REMAINS_UNKNOWN, REMAINS_NOT, REMAINS } remains;

static remains find_left(simt_l2 *l2, uint64_t line, uint64_t n_blocks, bool writes) {
  for (unsigned i = 0; i < l2->n_left; i++) {
    simt_left *s = &l2->left[i];
    if (line < s->first || line > s->last) continue;
    if (simt_cache_peek(&l2->cache, line)) return REMAINS;
    if (s->n_blocks == n_blocks) return REMAINS_NOT;
    if (writes) return REMAINS; // a load has decided, or none comes before
    s->owed += fmax(s->missing, 1.0 - s->there / s->touched);
    if (s->owed < 0.5) return REMAINS;
    s->owed -= 1.0; // as many are missing as of those that were looked at
    return REMAINS_NOT;
  }
  return REMAINS_UNKNOWN;
}

// Adds the range to one that it overlaps, or as another one.
static void add_left(simt_l2 *l2, const simt_left *found) {
  for (unsigned i = 0; i < l2->n_left; i++) {
    simt_left *s = &l2->left[i];
    if (s->n_blocks != found->n_blocks || found->first > s->last || found->last < s->first)
      continue;
    if (found->first < s->first) s->first = found->first;
    if (found->last > s->last) s->last = found->last;
    s->touched += found->touched;
    s->there += found->there;
    return;
  }
  if (l2->n_left < SIMT_MOST_LEFT) l2->left[l2->n_left++] = *found;
}

// Of lines that fill a cache to `part`, the share that has no place: sets are chosen at random, and
// some get more than their ways. Of the few that were looked at there may be none such.
static double without_a_place(double part) {
  double mean = part * SIMT_CACHE_WAYS, weight = 1.0, all = 1.0, sum = 0.0;
  for (int k = 1; k <= 4 * SIMT_CACHE_WAYS; k++) {
    all += weight *= mean / k; // in proportion to the chance that a set gets k lines
    if (k > SIMT_CACHE_WAYS) sum += weight * (k - SIMT_CACHE_WAYS);
  }
  return mean > 0.0 ? sum / (mean * all) : 0.0;
}

// Notes between which lines each instruction of the launch went, and how many of those are there.
// `part`: of the L2, that the launch fills.
static void note_left(simt_l2 *l2, const simt_touches *touches, uint64_t n_blocks, double part) {
  for (uint32_t pc = 0; pc < touches->n_code; pc++) {
    simt_left found = {.first = UINT64_MAX, .n_blocks = n_blocks, .missing = without_a_place(part)};
    if (!touches->accesses[pc].requests) continue;
    for (size_t i = 0; i < touches->n; i++) {
      uint64_t line = touches->touches[i].word >> 4;
      if (touches->touches[i].pc != pc) continue;
      if (line < found.first) found.first = line;
      if (line > found.last) found.last = line;
      found.touched += 1.0;
      found.there += simt_cache_peek(&l2->cache, line) != NULL;
    }
    if (found.touched > 0.0) add_left(l2, &found);
  }
}

// ---- lines that the L2 does not know -----------------------------------------------------------

// Sectors of known lines at their first touch in this launch, per instruction.
typedef struct first_touches {
  uint32_t sectors, hits;
} first_touches;

typedef struct traffic_run {
  simt_l2 *l2;
  uint32_t start;       // the cache's clock
  uint64_t n_blocks;    // of the launch
  first_touches *first; // [n_code]; NULL: all lines are known
} traffic_run;

// The touched sectors that were there.
static uint8_t touch_known(traffic_run *run, const simt_touch *touch, bool writes) {
  simt_cache *cache = &run->l2->cache;
  uint64_t line = touch->word >> 4;
  uint8_t mask = touch->word & 15, hits = simt_cache_touch(cache, line, mask, true, writes, NULL);
  uint8_t fetched = touch->kind == SIMT_ENTRY_STORE ? 0 : whole_pairs(mask & ~hits);
  if (fetched & ~mask) simt_cache_touch(cache, line, fetched, true, false, NULL);
  return hits;
}

static uint8_t touch_any(traffic_run *run, const simt_touch *touch, bool writes) {
  uint64_t line = touch->word >> 4;
  remains left =
      run->l2->n_left ? find_left(run->l2, line, run->n_blocks, writes) : REMAINS_UNKNOWN;
  if (left == REMAINS) return touch->word & 15; // a line of the sample stands for it
  if (left == REMAINS_NOT || !run->first) return touch_known(run, touch, writes);
  first_touches *first = &run->first[touch->pc];
  if (is_in_sample(line, run->l2->known_shift)) {
    const simt_cache_line *entry = simt_cache_peek(&run->l2->cache, line);
    bool again = entry && entry->used > run->start;
    uint8_t hits = touch_known(run, touch, writes);
    if (again) return hits;
    first->sectors += count(touch->word & 15);
    first->hits += count(hits);
    return hits;
  }
  uint8_t hits = touch_known(run, touch, writes);
  double share = first->sectors ? (double)first->hits / first->sectors : 1.0;
  bool is_there = (double)(simt_cache_hash(line) >> 40) < share * (1 << 24);
  return is_there ? touch->word & 15 : hits;
}

// ---- the run -----------------------------------------------------------------------------------

// What the sample shows of one instruction: sectors that it touched, those that the L2 lacked, and
// the pairs that came from DRAM for them.
typedef struct found_of {
  double touched, missed, pairs;
} found_of;

// Adds up, in proportion: the sample says which part of an instruction's sectors misses.
static void estimate(simt_traffic *t, const simt_trace *trace, const found_of *found,
                     uint32_t n_code) {
  for (uint32_t pc = 0; pc < n_code && pc < trace->touches.n_code; pc++) {
    const simt_access_count *a = &trace->touches.accesses[pc];
    if (a->requests == 0 || a->kind == SIMT_ENTRY_STORE) continue;
    double sectors = (double)a->sectors;
    double each = found[pc].touched > 0.0 ? sectors / found[pc].touched : 0.0;
    double pairs = found[pc].pairs * each;
    t->dram_pairs[pc] = (float)(pairs / (double)a->requests);
    t->l2_sectors += sectors;
    t->l2_hits += sectors - found[pc].missed * each;
    t->dram_read_bytes += pairs * 64.0;
  }
}

// From the blocks that have run to all.
static void grow(simt_traffic *t, double share) {
  t->l2_sectors /= share;
  t->l2_hits /= share;
  t->dram_read_bytes /= share;
}

bool simt_traffic_run(simt_traffic *t, simt_l2 *l2, const simt_model_device *device,
                      const simt_trace *trace, const simt_launch_info *info) {
  const uint32_t n_code = info->n_code;
  const double share = simt_trace_share(trace, info->n_blocks);
  const simt_touches *touches = &trace->touches;
  *t = (simt_traffic){.dram_pairs = calloc((size_t)n_code + 1, sizeof *t->dram_pairs),
                      .is_sampled = touches->shift != 0};
  double scale = (double)(UINT64_C(1) << touches->shift), stored = 0.0, missed = 0.0;
  found_of *found = calloc((size_t)n_code + 1, sizeof *found);
  if (!found || !t->dram_pairs || !resample(l2, device, touches->shift, share))
    return free(found), false;
  traffic_run run = {.l2 = l2, .start = l2->cache.clock, .n_blocks = info->n_blocks};
  if (l2->known_shift > touches->shift) {
    run.first = calloc((size_t)n_code + 1, sizeof *run.first);
    if (!run.first) return free(found), false;
  }
  l2->cache.evicted_dirty = 0;
  for (size_t i = 0; i < touches->n; i++) {
    const simt_touch *touch = &touches->touches[i];
    uint8_t mask = touch->word & 15;
    bool writes = touch->kind != SIMT_ENTRY_LOAD;
    uint8_t hits = touch_any(&run, touch, writes);
    missed += (double)count(mask & ~hits);
    if (writes) stored += (double)count(mask) * touch->times;
    found[touch->pc].touched += (double)count(mask) * touch->times;
    found[touch->pc].missed += count(mask & ~hits);
    found[touch->pc].pairs += count_pairs(mask & ~hits);
  }
  free(run.first);
  estimate(t, trace, found, n_code);
  free(found);
  grow(t, share);
  t->dram_write_bytes = (double)l2->cache.evicted_dirty * 32.0 * scale / share;
  double part = missed * 32.0 * scale / share / (double)device->l2_bytes;
  if (share < 1.0 && part <= 1.0) note_left(l2, touches, info->n_blocks, part);
  t->write_share = stored > 0.0 ? (double)l2->cache.evicted_dirty / stored : 0.0;
  if (t->write_share > 1.0) t->write_share = 1.0;
  return true;
}

void simt_traffic_free(simt_traffic *t) {
  free(t->dram_pairs);
  *t = (simt_traffic){0};
}
