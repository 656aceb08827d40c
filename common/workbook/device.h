// SPDX-License-Identifier: MIT
/// @file device.h
/// What the program runs on, and what its figures are called. The two backends differ here and
/// nowhere else: a measured time is never mixed with a modelled one.
#ifndef WB_DEVICE_H
#define WB_DEVICE_H

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct wb_device {
  char name[128];        ///< "modelled H200", or what the driver says
  const char *backend;   ///< "simt" or "cuda"
  const char *time_kind; ///< "modelled" or "measured"
  bool modelled;         ///< times repeat exactly: one repetition is enough
  size_t l2_bytes;       ///< 0 when modelled: no rotation of inputs is needed
  double peak_gb_per_s;  ///< read ceiling: of the model, or measured here; 0: unknown
} wb_device;

/// Fills `device`; on a GPU this measures the read ceiling (some milliseconds and 512 MiB). False,
/// with a message on stderr, when there is no usable device.
bool wb_device_open(wb_device *device);

/// Counters of the software GPU for everything launched since the reset. On a GPU: no counters.
void wb_counters_reset(void);
size_t wb_counters_count(void);             ///< 0 on a GPU
const char *wb_counters_name(size_t index); ///< NULL past the end
/// Reads all of them; values: [wb_counters_count()].
void wb_counters_read(double *values);

/// CUDA backend only (peak.cu): best of a few reads of 512 MiB, GB/s; 0 on failure.
double wb_measure_read_gb_per_s(void);

#ifdef __cplusplus
}
#endif
#endif
