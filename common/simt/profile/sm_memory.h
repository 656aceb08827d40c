// SPDX-License-Identifier: MIT
// profile/sm_memory.h - the memory side of a simulated SM: load/store unit, L1, the network
// to the other SMs of a cluster, the port to the L2, the SM's shares of L2 and DRAM. Private to
// profile/sm.c and profile/trace.c.
#ifndef SIMT_SM_MEMORY_H
#define SIMT_SM_MEMORY_H

#include "profile/cache.h"
#include "profile/sm.h"

typedef struct simt_sm_memory {
  const simt_sm_input *in;
  simt_cache l1;
  float *owed; // [n_code] pairs of sectors that are still to come from DRAM, of the access there
  double owed_writes;
  // When each is free, cycles; how long it was busy.
  double lsu_free, network_free, port_free, store_free, dram_free, atomic_free;
  double lsu_busy, network_busy, port_busy, dram_busy, atomic_busy;
  // Cycles per sector, of this SM's share.
  double port_cycles, line_cycles, store_cycles, store_line_cycles;
  double dram_cycles, dram_write_cycles, dram_scattered_cycles; // per pair of sectors
  double atomic_lane_cycles, atomic_sector_cycles;
  uint64_t l1_sectors, l1_hits;
} simt_sm_memory;

bool simt_sm_memory_create(simt_sm_memory *memory, const simt_sm_input *in);
void simt_sm_memory_destroy(simt_sm_memory *memory);

// An access that issues at `time`: returns when its result is there. *next: when the warp can go
// on, later than before where a queue is full.
double simt_sm_access(simt_sm_memory *memory, const simt_entry *entry, double time, double *next);

// Cycles for which an access to other blocks' shared memory keeps the network of clusters busy: at
// the SM that sends it, and at those that receive it.
double simt_network_cycles(const simt_model_device *device, uint32_t cluster_blocks,
                           const simt_entry *entry);

// What is left for L1 beside shared memory, bytes.
uint64_t simt_l1_bytes(const simt_model_device *device, uint64_t shared_bytes, uint32_t resident);

#endif
