// SPDX-License-Identifier: MIT
// lesson_sample.c - --sample: counters and modelled time at a size that would take minutes to run
// whole. The software GPU runs a sample of the blocks where it may, so what they compute at this
// size is not there to be judged: every variant is judged at a smaller size, where all of it runs.
//
// Invariants: a row whose launches have all run whole is judged at its own size, as without
// --sample. A variant whose time the model cannot judge is run at the smaller size only.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "lesson_jobs.h"
#include "timing.h"

enum { VERIFIED_N = 1 << 18 };

unsigned wb_verified_n(unsigned n) { return n < VERIFIED_N ? n : VERIFIED_N; }

// A variant that was run at the smaller size, for the row of the larger one.
static void take_verdict(wb_row *row, const wb_row *smaller) {
  row->correct = smaller->correct;
  row->error_over_bound = smaller->error_over_bound;
  row->result = smaller->result;
  row->verified_n = smaller->n;
  memcpy(row->message, smaller->message, sizeof row->message);
}

// It is beyond the model: at the smaller size it had no time either.
static void leave_out(wb_job *j, double *counters) {
  const char *before = j->smaller->row.basis;
  wb_timing *t = &j->row.timing;
  t->median_ms = t->p10_ms = t->p90_ms = NAN;
  t->graph_median_ms = t->graph_p10_ms = t->graph_p90_ms = NAN;
  t->repeats = t->batch = 0;
  const bool keeps = before != NULL && strcmp(before, WB_NOT_MODELLED) == 0;
  j->row.basis = keeps ? WB_NOT_MODELLED : "not run";
  j->row.bound = NULL;
  j->row.blocks_run_percent = 0.0;
  for (size_t i = 0; i < wb_counters_count(); i++) counters[i] = NAN;
}

bool wb_run_sampled(wb_job *j) {
  wb_session *s = j->run.session;
  const wb_job *smaller = j->smaller;
  j->row.verified_n = j->row.n;
  if (smaller == NULL || !smaller->done) return wb_run_whole(j);
  if (isnan(smaller->row.timing.median_ms)) {
    take_verdict(&j->row, &smaller->row);
    leave_out(j, s->counters);
    j->row.grid = 0;
    return true;
  }
  if (!wb_session_fill_once(s, j->run.variant, WB_INPUT_MIXED)) return false;
  wb_sample_blocks(true);
  const bool ran = wb_run_once(j, false);
  wb_sample_blocks(false);
  if (!ran) return false;
  const wb_sampled sampled = wb_blocks_sampled();
  j->row.blocks_run_percent = sampled.percent;
  if (sampled.is_void) return wb_run_whole(j);
  if (sampled.percent >= 100.0) return wb_judge_run(j, WB_INPUT_MIXED, "mixed input");
  take_verdict(&j->row, &smaller->row);
  j->row.basis = "sampled";
  return true;
}
