// SPDX-License-Identifier: MIT
/// @file timing.h
/// How long work on the device takes, by CUDA events.
///
/// On a GPU: one warm-up; then `repeat` batches of back-to-back runs, each batch long enough (about
/// 1 ms) that the event timer's step of a microsecond does not show; the median batch counts. The
/// caller rotates its inputs over more memory than the L2 holds, so that the regime is "cold".
/// On the software GPU time is modelled and the same every time: one run.
#ifndef WB_TIMING_H
#define WB_TIMING_H

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct wb_timing {
  double median_ms, p10_ms, p90_ms; ///< of one run
  unsigned repeats;                 ///< batches timed
  unsigned batch;                   ///< runs in a batch
} wb_timing;

/// Enqueues run number `iteration` (0, 1, 2 …: the caller picks an input by it).
typedef void (*wb_enqueue)(void *data, unsigned iteration);

/// Times `enqueue`. `modelled`: one run, no warm-up. False, with a message on stderr, on a CUDA
/// error.
bool wb_time(wb_timing *timing, wb_enqueue enqueue, void *data, unsigned repeat, bool modelled);

/// Value below which the fraction `part` (0 … 1) of the ascending x[0 .. n) lies, interpolated.
double wb_quantile(const double *x, unsigned n, double part);

#ifdef __cplusplus
}
#endif
#endif
