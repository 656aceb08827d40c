// SPDX-License-Identifier: MIT
// core/state.h - the state of running warps, blocks and host threads: what every file of this room
// works on. Structures only; each file's functions are in the header of its name.
//
// A warp is a set of *splits*: groups of lanes that are at the same instruction. Lanes that diverge
// at a branch reconverge at its immediate post-dominator; a *reconvergence point* records which
// lanes are expected there. Waiting there is not guaranteed: when nothing else in the block can
// run, or when the others only spin, lanes that have arrived continue without them. So code that
// relies on independent thread scheduling makes progress, and ordinary code
// reconverges.
#ifndef SIMT_STATE_H
#define SIMT_STATE_H

#include "core/launch.h"
#include "core/speculate.h"
#include "decode/decode.h"
#include "lanes/address.h"

enum {
  SIMT_MAX_SPLITS = 32,         // lanes of different splits are disjoint
  SIMT_MAX_RECONVERGENCES = 64, // beyond these, lanes reconverge further out
  SIMT_BARRIERS = 16,
  SIMT_SLICE = 1 << 15,   // instructions that a warp may run before the next one's turn
  SIMT_SPIN_COST = 256,   // instructions of a slice that a volatile or acquiring access costs
  SIMT_SPINS = 32,        // such accesses in a slice make it a spinning one
  SIMT_IDLE_ROUNDS = 8192 // this many rounds of nothing but spinning are a deadlock; see grid.c
};

typedef enum simt_split_state {
  SIMT_READY,
  SIMT_AT_BARRIER,    // a block barrier
  SIMT_AT_COLLECTIVE, // __syncwarp, shuffle, vote, …: waits for the other lanes of its mask
  SIMT_AT_GRID_SYNC,
  SIMT_AT_CLUSTER // barrier.cluster.wait
} simt_split_state;

typedef struct simt_split {
  uint32_t pc, mask;
  int32_t reconvergence; // innermost reconvergence point these lanes are expected at, or -1
  uint8_t state;         // simt_split_state
  uint8_t barrier;       // AT_BARRIER: which
  uint16_t depth;        // calls these lanes are in
  uint32_t wait_mask;    // AT_COLLECTIVE: member mask
} simt_split;

typedef struct simt_reconvergence {
  uint32_t pc, members, arrived;
  int32_t parent;
  uint16_t depth; // of calls: the same code may also run at another depth
  bool in_use;
} simt_reconvergence;

// What is kept for the calls of one lane: for each call the caller's registers, then the return
// address.
typedef struct simt_call_stack {
  uint64_t *words;
  uint32_t n, capacity;
} simt_call_stack;

// Which lanes of which registers hold undefined values: read from an inactive lane by a shuffle, or
// loaded (core/undefined.c).
typedef struct simt_undefined_origin {
  uint32_t pc, members;
  uint8_t lane, source;
} simt_undefined_origin;

typedef struct simt_undefined {
  uint32_t *lanes;   // [register_bytes / 4] by slot; NULL until needed
  uint32_t *origins; // [the same] of the latest such value: its load's number; 0: a shuffle
  uint32_t n_slots;  // slots with such a lane; 0: nothing to follow
  simt_undefined_origin origin; // the latest shuffle
} simt_undefined;

typedef struct simt_async_copy simt_async_copy;
typedef struct simt_block simt_block;
typedef struct simt_held simt_held;

