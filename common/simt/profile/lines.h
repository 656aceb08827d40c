// SPDX-License-Identifier: MIT
// profile/lines.h - what each line of a kernel's source cost, and what each kernel's time went
// into.
//
// An observer like the counters, by the same rules (profile/counters.h), but kept apart by the line
// that an instruction was compiled from: of code that was inlined, the innermost line outside the
// toolkit. It is off unless asked for, since it slows every access down.
// Not told apart: several statements on one line. An instruction without `.loc` counts to the line
// before it; in a kernel compiled without line numbers, all to line 0.
#ifndef SIMT_LINES_H
#define SIMT_LINES_H

#include "base/sink.h"
#include "device/observer.h"
#include "profile/model.h"

typedef struct simt_line_cost {
  uint64_t warp_instructions, lane_instructions;
  uint64_t global_requests, global_sectors, global_bytes;    // loads and stores, one request a warp
  uint64_t shared_requests, shared_wavefronts, shared_ideal; // the same; conflicts: beyond ideal
  uint64_t atomic_requests, atomic_lanes;                    // on global and on shared memory
  uint64_t branches, divergent_branches;                     // executed by a warp
  uint64_t block_barriers, warp_syncs, shuffles, votes, fences; // executed by a warp
} simt_line_cost;

typedef struct simt_line {
  const char *kernel, *file; // as PTX names them; file: "" where line is 0
  uint32_t line;
  simt_line_cost cost;
} simt_line;

typedef struct simt_kernel_time {
  const char *kernel;
  uint64_t launches;
  simt_model_time time; // sums over its launches; `bound` is that of the longest launch
  double longest_ms;
} simt_kernel_time;

typedef enum simt_lines_mode {
  SIMT_LINES_OFF,
  SIMT_LINES_ALL,    // of all launches
  SIMT_LINES_COUNTED // of those since the counters were cleared
} simt_lines_mode;

// NULL: out of memory.
simt_observer *simt_lines_create(void);
void simt_lines_clear(simt_observer *lines);   // forgets what was counted, between launches
void simt_lines_destroy(simt_observer *lines); // NULL is allowed

// Adds a launch's modelled time to its kernel's; false: out of memory.
bool simt_lines_add_time(simt_observer *lines, const simt_launch_info *info,
                         const simt_model_time *time);

// Lines by kernel, file and number; kernels in the order of their first launch. They belong to the
// observer, until the next launch. SIMT_LINES lost some when memory ran out: is_whole is false.
const simt_line *simt_lines_all(simt_observer *lines, size_t *n);
const simt_kernel_time *simt_lines_kernels(const simt_observer *lines, size_t *n);
bool simt_lines_are_whole(const simt_observer *lines);

// Two members of a JSON object: "kernels": [...], "lines": [...].
void simt_lines_write_json(simt_observer *lines, const simt_sink *to);

#endif
