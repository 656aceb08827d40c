// SPDX-License-Identifier: MIT
// engine/engine.h - the software GPU as a library: a device, its memory, modules of PTX, launches
// that run as far as the client wants, and queries about them at every instruction.
//
// The CUDA runtime (runtime/) is one client; tests/simt/engine/test_stepper.c is another: a
// stepper, the pattern for a debugger or a page in a browser. Nothing here, or below, prints, reads
// the environment, opens files, keeps global state, installs signal handlers or needs threads:
// everything from outside comes through arguments (device/platform.h, base/sink.h). An engine and
// everything that belongs to it may be used by one host thread at a time; several engines are
// independent.
//
// Device addresses are 64-bit numbers, never host pointers. Every function that can fail returns a
// simt_status and fills the caller's simt_diag (may be NULL) with a sentence for the user. Findings
// of checkers are data, not failures.
//
//   #include "engine/engine.h"
//
//   simt_engine *gpu;
//   simt_module *module;
//   simt_run *run;
//   uint64_t numbers, sum;
//   simt_diag diag;
//   simt_engine_create(&gpu, &(simt_engine_options){.checkers = SIMT_CHECK_ALL}, &diag);
//   simt_engine_load(gpu, "warp_sum.ptx", text, strlen(text), &module, &diag);
//   simt_engine_alloc(gpu, sizeof host, &numbers, &diag);
//   simt_engine_alloc(gpu, 4, &sum, &diag);
//   simt_engine_write(gpu, numbers, host, sizeof host, &diag);
//
//   const void *arguments[] = {&numbers, &sum};
//   simt_launch launch = {.kernel = simt_module_kernel(module, "warp_sum"),
//                         .grid = {1, 1, 1}, .block = {32, 1, 1}};
//   simt_run_begin(&run, gpu, &launch, arguments, 2, &diag);
//   while (simt_run_advance(run, SIMT_UNTIL_END, 1) == SIMT_EXECUTION_HELD) {   // one instruction
//     simt_place at;
//     simt_values r;
//     simt_run_current(run, &at);
//     if (simt_run_register(run, at.resident, at.warp, "%r5", &r) == SIMT_OK)
//       show(at.line, r.value, r.valid);                                        // 32 lanes
//   }
//   simt_run_end(run);
//   simt_engine_read(gpu, &result, sum, 4, &diag);
//   simt_engine_destroy(gpu);
//
// What can be asked for by name: PTX registers, kernel parameters, shared arrays. Names of the
// source's local variables are not known: compilers for PTX write none.
#ifndef SIMT_ENGINE_H
#define SIMT_ENGINE_H

#include "check/checks.h"
#include "core/launch.h"
#include "findings/findings.h"
#include "profile/counters.h"
#include "profile/links.h"
#include "profile/lines.h"
#include "profile/model.h"
#include "profile/work.h"

// ---- The device.

typedef struct simt_engine simt_engine;

typedef struct simt_engine_options { // zeroed: an H200 without checkers
  const simt_model_device *device;   // NULL: the default (profile/model.h)
  unsigned checkers;                 // SIMT_CHECK_… bits (check/checks.h)
  bool no_counters;                  // faster, and no modelled time
  bool no_model;                     // no modelled time: faster; counters are the same
  bool repeats_launches; // the same launch on the same memory runs only twice (engine/repeat.c);
                         // what it does, counts and takes is the same every time
  uint64_t repeat_bytes; // of host memory that this may take; 0: 512 MiB
  uint64_t repeat_from;  // warp instructions of a launch that is worth it; 0: 2^17
  bool exact_model;      // modelled times without sampling; slow
  simt_lines_mode lines; // costs by line of source: simt_engine_lines()
  bool work;             // who does the work: simt_engine_work()
  bool locates_findings; // findings that the client adds get their place in the source, as
                         // they always do when there are checkers
  const simt_platform *platform;     // NULL: heap, one host thread; must outlive the engine
  const simt_source_reader *sources; // where reports get source lines from; NULL: they quote none
} simt_engine_options;

simt_status simt_engine_create(simt_engine **engine, const simt_engine_options *options,
                               simt_diag *diag);
void simt_engine_destroy(simt_engine *engine); // NULL is allowed. End modules and runs first
// Frees all memory, and what checkers knew of it; findings and counters stay. End modules and runs
// first.
simt_status simt_engine_reset(simt_engine *engine, simt_diag *diag);

// The engine's parts, for what has no function here. They belong to the engine.
const simt_model_device *simt_engine_device(const simt_engine *engine);
simt_memory *simt_engine_memory(simt_engine *engine);     // device/memory.h; until the next reset
simt_findings *simt_engine_findings(simt_engine *engine); // findings/findings.h; device faults
                                                          // are the client's to add
simt_checks *simt_engine_checks(simt_engine *engine);     // NULL: all off; until the next reset

