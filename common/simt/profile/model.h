// SPDX-License-Identifier: MIT
// profile/model.h - what a launch would cost on a GPU we do not have.
//
// The result is *modelled*, never measured, and always labelled so. How far it is off is not
// claimed here but measured: bench/blind has kernels that no constant was chosen for, and the
// book's page about the model shows modelled beside measured times of them.
//
// The model. While a launch runs, the traces of the blocks that one SM gets are kept, and which
// lines of memory all blocks touch (profile/trace.h). At its end
//   1. the touched lines go through a simulated L2 (profile/traffic.h): what comes from DRAM,
//   2. the traces go through one simulated SM with its L1 (profile/sm.h): issue, units, latencies,
//      barriers, bank passes, queues to L2 and DRAM; if not all of its blocks were traced, the rate
//      at which they end is carried on to the others,
//   3. and bounds that one SM does not show are applied: atomics on one address or few, a grid with
//      one long block among short ones, and what each launch costs.
// Every constant is a device's (profile/devices.def) and comes from a micro-benchmark on such a
// device (bench/calibrate) or a source that is named there; none was chosen to fit a lesson.
//
// Not judged: kernels in which blocks wait for each other in a loop, and, on a device whose
// clusters have not been measured, those that use the shared memory of other blocks of their
// cluster; `is_judged` is false then, and the time counts what they do, without the waiting, and as
// if all shared memory were a block's own. Not modelled: TLB misses beyond the first touch, the
// difference between compilers (an assembler's number of registers among it), clocks that vary,
// graphs.
#ifndef SIMT_MODEL_H
#define SIMT_MODEL_H

#include "include/simt.h"
#include "device/observer.h"

enum { SIMT_SCHEDULERS = 4, SIMT_BARRIER_LATENCIES = 6, SIMT_ATOMIC_SIZES = 28 };

// What executes an instruction: one of each per scheduler, but SHARED, of which an SM has one.
typedef enum simt_unit {
  SIMT_UNIT_NONE,
  SIMT_UNIT_FMA,
  SIMT_UNIT_ALU,
  SIMT_UNIT_FP64,
  SIMT_UNIT_XU,
  SIMT_UNIT_SHARED,
  SIMT_UNIT_COUNT
} simt_unit;

typedef enum simt_machine_op {
#define SIMT_MACHINE_OP(name, unit) SIMT_OP_##name,
#include "profile/machine_ops.def"
#undef SIMT_MACHINE_OP
  SIMT_OP_COUNT
} simt_machine_op;

simt_unit simt_machine_op_unit(simt_machine_op op);

typedef struct simt_op_cost {
  double latency;  // cycles until the result can be used
  double interval; // cycles of one SM per warp, all schedulers busy with it
} simt_op_cost;

typedef struct simt_model_device {
  const char *key;  // "h200"
  const char *name; // "modelled H200"
  uint32_t capability_major, capability_minor;
  uint32_t n_sms;
  uint64_t clock_hz, memory_clock_hz;
  uint32_t memory_bus_bits;
  uint32_t max_threads_per_sm, max_blocks_per_sm, registers_per_sm;
  uint32_t shared_bytes_per_sm, shared_bytes_per_block, shared_bytes_opt_in, shared_bytes_reserved;
  uint32_t l1_shared_bytes; // L1 and shared memory together, per SM
  uint64_t l2_bytes, dram_bytes;
  uint32_t lanes_fp32, lanes_fp64; // per SM
  simt_op_cost op[SIMT_OP_COUNT];
  // Memory. Latencies in cycles from issue to use, unloaded; DRAM: of an access that misses the L2.
  double latency_shared, latency_shared_atomic, latency_l1, latency_l2, latency_dram,
      latency_atomic;
  double latency_barrier[SIMT_BARRIER_LATENCIES]; // of blocks of 1, 2, 4, 8, 16, 32 warps
  // Cycles of one SM.
  double shared_pass_cycles, shared_store_cycles; // per pass over the banks
  double shared_atomic_cycles, shared_cas_cycles; // per pass, integer and floating-point
  double shared_retry_cycles;              // per lane when floating-point lanes meet at one word
  double l1_line_cycles, l1_sector_cycles; // per line and per sector of an access
  double l1_next_line_cycles;              // of a load: per line after its first
  double l1_pass_cycles;                   // of a load: per pass over the L1's banks
  double port_sector_cycles;               // from the L2 to one SM
  double lsu_queue_cycles, store_queue_cycles;   // how far these queues run ahead of a warp
  double block_start_cycles, warp_start_cycles;  // from one start to the next
  double block_latency_cycles, block_end_cycles; // before the first and after the last instruction
  double grid_sync_cycles;
  // Clusters, of two blocks and of more; 0: not measured. Latencies beyond those of a block's own
  // shared memory and barrier; cycles of one SM per sector or line of a load, per packet else.
  double cluster_latency[2], cluster_barrier_cycles[2];
  double cluster_sector_cycles[2], cluster_line_cycles[2];
  double cluster_store_cycles[2], cluster_atomic_cycles[2];
  // To other devices, one direction: what a copy reaches, what the accesses of a kernel reach, and
  // what they reach in both directions at the same time. From the end of work on one device to the
  // start of work on another that waits for it (an event).
  double link_copy_gb_per_s, link_access_gb_per_s, link_both_gb_per_s, signal_ns;
  double link_copy_ns; // a copy of next to nothing
  // Whole device.
  double dram_read_gb_per_s, dram_write_gb_per_s, copy_gb_per_s;
  double dram_scattered_gb_per_s; // single pairs of sectors, anywhere
  double l2_gb_per_s, l2_store_gb_per_s;
  double l2_lines_g_per_s, l2_store_lines_g_per_s; // accesses of one sector per line
  double host_gb_per_s;                            // over the bus to the host
  double launch_ns;                                // a launch after another, both empty
  double launch_gap_ns;  // what a launch costs beside what it does, when that is long
  double first_touch_ns; // the first access of a launch to cold memory, beyond DRAM's latency
  double copy_launch_ns; // a copy of nothing
  // Atomics on global memory, 10^9 per second: on one address, and over many.
  double atomic_same_float_g_per_s, atomic_same_int_g_per_s;
  double atomic_lanes_g_per_s, atomic_sectors_g_per_s;
  // Lanes per ns when they meet 2^i addresses: integer and floating-point, with neighbouring lanes
  // at neighbouring addresses and with lanes anywhere.
  double atomic_near_int[SIMT_ATOMIC_SIZES], atomic_near_float[SIMT_ATOMIC_SIZES];
  double atomic_far_int[SIMT_ATOMIC_SIZES], atomic_far_float[SIMT_ATOMIC_SIZES];
} simt_model_device;

