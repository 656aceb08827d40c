// SPDX-License-Identifier: MIT
// profile/traffic.h - the L2 of the modelled device over whole launches: which accesses come from
// DRAM, how much is read from there and written back.
//
// The touches of a sample of lines (profile/trace.h) go through a cache of the same share of the
// L2's size, in the order in which the software GPU ran the blocks. What was in the L2 stays there
// from launch to launch, until the counters are cleared: then it is cold. At the end of a launch
// modified sectors remain in the L2.
// A launch may have a larger sample than one before it. Of the lines that only the larger one has,
// the L2 does not know whether they are there: when they are touched, as many of them are as of the
// lines that it does know.
#ifndef SIMT_TRAFFIC_H
#define SIMT_TRAFFIC_H

#include "profile/cache.h"
#include "profile/trace.h"

typedef struct simt_l2 {
  simt_cache cache;
  unsigned shift;       // it holds one line in 2^shift
  unsigned known_shift; // since it was cold it knows of one line in 2^known_shift all that happened
} simt_l2;

typedef struct simt_traffic {
  float *dram_sectors;        // [n_code] sectors from DRAM per request of an access; owned
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
                      const simt_trace *trace, uint32_t n_code);
void simt_traffic_free(simt_traffic *traffic);

#endif