typedef struct simt_warp {
  uint8_t *regs;          // [register_bytes], lane-SoA
  uint8_t *local;         // [32][core->local_bytes]
  simt_call_stack *calls; // [32], or NULL: the kernel has no bodies
  simt_block *block;
  uint32_t index;                     // in the block
  uint32_t lanes, alive;              // lanes that exist; of these, not yet exited
  simt_split splits[SIMT_MAX_SPLITS]; // the last ready one runs
  uint32_t n_splits;
  simt_reconvergence reconvergences[SIMT_MAX_RECONVERGENCES];
  uint32_t reconvergences_high; // entries at and above are unused
  uint64_t instructions;        // issued in this launch
  uint32_t spins;               // volatile or atomic accesses in this slice
  uint32_t rereads;             // of these, the same address by the same instruction as before
  uint32_t spin_pc;             // of the last one
  uint64_t spin_address;
  simt_undefined undefined;
  simt_async_copy *copies, *free_copies; // core/async.c: in flight; free for reuse
  uint32_t groups[SIMT_LANES];           // of copies that the lane has committed
  uint32_t last_pc[SIMT_LANES];          // the last ones of every split, by its lowest lane
  uint64_t last_address[SIMT_LANES];
  bool apart;             // its lanes never merge, except during a warp-wide operation
  uint32_t skipped_turns; // turns it is still to skip
  // barrier.cluster: lanes that have arrived, in the phase that is not complete, or in the one
  // before it without having waited for it yet.
  uint32_t cluster_arrived, cluster_passed;
  uint16_t device_error[SIMT_LANES]; // CUDA's, of the lane's own calls of the runtime
} simt_warp;

// One phase of a block barrier.
typedef struct simt_barrier {
  bool whole_block;           // no count was given: it waits for the threads that have not exited
  uint32_t arrived, expected; // threads; without lanes that a counted barrier takes as arrived
  uint32_t pc;                // where the first lanes arrived
  uint32_t ones, total;       // of a reduction: lanes with a true predicate, lanes in all
  uint32_t *lanes;            // [n_warps] lanes that have arrived
} simt_barrier;

// Blocks that run together and reach each other's shared memory: those of one cluster, or, without
// clusters, one block.
typedef struct simt_cluster {
  simt_block **blocks; // [core->cluster_blocks] by rank
  uint32_t number;     // in the grid
  uint32_t arrived;    // living threads that have arrived at barrier.cluster in this phase
  uint32_t pc;         // where the first of them did
} simt_cluster;

struct simt_block {
  uint32_t index, at[3];
  simt_cluster *cluster;
  uint32_t rank;           // in the cluster
  uint64_t shared_address; // of its shared memory in .shared::cluster: rank << SIMT_RANK_SHIFT
  uint8_t *shared;
  simt_warp *warps;
  uint32_t n_warps, threads, alive; // alive: threads that have not exited
  uint32_t at_grid_sync;            // threads waiting there
  bool reports_entries;             // some observer wants to know of basic blocks
  bool in_grid_sync;                // its first thread has arrived at the grid-wide barrier
  simt_barrier barriers[SIMT_BARRIERS];
  uint32_t barriers_in_use; // bit id: some lanes have arrived
  uint32_t *barrier_lanes;  // [SIMT_BARRIERS][n_warps] of the above
  simt_held *held;          // core/store_buffer.c: stores that are not visible yet, or NULL
  simt_child *last_child;   // asked for in the block's NULL stream (core/requests.c)
  bool done;
};

// Where the last access of an instruction went: most stay in one allocation.
typedef struct simt_reach {
  uint64_t low, high; // device addresses [low, high)
  uint8_t *host;      // of address 0: host + address is the byte
  bool read_only;
  simt_write_log log; // stores on several host threads
} simt_reach;

// The order in which n things take place: first, first + step, …, each modulo n.
typedef struct simt_permutation {
  uint64_t first, step, n;
} simt_permutation;

// A walk through such an order.
typedef struct simt_walk {
  simt_permutation order;
  uint64_t at, left;
} simt_walk;

// The outcome of running.
typedef enum simt_outcome {
  SIMT_DONE,   // everything that was to run has run
  SIMT_HELD,   // the launch pauses here (core/stop.h)
  SIMT_FAULTED // a device fault, or another host thread has given up
} simt_outcome;

