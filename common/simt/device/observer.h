// SPDX-License-Identifier: MIT
// device/observer.h - the interface between the execution core and its observers.
//
// The core calls these hooks without knowing who observes; counters, checks and the timing model
// implement them and never reach into the core. One event per *warp* access. A NULL hook is
// skipped. Events of one block arrive in order; a launch that uses several host threads gives every
// thread its own observer (fork) and merges them in block order (join), so results do not depend on
// timing.
#ifndef SIMT_OBSERVER_H
#define SIMT_OBSERVER_H

#include <stdbool.h>
#include <stdint.h>

#include "device/facts.h"
#include "device/instruction.h"

typedef enum simt_access_kind { SIMT_LOAD, SIMT_STORE, SIMT_ATOMIC } simt_access_kind;

// What the core already knows about the 32 addresses; lets observers skip work.
typedef enum simt_pattern {
  SIMT_PATTERN_ANY,
  SIMT_PATTERN_UNIFORM,   // all active lanes: the same address
  SIMT_PATTERN_CONTIGUOUS // full mask, address[l] == address[0] + l * width_bytes
} simt_pattern;

// Elements of an access whose values are undefined. Of a load the observers say it, and the core
// follows the values (core/undefined.h); of a store the core says it.
typedef struct simt_access_undefined {
  uint32_t lanes[4];  // [vector]
  uint32_t origin[4]; // [vector] the number that the observer gave them; not 0
} simt_access_undefined;

typedef struct simt_access {
  uint32_t pc;             // dense instruction index in the kernel
  uint32_t mask;           // active lanes
  uint32_t block, warp;    // linear block index in the grid, warp index in the block
  uint32_t owner;          // SHARED memory of another block of the cluster: 1 + that block, else 0
  uint32_t width_bytes;    // per lane: 1, 2, 4, 8, 16
  uint32_t same_sector;    // PATTERN_ANY: bit l: lane l's access lies in the 32-byte sector of lane
                           // l - 1's; says nothing where one of the two is inactive. 0: not known
  uint32_t span_bytes;     // from the lowest byte to behind the highest; 0: not known
  uint8_t kind;            // simt_access_kind
  uint8_t space;           // ptx_space: GLOBAL, SHARED or LOCAL (generic is resolved; constant
                           // memory counts as GLOBAL; param accesses are not reported)
  uint8_t pattern;         // simt_pattern
  bool is_volatile;        // volatile, relaxed, acquire or release
  uint8_t order, scope;    // isa_order (a plain access: ISA_WEAK) and isa_scope of the instruction
  uint8_t lane_bytes;      // of one element's lane in a data slot: 4, 8 or 16
  uint8_t vector;          // elements a lane moves: 1, 2, 4; each width_bytes / vector bytes
  bool discards_result;    // red, or atom into _
  bool is_float;           // ATOMIC: on a floating-point type
  const uint64_t *address; // [32]; GLOBAL: device address; SHARED: byte offset in the owner's
                           // shared memory; LOCAL: byte offset in the lane's local memory.
                           // Entries of inactive lanes are undefined.
  // For reports, which want values: the memory as it is before the access, and what is stored or
  // combined (compare-and-swap: the new value). NULL where there is none (lanes in different
  // allocations; loads have no data yet).
  const uint8_t *memory;  // byte of lane l: memory + address[l] (SHARED and GLOBAL)
  const uint8_t *data[4]; // [vector] data slots, element of lane l at data[i] + l * lane_bytes
  simt_access_undefined *undefined; // of a load: to be filled in; NULL: values are not followed
} simt_access;

// The block whose shared memory an access to SHARED reaches.
static inline uint32_t simt_owner_of(const simt_access *access) {
  return access->owner ? access->owner - 1 : access->block;
}

// Lanes reach a block barrier. Those that only arrive (bar.arrive) do not wait. Lanes of a diverged
// warp arrive in several events, at the same instruction or at different ones. Under hostile
// schedules (core/grid.h) that also happens in correct programs.
typedef struct simt_barrier_event {
  uint32_t pc, block, warp;
  uint32_t mask;     // the lanes that arrive now
  uint32_t id;       // barrier 0 … 15; __syncthreads() is 0
  uint32_t expected; // threads it waits for
  bool whole_block;  // no count was given
  bool waits;        // false: bar.arrive
} simt_barrier_event;

// Lanes arrive at the barrier of their cluster, or go on after having waited there. A phase ends
// between the last arrival and the first departure.
typedef struct simt_cluster_event {
  uint32_t pc, block, warp, mask;
  uint32_t cluster; // number in the grid
  bool is_relaxed;  // an arrival that orders nothing
} simt_cluster_event;

