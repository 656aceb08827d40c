// SPDX-License-Identifier: MIT
// device.c - the backend behind the runtime API; see device.h. WORKBOOK_SIMT selects the software
// GPU (counters, modelled time), otherwise a CUDA device is measured.
#include "device.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cuda_check.h"
#include "lesson.h" // WB_MAX_DEVICES

#ifdef WORKBOOK_SIMT
#include <simt.h>
#else
#include <cuda_profiler_api.h>
#endif

bool wb_check_cuda(cudaError_t error, const char *call, const char *file, int line) {
  if (error == cudaSuccess) return true;
  fprintf(stderr, "%s:%d: %s\n  failed: %s (%s)\n", file, line, call, cudaGetErrorName(error),
          cudaGetErrorString(error));
  return false;
}

static bool wants_several;

// GPUs that are used; their ceilings add up.
static void count_devices(wb_device *device) {
  int count = 1;
  if (wants_several && !WB_OK(cudaGetDeviceCount(&count))) count = 1;
  device->count = count < WB_MAX_DEVICES ? (unsigned)count : WB_MAX_DEVICES;
  device->peak_gb_per_s *= device->count;
  device->copy_gb_per_s *= device->count;
}

#ifdef WORKBOOK_SIMT

void wb_device_want(unsigned devices) {
  char number[16];
  wants_several = devices > 0;
  snprintf(number, sizeof number, "%u", devices);
  if (wants_several) setenv("SIMT_DEVICES", number, 0);
}

bool wb_device_open(wb_device *device, bool measure_ceilings) {
  (void)measure_ceilings; // the model knows them
  memset(device, 0, sizeof *device);
  snprintf(device->name, sizeof device->name, "%s", simt_device_name());
  device->backend = "simt";
  device->time_kind = "modelled";
  device->modelled = true;
  device->peak_gb_per_s = simt_device_peak_gb_per_s();
  count_devices(device);
  return true;
}

void wb_device_close(wb_device *device) { (void)device; }

void wb_device_flush_l2(cudaStream_t stream) { (void)stream; }

void wb_profiler_start(unsigned row) { (void)row; }
void wb_profiler_stop(void) {}

void wb_counters_reset(void) { simt_counters_reset(); }

bool wb_time_is_judged(void) { return simt_modelled_are_judged() != 0; }

const char *wb_time_basis(void) {
  if (!wb_time_is_judged())
    return simt_modelled_beyond() == SIMT_CLUSTER_MEMORY ? WB_NOT_MODELLED : "not judged";
  return simt_modelled_are_sampled() != 0 ? "sampled" : "exact";
}

const char *wb_time_bound(void) {
  simt_modelled longest;
  simt_modelled_longest_launch(&longest);
  return wb_time_is_judged() && longest.bound[0] != '\0' ? longest.bound : NULL;
}

void wb_sample_blocks(bool on) { simt_sample_blocks(on); }

wb_sampled wb_blocks_sampled(void) {
  simt_sampled sampled;
  simt_sampled_read(&sampled);
  const double all = (double)sampled.blocks, ran = (double)sampled.blocks_run;
  return (wb_sampled){all > 0.0 ? 100.0 * ran / all : 100.0, sampled.is_void != 0};
}

// After the counters of simt_counters.def come the instruction classes, then the links.
enum { AFTER_CLASSES = (int)SIMT_COUNTER_COUNT + (int)SIMT_CLASS_COUNT };
static const char *const link_names[] = {"link_bytes", "busiest_link_bytes", "busiest_gpu_bytes"};
enum { N_LINK_COUNTERS = sizeof link_names / sizeof link_names[0] };

size_t wb_counters_count(void) {
  return (size_t)AFTER_CLASSES + (wants_several ? N_LINK_COUNTERS : 0);
}

static double link_bytes(int from, int to) {
  simt_device_link l;
  if (!simt_link_read(from, to, &l)) return 0.0;
  return (double)(l.copied_bytes + l.read_bytes + l.written_bytes + l.atomic_bytes);
}

