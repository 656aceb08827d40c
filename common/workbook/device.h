// SPDX-License-Identifier: MIT
/// @file device.h
/// What the program runs on, and what its figures are called. The two backends differ here and
/// nowhere else: a measured time is never mixed with a modelled one.
#ifndef WB_DEVICE_H
#define WB_DEVICE_H

#include <cuda_runtime.h>
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
  double copy_gb_per_s;  ///< copy ceiling (read + written), measured here; 0 when modelled
  cudaStream_t stream;   ///< where launches without a stream go, as the programs are compiled
  unsigned count;        ///< GPUs that are used; the ceilings are those of all of them together
} wb_device;

/// Before anything else: how many GPUs the lesson would like (0: one). Then so many are there, on
/// the software GPU, unless SIMT_DEVICES says otherwise, and what travels between them is counted.
void wb_device_want(unsigned devices);

/// Fills `device`; on a GPU this may measure the ceilings (some milliseconds and up to 2 GiB, given
/// back). False, with a message on stderr, when there is no usable device.
bool wb_device_open(wb_device *device, bool measure_ceilings);
void wb_device_close(wb_device *device);
/// Enqueues a read of four L2s' worth of memory: what was in the L2 is not there any more, and what
/// is, is clean. Nothing on the software GPU.
void wb_device_flush_l2(cudaStream_t stream);

/// Counters of the software GPU for everything launched since the reset. On a GPU: no counters.
void wb_counters_reset(void);
/// False when the timing model cannot judge a launch since the last reset: its blocks wait for each
/// other, or use each other's shared memory.
bool wb_time_is_judged(void);
/// What a modelled time since the last reset rests on: "exact", "sampled" (some blocks or lines of
/// memory stand for all), "not judged" (blocks wait for each other) or WB_NOT_MODELLED (they use
/// the shared memory of others of their cluster); NULL on a GPU, where times are measured.
const char *wb_time_basis(void);
#define WB_NOT_MODELLED "not modelled"
/// What bounds the longest launch since the last reset, as the timing model names it ("dram",
/// "latency", ...); NULL on a GPU, and where the model does not judge.
const char *wb_time_bound(void);
/// Software GPU: launches may run as a sample of their blocks. Then results are not complete.
void wb_sample_blocks(bool on);
typedef struct wb_sampled {
  double percent; ///< of the blocks of all launches since the last reset, those that have run
  bool is_void;   ///< a launch could not run, because it follows what a sampled one left out
} wb_sampled;
wb_sampled wb_blocks_sampled(void);
size_t wb_counters_count(void);             ///< 0 on a GPU
const char *wb_counters_name(size_t index); ///< NULL past the end
/// Reads all of them; values: [wb_counters_count()].
void wb_counters_read(double *values);

/// What is launched between these is what a profiler looks at. It begins with a kernel named
/// profiled_row_follows, whose number of blocks is `row`: so a profile of several variants can be
/// told apart. Nothing on the software GPU.
void wb_profiler_start(unsigned row);
void wb_profiler_stop(void);

/// CUDA backend only (peak.cu): the best of several reads and copies of up to 2 GiB; 0 on failure.
void wb_measure_ceilings(double *read_gb_per_s, double *copy_gb_per_s);
void wb_enqueue_marker(unsigned row);
void wb_enqueue_read(const void *buffer, size_t size_bytes, cudaStream_t stream);

#ifdef __cplusplus
}
#endif
#endif