// A warp-wide operation has taken place: __syncwarp, shuffle, vote, match or redux.
typedef enum simt_collective_kind {
  SIMT_COLLECTIVE_SYNCWARP,
  SIMT_COLLECTIVE_SHUFFLE,
  SIMT_COLLECTIVE_VOTE,
  SIMT_COLLECTIVE_MATCH,
  SIMT_COLLECTIVE_REDUX
} simt_collective_kind;

typedef struct simt_collective_event {
  uint32_t pc, block, warp; // pc: of the lowest lane that takes part
  uint32_t members;         // the mask that was named
  uint32_t mask;            // lanes that take part
  uint32_t existing;        // lanes the warp has (its last warp may have fewer than 32)
  uint32_t exited;          // of these, lanes that have left the kernel
  uint8_t kind;             // simt_collective_kind
  const uint32_t *pcs;      // [32] pc of each lane of `mask`; NULL: all at `pc`
  const uint8_t *source;    // SHUFFLE: [32] the lane each lane of `mask` reads (itself where the
                            // segment ends); else NULL
} simt_collective_event;

// A value that a shuffle read from a lane that took no part is used after all.
typedef enum simt_undefined_use {
  SIMT_USE_STORED,    // stored, or combined by an atomic
  SIMT_USE_ADDRESS,   // as an address
  SIMT_USE_BRANCH,    // decides where a lane goes
  SIMT_USE_COLLECTIVE // in a vote, match or redux
} simt_undefined_use;

typedef struct simt_undefined_event {
  uint32_t origin;     // of a value that was loaded: as in simt_access_undefined; 0: from a shuffle
  uint32_t shuffle_pc; // the shuffle; the latest one when several are to blame
  uint32_t members;    // the mask it named
  uint8_t shuffle_lane, source_lane; // one lane that read, and the inactive lane it read from
  uint8_t use;                       // simt_undefined_use
  uint32_t pc;                       // where the value is used
  uint32_t lanes;                    // by which lanes
  uint32_t block, warp;
} simt_undefined_event;

typedef struct simt_fence_event {
  uint32_t pc, block, warp, mask;
  uint8_t order, scope; // isa_order, isa_scope
} simt_fence_event;

typedef struct simt_launch_info {
  const ptx_module *module;
  const ptx_function *kernel;
  uint32_t grid[3], block[3];
  uint32_t cluster[3];     // blocks in each direction; 1 x 1 x 1 without clusters
  uint32_t cluster_blocks; // in all
  uint64_t n_blocks;
  uint32_t block_threads, warps_per_block;
  uint64_t shared_bytes;    // static + dynamic + reserved, per block
  uint64_t reserved_shared; // where the reserved part begins, which starts as zeros
  bool cooperative;
  const simt_instr *code; // [n_code] dense instructions; NULL: not known
  uint32_t n_code;
  const uint8_t *code_class;       // [n_code] simt_class, 0xff: a marker, not an instruction
  const uint8_t *code_width_bytes; // [n_code] lane access width of loads/stores, else 0
  const int32_t *code_loc;         // [n_code] index into module->locs or -1
  const simt_code_block *code_blocks;
  uint32_t n_code_blocks;
  const uint32_t *code_ptx_line; // [n_code] line in the PTX text
  simt_code_facts facts;
  const simt_shared_variable *shared_variables; // [n_shared_variables]
  uint32_t n_shared_variables;
  uint64_t n_sampled;         // about so many blocks may stand for all; 0: all run
  uint32_t device, n_devices; // where it runs; n_devices 0 or 1: the only device
  uint64_t launch;            // 1, 2, 3 …: number of the launch in this process
} simt_launch_info;

// The instruction at `pc`; NULL when it is not known.
static inline const simt_instr *simt_code_at(const simt_launch_info *info, uint32_t pc) {
  return info->code && pc < info->n_code ? &info->code[pc] : NULL;
}

// Whether the load at `pc` may be there only because the compiler hoisted it: its value is used
// only under a condition (decode/analysis/speculation.c). Such a load may read, on hardware as
// here, what the program never asks for; that is not a mistake. The condition itself is taken to be
// correct. `elements`: bit i for the i-th element of a vector load.
static inline bool simt_load_is_speculative(const simt_launch_info *info, uint32_t pc,
                                            uint32_t elements) {
  const simt_instr *in = simt_code_at(info, pc);
  if (!in || in->form != ISA_LOAD || !info->facts.speculative) return false;
  uint32_t set = elements & ((1u << in->memory.vector) - 1);
  return info->facts.speculative[pc] >> set & 1;
}

