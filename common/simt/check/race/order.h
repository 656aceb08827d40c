// SPDX-License-Identifier: MIT
// check/race/order.h - racecheck's ordering rules: which accesses of other threads happen-before a
// thread's own.
//
//   block barrier   the participants' accesses before it happen-before the waiting threads' after
//   it
//   __syncwarp      the same among the lanes that take part; shuffles and votes order nothing
//   barrier.cluster what the threads had done when they arrived happens-before what they do after
//                   having waited; a relaxed arrival hands on nothing
//   grid sync       everything before it happens-before everything after it
//   release         a fence and a later strong write of the same thread (atomic, volatile or
//                   relaxed), or a write with .release; what the thread knew then is attached to
//                   the location. An atomic adds to what is there already (a chain of atomics
//                   releases for all its members), a store replaces it
//   acquire         a strong read of that location, atomics included, learns what is attached
//
// What a thread learns it hands on at its next synchronisation. Scopes: what was fenced or written
// for the block only is attached for that block only; what another block would have learnt from it
// is kept separately (`narrow`), so that a race can be attributed to the scope.
//
// Lenient, so that no correct program is reported:
//   - an acquiring read needs no fence after it;
//   - what one thread has fenced and others learn by a barrier, they may hand on without a fence of
//     their own ("all threads fence, __syncthreads(), thread 0 counts");
//   - threads that have left the kernel count as arrived at every barrier and every __syncwarp that
//     names them;
//   - a scope is the block or the whole device; a cluster of several blocks counts as the latter.
// Not modelled: the single order of .sc fences; proxies.
#ifndef SIMT_CHECK_ORDER_H
#define SIMT_CHECK_ORDER_H

#include "check/race/clock.h"
#include "check/race/locations.h"
#include "device/observer.h"

enum { SIMT_MAX_WARPS = SIMT_CLOCK_THREADS / SIMT_LANES, SIMT_BLOCK_BARRIERS = 16 };

// How far a fence reaches.
typedef enum simt_reach_of { SIMT_REACH_BLOCK, SIMT_REACH_DEVICE, SIMT_REACHES } simt_reach_of;

// What a thread may hand on by a strong write: what it knew at its last fence.
typedef struct simt_release {
  bool is_set;
  uint32_t floor, warp_floor, now; // its block, its warp, itself: known until here
  simt_clock *local;
  simt_clock_map *acquired;
} simt_release;

// What a thread, or every thread of a block, knows beyond the floors.
typedef struct simt_knowledge {
  simt_clock *local;        // of its own block
  simt_clock_map *acquired; // of any block
  simt_clock_map *narrow;   // what it would know had scopes been wider
  // What it has acquired last from an even and from an odd word of its block: who waits reads the
  // same over and over.
  simt_clock_map *latest[2];
  simt_release released[SIMT_REACHES];
} simt_knowledge;

// A block barrier at which only part of the block waits.
typedef struct simt_partial_barrier {
  bool is_partial, whole_block;
  uint32_t waiting[SIMT_MAX_WARPS], arrived[SIMT_MAX_WARPS]; // lanes; arrived: do not wait
  simt_knowledge joined;
} simt_partial_barrier;

typedef struct simt_shadow simt_shadow;
typedef struct simt_cluster_order simt_cluster_order; // check/race/order_cluster.c

// A block that runs.
typedef struct simt_block_order {
  uint32_t block;
  uint32_t begin; // its stamps are at least this
  uint32_t floor; // its threads know each other until here
  bool is_live;
  bool is_alone;                       // no other block has run since `begin`
  bool any_fence;                      // a thread of it has fenced: stores must be noted
  bool any_touched;                    // some thread knows more than the floors
  uint32_t warp_floor[SIMT_MAX_WARPS]; // the lanes of a warp know each other until here
  uint32_t fenced[SIMT_MAX_WARPS];     // lanes that have fenced since their last plain store
  uint32_t touched[SIMT_MAX_WARPS];    // lanes that have something in `threads`
  simt_knowledge all;                  // what every thread knows
  simt_knowledge *threads;             // [block_threads], or NULL: not needed yet
  simt_partial_barrier barrier[SIMT_BLOCK_BARRIERS];
  simt_locations locations; // for this block only
  simt_shadow *shared;      // shadow of its shared memory; racecheck's
} simt_block_order;

typedef struct simt_turn { // from `tick` on, `block` ran
  uint32_t tick, block;
} simt_turn;

