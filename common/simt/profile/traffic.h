// SPDX-License-Identifier: MIT
// profile/traffic.h - the L2 of the modelled device over whole launches: which accesses come from
// DRAM, how much is read from there and written back.
//
// The touches of a sample of lines (profile/trace.h) go through a cache of the same share of the
// L2's size, in the order in which the software GPU ran the blocks. What was in the L2 stays there
// from launch to launch, until the counters are cleared: then it is cold. At the end of a launch
// modified sectors remain in the L2. What is read comes from DRAM in pairs of sectors, 64 bytes.
// A launch may have a larger sample than one before it. Of the lines that only the larger one has,
// the L2 does not know whether they are there: when they are touched, as many of them are as of the
// lines that it does know.
// Of a launch some blocks may stand for all: then the L2 is smaller in proportion. Of what the
// others would have touched, as much is there for later launches as of what these have, if all that
// the launch touches fits in; else nothing.
#ifndef SIMT_TRAFFIC_H
#define SIMT_TRAFFIC_H

#include "profile/cache.h"
#include "profile/trace.h"

// Lines [first, last] are those of one array, as far as can be seen, in a launch of which only some
// blocks have run; of those that they touched, so many were in the L2 at its end.
typedef struct simt_left {
  uint64_t first, last, n_blocks;
  double touched, there;
  double missing; // share of all such lines that had no place
  double owed;    // lines that were said to be there, as a part of a line that is not
} simt_left;
enum { SIMT_MOST_LEFT = 16 };

typedef struct simt_l2 {
  simt_cache cache;
  double share; // of the L2's size beyond 2^-shift: as the blocks that run, of all
  simt_left left[SIMT_MOST_LEFT];
  unsigned n_left;
  unsigned shift;       // it holds one line in 2^shift
  unsigned known_shift; // since it was cold it knows of one line in 2^known_shift all that happened
} simt_l2;

typedef struct simt_traffic {
  float *dram_pairs;          // [n_code] pairs of sectors from DRAM per request; owned
  double l2_sectors, l2_hits; // touched by loads and atomics; of these found in the L2
  double dram_read_bytes, dram_write_bytes;
  double
      write_share; // of the sectors that are stored, those that are written back during the launch
  bool is_sampled; // not all lines were looked at
} simt_traffic;

void simt_l2_cool(simt_l2 *l2); // forgets what it holds
void simt_l2_destroy(simt_l2 *l2);

// Runs a launch's touches through the L2. False: out of memory.
bool simt_traffic_run(simt_traffic *traffic, simt_l2 *l2, const simt_model_device *device,
                      const simt_trace *trace, const simt_launch_info *info);
void simt_traffic_free(simt_traffic *traffic);

#endif
