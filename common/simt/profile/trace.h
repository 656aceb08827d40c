// SPDX-License-Identifier: MIT
// profile/trace.h - what the timing model keeps of a launch while it runs, and an observer that
// gathers it: of some blocks all that their warps did, of all blocks how much they did, and which
// lines of memory were touched, of a sample of lines.
//
// Which blocks and lines does not depend on how many host threads run the launch. Traced are the
// blocks that one SM gets when blocks are handed out in turn, up to a limit, or all of a small
// grid. A block's trace that grows too long is cut, and says so.
#ifndef SIMT_TRACE_H
#define SIMT_TRACE_H

#include "device/observer.h"
#include "profile/model.h"
#include "profile/touches.h"

// A warp's trace is a sequence of entries, each a head and `n` words of lines.
typedef enum simt_entry_kind {
  SIMT_ENTRY_BLOCK, // entered basic block `pc`
  SIMT_ENTRY_LOAD,  // of global or local memory: lines
  SIMT_ENTRY_STORE,
  SIMT_ENTRY_ATOMIC,
  SIMT_ENTRY_SHARED_LOAD, // `passes` over the banks
  SIMT_ENTRY_SHARED_STORE,
  SIMT_ENTRY_SHARED_ATOMIC,
  SIMT_ENTRY_MATCH // `passes`: different values among its lanes
} simt_entry_kind;

typedef struct simt_entry {
  uint32_t pc;     // BLOCK: number of the basic block
  uint8_t kind;    // simt_entry_kind
  uint8_t n_lines; // ATOMIC, LOAD, STORE, IS_REMOTE: how many line words follow
  uint8_t passes;  // SHARED_..., LOAD: over the banks; ATOMIC: lanes; MATCH: values; IS_REMOTE:
                   // packets of a store or an atomic
  uint8_t flags;   // SIMT_ENTRY_...
} simt_entry;
enum {
  SIMT_ENTRY_BYPASSES_L1 = 1, // volatile, acquire, atomics
  SIMT_ENTRY_IS_FLOAT = 2,
  SIMT_ENTRY_UNREAD = 4,  // an atomic whose result no instruction reads
  SIMT_ENTRY_UNIFORM = 8, // all lanes at one address
  SIMT_ENTRY_IS_LOCAL = 16,
  SIMT_ENTRY_IS_PARTIAL = 32, // a store of less than its sectors
  SIMT_ENTRY_IS_REMOTE = 64   // SHARED_...: of other blocks of the cluster
};
// A line word: line number << 4 | mask of sectors.

typedef struct simt_warp_trace {
  uint64_t *words; // [n_words], entries and lines
  uint32_t n_words, room;
  uint32_t last; // index of the latest entry, once there is one
} simt_warp_trace;

typedef struct simt_block_trace {
  uint32_t block;
  bool is_cut;           // it did more
  uint64_t instructions; // that the block ran, PTX instructions of warps
  uint64_t recorded;     // of these, in the trace
  // Cycles of the network between the SMs of a cluster, for what the block sends and receives.
  double sent, received;
  simt_warp_trace *warps; // [warps_per_block]
} simt_block_trace;

typedef struct simt_trace {
  simt_block_trace *blocks; // [n_blocks], ascending by block
  size_t n_blocks, room;
  uint32_t warps_per_block;
  float *cost; // [n_grid_blocks] instructions of each block; NULL: not known
  uint64_t n_costs;
  uint64_t n_run;            // blocks that have run and stand for all; 0: all have
  simt_touches touches;      // and how often each instruction accessed memory
  uint64_t far_atomic_lanes; // of atomics on global memory whose lanes are not neighbours
  bool lost;                 // memory ran out
} simt_trace;

// `exact`: all blocks of one SM and all lines, however many; slow. NULL: out of memory.
simt_observer *simt_trace_observer_create(const simt_model_device *device, bool exact);
void simt_trace_observer_destroy(simt_observer *observer);
// The share of the grid's blocks that have run.
static inline double simt_trace_share(const simt_trace *trace, uint64_t n_blocks) {
  return trace->n_run && n_blocks ? (double)trace->n_run / (double)n_blocks : 1.0;
}
// Of the latest launch; belongs to the observer, until the next.
simt_trace *simt_trace_of(simt_observer *observer);

#endif
