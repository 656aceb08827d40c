// SPDX-License-Identifier: MIT
/// @file cub_sum.h
/// CUB's sum as one more variant of a lesson, where nvcc builds the programs (WORKBOOK_CUB is
/// defined by the CUDA backend): the yardstick to hold one's own kernels against. .cu only.
///
///     static const wb_variant variants[] = {…, WB_CUB_SUM};
#ifndef WB_CUB_SUM_H
#define WB_CUB_SUM_H

#ifdef WORKBOOK_CUB
#include <cub/device/device_reduce.cuh>

#include "lesson.h"

/// CUB asks for temporary memory of a few hundred KiB at most: the scratch memory is larger.
static inline void wb_launch_cub_sum(wb_launch *l) {
  size_t temporary_bytes = wb_scratch_elements(l->n, l->block) * sizeof *l->scratch;
  l->grid = 0; // CUB's own affair
  WB_OK(cub::DeviceReduce::Sum(l->scratch, temporary_bytes, l->in, (float *)l->out, l->n));
}
#define WB_CUB_SUM                                                                                 \
  {.name = "cub", .summary = "NVIDIA's library", .launch = wb_launch_cub_sum, .is_yardstick = true},
#else
#define WB_CUB_SUM // nothing
#endif

#endif
