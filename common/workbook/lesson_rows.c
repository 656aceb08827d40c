// SPDX-License-Identifier: MIT
// lesson_rows.c - the rows of a lesson's table: rates, and comparisons with the rung before and
// CUB.
#include <math.h>
#include <stdio.h>

#include "lesson_jobs.h"
#include "timing.h"

// A scan writes as much as it reads, and a copy is its ceiling, where one was measured.
static void set_rates(const wb_session *s, wb_row *row) {
  const bool is_scan = wb_is_scan(row->variant);
  const double ms = s->args.profile ? NAN : row->timing.median_ms; // a profiler stretches time
  const double bytes = (double)s->args.n * WB_ELEMENT_BYTES * (is_scan ? 2.0 : 1.0);
  const bool to_copy = is_scan && s->device.copy_gb_per_s > 0.0;
  row->ceiling = to_copy ? "copy" : "read";
  row->ceiling_gb_per_s = to_copy ? s->device.copy_gb_per_s : s->device.peak_gb_per_s;
  row->gb_per_s = ms > 0.0 ? bytes / (ms * 1e6) : NAN;
  row->percent_of_peak =
      row->ceiling_gb_per_s > 0.0 ? 100.0 * row->gb_per_s / row->ceiling_gb_per_s : NAN;
}

// Times faster than `other`; NaN without one.
static double times_faster(const wb_timing *mine, const wb_timing *other) {
  if (other == NULL || !(mine->median_ms > 0.0) || !(other->median_ms > 0.0)) return NAN;
  return other->median_ms / mine->median_ms;
}

// CUB doing the same with the same input, or NULL.
static const wb_job *yardstick_of(const wb_job *jobs, unsigned n_jobs, const wb_variant *variant) {
  for (unsigned i = 0; i < n_jobs; i++) {
    const wb_variant *other = jobs[i].run.variant;
    if (jobs[i].done && other->is_yardstick && wb_same_input(other, variant) &&
        other->result == variant->result) {
      return &jobs[i];
    }
  }
  return NULL;
}

// The row that this one improves on: the one before, unless it does another task. A sweep compares
// with itself.
static const wb_job *before(const wb_job *jobs, unsigned index) {
  for (unsigned i = index; i-- > 0;) {
    if (!jobs[i].done) continue;
    const wb_variant *mine = jobs[index].run.variant, *other = jobs[i].run.variant;
    const bool sweep = mine->sweep_to > 0 || other->sweep_to > 0;
    return mine->group == other->group && (!sweep || mine == other) ? &jobs[i] : NULL;
  }
  return NULL;
}

static void print_job(wb_session *s, wb_job *jobs, unsigned n_jobs, unsigned index) {
  wb_job *j = &jobs[index];
  wb_row *row = &j->row;
  const wb_job *rung = before(jobs, index), *cub = yardstick_of(jobs, n_jobs, row->variant);
  set_rates(s, row);
  row->times_before = times_faster(&row->timing, rung != NULL ? &rung->row.timing : NULL);
  row->ties_before =
      rung != NULL && !s->device.modelled && wb_ties(&row->timing, &rung->row.timing);
  row->times_cub = times_faster(&row->timing, cub != NULL ? &cub->row.timing : NULL);
  row->ties_cub = cub != NULL && wb_ties(&row->timing, &cub->row.timing);
  row->times_cub_graph =
      cub != NULL ? cub->row.timing.graph_median_ms / row->timing.graph_median_ms : NAN;
  row->counters = s->counters;
  for (size_t i = 0; i < WB_MAX_EXPLANATIONS; i++) {
    const bool is_none = s->lesson->of_floats[i] && row->variant->input != WB_FLOAT;
    const wb_explanation *way = &s->lesson->explanations[i];
    row->explanations[i] =
        is_none ? NAN : wb_explain(way, s->counters, s->args.n, row->timing.median_ms);
  }
  s->n_run++;
  s->n_wrong += row->correct ? 0 : 1;
  (s->args.json ? wb_print_json : wb_print_row)(stdout, row);
}

void wb_print_job(wb_session *s, wb_job *jobs, unsigned n_jobs, unsigned index) {
  if (jobs[index].refusal[0] != '\0') {
    wb_print_refusal(s->args.json ? stderr : stdout, jobs[index].run.variant->name,
                     jobs[index].refusal);
  } else if (jobs[index].done) {
    print_job(s, jobs, n_jobs, index);
  }
}
