// SPDX-License-Identifier: MIT
// simt.h - what a program can ask the software GPU beyond the CUDA runtime API: counters,
// modelled time, options. Plain C, usable from CUDA files as well.
#ifndef SIMT_H
#define SIMT_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define SIMT_VERSION "0.1.0"

// Instruction classes, in the order of simt_counters.class_warp_instructions.
// clang-format off
typedef enum simt_class {
  SIMT_CLASS_INTEGER, SIMT_CLASS_FP16, SIMT_CLASS_FP32, SIMT_CLASS_FP64, SIMT_CLASS_SPECIAL,
  SIMT_CLASS_DIVISION, // integer / and %, IEEE 1/x, x/y and sqrt: many machine instructions each
  SIMT_CLASS_CONVERT, SIMT_CLASS_COMPARE, SIMT_CLASS_MOVE, SIMT_CLASS_PARAMETER,
  SIMT_CLASS_GLOBAL, SIMT_CLASS_SHARED, SIMT_CLASS_LOCAL, SIMT_CLASS_ATOMIC,
  SIMT_CLASS_BARRIER, SIMT_CLASS_SHUFFLE, SIMT_CLASS_VOTE, SIMT_CLASS_BRANCH, SIMT_CLASS_CONTROL,
  SIMT_CLASS_COUNT
} simt_class;
// clang-format on

typedef struct simt_counters {
#define SIMT_COUNTER(name, combine, description) uint64_t name;
#include "simt_counters.def"
#undef SIMT_COUNTER
  uint64_t class_warp_instructions[SIMT_CLASS_COUNT];
} simt_counters;

enum {
  SIMT_COUNTER_COUNT = 0
#define SIMT_COUNTER(name, combine, description) +1
#include "simt_counters.def"
#undef SIMT_COUNTER
};

const char *simt_class_name(simt_class c);   // "fp32"
const char *simt_counter_name(size_t index); // index < SIMT_COUNTER_COUNT, else NULL
const char *simt_counter_description(size_t index);
uint64_t simt_counter_value(const simt_counters *counters, size_t index);

// Counters of all launches since the process began or since the last reset.
void simt_counters_read(simt_counters *out);
void simt_counters_reset(void);
// Counters of the latest launch alone.
void simt_counters_last_launch(simt_counters *out);

// Who did the work of a launch: counted only where SIMT_WORK=1 asks for it.
typedef struct simt_work {
  uint64_t global_threads;   // threads that loaded from global memory
  uint64_t shared_threads;   // threads that loaded from shared memory
  uint64_t busiest_requests; // loads, stores, atomics and shuffles of the warp that made most
} simt_work;
// Of the latest launch. False, and *out all zero, when it was not counted.
int simt_work_last_launch(simt_work *out);

// What a line of source costs, counted where SIMT_LINES is on.
typedef enum simt_line_measure {
  SIMT_LINE_CONFLICTS, // passes over shared memory beyond those without bank conflicts
  SIMT_LINE_SHARED_REQUESTS,
  SIMT_LINE_GLOBAL_SECTORS,
  SIMT_LINE_ATOMIC_LANES,
  SIMT_LINE_DIVERGENT_BRANCHES,
  SIMT_LINE_BLOCK_BARRIERS,
  SIMT_LINE_WARP_SYNCS,
  SIMT_LINE_SHUFFLES
} simt_line_measure;
// The line that costs most of it, over all launches; false, and *line 0, when no line costs any, or
// none was counted. `file` as the compiler was given it.
int simt_costliest_line(simt_line_measure measure, char file[256], uint32_t *line);

// Modelled duration of the latest launch on the modelled device, milliseconds. Never measured.
double simt_modelled_ms_last_launch(void);