// Number of launches begun so far, which is also the number of the latest one in findings.
uint64_t simt_engine_n_launches(const simt_engine *engine);
// How many of them did not run, as they were known (repeats_launches).
uint64_t simt_engine_n_repeated(const simt_engine *engine);
// Counters of all launches that have ended, since the beginning or the last call of …_clear; and
// those of the latest one alone, with its modelled duration. All zero with no_counters.
const simt_counters *simt_engine_total(const simt_engine *engine);
void simt_engine_clear_total(simt_engine *engine);
const simt_counters *simt_engine_last(const simt_engine *engine);
double simt_engine_last_ms(const simt_engine *engine);
// The same with its parts.
const simt_model_time *simt_engine_last_time(const simt_engine *engine);
// That of the longest launch since the counters were cleared; all zero before there is one.
const simt_model_time *simt_engine_longest(const simt_engine *engine);
// How many launches the timing model could not judge since the counters were cleared.
uint64_t simt_engine_n_unjudged(const simt_engine *engine);
// Why the last of these launches is beyond the model.
simt_beyond simt_engine_beyond(const simt_engine *engine);
// How many of them have a time in which some blocks or lines of memory stand for all.
uint64_t simt_engine_n_sampled_times(const simt_engine *engine);
// From now on a launch may run as a sample of its blocks where the code allows it and the blocks
// turn out alike (engine/sample.c): for counters and times of large grids whose results are not
// asked for. Off at first.
void simt_engine_sample_blocks(simt_engine *engine, bool on);
// What that has left out since the counters were cleared.
simt_sampled simt_engine_sampled(const simt_engine *engine);
// What each line of source cost so far (profile/lines.h); NULL unless it was asked for.
simt_observer *simt_engine_lines(simt_engine *engine);
// What has travelled between devices since the counters were cleared: by copies, of which the
// client informs the engine, and by kernels. All zero with no_counters.
const simt_links *simt_engine_links(const simt_engine *engine);
void simt_engine_count_copy(simt_engine *engine, uint32_t from, uint32_t to, uint64_t size_bytes);
// Who did the work of the latest launch (profile/work.h); false unless it was asked for.
bool simt_engine_work(const simt_engine *engine, simt_work *work);

// ---- Modules. Kernels and variables by name: decode/module.h. Unload before the engine goes.

simt_status simt_engine_load(simt_engine *engine, const char *name, const char *ptx,
                             size_t ptx_bytes, simt_module **module, simt_diag *diag);
// The same from several texts that use each other's functions and variables.
simt_status simt_engine_link(simt_engine *engine, const char *name, const ptx_unit *units,
                             uint32_t n_units, simt_module **module, simt_diag *diag);
void simt_engine_unload(simt_engine *engine, simt_module *module); // NULL is allowed

// ---- Memory. New memory is uninitialised: it holds the poison byte 0xA5. Ranges must lie inside
// one allocation: SIMT_ILLEGAL_ADDRESS otherwise. Checkers are notified of every call.

simt_status simt_engine_alloc(simt_engine *engine, uint64_t size_bytes, uint64_t *address,
                              simt_diag *diag);
simt_status simt_engine_free(simt_engine *engine, uint64_t address, simt_diag *diag);
simt_status simt_engine_write(simt_engine *engine, uint64_t to, const void *from,
                              uint64_t size_bytes, simt_diag *diag);
simt_status simt_engine_read(simt_engine *engine, void *to, uint64_t from, uint64_t size_bytes,
                             simt_diag *diag);
simt_status simt_engine_copy(simt_engine *engine, uint64_t to, uint64_t from, uint64_t size_bytes,
                             simt_diag *diag);
simt_status simt_engine_set(simt_engine *engine, uint64_t to, uint8_t byte, uint64_t size_bytes,
                            simt_diag *diag);

// ---- Launches.

typedef struct simt_run simt_run;

// The parameter block of a kernel from pointers to its `n` arguments, into out[param_bytes] of
// simt_kernel_describe(). SIMT_INVALID_ARGUMENT: not as many as the kernel takes, or one is NULL.
simt_status simt_pack_arguments(const simt_kernel *kernel, const void *const *arguments, uint32_t n,
                                uint8_t *out, simt_diag *diag);

// Begins a launch without running anything. In `launch` (core/launch.h), `number` is set here, and
// `params` too unless `arguments` is NULL; `observers` are added to the engine's own. Everything is
// copied except the observers themselves. An engine runs one launch at a time: end one before
// beginning the next.
simt_status simt_run_begin(simt_run **run, simt_engine *engine, const simt_launch *launch,
                           const void *const *arguments, uint32_t n_arguments, simt_diag *diag);
// Runs on: see simt_execution_advance() for `until` and `budget`. Single steps are budgets of 1;
// budget 0 stops before the very first instruction.
simt_execution_state simt_run_advance(simt_run *run, simt_until until, uint64_t budget);
// What the kernel has asked the device for, above all launches of kernels: the client begins these
// when the launch has ended (core/children.h), and frees them.
simt_child *simt_run_take_children(simt_run *run);
// Ends the launch, finished or not, and adds its counters to the engine's. Returns its fault, or
// SIMT_OK.
simt_status simt_run_end(simt_run *run);

