// SPDX-License-Identifier: MIT
// observer.h - the one place where the execution core and those who watch it meet.
//
// The core (exec, warp, grid) calls these hooks and knows nothing of who listens; counters, checks
// and the timing model implement them and never reach into the core. One event per *warp* access.
// A NULL hook is skipped. Events of one block arrive in order; a launch that uses several host
// threads gives every thread its own observer (fork) and merges them in block order (join), so
// results do not depend on timing.
#ifndef SIMT_OBSERVER_H
#define SIMT_OBSERVER_H

#include <stdbool.h>
#include <stdint.h>

#include "ptx.h"

enum { SIMT_WARP_LANES = 32 };

typedef enum simt_access_kind { SIMT_LOAD, SIMT_STORE, SIMT_ATOMIC } simt_access_kind;

// What the core already knows about the 32 addresses; lets observers skip work.
typedef enum simt_pattern {
  SIMT_PATTERN_ANY,
  SIMT_PATTERN_UNIFORM,   // all active lanes: the same address
  SIMT_PATTERN_CONTIGUOUS // full mask, address[l] == address[0] + l * width_bytes
} simt_pattern;

typedef struct simt_access {
  uint32_t pc;             // dense instruction index in the kernel
  uint32_t mask;           // active lanes
  uint32_t block, warp;    // linear block index in the grid, warp index in the block
  uint32_t width_bytes;    // per lane: 1, 2, 4, 8, 16
  uint8_t kind;            // simt_access_kind
  uint8_t space;           // ptx_space: GLOBAL, SHARED or LOCAL (generic is resolved; const and
                           // param accesses are not reported)
  uint8_t pattern;         // simt_pattern
  bool is_volatile;        // volatile, relaxed, acquire or release
  bool discards_result;    // red, or atom into _
  bool is_float;           // ATOMIC: on a floating-point type
  const uint64_t *address; // [32]; GLOBAL: device address; SHARED: byte offset in the block's
                           // shared memory; LOCAL: byte offset in the lane's local memory.
                           // Entries of inactive lanes are undefined.
} simt_access;

// Static facts of one instruction and one basic block of the launched kernel.
typedef struct simt_code_block {
  uint32_t first_pc, n_instrs; // reconvergence markers are not instructions and not counted
} simt_code_block;

typedef struct simt_launch_info {
  const ptx_module *module;
  const ptx_function *kernel;
  uint32_t grid[3], block[3];
  uint64_t n_blocks;
  uint32_t block_threads, warps_per_block;
  uint64_t shared_bytes; // static + dynamic, per block
  bool cooperative;
  uint32_t n_code;                 // dense instructions
  const uint8_t *code_class;       // [n_code] simt_class, 0xff: a marker, not an instruction
  const uint8_t *code_width_bytes; // [n_code] lane access width of loads/stores, else 0
  const int32_t *code_loc;         // [n_code] index into module->locs or -1
  const simt_code_block *code_blocks;
  uint32_t n_code_blocks;
} simt_launch_info;

// How often each basic block was entered by a warp and with how many active lanes in total.
// Counting per block entry is exact: a warp leaves a basic block only at its end.
typedef struct simt_profile {
  uint64_t *entries; // [n_code_blocks]
  uint64_t *lanes;   // [n_code_blocks]
} simt_profile;

typedef enum simt_sync_kind {
  SIMT_SYNC_BLOCK_BARRIER, // completed, once per block
  SIMT_SYNC_WARP,          // bar.warp.sync, once per warp execution
  SIMT_SYNC_GRID,          // completed, once per grid
  SIMT_SYNC_FENCE,
  SIMT_SYNC_SHUFFLE,
  SIMT_SYNC_VOTE
} simt_sync_kind;

typedef struct simt_observer simt_observer;
struct simt_observer {
  void (*launch_begin)(simt_observer *self, const simt_launch_info *info);
  void (*access)(simt_observer *self, const simt_access *access);
  void (*branch)(simt_observer *self, uint32_t pc, uint32_t taken, uint32_t active);
  void (*sync)(simt_observer *self, simt_sync_kind kind, uint32_t pc, uint32_t block, uint32_t warp,
               uint32_t mask);
  void (*block_end)(simt_observer *self, uint32_t block);
  // Several host threads: fork returns an observer of the same kind for one worker (NULL: out of
  // memory), join merges it back and frees it. Called in block order.
  simt_observer *(*fork)(simt_observer *self);
  void (*join)(simt_observer *self, simt_observer *worker);
  // Frees a worker's observer without merging it: its blocks will run again.
  void (*discard)(simt_observer *worker);
  void (*launch_end)(simt_observer *self, const simt_launch_info *info,
                     const simt_profile *profile);
};

#endif