// The progress of a launch's blocks. A round gives every warp of the resident blocks a turn.
typedef struct simt_progress {
  uint64_t next, end;               // blocks [next, end) have not started
  uint64_t running;                 // resident and not done
  bool in_round, in_block, in_turn; // held there: of the launch, of the block, of the warp below
  simt_walk blocks, warps;
  bool moved;           // some warp could run in this round
  bool spinning;        // and all that could run only re-read the same addresses
  uint32_t idle_rounds; // in a row
  uint32_t rounds;      // since a block has started or ended
  uint64_t effects;     // core->effects when the turn began
} simt_progress;

// Where a launch pauses (core/stop.h).
typedef struct simt_stop {
  bool is_set;                    // else it runs to its end
  uint8_t until;                  // simt_until
  bool has_begun;                 // `from_…` are set
  uint64_t budget;                // warp instructions that may still run
  uint32_t from_block, from_warp; // with SIMT_UNTIL_LINE: the first instruction of the step
  uint32_t from_file, from_line;
  uint64_t from_barriers;
} simt_stop;

// One host thread that runs blocks of one launch.
typedef struct simt_core simt_core;
struct simt_core {
  const simt_kernel *kernel;
  const simt_launch *launch;
  const simt_memory *memory;
  simt_memory *heap;    // the same, for malloc() and free() in kernels
  uint32_t local_bytes; // per thread, with the stack of calls
  simt_observer **observers;
  uint32_t n_observers;
  bool reports_barriers, reports_collectives, reports_undefined,
      reports_copies; // some observer does
  simt_profile profile;
  simt_reach *reach; // [n_code]
  simt_address_function address;
  uint64_t shared_bytes;    // per block, dynamic and reserved included
  uint64_t reserved_shared; // where the reserved part begins; without one it is shared_bytes
  int64_t budget;           // instructions left in the running warp's slice
  uint64_t effects;         // stores, successful atomics, barriers, exits: what others may wait for
  uint64_t max_warp_instructions;
  uint64_t printed_bytes;         // a launch that prints has one core
  struct simt_requests *requests; // core/requests.c; NULL: the kernel does not call the runtime
  uint32_t n_tails;               // of these, what waits for the end of the grid
  simt_block **blocks;            // [n_resident], of room_for_blocks
  uint32_t n_resident, room_for_blocks;
  uint32_t max_resident; // that the device holds
  simt_progress progress;
  simt_stop stop;
  uint64_t barriers;                   // completed, of a block or of the grid
  uint64_t grid_blocks;                // of the launch
  uint32_t cluster[3], cluster_blocks; // blocks of a cluster: in each direction, in all
  uint64_t at_grid_sync;               // blocks that have arrived at grid.sync()
  uint32_t grid_sync_pc;               // where the latest of these wait
  // What a hostile schedule changes (core/schedule.c, core/store_buffer.c).
  uint8_t schedule;  // simt_schedule_kind
  bool orders_lanes; // stores and atomics of one instruction have an order of their own
  bool holds_stores; // weak stores are held back
  uint64_t random;   // state of the generator
  uint32_t steps;    // memory accesses left in a random slice
  simt_permutation block_order;
  const uint32_t *order; // of the blocks, when some stand for all (core/sample.h); or NULL
  simt_held *held;       // stores of blocks that have ended, or NULL
  uint32_t held_slots;   // that all held stores of the launch take
  uint64_t workspace;    // device address of the grid workspace, 0: none
  uint32_t block_threads;
  simt_status status; // of the first fault
  simt_fault_record fault;
  simt_diag *diag;
  simt_speculation *speculation; // NULL: this thread is the only one
  uint32_t thread;               // its number
  simt_arena arena;
};

#define SIMT_NOTIFY(core, hook, ...)                                                               \
  do {                                                                                             \
    for (uint32_t notify = 0; notify < (core)->n_observers; notify++)                              \
      if ((core)->observers[notify]->hook)                                                         \
        (core)->observers[notify]->hook((core)->observers[notify], __VA_ARGS__);                   \
  } while (0)

#endif
