// SPDX-License-Identifier: MIT
// profile/extrapolate.c - see profile/extrapolate.h.
#include "profile/extrapolate.h"

#include <math.h>

#include "profile/atomic_map.h"

// ---- Atomics on global memory.

typedef enum spread {
  SPREAD_SAME,   // all blocks meet the same addresses, and many times
  SPREAD_OWN,    // no two lanes meet
  SPREAD_UNKNOWN // more blocks may meet more addresses, or the same ones
} spread;

enum { MET_OFTEN = 8 };

static spread spread_of(const simt_counters *c) {
  if (c->global_atomic_max_degree <= 1) return SPREAD_OWN;
  if (c->global_atomic_addresses >= SIMT_MAX_ATOMIC_ADDRESSES) return SPREAD_UNKNOWN;
  return c->global_atomic_lanes >= MET_OFTEN * c->global_atomic_addresses ? SPREAD_SAME
                                                                          : SPREAD_UNKNOWN;
}

// How often the busiest address is met by all. Of many addresses that are met alike one comes out
// above the others by chance, and relatively less so the more often all are met; not so if each
// block meets it equally often.
static double busiest(const simt_counters *c, uint64_t n_run, double scale) {
  enum { CHANCE = 5 }; // standard deviations
  double most = (double)c->global_atomic_max_degree;
  double mean = (double)c->global_atomic_lanes / (double)c->global_atomic_addresses;
  bool by_chance = c->global_atomic_max_degree % n_run != 0 && most - mean <= CHANCE * sqrt(mean);
  return (by_chance ? mean : most) * scale;
}

// ---- Blocks.

static bool are_alike(const simt_trace *t) {
  double n = 0.0, sum = 0.0, squares = 0.0, most = 0.0;
  for (uint64_t b = 0; b < t->n_costs; b++) {
    double cost = (double)t->cost[b];
    if (cost <= 0.0) continue; // it has not run
    n += 1.0;
    sum += cost;
    squares += cost * cost;
    most = fmax(most, cost);
  }
  if (n == 0.0) return false;
  double mean = sum / n, variance = fmax(0.0, squares / n - mean * mean);
  return sqrt(variance) <= 0.05 * mean && most <= 1.5 * mean;
}

bool simt_is_enough(const simt_trace *trace, const simt_counters *counters) {
  if (!are_alike(trace)) return false;
  return !counters->global_atomic_requests || spread_of(counters) != SPREAD_UNKNOWN;
}

// ---- Counters.

static uint64_t times(uint64_t value, double scale) {
  return (uint64_t)((double)value * scale + 0.5);
}

void simt_extrapolate(simt_counters *c, uint64_t n_run, uint64_t n_blocks) {
  const simt_counters ran = *c;
  double scale = (double)n_blocks / (double)n_run;
#define GROW_SUM(field) c->field = times(ran.field, scale);
#define GROW_MAX(field)
#define SIMT_COUNTER(name, combine, description) GROW_##combine(name)
#include "include/simt_counters.def"
#undef SIMT_COUNTER
  for (size_t i = 0; i < SIMT_CLASS_COUNT; i++)
    c->class_warp_instructions[i] = times(ran.class_warp_instructions[i], scale);
  c->launches = ran.launches;
  c->blocks = ran.blocks;
  c->warps = ran.warps;
  c->threads = ran.threads;
  if (!ran.global_atomic_requests) return;
  if (spread_of(&ran) == SPREAD_OWN)
    c->global_atomic_addresses = times(ran.global_atomic_addresses, scale);
  else c->global_atomic_max_degree = times(1, busiest(&ran, n_run, scale));
}