simt_execution_state simt_run_state(const simt_run *run);
const simt_diag *simt_run_diag(const simt_run *run); // of a fault: its text for the user
const simt_fault_record *
simt_run_fault(const simt_run *run); // the same as a record: device/fault.h
const simt_launch_info *simt_run_info(const simt_run *run);

// ---- Where it is. Blocks are numbered among the resident ones: [0, n_resident).

// The next instruction of some lanes: in source and PTX.
typedef struct simt_place {
  uint32_t resident, warp; // of which block and warp
  uint32_t mask;           // lanes that are there
  uint32_t pc;             // dense index in the kernel's code
  simt_str file;           // empty: no source line is known
  uint32_t line;           // in `file`; 0: unknown
  uint32_t ptx_line;       // in the module's text, 1-based
  simt_str ptx;            // that line, without its indentation
} simt_place;

// The lanes that run next, or that faulted. SIMT_NOT_FOUND: nothing has run yet, or all has ended.
simt_status simt_run_current(const simt_run *run, simt_place *out);

typedef struct simt_block_view {
  uint32_t index, at[3];             // blockIdx, linear and by dimension
  uint32_t n_warps, threads, exited; // threads in all; of these, those that have left the kernel
  bool is_done;                      // free: no block is left to start here
} simt_block_view;

uint32_t simt_run_n_resident(const simt_run *run);
// Blocks of the grid that have ended.
uint64_t simt_run_blocks_done(const simt_run *run);
simt_status simt_run_block(const simt_run *run, uint32_t resident, simt_block_view *out);

typedef enum simt_group_state {
  SIMT_GROUP_READY,
  SIMT_GROUP_AT_BARRIER,       // bar.sync; `barrier` says which
  SIMT_GROUP_AT_COLLECTIVE,    // a warp-wide operation; `wait_mask` names its lanes
  SIMT_GROUP_AT_GRID_SYNC,     // grid.sync()
  SIMT_GROUP_AT_RECONVERGENCE, // lanes of `wait_mask` are still to arrive at the same place
  SIMT_GROUP_AT_CLUSTER        // cluster.sync(), or the wait of barrier.cluster
} simt_group_state;

// Lanes of one warp at the same instruction: a converged warp is one group of 32.
typedef struct simt_group {
  simt_place at;
  simt_group_state state;
  uint8_t barrier;
  uint32_t wait_mask;
  bool is_next; // these lanes run when the warp has its turn
} simt_group;

enum { SIMT_MAX_GROUPS = 32 }; // their lanes are disjoint

typedef struct simt_warp_view {
  uint32_t lanes, alive; // masks: lanes that exist; of these, those that have not exited
  uint32_t n_groups;
  simt_group groups[SIMT_MAX_GROUPS];
} simt_warp_view;

simt_status simt_run_warp(const simt_run *run, uint32_t resident, uint32_t warp,
                          simt_warp_view *out);

// ---- What it holds.

// One value per lane. A register has a value only between its first definition and its last use
// (afterwards another register may use its slot); `valid`: the lanes in which it has one.
typedef struct simt_values {
  ptx_type type;       // PTX_PRED: 0 or 1
  uint32_t size_bytes; // 1 for a predicate, else as the register was declared: 1 to 16
  uint32_t valid;      // lanes
  uint64_t value[SIMT_LANES], high[SIMT_LANES]; // high: upper half of a 128-bit register
} simt_values;

// The registers of the kernel (and of functions expanded into it) that are in use, by index.
uint32_t simt_run_n_registers(const simt_run *run);
simt_status simt_run_register_name(const simt_run *run, uint32_t index, simt_str *name,
                                   ptx_type *type);
// By name ("%f3"); the kernel's own where a called function has one of that name.
simt_status simt_run_register(const simt_run *run, uint32_t resident, uint32_t warp,
                              const char *name, simt_values *out);

// Bytes of argument `index` as it was passed.
simt_status simt_run_argument(const simt_run *run, uint32_t index, const ptx_param **param,
                              const uint8_t **bytes);

// Arrays in shared memory: simt_run_info()->shared_variables has their names and places.
const simt_shared_variable *simt_run_shared_array(const simt_run *run, const char *name);
// Shared memory of a block by bank: words[row][bank] is the 32-bit word at byte
// (row * 32 + bank) * 4. Rows [first_row, first_row + n_rows); words beyond the end are 0.
// Returns how many rows the block's shared memory has in all.
uint32_t simt_run_shared(const simt_run *run, uint32_t resident, uint32_t first_row,
                         uint32_t n_rows, uint32_t (*words)[SIMT_BANKS]);

// The counters so far: events are exact to the instruction; instructions are counted when their
// basic block is entered.
simt_status simt_run_counters(const simt_run *run, simt_counters *out);

#endif
