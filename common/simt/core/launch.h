// SPDX-License-Identifier: MIT
// core/launch.h - one kernel launch, from its arguments to its end.
#ifndef SIMT_LAUNCH_H
#define SIMT_LAUNCH_H

#include "core/children.h"
#include "decode/module.h"
#include "device/fault.h"
#include "device/memory.h"
#include "device/observer.h"

// In which order threads run, as far as the programming model leaves it open. All are
// deterministic: the same schedule and seed give the same bits. The results of a correct kernel do
// not depend on it (except for the rounding of float atomics and the return values of atomics).
typedef enum simt_schedule_kind {
  SIMT_SCHEDULE_LOCKSTEP,    // lanes of a warp run together and reconverge after branches
  SIMT_SCHEDULE_REVERSE,     // blocks, warps, branch sides and lanes' stores in the opposite order
  SIMT_SCHEDULE_LANE_SERIAL, // each lane alone, as far as it can go
  SIMT_SCHEDULE_RANDOM,      // random order, random slices, random splits; by seed
  SIMT_SCHEDULE_DELAYED_STORES // a lane's plain shared stores are seen by others only after a
                               // synchronisation
} simt_schedule_kind;

typedef struct simt_schedule {
  uint8_t kind; // simt_schedule_kind
  uint64_t seed;
} simt_schedule;

// "lockstep", "reverse", "lane-serial", "random" (seed 1), "random:SEED", "delayed-stores". False
// for anything else; *out is then untouched.
bool simt_schedule_parse(const char *text, simt_schedule *out);
// The same spelling; returns `out`. 32 bytes hold the longest.
const char *simt_schedule_print(simt_schedule schedule, char *out, size_t out_bytes);

enum { SIMT_RESIDENT_BLOCKS = 1 << 12 };

typedef struct simt_launch {
  const simt_kernel *kernel;
  uint32_t grid[3], block[3];
  uint32_t cluster[3]; // blocks of a cluster, which divide the grid; [0] == 0: not asked for
  uint64_t dynamic_shared_bytes;
  const void *params;             // packed parameter block [param_bytes]
  bool cooperative;               // all blocks resident and progressing together
  uint64_t max_warp_instructions; // per warp; reaching it is SIMT_TIMEOUT
  uint64_t max_print_bytes;       // of the whole launch; more is SIMT_PRINT_LIMIT; 0: no limit
  simt_schedule schedule;         // zeroed: lockstep; any other runs on one host thread
  uint32_t device, n_devices;     // where it runs, of how many; 0 and 0: the only one
  uint32_t peers;                 // bit mask of devices whose memory it may also access
  uint64_t number;                // 1, 2, 3 …: of the launch in this process, for reports
  uint32_t n_host_threads;        // 0: as many as the host has; results do not depend on it
  uint64_t stack_bytes;           // cudaLimitStackSize; 0: CUDA's default
  uint64_t heap_bytes;            // cudaLimitMallocHeapSize; 0: CUDA's default
  uint32_t max_resident_blocks;   // that the device runs at the same time; 0: SIMT_RESIDENT_BLOCKS
  // Text printed by device printf, in block order. May be NULL.
  void (*print)(void *data, const char *text, size_t bytes);
  // A conversion that CUDA's printf does not know, such as "%zu", has been printed as it stands, or
  // ("%hhd") without its argument.
  // May be NULL.
  void (*printed_otherwise)(void *data, const char *conversion);
  void *print_data;
  // Answers what device code asks of CUDA's runtime, with CUDA's error code. NULL: kernels that
  // call the runtime are refused.
  int (*ask)(void *data, simt_question *question);
  void *ask_data;
  // Launches by device code that cannot be complete before this grid is, itself included, and the
  // most that there may be (a limit of CUDA's device runtime; 0: its default).
  uint32_t n_pending, max_pending;
  simt_observer **observers; // [n_observers]; may be 0
  uint32_t n_observers;
  // Some of the blocks may stand for all: about so many run, as core/sample.h chooses them, and
  // then `is_enough` is asked; when it says no, the others run too. Memory holds what has run, no
  // more. 0: all run. For launches that are run to their end at once.
  uint64_t n_sampled;
  bool (*is_enough)(void *data);
  void *sample_data;
  // Where to keep what the launch touched (core/footprint.h), when it is run to its end at once.
  // NULL: nowhere.
  struct simt_footprint *footprint;
} simt_launch;

// ---- A launch as an object: begun, run piece by piece, ended. What it computes, counts and finds
// is the same however it is divided into pieces.

typedef struct simt_execution simt_execution;

typedef enum simt_execution_state {
  SIMT_EXECUTION_BEGUN,    // nothing has run yet
  SIMT_EXECUTION_HELD,     // before an instruction
  SIMT_EXECUTION_FINISHED, // all blocks have ended
  SIMT_EXECUTION_FAULTED   // a device fault; nothing runs any more
} simt_execution_state;

// How far to run.
typedef enum simt_until {
  SIMT_UNTIL_END,
  SIMT_UNTIL_LINE,   // to the next instruction of another source line or another warp; PTX lines
                     // count where the module has no source lines
  SIMT_UNTIL_BARRIER // a barrier of a block, or of the grid, has completed
} simt_until;
#define SIMT_NO_BUDGET UINT64_MAX

// Checks the launch, makes room for its blocks and notifies its observers. *execution
// is NULL on failure. `launch` is copied; what it points to, and `memory`, must last until the end.
// On a device fault later, the diagnostic names kernel, file:line, block, thread and cause. The
// caller checks the limits that depend on the device (threads per block, shared memory,
// co-residency); this function checks only what it must (non-zero geometry, at most 1024 threads
// per block).
simt_status simt_execution_begin(simt_execution **execution, simt_memory *memory,
                                 const simt_launch *launch, simt_diag *diag);
// Runs until `until` holds, for at most `budget` warp instructions (0: stops before the next one).
// A launch that is run to its end at once may use several host threads; one that is run in pieces
// never does.
simt_execution_state simt_execution_advance(simt_execution *execution, simt_until until,
                                            uint64_t budget);
// Its inner state (core/state.h), for inspection between two pieces. Once it has ended, fields are
// NULL and contexts are as they were left.
const struct simt_core *simt_execution_core(const simt_execution *execution);
const simt_launch_info *simt_execution_info(const simt_execution *execution);
// Its device fault, of kind NONE when there is none.
const simt_fault_record *simt_execution_fault(const simt_execution *execution);
simt_execution_state simt_execution_state_of(const simt_execution *execution);
// Blocks that have run of a launch that is finished: fewer than its grid has when some stood for
// all.
uint64_t simt_execution_blocks_run(const simt_execution *execution);
// What the grid has asked the device for, in the order of the calls. The caller carries it out when
// the launch has ended, and frees it.
simt_child *simt_execution_take_children(simt_execution *execution);
// Notifies the observers that the launch has ended, finished or not, and frees it. NULL is allowed.
// Returns the fault, or SIMT_OK.
simt_status simt_execution_end(simt_execution *execution);

// Begins the launch, runs it to its end and ends it.
simt_status simt_launch_run(simt_memory *memory, const simt_launch *launch, simt_diag *diag);

#endif
