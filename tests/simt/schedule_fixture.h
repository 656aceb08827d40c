// SPDX-License-Identifier: MIT
// schedule_fixture.h - runs a kernel under every schedule and counts wrong results.
#ifndef SCHEDULE_FIXTURE_H
#define SCHEDULE_FIXTURE_H

#include "core_fixture.h"

static const simt_schedule LOCKSTEP = {.kind = SIMT_SCHEDULE_LOCKSTEP},
                           REVERSE = {.kind = SIMT_SCHEDULE_REVERSE},
                           LANE_SERIAL = {.kind = SIMT_SCHEDULE_LANE_SERIAL},
                           DELAYED = {.kind = SIMT_SCHEDULE_DELAYED_STORES};

static inline simt_schedule seeded(uint64_t seed) {
  return (simt_schedule){.kind = SIMT_SCHEDULE_RANDOM, .seed = seed};
}

enum { N_SEEDS = 8, N_SCHEDULES = 4 + N_SEEDS };
static inline simt_schedule schedule_at(int i) {
  const simt_schedule plain[4] = {LOCKSTEP, REVERSE, LANE_SERIAL, DELAYED};
  return i < 4 ? plain[i] : seeded((uint64_t)i - 3);
}

// ---- what kernels compute ----------------------------------------------------------------------

typedef struct expectation {
  const char *text;
  core_options options;
  uint32_t n; // words of out that must be right
  uint32_t (*right)(uint32_t index);
} expectation;

// How many words of `out` are wrong.
static inline uint32_t count_wrong(const expectation *e, simt_schedule schedule) {
  core_options options = e->options;
  options.schedule = schedule;
  core_run run = core_ok(e->text, options);
  uint32_t wrong = 0;
  for (uint32_t i = 0; i < e->n; i++) wrong += run.out_host[i] != e->right(i);
  core_free(&run);
  return wrong;
}

static inline void right_everywhere(const expectation *e) {
  char name[32];
  for (int i = 0; i < N_SCHEDULES; i++)
    ck_assert_msg(count_wrong(e, schedule_at(i)) == 0, "%u words are wrong under %s",
                  count_wrong(e, schedule_at(i)),
                  simt_schedule_print(schedule_at(i), name, sizeof name));
}

static inline bool wrong_for_a_seed(const expectation *e) {
  for (uint64_t seed = 1; seed <= N_SEEDS; seed++)
    if (count_wrong(e, seeded(seed))) return true;
  return false;
}

static inline uint32_t own_index(uint32_t i) { return i; }
static inline uint32_t neighbour(uint32_t i) { return i ^ 1; }

#endif