// The device of that key ("h200", "h100", "a100", "rtx4090", "rtx4060laptop", "v100", "t4"), or
// NULL. NULL as key gives the default, the H200. Static storage.
const simt_model_device *simt_model_find(const char *key);
size_t simt_model_count(void);
const simt_model_device *simt_model_at(size_t index); // NULL beyond the last

// Blocks resident on one SM at a time; 0 when the block does not fit at all (too many threads or
// too much shared memory). `registers` per thread; 0: no limit.
uint32_t simt_model_occupancy(const simt_model_device *device, uint32_t block_threads,
                              uint64_t shared_bytes, uint32_t registers);
// The same of a launch, with an estimate of its registers: the most 32-bit registers of the PTX
// code that hold a value at one place, rounded up to 8. What an assembler makes of them is not
// known.
uint32_t simt_model_resident(const simt_model_device *device, const simt_launch_info *info);
// What limits it: "threads", "blocks", "shared memory", "registers"; "grid" when the grid has
// fewer.
const char *simt_model_limiter(const simt_model_device *device, const simt_launch_info *info);

// Where the time goes, milliseconds that each resource is busy; they overlap, so `total_ms` is less
// than their sum. latency_ms: what is left of the total, waiting.
typedef struct simt_model_time {
  double issue_ms, lanes_ms, shared_ms, l1_ms, barrier_ms, block_ms, l2_ms, dram_ms, atomic_ms,
      latency_ms;
  double link_ms;   // of the busiest device's links (profile/links.h); 0: none was used
  double launch_ms; // fixed part of every launch, included in total_ms
  double total_ms;
  const char *bound; // name of what takes most: "issue", "dram", …; static storage
  // What the caches did.
  double l1_sectors, l1_hits; // of loads on the simulated SM
  double l2_sectors, l2_hits; // of loads and atomics of all blocks, before L1
  double dram_read_bytes, dram_write_bytes;
  uint32_t resident_blocks; // per SM
  const char *limiter;      // of those
  bool is_sampled;          // some blocks or lines stand for others
  bool is_judged;           // false: it is beyond the model, or nothing was traced
  uint8_t beyond;           // simt_beyond: why
} simt_model_time;

struct simt_trace;
struct simt_l2;
// The time of a launch from what was counted and traced of it; `l2` goes on from launch to launch.
simt_model_time simt_model_explain(const simt_model_device *device, const simt_launch_info *info,
                                   const simt_counters *counters, const struct simt_trace *trace,
                                   struct simt_l2 *l2);

// Whether some loop of the kernel ends when a value in global memory changes that others write.
bool simt_model_waits_for_blocks(const simt_launch_info *info);
// Whether blocks of a cluster get at each other's shared memory: the network between them has
// latencies and a throughput of its own (bench/gpu_cluster.cu).
bool simt_model_uses_cluster_memory(const simt_launch_info *info);

typedef enum simt_model_copy {
  SIMT_COPY_HOST_TO_DEVICE,
  SIMT_COPY_DEVICE_TO_HOST,
  SIMT_COPY_DEVICE_TO_DEVICE,
  SIMT_COPY_SET,
  SIMT_COPY_HOST_TO_HOST
} simt_model_copy;
double simt_model_copy_ms(const simt_model_device *device, size_t size_bytes, simt_model_copy kind);

#endif
