// SPDX-License-Identifier: MIT
// timing.c - times by CUDA events, round by round; see timing.h.
#include "timing.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cuda_check.h"

const double wb_graph_below_ms = 0.05;
static const double batch_target_ms = 1.0;
static const double warm_up_ms = 20.0;
static const double total_limit_ms = 800.0; // a slow entry is repeated less, see wb_rounds_for()
static const double very_slow_ms = 200.0;
static const double graph_target_ms = 0.2;
static const double too_long_for_graphs_ms = 100.0;
enum {
  MAX_BATCH = 1000,
  LEAST_REPEATS = 5,
  FEWEST_REPEATS = 3,
  MAX_WARM_UPS = 10,
  LEAST_RUNS = 20,
  MAX_RUNS = 100
};

static int compare_doubles(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

double wb_quantile(const double *x, unsigned n, double part) {
  if (n == 0) return 0.0;
  const double at = part * (double)(n - 1);
  const unsigned below = (unsigned)at;
  if (below + 1 >= n) return x[n - 1];
  return x[below] + (at - (double)below) * (x[below + 1] - x[below]);
}

bool wb_ties(const wb_timing *a, const wb_timing *b) {
  const double spread = fmax(a->p90_ms - a->p10_ms, b->p90_ms - b->p10_ms);
  return fabs(a->median_ms - b->median_ms) <= spread;
}

typedef struct stopwatch {
  cudaEvent_t begin, end;
  cudaStream_t stream;
  unsigned iteration; // of the next run
} stopwatch;

static bool stopwatch_open(stopwatch *watch, cudaStream_t stream) {
  memset(watch, 0, sizeof *watch);
  watch->stream = stream;
  return WB_OK(cudaEventCreate(&watch->begin)) && WB_OK(cudaEventCreate(&watch->end));
}

static void stopwatch_close(stopwatch *watch) {
  if (watch->begin != NULL) cudaEventDestroy(watch->begin);
  if (watch->end != NULL) cudaEventDestroy(watch->end);
}

static bool stopwatch_stop(stopwatch *watch, unsigned n_runs, double *ms_per_run) {
  float total_ms = 0.0f;
  if (!WB_OK(cudaGetLastError()) || !WB_OK(cudaEventRecord(watch->end, watch->stream)) ||
      !WB_OK(cudaEventSynchronize(watch->end)) ||
      !WB_OK(cudaEventElapsedTime(&total_ms, watch->begin, watch->end))) {
    return false;
  }
  *ms_per_run = (double)total_ms / (double)n_runs;
  return true;
}

// One batch; *ms is the time of one run in it.
static bool time_batch(stopwatch *watch, wb_enqueue enqueue, void *data, unsigned batch,
                       double *ms) {
  if (!WB_OK(cudaEventRecord(watch->begin, watch->stream))) return false;
  for (unsigned i = 0; i < batch; i++) enqueue(data, watch->iteration++);
  return stopwatch_stop(watch, batch, ms);
}

bool wb_time_once(wb_timing *timing, wb_enqueue enqueue, void *data) {
  stopwatch watch;
  memset(timing, 0, sizeof *timing);
  const bool ok =
      stopwatch_open(&watch, 0) && time_batch(&watch, enqueue, data, 1, &timing->median_ms);
  stopwatch_close(&watch);
  timing->p10_ms = timing->p90_ms = timing->median_ms;
  timing->graph_median_ms = timing->graph_p10_ms = timing->graph_p90_ms = NAN;
  timing->repeats = timing->batch = 1;
  return ok;
}

// --- rounds ---------------------------------------------------------------------------------

typedef struct samples {
  double *ms;      // [n entries][room]
  unsigned *count; // [n entries] rounds that the entry takes part in
  unsigned room;
} samples;

static bool samples_open(samples *s, unsigned n, unsigned room) {
  s->room = room;
  s->ms = (double *)calloc((size_t)n * room, sizeof *s->ms);
  s->count = (unsigned *)calloc(n, sizeof *s->count);
  if (s->ms != NULL && s->count != NULL) return true;
  fprintf(stderr, "out of host memory for the times\n");
  return false;
}

static void samples_close(samples *s) {
  free(s->ms);
  free(s->count);
}

unsigned wb_rounds_for(double once_ms, unsigned batch, unsigned repeat) {
  const unsigned few = once_ms < very_slow_ms ? LEAST_REPEATS : FEWEST_REPEATS;
  const unsigned least = repeat < few ? repeat : few;
  const double affordable = total_limit_ms / (once_ms * batch + 1e-6);
  return affordable < repeat ? (unsigned)fmax(affordable, least) : repeat;
}

// How long a batch must be, and how many rounds the entry can afford. The first run may pay for
// what is done once, so the second one counts, unless a run takes so long that this is lost in it.
// Until the rounds are over, the median is that of this one run.
static bool plan_entry(stopwatch *watch, wb_timed *timed, unsigned repeat, unsigned *rounds) {
  double once_ms = 0.0;
  if (!time_batch(watch, timed->enqueue, timed->data, 1, &once_ms)) return false;
  if (once_ms < very_slow_ms && !time_batch(watch, timed->enqueue, timed->data, 1, &once_ms))
    return false;
  const double batch = once_ms > 0.0 ? batch_target_ms / once_ms + 1.0 : (double)MAX_BATCH;
  timed->timing.batch = batch < (double)MAX_BATCH ? (unsigned)batch : MAX_BATCH;
  timed->timing.median_ms = once_ms;
  *rounds = wb_rounds_for(once_ms, timed->timing.batch, repeat);
  timed->timing.repeats = *rounds;
  return true;
}

// A batch of all subjects, not counted, until the device has worked for a while. What is very slow
// has warmed it already.
static bool warm_up(stopwatch *watch, wb_timed *timed, unsigned n) {
  double spent_ms = 0.0;
  for (unsigned round = 0; round < MAX_WARM_UPS && spent_ms < warm_up_ms; round++) {
    for (unsigned i = 0; i < n; i++) {
      double ms = 0.0;
      const unsigned batch = timed[i].timing.batch;
      if (timed[i].timing.median_ms >= very_slow_ms) continue;
      if (!time_batch(watch, timed[i].enqueue, timed[i].data, batch, &ms)) return false;
      spent_ms += ms * batch;
    }
  }
  return true;
}

static void summarise(double *ms, unsigned n, double *median, double *p10, double *p90) {
  qsort(ms, n, sizeof *ms, compare_doubles);
  *median = wb_quantile(ms, n, 0.5);
  *p10 = wb_quantile(ms, n, 0.1);
  *p90 = wb_quantile(ms, n, 0.9);
}

static bool run_rounds(stopwatch *watch, wb_timed *timed, unsigned n, samples *s) {
  for (unsigned round = 0; round < s->room; round++) {
    for (unsigned i = 0; i < n; i++) {
      if (round >= s->count[i]) continue;
      double *ms = &s->ms[(size_t)i * s->room + round];
      if (!time_batch(watch, timed[i].enqueue, timed[i].data, timed[i].timing.batch, ms)) {
        return false;
      }
    }
  }
  for (unsigned i = 0; i < n; i++) {
    wb_timing *t = &timed[i].timing;
    summarise(&s->ms[(size_t)i * s->room], s->count[i], &t->median_ms, &t->p10_ms, &t->p90_ms);
  }
  return true;
}

// --- graphs ---------------------------------------------------------------------------------

// What every run put into the graph; 0 also when work went past the stream that was captured.
static size_t nodes_a_run(cudaGraph_t graph, unsigned n_runs) {
  size_t n_nodes = 0;
  return cudaGraphGetNodes(graph, NULL, &n_nodes) == cudaSuccess ? n_nodes / n_runs : 0;
}

static bool is_capturing(cudaStream_t stream) {
  enum cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
  return cudaStreamIsCapturing(stream, &status) == cudaSuccess &&
         status == cudaStreamCaptureStatusActive;
}

// Captures runs of one entry. No graph (and no error) when the work cannot be captured: the first
// run that fails ends the capture.
static void make_graph(stopwatch *watch, wb_timed *timed) {
  const double runs = graph_target_ms / (timed->timing.median_ms + 1e-6);
  const unsigned n_runs = runs < (double)LEAST_RUNS ? LEAST_RUNS
                          : runs > (double)MAX_RUNS ? MAX_RUNS
                                                    : (unsigned)runs;
  cudaGraph_t graph = NULL;
  if (cudaStreamBeginCapture(watch->stream, cudaStreamCaptureModeRelaxed) == cudaSuccess) {
    for (unsigned i = 0; i < n_runs && is_capturing(watch->stream); i++)
      timed->enqueue(timed->data, watch->iteration++);
    if (cudaStreamEndCapture(watch->stream, &graph) == cudaSuccess && graph != NULL &&
        nodes_a_run(graph, n_runs) > 0 &&
        cudaGraphInstantiate(&timed->graph, graph, 0) != cudaSuccess) {
      timed->graph = NULL;
    }
  }
  if (graph != NULL) cudaGraphDestroy(graph);
  cudaGetLastError(); // a failed capture is not the lesson's error
  timed->timing.graph_runs = timed->graph != NULL ? n_runs : 0;
}

static bool time_graph(stopwatch *watch, const wb_timed *timed, const wb_timing_plan *plan,
                       double *ms) {
  if (plan->make_cold != NULL) plan->make_cold(watch->stream); // it ends before `begin` is taken
  return WB_OK(cudaEventRecord(watch->begin, watch->stream)) &&
         WB_OK(cudaGraphLaunch(timed->graph, watch->stream)) &&
         stopwatch_stop(watch, timed->timing.graph_runs, ms);
}

static bool time_graphs(stopwatch *watch, wb_timed *timed, unsigned n, const wb_timing_plan *plan,
                        samples *s) {
  for (unsigned i = 0; i < n; i++) {
    const double ms = timed[i].timing.median_ms;
    const bool wanted =
        plan->graphs == WB_GRAPH_ALWAYS ? ms < too_long_for_graphs_ms : ms < wb_graph_below_ms;
    if (wanted) make_graph(watch, &timed[i]);
  }
  for (unsigned round = 0; round < s->room + 1; round++) { // the first one is not counted
    for (unsigned i = 0; i < n; i++) {
      double *ms = &s->ms[(size_t)i * s->room + (round > 0 ? round - 1 : 0)];
      if (timed[i].graph != NULL && !time_graph(watch, &timed[i], plan, ms)) return false;
    }
  }
  for (unsigned i = 0; i < n; i++) {
    wb_timing *t = &timed[i].timing;
    if (timed[i].graph == NULL) continue;
    summarise(&s->ms[(size_t)i * s->room], s->room, &t->graph_median_ms, &t->graph_p10_ms,
              &t->graph_p90_ms);
  }
  return true;
}

bool wb_time_interleaved(wb_timed *timed, unsigned n, const wb_timing_plan *plan) {
  stopwatch watch;
  samples s = {0};
  const unsigned repeat = plan->repeat > 0 ? plan->repeat : 1;
  bool ok = stopwatch_open(&watch, plan->stream) && samples_open(&s, n, repeat);
  for (unsigned i = 0; i < n && ok; i++) {
    wb_timing *t = &timed[i].timing;
    memset(t, 0, sizeof *t);
    t->graph_median_ms = t->graph_p10_ms = t->graph_p90_ms = NAN;
    timed[i].graph = NULL;
    ok = plan_entry(&watch, &timed[i], repeat, &s.count[i]);
  }
  ok = ok && warm_up(&watch, timed, n) && run_rounds(&watch, timed, n, &s) &&
       time_graphs(&watch, timed, n, plan, &s);
  stopwatch_close(&watch);
  samples_close(&s);
  return ok;
}

void wb_timed_release(wb_timed *timed, unsigned n) {
  for (unsigned i = 0; i < n; i++) {
    if (timed[i].graph != NULL) cudaGraphExecDestroy(timed[i].graph);
    timed[i].graph = NULL;
  }
}
