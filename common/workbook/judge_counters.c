// SPDX-License-Identifier: MIT
// judge_counters.c - what a kernel's launches cost: the software GPU's counters, compared with what
// was worked out by hand or with what an exercise allows.
#include "judge_internal.h"

#include <stdlib.h>
#include <string.h>

#ifdef WORKBOOK_SIMT
bool wb_counts_hold(void) {
  const char *schedule = getenv("SIMT_SCHEDULE");
  return !schedule || !*schedule || strcmp(schedule, "lockstep") == 0 ||
         strncmp(schedule, "sweep", 5) == 0; // counts those of lockstep
}

const simt_counters *wb_judge_counters(wb_judge *judge) { return &judge->counters; }

static uint64_t counter_value(wb_judge *judge, const char *counter) {
  for (size_t i = 0; simt_counter_name(i); i++)
    if (strcmp(simt_counter_name(i), counter) == 0) return simt_counter_value(&judge->counters, i);
  wb_judge_break(judge, WB_CAUSE_SUITE, "the suite asks for a counter that does not exist: %s",
                 counter);
}

// Which line costs most of what a counter counts, so that the verdict can name it.
typedef struct line_of_counter {
  const char *counter;
  simt_line_measure measure;
} line_of_counter;

static const line_of_counter lines_of_counters[] = {
    {"shared_load_wavefronts", SIMT_LINE_CONFLICTS},
    {"shared_store_wavefronts", SIMT_LINE_CONFLICTS},
    {"shared_load_requests", SIMT_LINE_SHARED_REQUESTS},
    {"shared_store_requests", SIMT_LINE_SHARED_REQUESTS},
    {"shared_store_words", SIMT_LINE_SHARED_REQUESTS},
    {"global_load_bytes", SIMT_LINE_GLOBAL_SECTORS},
    {"global_load_sectors", SIMT_LINE_GLOBAL_SECTORS},
    {"global_load_requests", SIMT_LINE_GLOBAL_SECTORS},
    {"global_store_requests", SIMT_LINE_GLOBAL_SECTORS},
    {"global_atomic_lanes", SIMT_LINE_ATOMIC_LANES},
    {"shared_atomic_lanes", SIMT_LINE_ATOMIC_LANES},
    {"divergent_branches", SIMT_LINE_DIVERGENT_BRANCHES},
    {"block_barriers", SIMT_LINE_BLOCK_BARRIERS},
    {"warp_syncs", SIMT_LINE_WARP_SYNCS},
    {"shuffles", SIMT_LINE_SHUFFLES},
};

void wb_judge_blame_line(wb_judge *judge, const char *counter) {
  wb_verdict *v = judge->verdict;
  for (size_t i = 0; i < sizeof lines_of_counters / sizeof *lines_of_counters; i++)
    if (strcmp(lines_of_counters[i].counter, counter) == 0)
      simt_costliest_line(lines_of_counters[i].measure, v->file, &v->line);
}

static void check_is(wb_judge *judge, const char *counter, uint64_t want, wb_why why,
                     const char *meaning) {
  uint64_t got = counter_value(judge, counter);
  if (got == want || !wb_counts_hold()) return;
  wb_judge_blame_line(judge, counter);
  wb_judge_fail_why(judge, why, "counter %s: expected %llu, counted %llu%s%s", counter,
                    (unsigned long long)want, (unsigned long long)got, *meaning ? "\n" : "",
                    meaning);
}

static void check_at_most(wb_judge *judge, const char *counter, uint64_t limit, wb_why why,
                          const char *meaning) {
  uint64_t got = counter_value(judge, counter);
  if (got <= limit || !wb_counts_hold()) return;
  wb_judge_blame_line(judge, counter);
  wb_judge_fail_why(judge, why, "counter %s: at most %llu allowed, counted %llu%s%s", counter,
                    (unsigned long long)limit, (unsigned long long)got, *meaning ? "\n" : "",
                    meaning);
}

void wb_judge_counter_is(wb_judge *judge, const char *counter, uint64_t want, const char *meaning) {
  check_is(judge, counter, want, WB_COST(NULL), meaning);
}

void wb_judge_counter_at_most(wb_judge *judge, const char *counter, uint64_t limit,
                              const char *meaning) {
  check_at_most(judge, counter, limit, WB_COST(NULL), meaning);
}

void wb_judge_cost_is(wb_judge *judge, const char *counter, uint64_t want, const char *cause) {
  check_is(judge, counter, want, WB_COST(cause), "");
}

void wb_judge_cost_at_most(wb_judge *judge, const char *counter, uint64_t limit,
                           const char *cause) {
  check_at_most(judge, counter, limit, WB_COST(cause), "");
}
#else
bool wb_counts_hold(void) { return false; }
#endif
