// SPDX-License-Identifier: MIT
// core/sample.c - see core/sample.h.
#include "core/sample.h"

// Any number, the same for the same block: a stretch's block must not be at the same place in each.
static uint64_t scramble(uint64_t x) {
  x = (x + 1) * UINT64_C(0x9e3779b97f4a7c15);
  x ^= x >> 31;
  x *= UINT64_C(0xbf58476d1ce4e5b9);
  return x ^ x >> 29;
}

static bool wants_entries(const simt_core *core, uint32_t block) {
  for (uint32_t i = 0; i < core->n_observers; i++) {
    simt_observer *o = core->observers[i];
    if (o->enter && o->wants_entries && o->wants_entries(o, block)) return true;
  }
  return false;
}

static void choose(const simt_core *core, uint64_t n_blocks, bool *chosen) {
  uint64_t n = core->launch->n_sampled;
  chosen[0] = chosen[n_blocks - 1] = true;
  for (uint64_t i = 0; i < n; i++) {
    uint64_t first = n_blocks * i / n, end = n_blocks * (i + 1) / n;
    if (end > first) chosen[first + scramble(i) % (end - first)] = true;
  }
  for (uint64_t b = 0; b < n_blocks; b++) chosen[b] |= wants_entries(core, (uint32_t)b);
}

uint64_t simt_sample_make(simt_core *core, uint64_t n_blocks) {
  if (core->cluster_blocks > 1 || !core->launch->n_sampled || core->launch->n_sampled >= n_blocks)
    return n_blocks;
  bool *chosen = SIMT_ARENA_ARRAY(&core->arena, bool, n_blocks);
  uint32_t *order = SIMT_ARENA_ARRAY(&core->arena, uint32_t, n_blocks);
  if (!chosen || !order) return n_blocks;
  choose(core, n_blocks, chosen);
  uint64_t n = 0;
  for (int sampled = 1; sampled >= 0; sampled--)
    for (uint64_t b = 0; b < n_blocks; b++)
      if (chosen[b] == (sampled == 1)) order[n++] = (uint32_t)b;
  uint64_t n_chosen = 0;
  for (uint64_t b = 0; b < n_blocks; b++) n_chosen += chosen[b];
  if (2 * n_chosen > n_blocks) return n_blocks;
  core->order = order;
  return n_chosen;
}
