// SPDX-License-Identifier: MIT
// lesson_run.c - runs the variants that read one input: verification, counters, timing.
//
// Invariants: outputs and scratch are poisoned before every verified run, so that a stale or
// missing result is a NaN (a -1 as int); both inputs are judged before anything is timed (but see
// judge_all), and on a GPU the output once more after the timing. Variants that read the same input
// are timed in turns (timing.h).
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "device.h"
#include "inputs.h"
#include "lesson_jobs.h"
#include "timing.h"

static void enqueue(void *data, unsigned iteration) {
  wb_run *r = (wb_run *)data;
  const void *in = wb_session_input(r->session, iteration % r->session->n_copies);
  r->launch.in = r->variant->input == WB_INT ? NULL : (const float *)in;
  r->launch.in_ints = r->variant->input == WB_INT ? (const int *)in : NULL;
  r->launch.shares = wb_shares_of(r->session, iteration % r->session->n_copies);
  r->variant->launch(&r->launch);
}

// --- verification ---------------------------------------------------------------------------

static void say_what_is_wrong(const wb_run *r, const char *when, const wb_verdict *verdict,
                              wb_row *row) {
  const wb_args *args = &r->session->args;
  char where[40] = "";
  if (r->variant->result == WB_RESULT_HISTOGRAM) {
    snprintf(where, sizeof where, "bins, ");
  } else if (wb_is_scan(r->variant)) {
    snprintf(where, sizeof where, "element %zu: ", verdict->index);
  } else if (r->variant->result == WB_RESULT_ACROSS) {
    snprintf(where, sizeof where, "element %zu on some GPU: ", verdict->index);
  } else if (r->variant->result == WB_RESULT_ROW_SUMS) {
    snprintf(where, sizeof where, "row %zu: ", verdict->index);
  }
  row->correct = false;
  snprintf(row->message, sizeof row->message, "n = %u, block %u, grid %u, %s: %s%s", args->n,
           args->block, r->launch.grid, when, where, verdict->message);
}

bool wb_judge_run(wb_job *j, wb_input_kind kind, const char *when) {
  wb_verdict verdict;
  wb_row *row = &j->row;
  if (!WB_OK(cudaDeviceSynchronize()) || !wb_judge_output(&j->run, kind, &verdict, &row->result)) {
    return false;
  }
  if (!(verdict.error_over_bound <= row->error_over_bound)) {
    row->error_over_bound = verdict.error_over_bound;
  }
  if (!verdict.correct && row->correct) say_what_is_wrong(&j->run, when, &verdict, row);
  return true;
}

bool wb_run_once(wb_job *j, bool profiled) {
  wb_session *s = j->run.session;
  if (!wb_session_poison(s)) return false;
  wb_counters_reset();
  // The counted run is the only one on the software GPU; a GPU repeats it for the clock.
  if (profiled) wb_profiler_start(j->row.number);
  const bool ran = wb_time_once(&j->row.timing, enqueue, &j->run);
  if (profiled) wb_profiler_stop(); // the run is over: its end was waited for
  wb_counters_read(s->counters);
  j->row.grid = j->run.launch.grid;
  j->row.block = j->run.launch.block;
  j->row.basis = wb_time_basis();
  j->row.bound = wb_time_bound();
  if (!wb_time_is_judged()) // a number would mean nothing
    j->row.timing.median_ms = j->row.timing.p10_ms = j->row.timing.p90_ms = NAN;
  return ran;
}

// Poisons, runs, reads back, judges. False on a CUDA error, which has been printed.
static bool verify(wb_job *j, wb_input_kind kind) {
  const wb_session *s = j->run.session;
  char when[32];
  const bool ran = wb_run_once(j, s->args.profile && kind == WB_INPUT_MIXED);
  snprintf(when, sizeof when, "%s input", wb_input_kind_name(kind));
  return ran && wb_judge_run(j, kind, when);
}

