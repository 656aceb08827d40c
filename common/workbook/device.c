// SPDX-License-Identifier: MIT
// device.c - the backend behind the runtime API; see device.h. WORKBOOK_SIMT selects the software
// GPU (counters, modelled time), otherwise a CUDA device is measured.
#include "device.h"

#include <stdio.h>
#include <string.h>

#include "cuda_check.h"

#ifdef WORKBOOK_SIMT
#include <simt.h>
#endif

bool wb_check_cuda(cudaError_t error, const char *call, const char *file, int line) {
  if (error == cudaSuccess) return true;
  fprintf(stderr, "%s:%d: %s\n  failed: %s (%s)\n", file, line, call, cudaGetErrorName(error),
          cudaGetErrorString(error));
  return false;
}

#ifdef WORKBOOK_SIMT

bool wb_device_open(wb_device *device) {
  memset(device, 0, sizeof *device);
  snprintf(device->name, sizeof device->name, "%s", simt_device_name());
  device->backend = "simt";
  device->time_kind = "modelled";
  device->modelled = true;
  device->peak_gb_per_s = simt_device_peak_gb_per_s();
  return true;
}

void wb_counters_reset(void) {
  simt_counters_reset();
}

// After the counters of simt_counters.def come the instruction classes.
size_t wb_counters_count(void) {
  return (size_t)SIMT_COUNTER_COUNT + (size_t)SIMT_CLASS_COUNT;
}

const char *wb_counters_name(size_t index) {
  static char names[SIMT_CLASS_COUNT][40];
  if (index < SIMT_COUNTER_COUNT) return simt_counter_name(index);
  if (index >= wb_counters_count()) return NULL;
  const size_t klass = index - SIMT_COUNTER_COUNT;
  if (names[klass][0] == '\0') {
    snprintf(names[klass], sizeof names[klass], "%s_warp_instructions",
             simt_class_name((simt_class)klass));
  }
  return names[klass];
}

void wb_counters_read(double *values) {
  simt_counters counters;
  simt_counters_read(&counters);
  for (size_t i = 0; i < SIMT_COUNTER_COUNT; i++) {
    values[i] = (double)simt_counter_value(&counters, i);
  }
  for (size_t i = 0; i < SIMT_CLASS_COUNT; i++) {
    values[SIMT_COUNTER_COUNT + i] = (double)counters.class_warp_instructions[i];
  }
}

#else

bool wb_device_open(wb_device *device) {
  struct cudaDeviceProp properties;
  int count = 0;
  memset(device, 0, sizeof *device);
  if (!WB_OK(cudaGetDeviceCount(&count)) || count < 1) {
    fprintf(stderr, "no CUDA device: build with WORKBOOK_BACKEND=SIMT to use the software GPU\n");
    return false;
  }
  if (!WB_OK(cudaGetDeviceProperties(&properties, 0))) return false;
  snprintf(device->name, sizeof device->name, "%.127s", properties.name);
  device->backend = "cuda";
  device->time_kind = "measured";
  device->l2_bytes = properties.l2CacheSize > 0 ? (size_t)properties.l2CacheSize : 0;
  device->peak_gb_per_s = wb_measure_read_gb_per_s();
  return true;
}

void wb_counters_reset(void) {}
size_t wb_counters_count(void) {
  return 0;
}
const char *wb_counters_name(size_t index) {
  (void)index;
  return NULL;
}
void wb_counters_read(double *values) {
  (void)values;
}

#endif
