// SPDX-License-Identifier: MIT
// profile/sm.h - one SM of the modelled device, simulated on traces of its blocks: schedulers and
// units, registers that become ready, barriers, L1, and the SM's share of L2 and DRAM.
//
// A scheduler issues one instruction per cycle of any of its warps; a warp's instructions issue in
// order (profile/plan.h says which), each when its operands are ready and its unit is free. Global
// memory is a chain of queues: the load/store unit, L1, the port to the L2 and the DRAM, of the
// last two the part that one of the active SMs gets. How many sectors of an access come from DRAM
// is known from the simulation of the L2 over the whole launch (profile/traffic.h). Not modelled:
// fetching of instructions, conflicts of register banks, DRAM pages and refresh, what other SMs do
// differently from this one.
#ifndef SIMT_SM_H
#define SIMT_SM_H

#include "profile/plan.h"
#include "profile/trace.h"

typedef struct simt_sm_input {
  const simt_model_device *device;
  const simt_launch_info *info;
  const simt_plan *plan;
  const simt_block_trace *const *blocks; // [n_blocks], in the order in which they begin
  size_t n_blocks;
  uint32_t resident;       // blocks at a time
  double active_sms;       // that share L2 and DRAM
  const float *dram_pairs; // [n_code] of sectors per request of a load or an atomic, from DRAM
  double write_share;      // of stored sectors, those that go to DRAM during the launch
  double dram_mix;         // 0: DRAM is only read or only written; 1: half and half
} simt_sm_input;

typedef struct simt_sm_result {
  double cycles; // until the last block has ended
  double *ended; // [n_blocks] when each ended, ascending; the caller's
  // Cycles that each resource was busy; of units and schedulers the busiest of the four.
  double issue, unit[SIMT_UNIT_COUNT], lsu, network, port, dram, atomic, barrier_wait;
  uint64_t l1_sectors, l1_hits; // of loads that may hit L1
  uint64_t steps;
} simt_sm_result;

// False: out of memory.
bool simt_sm_run(const simt_sm_input *input, simt_sm_result *result);

#endif