// What the timed runs left behind on the device (counters, flags) must not spoil the next: once
// more, as it was timed, into a poisoned output.
static bool verify_after_timing(wb_job *j, wb_timed *timed) {
  const wb_session *s = j->run.session;
  if (!wb_session_poison_output(j->run.session)) return false;
  if (timed->graph != NULL) {
    if (!WB_OK(cudaGraphLaunch(timed->graph, s->device.stream))) return false;
  } else {
    enqueue(&j->run, 0);
  }
  return WB_OK(cudaGetLastError()) && wb_judge_run(j, WB_INPUT_MIXED, "after the timed runs");
}

// --- one input, all variants that read it ---------------------------------------------------

static bool failed(const wb_job *j) {
  const wb_session *s = j->run.session;
  fprintf(stderr, "%s: variant %s failed: n = %u, block %u, grid %u\n", s->lesson->name,
          j->run.variant->name, s->args.n, s->args.block, j->run.launch.grid);
  return false;
}

static void show_progress(const wb_session *s, const char *name, const char *what) {
  if (s->on_terminal) fprintf(stderr, "\r\033[K  %s %s", name, what);
}

static bool verify_all(wb_job **jobs, unsigned n_jobs, wb_input_kind kind) {
  wb_session *s = jobs[0]->run.session;
  show_progress(s, jobs[0]->run.variant->name, "...");
  if (!wb_session_fill(s, jobs[0]->run.variant, kind)) return failed(jobs[0]);
  for (unsigned i = 0; i < n_jobs; i++) {
    show_progress(s, jobs[i]->run.variant->name, "...");
    if (!verify(jobs[i], kind)) return failed(jobs[i]);
  }
  return true;
}

static bool time_all(wb_job **jobs, unsigned n_jobs) {
  wb_session *s = jobs[0]->run.session;
  const wb_timing_plan plan = {s->args.repeat, s->args.graph ? WB_GRAPH_ALWAYS : WB_GRAPH_SHORT,
                               s->device.stream, s->args.warm ? NULL : wb_device_flush_l2};
  wb_timed *timed = (wb_timed *)calloc(n_jobs, sizeof *timed);
  if (timed == NULL) return false;
  show_progress(s, jobs[0]->run.variant->name, "and its like are timed ...");
  for (unsigned i = 0; i < n_jobs; i++) {
    timed[i].enqueue = enqueue;
    timed[i].data = &jobs[i]->run;
  }
  bool ok = wb_time_interleaved(timed, n_jobs, &plan);
  for (unsigned i = 0; i < n_jobs && ok; i++) {
    jobs[i]->row.timing = timed[i].timing;
    ok = verify_after_timing(jobs[i], &timed[i]);
  }
  wb_timed_release(timed, n_jobs);
  return ok;
}

// Samples of a histogram are of one distribution, whatever the kind: the kinds are two seeds. On
// the software GPU, where a run takes long, one of them is enough.
static bool judge_all(wb_job **jobs, unsigned n_jobs) {
  const wb_run *first = &jobs[0]->run;
  if (first->session->device.modelled && first->variant->result == WB_RESULT_HISTOGRAM)
    return verify_all(jobs, n_jobs, WB_INPUT_MIXED);
  return verify_all(jobs, n_jobs, WB_INPUT_INTEGERS) && verify_all(jobs, n_jobs, WB_INPUT_MIXED);
}

bool wb_run_whole(wb_job *j) {
  j->row.blocks_run_percent = 100.0;
  j->row.verified_n = j->row.n;
  return judge_all(&j, 1);
}

bool wb_run_together(wb_job **jobs, unsigned n_jobs) {
  wb_session *s = jobs[0]->run.session;
  bool ok = s->is_sampling ? wb_run_sampled(jobs[0]) : judge_all(jobs, n_jobs);
  if (ok && !s->device.modelled && !s->args.profile && !time_all(jobs, n_jobs)) {
    fprintf(stderr, "%s: timing failed, n = %u, block %u, %u variants from %s on\n",
            s->lesson->name, s->args.n, s->args.block, n_jobs, jobs[0]->run.variant->name);
    ok = false;
  }
  if (s->on_terminal) fprintf(stderr, "\r\033[K");
  for (unsigned i = 0; i < n_jobs && ok; i++) { jobs[i]->done = true; }
  return ok;
}