// Where that time goes: milliseconds for which each resource is busy (they overlap), and what the
// simulated caches did. Never measured.
typedef struct simt_modelled {
  double total_ms, launch_ms; // launch_ms: the fixed part
  double issue_ms, units_ms, shared_ms, l1_ms, block_ms, l2_ms, dram_ms, atomic_ms;
  double latency_ms;  // what no resource explains: waiting
  const char *bound;  // name of the largest: "dram", "latency", ...
  double l1_hit_rate; // of the sectors that loads touch on the simulated SM; 0 without any
  double l2_hit_rate; // of the sectors that loads and atomics touch, before L1; 0 without any
  double dram_read_bytes, dram_write_bytes;
  uint32_t resident_blocks; // per SM
  const char *limiter;      // of those: "threads", "blocks", "shared memory", "grid"
  int is_sampled;           // some blocks or lines stand for all
  int is_judged;            // 0: it is beyond the model; see simt_beyond
  double link_ms;           // of the busiest device's links to others; 0: none was used
} simt_modelled;
void simt_modelled_last_launch(simt_modelled *out);
// The same of the longest launch since the last reset of the counters; all zero, and bound "",
// before there is one.
void simt_modelled_longest_launch(simt_modelled *out);
// 0: among the launches since the last reset of the counters is one that is not judged.
int simt_modelled_are_judged(void);
// Why the last such launch is not: what is beyond the model.
typedef enum simt_beyond {
  SIMT_NOT_BEYOND,
  SIMT_BLOCKS_WAIT,   // its blocks wait for each other
  SIMT_CLUSTER_MEMORY // its blocks use the shared memory of others of their cluster
} simt_beyond;
simt_beyond simt_modelled_beyond(void);
// Not 0: in the times of some of these launches some blocks or lines of memory stand for all.
int simt_modelled_are_sampled(void);

// On: launches may run as a sample of their blocks. For programs that ask for counters and modelled
// times of large grids and not for results: what the other blocks would have written is missing.
// Which launches, is decided by what their code is like and by what the blocks of the sample have
// done (book/decisions/0023): they learn nothing from each other, and they are alike. Others run
// whole. Off at first; checkers and reports by line turn it off.
void simt_sample_blocks(int on);
typedef struct simt_sampled {
  uint64_t blocks, blocks_run; // of all launches since the last reset of the counters
  // Not 0: a launch was left out, because it follows data that a sampled one has not written. Its
  // counters and times are missing: run all of it again without sampling.
  int is_void;
} simt_sampled;
void simt_sampled_read(simt_sampled *out);

// What has travelled from one device's memory to another's, since the process began or the counters
// were reset (SIMT_DEVICES; counted, not modelled). Each direction is a link of its own. What
// kernels move counts in whole sectors of 32 bytes, and atomics as the bytes of their operands, and
// of their results where those are used.
typedef struct simt_device_link {
  uint64_t copies, copied_bytes; // cudaMemcpy... between the two, and the steps of collectives
  uint64_t read_bytes;           // that kernels on the receiving device load
  uint64_t written_bytes;        // that kernels on the sending device store
  uint64_t atomic_bytes;
} simt_device_link;
// False, and *out all zero, when there are no such two devices.
int simt_link_read(int from, int to, simt_device_link *out);
// Modelled: 10^9 bytes per second that kernels' accesses reach in one direction between two of the
// modelled devices. (Copies reach a little more.)
double simt_link_peak_gb_per_s(void);

// Name of the modelled device, e.g. "modelled H200", and its modelled DRAM read ceiling in GB/s.
const char *simt_device_name(void);
double simt_device_peak_gb_per_s(void);

// ---- The latest device fault: its text for people, and a record for programs. What decides
// something (a judge, a debugger, a test) asks the record, never the text.

typedef enum simt_fault_kind {
  SIMT_FAULT_NONE,
  SIMT_FAULT_OUT_OF_BOUNDS,     // outside every allocation, or of shared, local, parameter memory
  SIMT_FAULT_USE_AFTER_FREE,    // in memory that has been freed
  SIMT_FAULT_HOST_POINTER,      // in what is probably ordinary host memory
  SIMT_FAULT_READ_ONLY,         // store to constant memory or to the kernel's parameters
  SIMT_FAULT_MISALIGNED,        // address not a multiple of the access width
  SIMT_FAULT_INVALID_BARRIER,   // no such barrier, or a wrong number of threads
  SIMT_FAULT_UNNAMED_LANE,      // a lane takes part that the member mask leaves out
  SIMT_FAULT_INVALID_GRID_SYNC, // grid.sync() in an ordinary launch
  SIMT_FAULT_DEADLOCK,          // `wait` says what for
  SIMT_FAULT_INSTRUCTION_LIMIT, // SIMT_MAX_WARP_INSTRUCTIONS: a loop that does not end
  SIMT_FAULT_ASSERTION,
  SIMT_FAULT_TRAP,
  SIMT_FAULT_INVALID_CALL,   // through what is no function's address, or another kind of function's
  SIMT_FAULT_STACK_OVERFLOW, // calls nest deeper than cudaLimitStackSize allows
  SIMT_FAULT_INVALID_FREE,   // free() of what malloc() has not given
  SIMT_FAULT_PEER_MEMORY,    // in memory of another device, without peer access
  SIMT_FAULT_PRINT_LIMIT,    // SIMT_MAX_PRINT_BYTES: a launch that prints too much
  SIMT_FAULT_EXITED_BLOCK,   // in shared memory of a block of the cluster that has exited
  SIMT_FAULT_CLUSTER_ADDRESS, // of shared memory that no block of the cluster has, or not for this
  SIMT_FAULT_COUNT
} simt_fault_kind;
const char *simt_fault_name(simt_fault_kind kind); // "out_of_bounds"; "none" beyond the last