// [N_LINK_COUNTERS]: what all links between two GPUs carried; the busiest of them; and the most
// that one GPU sent, or received, over all of its links.
static void read_links(double *values) {
  double sent[WB_MAX_DEVICES] = {0.0}, received[WB_MAX_DEVICES] = {0.0};
  values[0] = values[1] = values[2] = 0.0;
  for (int from = 0; from < WB_MAX_DEVICES; from++)
    for (int to = 0; to < WB_MAX_DEVICES; to++) {
      const double bytes = link_bytes(from, to);
      values[0] += bytes;
      values[1] = bytes > values[1] ? bytes : values[1];
      sent[from] += bytes;
      received[to] += bytes;
    }
  for (int d = 0; d < WB_MAX_DEVICES; d++) {
    if (sent[d] > values[2]) values[2] = sent[d];
    if (received[d] > values[2]) values[2] = received[d];
  }
}

const char *wb_counters_name(size_t index) {
  static char names[SIMT_CLASS_COUNT][40];
  if (index < SIMT_COUNTER_COUNT) return simt_counter_name(index);
  if (index >= wb_counters_count()) return NULL;
  if (index >= AFTER_CLASSES) return link_names[index - (size_t)AFTER_CLASSES];
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
  if (wants_several) read_links(&values[AFTER_CLASSES]);
}

#else

static void *flush_buffer;
static size_t flush_bytes;

void wb_device_want(unsigned devices) { wants_several = devices > 0; }

// Why there is no device, in words that say what to do; the driver's own come first.
static void explain_no_device(cudaError_t error) {
  int driver = 0, runtime = 0;
  cudaDriverGetVersion(&driver);
  cudaRuntimeGetVersion(&runtime);
  if (error != cudaSuccess) fprintf(stderr, "%s\n", cudaGetErrorString(error));
  if (driver == 0) {
    fprintf(stderr, "There is no NVIDIA driver here.\n");
  } else if (error == cudaErrorInsufficientDriver || driver / 1000 < runtime / 1000) {
    fprintf(stderr,
            "This program was built with CUDA %d.%d, and the driver knows no more than %d.%d.\n",
            runtime / 1000, runtime % 1000 / 10, driver / 1000, driver % 1000 / 10);
  }
  fprintf(stderr, "No usable CUDA device. The software GPU needs none: make BACKEND=SIMT ...\n");
}

bool wb_device_open(wb_device *device, bool measure_ceilings) {
  struct cudaDeviceProp properties;
  int count = 0;
  memset(device, 0, sizeof *device);
  const cudaError_t error = cudaGetDeviceCount(&count);
  if (error != cudaSuccess || count < 1) {
    explain_no_device(error);
    return false;
  }
  if (!WB_OK(cudaGetDeviceProperties(&properties, 0))) return false;
  snprintf(device->name, sizeof device->name, "%.127s", properties.name);
  device->backend = "cuda";
  device->time_kind = "measured";
  device->l2_bytes = properties.l2CacheSize > 0 ? (size_t)properties.l2CacheSize : 0;
  device->stream = cudaStreamPerThread;
  if (measure_ceilings) wb_measure_ceilings(&device->peak_gb_per_s, &device->copy_gb_per_s);
  count_devices(device); // those of the first GPU stand for all
  flush_bytes = 4 * device->l2_bytes;
  return flush_bytes == 0 || (WB_OK(cudaMalloc(&flush_buffer, flush_bytes)) &&
                              WB_OK(cudaMemset(flush_buffer, 0, flush_bytes)));
}

void wb_device_close(wb_device *device) {
  (void)device;
  if (flush_buffer != NULL) cudaFree(flush_buffer);
  flush_buffer = NULL;
  flush_bytes = 0;
}

void wb_device_flush_l2(cudaStream_t stream) {
  if (flush_bytes > 0) wb_enqueue_read(flush_buffer, flush_bytes, stream);
}

void wb_profiler_start(unsigned row) {
  cudaProfilerStart();
  wb_enqueue_marker(row);
}
void wb_profiler_stop(void) { cudaProfilerStop(); }

void wb_counters_reset(void) {}
bool wb_time_is_judged(void) { return true; }
const char *wb_time_basis(void) { return NULL; }
const char *wb_time_bound(void) { return NULL; }
void wb_sample_blocks(bool on) { (void)on; }
wb_sampled wb_blocks_sampled(void) { return (wb_sampled){100.0, false}; }
size_t wb_counters_count(void) { return 0; }
const char *wb_counters_name(size_t index) {
  (void)index;
  return NULL;
}
void wb_counters_read(double *values) { (void)values; }

#endif
