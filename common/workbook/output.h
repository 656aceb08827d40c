// SPDX-License-Identifier: MIT
/// @file output.h
/// What a lesson program prints: a table of at most 80 columns for people, or JSON lines.
#ifndef WB_OUTPUT_H
#define WB_OUTPUT_H

#include <stdbool.h>
#include <stdio.h>

#include "args.h"
#include "device.h"
#include "lesson.h"
#include "timing.h"

#ifdef __cplusplus
extern "C" {
#endif

/// One verified run of one variant.
typedef struct wb_row {
  const wb_lesson *lesson;
  const wb_variant *variant;
  const wb_device *device;
  unsigned number;                    ///< of the row in this run, from 1
  unsigned n, block, grid, parameter; ///< parameter: step of a sweep, else the variant's own
  bool is_sweep;
  wb_timing timing;
  double gb_per_s;    ///< input bytes (a scan's: and output) over the median time; NaN when no time
                      ///< passed
  const char *regime; ///< "cold", "warm" or "modelled"
  const char *ceiling;     ///< what percent_of_peak is of: "read", for a scan measured here "copy"
  double ceiling_gb_per_s; ///< 0 when unknown
  double percent_of_peak;  ///< NaN when the ceiling is unknown
  double times_before;     ///< median time of the variant before over this one's; NaN: none before
  bool ties_before;        ///< no significant difference to it (wb_ties)
  double times_cub;        ///< CUB's median time in this run over this one's; NaN: no CUB beside it
  bool ties_cub;           ///< no significant difference to CUB
  double times_cub_graph;  ///< the same of the times within a graph
  double error_over_bound; ///< the larger of the two inputs'
  const char *basis;       ///< of a modelled time: see wb_time_basis(); or "not run"; NULL: none
  const char *bound;       ///< of a modelled time: see wb_time_bound(); NULL: none
  double blocks_run_percent; ///< --sample: share of the blocks that have run
  unsigned verified_n;       ///< --sample: the size at which the result was judged; else 0
  double result; ///< of the mixed-sign input: the same bits on every deterministic device
  bool correct;
  char message[400];                        ///< why it is not correct
  double explanations[WB_MAX_EXPLANATIONS]; ///< NaN: the backend does not count
  const double *counters;                   ///< [wb_counters_count()]
} wb_row;

void wb_print_heading(FILE *to, const wb_lesson *lesson, const wb_args *args,
                      const wb_device *device);
void wb_print_row(FILE *to, const wb_row *row);
/// Row of a variant that cannot run with this n and block.
void wb_print_refusal(FILE *to, const char *variant, const char *reason);
/// One object on one line: lesson, variant, n, block, grid, backend, device, time_ms (median),
/// time_p10_ms, time_p90_ms, time_kind, repeats, gb_per_s, percent_of_peak, error_over_bound,
/// result, correct, explains{label: number}, counters{name: number}; `parameter` for a step of a
/// sweep, `message` when not correct. A number that does not exist is null.
///
/// Where times are modelled also basis ("exact", "sampled", "not judged", "not modelled"; "not run"
/// where only the smaller size was), bound (what holds the longest launch up; not where there is no
/// time), and with --sample blocks_run_percent and verified_n.
///
/// Where times are measured also: row (its number in this run), regime ("cold": inputs not in the
/// L2; "warm": the same input each time), batch (runs timed together; time_ms is of one), ceiling
/// ("read", "copy") and ceiling_gb_per_s (measured in the same run), graph_runs, time_graph_ms with
/// its p10 and p90 (of one run within a graph of graph_runs), times_before and ties_before (against
/// the rung before), times_cub, ties_cub and times_cub_graph (against CUB in the same run; more
/// than 1: faster). "Ties": the medians differ by no more than the larger p90 - p10.
void wb_print_json(FILE *to, const wb_row *row);

/// A sum of counters and of n and time_ns ("a+b") over another (NULL: 1); NaN when the backend does
/// not count one of them or the divisor is 0.
double wb_explain(const wb_explanation *explanation, const double *counters, unsigned n,
                  double time_ms);

#ifdef __cplusplus
}
#endif
#endif
