// SPDX-License-Identifier: MIT
// profile/model.h - what a launch would cost on a GPU we do not have: a bottleneck model over the
// counters.
//
// The result is *modelled*, never measured, and always labelled so. How far it is off is not
// claimed here but computed: the build target model-accuracy runs the kernels of
// bench/model_kernels.cuh and prints modelled beside measured times of one H200
// (figures/data/h200-model.csv), with the mean error. The constants were fitted to those kernels:
// for others expect more.
//
// The model. A launch takes as long as its slowest resource, all of them counted in cycles of one
// multiprocessor (SM), the work spread evenly over the SMs:
//   issue       instructions over the schedulers, one per cycle each
//   lanes       per class of instruction, over the lanes that execute it
//   shared      passes over the banks, shuffles, votes, atomics on shared memory: one per cycle
//   L1          sectors beyond the coalesced ones, which cost a look-up each
//   barriers    warps arriving at barriers
//   blocks      how fast blocks and warps can be started
//   L2, DRAM    bytes over bandwidth
//   atomics     lane operations on the busiest address, and requests over the L2 slices they meet
//   latency     how long one warp takes if nothing competes, times warps over resident warps
//   (Little's
//               law: it is this that too few bytes in flight runs into)
// Resources overlap, but not perfectly where two of them are nearly full; a p-norm expresses that.
//
// Not modelled: what is still in a cache from an earlier launch (every launch starts cold), TLB
// misses, the difference between compilers, register pressure (registers never limit occupancy),
// clocks that vary, graphs and overlap of launches.
#ifndef SIMT_MODEL_H
#define SIMT_MODEL_H

#include "include/simt.h"
#include "device/observer.h"

typedef struct simt_model_device {
  const char *key;  // "h200"
  const char *name; // "modelled H200"
  uint32_t capability_major, capability_minor;
  uint32_t n_sms, schedulers_per_sm;
  uint64_t clock_hz, memory_clock_hz;
  uint32_t memory_bus_bits;
  uint32_t max_threads_per_sm, max_blocks_per_sm, registers_per_sm;
  uint32_t shared_bytes_per_sm, shared_bytes_per_block, shared_bytes_opt_in, shared_bytes_reserved;
  uint64_t l2_bytes, dram_bytes;
  double dram_read_gb_per_s; // ceiling of a kernel that only reads
  double copy_gb_per_s;      // read and write together, of a kernel that copies
  double l2_gb_per_s;
  double host_gb_per_s; // over the bus to the host
  // Lanes per cycle and SM.
  double lanes_fp32, lanes_fp64, lanes_integer, lanes_special, lanes_shuffle;
  // Latencies in cycles.
  double latency_alu, latency_special, latency_shared, latency_shuffle, latency_dram,
      latency_barrier, latency_barrier_per_warp;
  double latency_start; // first instructions of a block: parameters and indices arrive
  double latency_store; // a block's place is free when its stores have been accepted
  // Costs in cycles of one SM.
  double warp_start_cycles;       // throughput: from one warp's start to the next's
  double block_life_cycles;       // latency: start and end of a block around its instructions
  double barrier_warp_cycles;     // throughput: one warp at a barrier
  double scattered_sector_cycles; // throughput: one sector that coalescing would have saved
  double repeated_sector_cycles;  // the same, when it is in L1
  // Costs in nanoseconds, whole device.
  double block_start_ns; // from one block's start to the next's
  double launch_ns;      // an empty launch, from its begin to its end
  double cold_ns;        // until memory answers at full speed: page tables, caches
  double copy_launch_ns; // a copy of nothing
  // Atomics on global memory, 10^9 per second.
  double atomic_same_float_g_per_s, atomic_same_int_g_per_s; // lane operations on one address
  double atomic_slice_lanes_g_per_s;                         // lane operations one L2 slice takes
  double atomic_slices;          // slices that work side by side at best
  double atomic_bytes_per_slice; // how many neighbouring bytes live in one slice
} simt_model_device;

// The device of that key ("h200", "h100", "a100", "rtx4090", "v100", "t4"), or NULL. NULL as key
// gives the default, the H200. Static storage.
const simt_model_device *simt_model_find(const char *key);
size_t simt_model_count(void);
const simt_model_device *simt_model_at(size_t index); // NULL beyond the last

// Blocks resident on one SM at a time; 0 when the block does not fit at all (too many threads or
// too much shared memory). `registers` per thread; 0: no limit.
uint32_t simt_model_occupancy(const simt_model_device *device, uint32_t block_threads,
                              uint64_t shared_bytes, uint32_t registers);

// Where the time goes, milliseconds; the parts overlap, so `total_ms` is less than their sum.
typedef struct simt_model_time {
  double issue_ms, lanes_ms, shared_ms, l1_ms, barrier_ms, block_ms, l2_ms, dram_ms, atomic_ms,
      latency_ms;
  double launch_ms; // fixed part of every launch, included in total_ms
  double total_ms;
  const char *bound; // name of the largest part: "issue", "dram", …; static storage
} simt_model_time;

simt_model_time simt_model_explain(const simt_model_device *device, const simt_launch_info *info,
                                   const simt_counters *counters);
// total_ms of simt_model_explain.
double simt_model_launch_ms(const simt_model_device *device, const simt_launch_info *info,
                            const simt_counters *counters);

typedef enum simt_model_copy {
  SIMT_COPY_HOST_TO_DEVICE,
  SIMT_COPY_DEVICE_TO_HOST,
  SIMT_COPY_DEVICE_TO_DEVICE,
  SIMT_COPY_SET,
  SIMT_COPY_HOST_TO_HOST
} simt_model_copy;
double simt_model_copy_ms(const simt_model_device *device, size_t size_bytes, simt_model_copy kind);

#endif
