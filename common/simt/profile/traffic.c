// SPDX-License-Identifier: MIT
// profile/traffic.c - see profile/traffic.h.
#include "profile/traffic.h"

#include <stdlib.h>
#include <string.h>

void simt_l2_cool(simt_l2 *l2) { simt_cache_clear(&l2->cache); }

void simt_l2_destroy(simt_l2 *l2) { simt_cache_destroy(&l2->cache); }

// A sample of other lines than before: what both contain stays, or all is forgotten when the new
// sample is the larger one.
static bool resample(simt_l2 *l2, const simt_model_device *device, unsigned shift) {
  if (l2->cache.lines && l2->shift == shift) return true;
  simt_cache old = l2->cache;
  l2->shift = shift;
  if (!simt_cache_create(&l2->cache, device->l2_bytes >> shift)) {
    simt_cache_destroy(&old);
    return false;
  }
  for (size_t i = 0; old.lines && i < old.n_sets * SIMT_CACHE_WAYS; i++) {
    const simt_cache_line *line = &old.lines[i];
    if (!line->valid || (simt_cache_hash(line->line) & ((UINT64_C(1) << shift) - 1)) != 0) continue;
    simt_cache_touch(&l2->cache, line->line, line->valid, true, false, NULL);
    simt_cache_touch(&l2->cache, line->line, line->dirty, true, true, NULL);
  }
  simt_cache_destroy(&old);
  return true;
}

static unsigned count(uint8_t mask) { return (unsigned)__builtin_popcount(mask); }

bool simt_traffic_run(simt_traffic *t, simt_l2 *l2, const simt_model_device *device,
                      const simt_trace *trace, uint32_t n_code) {
  *t = (simt_traffic){.dram_sectors = calloc((size_t)n_code + 1, sizeof *t->dram_sectors),
                      .is_sampled = trace->sample_shift != 0};
  double scale = (double)(UINT64_C(1) << trace->sample_shift), stored = 0.0, misses = 0.0;
  if (!t->dram_sectors || !resample(l2, device, trace->sample_shift)) return false;
  l2->cache.evicted_dirty = 0;
  for (size_t i = 0; i < trace->n_touches; i++) {
    const simt_touch *touch = &trace->touches[i];
    uint8_t mask = touch->word & 15;
    bool writes = touch->kind != SIMT_ENTRY_LOAD;
    uint8_t hits = simt_cache_touch(&l2->cache, touch->word >> 4, mask, true, writes, NULL);
    if (writes) stored += count(mask);
    if (touch->kind == SIMT_ENTRY_STORE) continue;
    unsigned missed = count(mask & ~hits);
    t->l2_sectors += count(mask) * scale;
    t->l2_hits += count(hits) * scale;
    misses += missed;
    if (touch->pc < n_code) t->dram_sectors[touch->pc] += (float)missed;
  }
  for (uint32_t pc = 0; pc < n_code && trace->requests; pc++)
    if (trace->requests[pc]) t->dram_sectors[pc] *= (float)(scale / (double)trace->requests[pc]);
  t->dram_read_bytes = misses * 32.0 * scale;
  t->dram_write_bytes = (double)l2->cache.evicted_dirty * 32.0 * scale;
  t->write_share = stored > 0.0 ? (double)l2->cache.evicted_dirty / stored : 0.0;
  if (t->write_share > 1.0) t->write_share = 1.0;
  return true;
}

void simt_traffic_free(simt_traffic *t) {
  free(t->dram_sectors);
  *t = (simt_traffic){0};
}
