// SPDX-License-Identifier: MIT
// core/schedule.h - private to the core: a schedule's decisions. It is asked wherever the
// programming model leaves the order open. Lockstep is the plain order at each of these places.
#ifndef SIMT_SCHEDULE_H
#define SIMT_SCHEDULE_H

#include "core/state.h"

enum { SIMT_RANDOM_RESIDENT_BLOCKS = 4 };

// Reads the launch's schedule, before anything runs.
void simt_schedule_begin(simt_core *core, uint64_t n_clusters);

// The order in which `n` things take place.
simt_permutation simt_schedule_order(simt_core *core, uint64_t n);
// The cluster that runs as number `nth`; without clusters, the block.
uint64_t simt_schedule_cluster(const simt_core *core, uint64_t nth);
// for (at = order.first, i = 0; i < n; i++, at = simt_permutation_next(&order, at)) …
static inline uint64_t simt_permutation_next(const simt_permutation *order, uint64_t at) {
  at += order->step;
  return at >= order->n ? at - order->n : at;
}
// Lanes of one store or atomic instruction: lane[0] comes first.
void simt_schedule_lanes(simt_core *core, uint8_t lane[SIMT_LANES]);

// At a branch: whether the lanes that jump go first, and whether the two sides are to reconverge.
bool simt_schedule_jumps_first(simt_core *core);
bool simt_schedule_reconverges(simt_core *core);

// Random: the next number of the launch's generator; and true once in `n` times.
uint32_t simt_schedule_draw(simt_core *core);
static inline bool simt_schedule_one_in(simt_core *core, uint32_t n) {
  return simt_schedule_draw(core) % n == 0;
}

#endif