// The operation of an atomic as one bit; minima and maxima of unsigned integers have their own.
enum { SIMT_ATTEMPT_UNSIGNED = 16 };
static inline uint32_t simt_attempted(const simt_instr *atomic) {
  const uint8_t operation = atomic->memory.operation;
  const ptx_type type = isa_rows[atomic->id].type;
  const bool has_sign = operation == ISA_ATOM_MIN || operation == ISA_ATOM_MAX;
  const bool is_unsigned = has_sign && (type == PTX_U32 || type == PTX_U64);
  return 1u << (operation % SIMT_ATTEMPT_UNSIGNED + (is_unsigned ? SIMT_ATTEMPT_UNSIGNED : 0));
}

// Whether the load at `pc` only decides if an atomic on its address is tried, or gives a level that
// compare-and-swaps move past, so that it does no harm that nothing orders it with the atomic at
// `atomic_pc` (decode/analysis/attempts.c, levels.c).
static inline bool simt_load_is_an_attempt(const simt_launch_info *info, uint32_t pc,
                                           uint32_t atomic_pc) {
  const simt_instr *load = simt_code_at(info, pc), *atomic = simt_code_at(info, atomic_pc);
  if (!load || !atomic || load->form != ISA_LOAD || !info->facts.attempts) return false;
  if (atomic->form != ISA_ATOM && atomic->form != ISA_RED) return false;
  return info->facts.attempts[pc] & simt_attempted(atomic);
}

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
  SIMT_SYNC_CLUSTER,       // completed, once per cluster
  SIMT_SYNC_FENCE,
  SIMT_SYNC_SHUFFLE,
  SIMT_SYNC_VOTE
} simt_sync_kind;

typedef struct simt_observer simt_observer;
struct simt_observer {
  void (*launch_begin)(simt_observer *self, const simt_launch_info *info);
  void (*access)(simt_observer *self, const simt_access *access);
  // A copy into shared memory (cp.async) has begun, which may be made from now on; `access` is the
  // store, which access() sees when it is waited for.
  void (*copy_begin)(simt_observer *self, const simt_access *access);
  void (*branch)(simt_observer *self, uint32_t pc, uint32_t taken, uint32_t active);
  void (*sync)(simt_observer *self, simt_sync_kind kind, uint32_t pc, uint32_t block, uint32_t warp,
               uint32_t mask);
  void (*block_end)(simt_observer *self, uint32_t block);
  // For the timing model: how many instructions each warp of a finished block has run; and, for
  // blocks that wants_entries selects before their first event, each entry of a warp into a basic
  // block.
  void (*block_cost)(simt_observer *self, uint32_t block, uint64_t warp_instructions);
  bool (*wants_entries)(simt_observer *self, uint32_t block);
  void (*enter)(simt_observer *self, uint32_t block, uint32_t warp, uint32_t code_block);
  // The same of a match, and among how many different values.
  void (*match)(simt_observer *self, uint32_t pc, uint32_t block, uint32_t warp, uint32_t n_values);
  // For checkers, in order with the accesses. A block begins with its first thread; a barrier
  // completes after its last arrival (`barrier` events come first); lanes exit.
  void (*block_begin)(simt_observer *self, uint32_t block);
  void (*barrier)(simt_observer *self, const simt_barrier_event *event);
  void (*barrier_done)(simt_observer *self, uint32_t block, uint32_t id);
  void (*cluster_arrive)(simt_observer *self, const simt_cluster_event *event);
  void (*cluster_done)(simt_observer *self, uint32_t cluster);
  void (*cluster_leave)(simt_observer *self, const simt_cluster_event *event);
  void (*collective)(simt_observer *self, const simt_collective_event *event);
  void (*fence)(simt_observer *self, const simt_fence_event *event);
  void (*undefined)(simt_observer *self, const simt_undefined_event *event);
  void (*exit)(simt_observer *self, uint32_t pc, uint32_t block, uint32_t warp, uint32_t mask);
  // Several host threads: fork returns an observer of the same kind for one of `n_workers` (NULL:
  // out of memory), join merges it back and frees it. Called in block order.
  simt_observer *(*fork)(simt_observer *self, uint32_t n_workers);
  void (*join)(simt_observer *self, simt_observer *worker);
  // Frees a worker's observer without merging it: its blocks will run again.
  void (*discard)(simt_observer *worker);
  void (*launch_end)(simt_observer *self, const simt_launch_info *info,
                     const simt_profile *profile);
};

#endif