// What the faulting instruction does.
typedef enum simt_fault_operation {
  SIMT_OPERATION_OTHER,
  SIMT_OPERATION_LOAD,
  SIMT_OPERATION_STORE,
  SIMT_OPERATION_ATOMIC,
  SIMT_OPERATION_BARRIER,
  SIMT_OPERATION_GRID_SYNC,
  SIMT_OPERATION_SYNCWARP,
  SIMT_OPERATION_SHUFFLE,
  SIMT_OPERATION_VOTE, // vote, match, redux
  SIMT_OPERATION_PRINTF,
  SIMT_OPERATION_ASSERT
} simt_fault_operation;

typedef enum simt_fault_space {
  SIMT_SPACE_NONE, // no address is at fault
  SIMT_SPACE_GLOBAL,
  SIMT_SPACE_CONSTANT,
  SIMT_SPACE_SHARED,
  SIMT_SPACE_LOCAL,
  SIMT_SPACE_PARAMETER
} simt_fault_space;

typedef enum simt_fault_wait {
  SIMT_WAIT_NONE,
  SIMT_WAIT_BARRIER,   // __syncthreads() or another barrier of the block
  SIMT_WAIT_WARP,      // __syncwarp(), a shuffle, a vote: for the lanes of `member_mask`
  SIMT_WAIT_GRID_SYNC, // grid.sync()
  SIMT_WAIT_MEMORY,    // a loop that reads `address` until it changes
  SIMT_WAIT_CLUSTER    // cluster.sync(), or the wait of barrier.cluster
} simt_fault_wait;

// Texts are NUL-terminated, cut when too long, and "" when unknown. Fields that do not apply to the
// kind of fault are 0.
enum { SIMT_FAULT_CALLERS = 8 };
typedef struct simt_fault_info {
  simt_fault_kind kind;
  uint64_t launch;   // number of the launch: 1, 2, 3 ...
  char kernel[256];  // as its author named it
  char schedule[48]; // as SIMT_SCHEDULE spells it: "lockstep", "random:3"

  // The site: the innermost source line that is not the toolkit's.
  char file[256];     // path as the compiler was given it
  uint32_t line;      // 0: unknown
  uint32_t n_callers; // of a line in code that the compiler has inlined: the calls in the same
                      // file by which it came into the kernel, the innermost ones first
  uint32_t caller_lines[SIMT_FAULT_CALLERS];
  uint32_t ptx_line;  // of the module's text
  char function[256]; // the kernel, or a function that it calls and that was not inlined

  // The threads. `lanes`: those of the warp that execute the instruction; `faulting_lanes`: of
  // these, the ones at fault. `lane` is the lowest of them, or -1: the warp as a whole; then
  // `thread` is the warp's first.
  uint32_t block[3], thread[3], warp;
  int32_t lane;
  uint32_t lanes, faulting_lanes;
  simt_fault_operation operation;

  // The access. GLOBAL and CONSTANT: device address; other spaces: byte offset in the block's
  // shared memory, the thread's local memory or the parameters, two's complement when negative.
  simt_fault_space space;
  uint64_t address;
  uint32_t width_bytes; // per lane
  // The nearest allocation (of SHARED, LOCAL, PARAMETER: the whole of that memory). distance_bytes
  // is that of `address`: -1 is the byte before its first, 1 the byte behind its last one, 0
  // inside. has_allocation 0: nothing is near, e.g. the pointer is null.
  int has_allocation, is_freed;
  int64_t distance_bytes;
  uint64_t allocation_address, allocation_bytes;
  uint64_t allocation_number; // GLOBAL: 1, 2, 3 ... in order of allocation; else 0
  char allocation_name[64];   // of a variable, or of the shared array at that end; else ""

  // Barriers and other waits.
  simt_fault_wait wait;
  uint32_t barrier;          // WAIT_BARRIER: 0 is __syncthreads()
  uint32_t member_mask;      // WAIT_WARP and SIMT_FAULT_UNNAMED_LANE
  uint64_t expected_threads; // that the wait is for
  uint64_t arrived_threads;
  uint32_t exited_threads; // of the block: they have left the kernel

  // SHARED memory of another block of the cluster: that block's rank.
  uint32_t memory_rank;
} simt_fault_info;

