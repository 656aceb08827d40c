// SPDX-License-Identifier: MIT
// core/schedule.c - the order in which threads run, where the programming model leaves it open.
//
//   reverse         the last block, warp, lane and branch side first
//   lane-serial     a warp starts as 32 splits that never join; the lowest ready lane runs until it
//                   waits or its slice ends. They take part in a warp-wide operation together and
//                   go on one by one
//   random          four blocks at a time; warps in a new order every turn, some skipped; short
//                   slices, cut in front of any memory access; a random side of a branch first,
//                   sometimes without a reconvergence point; converged warps that fall in two
//                   (core/random_turn.c)
//   delayed-stores  lockstep; see core/store_buffer.c
//
// Every choice is drawn from one generator whose state depends on the seed and on the launch's
// number only, so a schedule can be repeated.
// Not modelled: choices that the compiler has already made (reordered or merged accesses), and
// memory orders weaker than one access at a time, except for delayed stores.
#include "core/schedule.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/launch.h"
#include "core/state.h"

// ---- names -------------------------------------------------------------------------------------

static const char *const names[] = {[SIMT_SCHEDULE_LOCKSTEP] = "lockstep",
                                    [SIMT_SCHEDULE_REVERSE] = "reverse",
                                    [SIMT_SCHEDULE_LANE_SERIAL] = "lane-serial",
                                    [SIMT_SCHEDULE_RANDOM] = "random",
                                    [SIMT_SCHEDULE_DELAYED_STORES] = "delayed-stores"};
enum { N_NAMES = sizeof names / sizeof *names };

static bool parse_seed(const char *text, uint64_t *seed) {
  uint64_t value = 0;
  if (!*text) return false;
  for (; *text; text++) {
    unsigned digit = (unsigned)*text - '0';
    if (digit > 9 || value > (UINT64_MAX - digit) / 10) return false;
    value = value * 10 + digit;
  }
  *seed = value;
  return true;
}

bool simt_schedule_parse(const char *text, simt_schedule *out) {
  for (size_t i = 0; i < N_NAMES; i++) {
    size_t n = strlen(names[i]);
    if (strncmp(text, names[i], n) != 0) continue;
    simt_schedule schedule = {.kind = (uint8_t)i, .seed = i == SIMT_SCHEDULE_RANDOM};
    bool seeded = i == SIMT_SCHEDULE_RANDOM && text[n] == ':';
    if (seeded ? !parse_seed(text + n + 1, &schedule.seed) : text[n] != '\0') return false;
    *out = schedule;
    return true;
  }
  return false;
}

const char *simt_schedule_print(simt_schedule schedule, char *out, size_t out_bytes) {
  const char *name = schedule.kind < N_NAMES ? names[schedule.kind] : "?";
  if (schedule.kind != SIMT_SCHEDULE_RANDOM) snprintf(out, out_bytes, "%s", name);
  else snprintf(out, out_bytes, "%s:%" PRIu64, name, schedule.seed);
  return out;
}

// ---- chance ------------------------------------------------------------------------------------

// A scrambled counter: multiplied and shifted until every bit of the state reaches every bit of the
// result. Neighbouring seeds and launches give unrelated sequences.
static uint64_t scramble(uint64_t x) {
  x = (x ^ x >> 32) * UINT64_C(0xD6E8FEB86659FD93);
  x = (x ^ x >> 32) * UINT64_C(0xD6E8FEB86659FD93);
  return x ^ x >> 32;
}

uint32_t simt_schedule_draw(simt_core *core) {
  core->random += UINT64_C(0x9E3779B97F4A7C15);
  return (uint32_t)(scramble(core->random) >> 32);
}

// ---- orders of n things ------------------------------------------------------------------------

static uint64_t common_divisor(uint64_t x, uint64_t y) {
  while (y) {
    uint64_t rest = x % y;
    x = y;
    y = rest;
  }
  return x;
}

// Steps through 0 … n - 1 from a random start with a random stride that has no divisor in common
// with n: a permutation that needs no memory, however large the grid.
static simt_permutation random_order(simt_core *core, uint64_t n) {
  uint64_t step = n > 1 ? 1 + simt_schedule_draw(core) % (n - 1) : 0;
  while (step && common_divisor(step, n) != 1) step = step % (n - 1) + 1;
  return (simt_permutation){.first = simt_schedule_draw(core) % n, .step = step, .n = n};
}

simt_permutation simt_schedule_order(simt_core *core, uint64_t n) {
  switch (core->schedule) {
  case SIMT_SCHEDULE_REVERSE: return (simt_permutation){.first = n - 1, .step = n - 1, .n = n};
  case SIMT_SCHEDULE_RANDOM: return random_order(core, n);
  default: return (simt_permutation){.first = 0, .step = n > 1, .n = n};
  }
}

void simt_schedule_lanes(simt_core *core, uint8_t lane[SIMT_LANES]) {
  simt_permutation order = simt_schedule_order(core, SIMT_LANES);
  uint64_t at = order.first;
  for (uint32_t i = 0; i < SIMT_LANES; i++, at = simt_permutation_next(&order, at))
    lane[i] = (uint8_t)at;
}

// ---- a launch ----------------------------------------------------------------------------------

void simt_schedule_begin(simt_core *core, uint64_t n_clusters) {
  const simt_launch *l = core->launch;
  core->schedule = l->schedule.kind;
  core->random = scramble(l->schedule.seed) ^ scramble(~l->number);
  core->orders_lanes =
      core->schedule == SIMT_SCHEDULE_REVERSE || core->schedule == SIMT_SCHEDULE_RANDOM;
  core->holds_stores = core->schedule == SIMT_SCHEDULE_DELAYED_STORES;
  core->block_order = simt_schedule_order(core, n_clusters);
}

uint64_t simt_schedule_cluster(const simt_core *core, uint64_t nth) { // both factors below 2^32
  if (core->order) return core->order[nth];
  const simt_permutation *order = &core->block_order;
  return (order->first + nth * order->step) % order->n;
}

// ---- inside a warp -----------------------------------------------------------------------------

bool simt_schedule_jumps_first(simt_core *core) {
  if (core->schedule == SIMT_SCHEDULE_REVERSE) return true;
  return core->schedule == SIMT_SCHEDULE_RANDOM && simt_schedule_one_in(core, 2);
}

bool simt_schedule_reconverges(simt_core *core) {
  return core->schedule != SIMT_SCHEDULE_RANDOM || !simt_schedule_one_in(core, 4);
}
