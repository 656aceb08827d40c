// SPDX-License-Identifier: MIT
// timing.c - times by CUDA events; see timing.h.
#include "timing.h"

#include <stdlib.h>
#include <string.h>

#include "cuda_check.h"

static const double batch_target_ms = 1.0;
static const double total_limit_ms = 2000.0; // a slow variant is repeated less, but 3 times
enum { MAX_BATCH = 1000, LEAST_REPEATS = 3 };

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

typedef struct stopwatch {
  cudaEvent_t begin, end;
  wb_enqueue enqueue;
  void *data;
  unsigned iteration;
} stopwatch;

// One batch; *ms is the time of one run in it.
static bool time_batch(stopwatch *watch, unsigned batch, double *ms) {
  float total_ms = 0.0f;
  if (!WB_OK(cudaEventRecord(watch->begin, 0))) return false;
  for (unsigned i = 0; i < batch; i++) watch->enqueue(watch->data, watch->iteration++);
  if (!WB_OK(cudaGetLastError()) || !WB_OK(cudaEventRecord(watch->end, 0)) ||
      !WB_OK(cudaEventSynchronize(watch->end)) ||
      !WB_OK(cudaEventElapsedTime(&total_ms, watch->begin, watch->end))) {
    return false;
  }
  *ms = (double)total_ms / (double)batch;
  return true;
}

static bool time_batches(wb_timing *timing, stopwatch *watch, unsigned repeat) {
  double once_ms = 0.0;
  if (!time_batch(watch, 1, &once_ms) || !time_batch(watch, 1, &once_ms)) return false;
  double batch = once_ms > 0.0 ? batch_target_ms / once_ms + 1.0 : MAX_BATCH;
  timing->batch = batch < MAX_BATCH ? (unsigned)batch : MAX_BATCH;
  const double affordable = total_limit_ms / (once_ms * timing->batch + 1e-6);
  if (affordable < repeat)
    repeat = affordable > LEAST_REPEATS ? (unsigned)affordable : LEAST_REPEATS;

  double *samples = (double *)malloc(repeat * sizeof *samples);
  if (samples == NULL) return false;
  bool ok = true;
  for (unsigned i = 0; i < repeat && ok; i++) ok = time_batch(watch, timing->batch, &samples[i]);
  if (ok) {
    qsort(samples, repeat, sizeof *samples, compare_doubles);
    timing->repeats = repeat;
    timing->median_ms = wb_quantile(samples, repeat, 0.5);
    timing->p10_ms = wb_quantile(samples, repeat, 0.1);
    timing->p90_ms = wb_quantile(samples, repeat, 0.9);
  }
  free(samples);
  return ok;
}

bool wb_time(wb_timing *timing, wb_enqueue enqueue, void *data, unsigned repeat, bool modelled) {
  stopwatch watch = {0};
  watch.enqueue = enqueue;
  watch.data = data;
  memset(timing, 0, sizeof *timing);
  if (!WB_OK(cudaEventCreate(&watch.begin))) return false;
  bool ok = WB_OK(cudaEventCreate(&watch.end));
  if (ok && modelled) {
    ok = time_batch(&watch, 1, &timing->median_ms);
    timing->p10_ms = timing->p90_ms = timing->median_ms;
    timing->repeats = timing->batch = 1;
  } else if (ok) {
    ok = time_batches(timing, &watch, repeat > 0 ? repeat : 1);
  }
  cudaEventDestroy(watch.begin);
  if (watch.end != NULL) cudaEventDestroy(watch.end);
  return ok;
}
