// SPDX-License-Identifier: MIT
/// @file cub_histogram.h
/// CUB's histogram as one more variant of lesson 08, where the programs run on a real GPU
/// (WORKBOOK_CUB is defined by the CUDA backend). .cu only; compare cub_sum.h.
///
///     static const wb_variant variants[] = {…, WB_CUB_HISTOGRAM("cub", WB_SAMPLES_UNIFORM,
///     "uniform")};
#ifndef WB_CUB_HISTOGRAM_H
#define WB_CUB_HISTOGRAM_H

#ifdef WORKBOOK_CUB
#include <cub/device/device_histogram.cuh>

#include "lesson.h"

/// CUB asks for temporary memory of a few hundred KiB at most: the scratch memory is larger.
static inline void wb_launch_cub_histogram(wb_launch *l) {
  size_t temporary_bytes = wb_scratch_elements(l->n, l->block) * sizeof *l->scratch;
  l->grid = 0; // CUB's own affair
  WB_OK(cub::DeviceHistogram::HistogramEven(l->scratch, temporary_bytes, l->in_ints, (int *)l->out,
                                            WB_BINS + 1, 0, (int)WB_BINS, (int)l->n));
}
#define WB_CUB_HISTOGRAM(NAME, SAMPLES, GROUP)                                                     \
  {.name = NAME,                                                                                   \
   .summary = "NVIDIA's library",                                                                  \
   .launch = wb_launch_cub_histogram,                                                              \
   .input = WB_INT,                                                                                \
   .output = WB_INT,                                                                               \
   .result = WB_RESULT_HISTOGRAM,                                                                  \
   .samples = SAMPLES,                                                                             \
   .group = GROUP,                                                                                 \
   .is_yardstick = true},
#else
#define WB_CUB_HISTOGRAM(NAME, SAMPLES, GROUP) // nothing
#endif

#endif