enum { SIMT_RECENT_TURNS = 256 };

// The order of one launch.
typedef struct simt_order {
  simt_clocks clocks;
  uint32_t tick;
  uint32_t floor; // everything is ordered until here: the launch began, or the grid synchronised
  uint32_t block_threads, n_warps;
  simt_block_order **blocks; // [n_slots], reused
  uint32_t n_slots, n_live;
  simt_block_order *current;
  simt_block_order **by_block; // [n_by_block] of a cooperative launch, else NULL
  uint32_t n_by_block;
  simt_turn *turns; // ascending
  uint32_t n_turns, turns_capacity;
  simt_cluster_order *clusters; // [n_clusters] that run; reused
  uint32_t n_clusters;
  simt_turn
      *recent; // [SIMT_RECENT_TURNS] what was asked of the past, by tick; NULL: nothing is kept
  simt_locations wide;   // global locations: for every block
  simt_locations narrow; // global locations: what was for one block only, or at too narrow a scope
} simt_order;

// One access of a thread to a location, as far as order is concerned.
typedef struct simt_strong {
  uint32_t warp, lane;
  bool is_shared;
  uint64_t address;
  uint32_t width_bytes;
  simt_reach_of reach; // of its scope
  bool releases;       // .release or stronger
  bool is_atomic;
} simt_strong;

// Two lanes: nothing is known to order the second after the first.
typedef struct simt_lane_pair {
  uint32_t lane, earlier_lane;
} simt_lane_pair;

void simt_order_launch(simt_order *order, const simt_launch_info *info);
// Frees all; `drop_shadow` is called with each block's shadow that is not NULL.
void simt_order_destroy(simt_order *order, void (*drop_shadow)(simt_shadow *));

// The state of a block, made at its first event; NULL: no memory (the clocks are exhausted then).
simt_block_order *simt_order_block(simt_order *order, uint32_t block);
void simt_order_block_end(simt_order *order, uint32_t block);
// Which block ran at `tick` (at or above order->floor).
uint32_t simt_order_block_at(const simt_order *order, uint32_t tick);
static inline bool simt_order_is_own(const simt_order *order, const simt_block_order *b,
                                     uint32_t stamp) {
  if (b->is_alone || stamp < b->begin) return stamp >= b->begin;
  return simt_order_block_at(order, stamp) == b->block;
}

void simt_order_arrive(simt_order *order, simt_block_order *b, const simt_barrier_event *event);
void simt_order_barrier(simt_order *order, simt_block_order *b, uint32_t id);
// `lanes` of a warp synchronise.
void simt_order_syncwarp(simt_order *order, simt_block_order *b, uint32_t warp, uint32_t lanes);
void simt_order_fence(simt_order *order, simt_block_order *b, uint32_t warp, uint32_t lanes,
                      simt_reach_of reach);
void simt_order_grid_sync(simt_order *order);
// The barrier of a cluster; and one of its `n_blocks` blocks has ended.
void simt_order_cluster_arrive(simt_order *order, simt_block_order *b,
                               const simt_cluster_event *event);
void simt_order_cluster_done(simt_order *order, uint32_t cluster);
void simt_order_cluster_leave(simt_order *order, simt_block_order *b,
                              const simt_cluster_event *event);
void simt_order_cluster_end_block(simt_order *order, uint32_t cluster, uint32_t n_blocks);
// A strong access: acquire before it is judged, release after.
void simt_order_acquire(simt_order *order, simt_block_order *b, const simt_strong *access);
void simt_order_release(simt_order *order, simt_block_order *b, const simt_strong *access);

// The lanes of a warp that exist.
uint32_t simt_order_lanes(const simt_order *order, uint32_t warp);

// Earlier accesses with one stamp by lanes of one warp.
typedef struct simt_earlier {
  uint32_t stamp, warp, lanes;
  bool is_own; // by this block
} simt_earlier;
// Whether some lane of `lanes` (of `warp`, now) is unordered after some lane of `earlier`, and
// which.
bool simt_order_unordered(const simt_order *order, const simt_block_order *b, uint32_t warp,
                          uint32_t lanes, const simt_earlier *earlier, simt_lane_pair *pair);
// Whether wider scopes would have ordered them; `earlier` is by another block.
bool simt_order_is_narrow(const simt_order *order, const simt_block_order *b, uint32_t warp,
                          uint32_t lane, uint32_t stamp, uint32_t thread);

#endif