// False, and *out all zero, when no kernel has faulted in this process. It outlasts
// cudaDeviceReset().
int simt_last_fault(simt_fault_info *out);
// The same fault's full text ("" when there was none): what was printed on stderr.
const char *simt_last_diagnostic(void);

// What the checkers found (SIMT_CHECK, SIMT_SCHEDULE=sweep), device faults included, since the
// process began: the number of errors, notes not counted; races between the same two lines are one.
uint64_t simt_findings_error_count(void);
// All of them but device faults as text, as on stderr but without colours: the first `n_in_full` at
// length, the others in a line each; into out[out_bytes], cut when too long. Returns the bytes of
// the whole text.
size_t simt_findings_text(char *out, size_t out_bytes, unsigned n_in_full);

typedef enum simt_checker {
  SIMT_CHECKER_CORE, // what is always checked
  SIMT_CHECKER_MEMCHECK,
  SIMT_CHECKER_INITCHECK,
  SIMT_CHECKER_SYNCCHECK,
  SIMT_CHECKER_RACECHECK,
  SIMT_CHECKER_SCHEDULE,
  SIMT_CHECKER_COUNT
} simt_checker;

// What would have ordered the two places of a race.
typedef enum simt_relation {
  SIMT_RELATION_NONE,
  SIMT_RELATION_LANE,    // the same instruction, two lanes
  SIMT_RELATION_WARP,    // two lanes of one warp: __syncwarp()
  SIMT_RELATION_BLOCK,   // two warps of one block: __syncthreads()
  SIMT_RELATION_CLUSTER, // two blocks of one cluster: cluster.sync()
  SIMT_RELATION_GRID     // two blocks: a second launch, grid.sync(), or fence and atomic
} simt_relation;

// The error that explains most, the one that is printed first, as a record; device faults are not
// among them (simt_last_fault). Texts are NUL-terminated, cut when too long, "" when unknown.
typedef struct simt_finding_info {
  simt_checker checker;   // whose it is
  simt_relation relation; // of a race; else NONE
  char kind[40];          // as in SIMT_REPORT: "race_read_after_write"
  char explanation[600];  // in one or two sentences: what happened there, between which threads
  char advice[400];       // what to do about it, and where
  char summary[400];     // "racecheck: race: read after write, in shared memory, a.cu:8 and a.cu:9"
  char file[256];        // of the first place, as the compiler was given it
  uint32_t line;         // 0: unknown
  char second_file[256]; // of the second place
  uint32_t second_line;  // 0: there is none
  uint64_t count;        // how often it was seen
  int wants_barrier;     // what is advised is one more barrier
} simt_finding_info;
// False, and *out all zero, when there is none.
int simt_first_finding(simt_finding_info *out);
// The same for each of them, from 0 in the order in which they are printed.
int simt_finding_at(unsigned index, simt_finding_info *out);

// Names an array that begins at this device address, inside an allocation of its own: findings and
// faults then speak of "in[35]", not of element 35 of allocation #1. The text is copied, at most 31
// bytes of it.
void simt_name_array(const void *device_address, const char *name);

// Launches so far; the latest one has this number.
uint64_t simt_launches(void);
// Which launch wrote the byte at this device address last: a result that a judge reads must come
// from the launch it judges. 0: the host did, nothing did, or initcheck is off.
uint64_t simt_last_writer_launch(const void *device_address);
// The first of these bytes, all of one allocation, for which that is not 0; NULL: there is none.
const void *simt_first_written(const void *device_address, size_t size_bytes);

#ifdef __cplusplus
}
#endif
#endif
