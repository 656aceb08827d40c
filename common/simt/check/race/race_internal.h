// SPDX-License-Identifier: MIT
// check/race/race_internal.h - what the parts of racecheck share. check/race/race.c observes the
// events, check/race/rows.c and check/race/cells.c compare accesses, check/race/pairs.c keeps what
// was found.
#ifndef SIMT_CHECK_RACE_INTERNAL_H
#define SIMT_CHECK_RACE_INTERNAL_H

#include "check/race/order.h"
#include "check/race/race.h"
#include "check/race/shadow.h"
#include "device/memory.h"

// A pair of places in the code that raced in this launch.
typedef struct simt_race_pair {
  simt_finding finding; // the first witness
  uint64_t count;
} simt_race_pair;

typedef struct simt_race simt_race;
struct simt_race {
  simt_observer observer; // first: the hooks cast back
  simt_findings *findings;
  simt_race *parent;  // of a worker
  simt_race *idle;    // workers between launches; of a worker: the next one
  uint32_t n_workers; // that shared the latest launch; 0: none ever
  uint64_t limit_bytes;
  simt_order order;
  simt_shadow_pool global_pool, shared_pool; // shared: of all blocks together
  simt_shadow *global;
  simt_launch_info info;
  uint32_t existing[SIMT_MAX_WARPS]; // lanes of each warp
  bool is_off;                       // for the rest of this launch
  bool is_incomplete;                // something was not watched
  bool is_noted;                     // and a note says so
  simt_race_pair *pairs;
  uint32_t n_pairs, pairs_capacity;
};

// One event as it is worked through.
typedef struct simt_visit {
  const simt_access *access;
  simt_block_order *block;
  simt_shadow *shadow;
  bool is_shared;
  uint32_t floor; // accesses before it are ordered before everything that can still come
  uint32_t who;
  bool same_value; // the lane stores what is there already
} simt_visit;

// ---- check/race/race.c

// The state of a block, or NULL: the launch is no longer watched.
simt_block_order *simt_race_block(simt_race *race, uint32_t block);

// ---- check/race/clusters.c

void simt_race_watch_clusters(simt_observer *observer); // sets its hooks
// The number of a block's cluster in the grid.
uint32_t simt_race_cluster(const simt_launch_info *info, uint32_t block);
// *moved: an access to shared memory at the addresses under which that is watched, which are put
// into `addresses` [SIMT_LANES].
const simt_access *simt_race_move(const simt_access *access, simt_access *moved,
                                  uint64_t *addresses);
// A block of a cluster has ended.
void simt_race_end_in_cluster(simt_race *race, uint32_t block);

// ---- check/race/pairs.c

// An earlier access and this one, unordered.
typedef struct simt_conflict {
  uint32_t tick, who, lane; // of the earlier access
  bool is_own;              // it is this block's
  uint32_t later_lane;
  uint64_t address;
  bool too_narrow;     // both are strong
  uint8_t value_bytes; // of what the earlier access wrote; 0: not known
  uint64_t value;
} simt_conflict;

// Counts the finding; the first of its kind and place is kept.
void simt_race_add(simt_race *race, const simt_finding *finding, uint64_t count);
void simt_race_report(simt_race *race, const simt_visit *visit, const simt_conflict *conflict);
// `n` bytes that `lane` stores or combines, from byte `at` of its access on.
uint64_t simt_race_stored(const simt_access *access, uint32_t lane, uint32_t at, uint32_t n);

// ---- check/race/cells.c

// The line of an address, empty if nothing in it matters any more. NULL: not watched.
simt_line *simt_race_line(simt_race *race, const simt_visit *visit, uint64_t address);
// `lanes` access one and the same element, which lies in `line`.
void simt_race_lanes(simt_race *race, simt_visit *visit, simt_line *line, uint32_t lanes);
// A plain access, element by element.
void simt_race_elements(simt_race *race, simt_visit *visit);

// ---- check/race/rows.c

// A plain access of neighbouring lanes to neighbouring words, or of all lanes to one element: seen
// to line by line. False: it is neither, and nothing has been done.
bool simt_race_row(simt_race *race, simt_visit *visit);

#endif
