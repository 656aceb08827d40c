// SPDX-License-Identifier: MIT
/// @file timing.h
/// How long work on the device takes, by CUDA events.
///
/// On a GPU several kernels are measured together, round by round: one batch of the first, one of
/// the second … one of the first again, so that a drift of clock or temperature meets all alike. A
/// batch is runs back to back, long enough (about 1 ms) that the event timer's step of a
/// microsecond does not show; the median batch counts, and p10 and p90 say how far batches differ.
/// Rounds before the first that counts warm the device up.
///
/// Two regimes, never mixed: *cold* (the caller hands every run another input, so that none is in
/// the L2) and *warm* (the same input each time). A short run is mostly launch; what is left when
/// launches cost little is the time of one run within a graph of at least 20.
///
/// Not done here: fixing the clocks (needs rights a reader does not have); removing the time
/// between two launches from a batch: `graph_ms` shows that share. On the software GPU time is
/// modelled and the same every time: one run.
#ifndef WB_TIMING_H
#define WB_TIMING_H

#include <cuda_runtime.h>
#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct wb_timing {
  double median_ms, p10_ms, p90_ms;                   ///< of one run
  unsigned repeats;                                   ///< batches timed
  unsigned batch;                                     ///< runs in a batch
  double graph_median_ms, graph_p10_ms, graph_p90_ms; ///< of one run of a graph; NaN: not timed
  unsigned graph_runs;                                ///< runs in the graph; 0: not timed
} wb_timing;

/// Enqueues run number `iteration` (0, 1, 2 …: the caller picks an input by it).
typedef void (*wb_enqueue)(void *data, unsigned iteration);

/// Something to be timed beside others.
typedef struct wb_timed {
  wb_enqueue enqueue;
  void *data;
  wb_timing timing;      ///< what came out
  cudaGraphExec_t graph; ///< the graph timed, or NULL; wb_timed_release() frees it
} wb_timed;

typedef enum wb_graph_policy {
  WB_GRAPH_SHORT, ///< graphs of what takes less than wb_graph_below_ms
  WB_GRAPH_ALWAYS ///< of everything but runs so long (100 ms) that a launch cannot matter
} wb_graph_policy;

typedef struct wb_timing_plan {
  unsigned repeat; ///< rounds; a slow entry takes part in fewer, see wb_rounds_for()
  wb_graph_policy graphs;
  cudaStream_t stream; ///< where `enqueue` puts its work; the legacy stream cannot make graphs
  void (*make_cold)(cudaStream_t stream); ///< enqueued before each graph; NULL: the regime is warm
} wb_timing_plan;

extern const double wb_graph_below_ms; ///< 0.05

/// One run of `enqueue` on the default stream, as it is. False, with a message on stderr, on a CUDA
/// error.
bool wb_time_once(wb_timing *timing, wb_enqueue enqueue, void *data);

/// Rounds that an entry takes part in whose run takes `once_ms` and whose batch has `batch` runs:
/// at most `repeat`; fewer where that would take longer than 0.8 s, but 5; and 3 where one run
/// takes 0.2 s or more, beside which the timer's step, a launch and what is done once are nothing.
unsigned wb_rounds_for(double once_ms, unsigned batch, unsigned repeat);

/// Times all n entries round by round. Iterations are numbered across entries and rounds. An entry
/// whose work cannot be captured has no graph time; that is no error. False, with a message on
/// stderr, on a CUDA error or without memory; release the entries in any case.
bool wb_time_interleaved(wb_timed *timed, unsigned n, const wb_timing_plan *plan);

void wb_timed_release(wb_timed *timed, unsigned n);

/// No significant difference: the medians lie within the larger of the two spreads (p90 - p10).
bool wb_ties(const wb_timing *a, const wb_timing *b);

/// Value below which the fraction `part` (0 … 1) of the ascending x[0 .. n) lies, interpolated.
double wb_quantile(const double *x, unsigned n, double part);

#ifdef __cplusplus
}
#endif
#endif
