// SPDX-License-Identifier: MIT
// profile/traffic.c - see profile/traffic.h.
#include "profile/traffic.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void simt_l2_cool(simt_l2 *l2) {
  simt_cache_clear(&l2->cache);
  l2->known_shift = 0;
}

void simt_l2_destroy(simt_l2 *l2) { simt_cache_destroy(&l2->cache); }

static bool is_in_sample(uint64_t line, unsigned shift) {
  return (simt_cache_hash(line) & ((UINT64_C(1) << shift) - 1)) == 0;
}

static void copy_set(simt_cache *to, const simt_cache_line *ways, unsigned shift) {
  for (int i = 0; i < SIMT_CACHE_WAYS; i++) {
    const simt_cache_line *line = &ways[i];
    if (!line->valid || !is_in_sample(line->line, shift)) continue;
    simt_cache_touch(to, line->line, line->valid, true, false, NULL);
    simt_cache_touch(to, line->line, line->dirty, true, true, NULL);
  }
}

// A sample of other lines than before: what both contain stays.
static bool resample(simt_l2 *l2, const simt_model_device *device, unsigned shift) {
  if (l2->known_shift < shift) l2->known_shift = shift;
  if (l2->cache.lines && l2->shift == shift) return true;
  simt_cache old = l2->cache;
  l2->shift = shift;
  if (!simt_cache_create(&l2->cache, device->l2_bytes >> shift)) {
    simt_cache_destroy(&old);
    return false;
  }
  for (size_t set = 0; old.lines && set < old.n_sets; set++)
    if (old.in_use[set]) copy_set(&l2->cache, &old.lines[set * SIMT_CACHE_WAYS], shift);
  simt_cache_destroy(&old);
  return true;
}

static unsigned count(uint8_t mask) { return (unsigned)__builtin_popcount(mask); }

// ---- lines that the L2 does not know -----------------------------------------------------------

// Sectors of known lines at their first touch in this launch, per instruction.
typedef struct first_touches {
  uint32_t sectors, hits;
} first_touches;

typedef struct traffic_run {
  simt_l2 *l2;
  uint32_t start;       // the cache's clock
  first_touches *first; // [n_code]; NULL: all lines are known
} traffic_run;

// The touched sectors that were there.
static uint8_t touch_known(traffic_run *run, const simt_touch *touch, bool writes) {
  return simt_cache_touch(&run->l2->cache, touch->word >> 4, touch->word & 15, true, writes, NULL);
}

static uint8_t touch_any(traffic_run *run, const simt_touch *touch, bool writes) {
  uint64_t line = touch->word >> 4;
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

// Adds up sectors, and those that come from DRAM, from the sample.
static void estimate(simt_traffic *t, const simt_trace *trace, double scale, uint32_t n_code) {
  for (uint32_t pc = 0; pc < n_code && pc < trace->touches.n_code; pc++) {
    const simt_access_count *a = &trace->touches.accesses[pc];
    if (a->requests == 0 || a->kind == SIMT_ENTRY_STORE) continue;
    double missed = fmin((double)a->sectors, t->dram_sectors[pc] * scale);
    t->dram_sectors[pc] = (float)(missed / (double)a->requests);
    t->l2_sectors += (double)a->sectors;
    t->l2_hits += (double)a->sectors - missed;
    t->dram_read_bytes += missed * 32.0;
  }
}

bool simt_traffic_run(simt_traffic *t, simt_l2 *l2, const simt_model_device *device,
                      const simt_trace *trace, uint32_t n_code) {
  const simt_touches *touches = &trace->touches;
  *t = (simt_traffic){.dram_sectors = calloc((size_t)n_code + 1, sizeof *t->dram_sectors),
                      .is_sampled = touches->shift != 0};
  double scale = (double)(UINT64_C(1) << touches->shift), stored = 0.0;
  if (!t->dram_sectors || !resample(l2, device, touches->shift)) return false;
  traffic_run run = {.l2 = l2, .start = l2->cache.clock};
  if (l2->known_shift > touches->shift) {
    run.first = calloc((size_t)n_code + 1, sizeof *run.first);
    if (!run.first) return false;
  }
  l2->cache.evicted_dirty = 0;
  for (size_t i = 0; i < touches->n; i++) {
    const simt_touch *touch = &touches->touches[i];
    uint8_t mask = touch->word & 15;
    bool writes = touch->kind != SIMT_ENTRY_LOAD;
    uint8_t hits = run.first ? touch_any(&run, touch, writes) : touch_known(&run, touch, writes);
    if (writes) stored += (double)count(mask) * touch->times;
    if (touch->kind != SIMT_ENTRY_STORE) t->dram_sectors[touch->pc] += (float)count(mask & ~hits);
  }
  free(run.first);
  estimate(t, trace, scale, n_code);
  t->dram_write_bytes = (double)l2->cache.evicted_dirty * 32.0 * scale;
  t->write_share = stored > 0.0 ? (double)l2->cache.evicted_dirty / stored : 0.0;
  if (t->write_share > 1.0) t->write_share = 1.0;
  return true;
}

void simt_traffic_free(simt_traffic *t) {
  free(t->dram_sectors);
  *t = (simt_traffic){0};
}
