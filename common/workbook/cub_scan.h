// SPDX-License-Identifier: MIT
/// @file cub_scan.h
/// CUB's inclusive scan of floats as one more variant of lesson 09, where the programs run on a
/// real GPU (WORKBOOK_CUB is defined by the CUDA backend). .cu only; compare cub_sum.h.
///
///     static const wb_variant variants[] = {…, WB_CUB_SCAN};
#ifndef WB_CUB_SCAN_H
#define WB_CUB_SCAN_H

#ifdef WORKBOOK_CUB
#include <cub/device/device_scan.cuh>

#include "lesson.h"

/// CUB asks for temporary memory of a few bytes per tile of thousands: the scratch memory is
/// larger.
static inline void wb_launch_cub_scan(wb_launch *l) {
  size_t temporary_bytes = wb_scratch_elements(l->n, l->block) * sizeof *l->scratch;
  l->grid = 0; // CUB's own affair
  WB_OK(cub::DeviceScan::InclusiveSum(l->scratch, temporary_bytes, l->in, (float *)l->out,
                                      (int)l->n));
}
/// No depth is given: CUB adds up what stands before a tile in an order of its own.
#define WB_CUB_SCAN                                                                                \
  {.name = "cub",                                                                                  \
   .summary = "NVIDIA's library: reads once, writes once",                                         \
   .launch = wb_launch_cub_scan,                                                                   \
   .result = WB_RESULT_INCLUSIVE_SCAN,                                                             \
   .is_yardstick = true},
#else
#define WB_CUB_SCAN // nothing
#endif

#endif
