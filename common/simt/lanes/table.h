// SPDX-License-Identifier: MIT
// lanes/table.h - which lane function belongs to which opcode row.
//
// Every lane function is compiled once per processor variant (lanes/lanes.h). The variant is
// chosen for this processor, once, and is the same for all functions; all give the same bits.
#ifndef SIMT_LANES_TABLE_H
#define SIMT_LANES_TABLE_H

#include <stdbool.h>

#include "device/instruction.h"
#include "lanes/address.h"

typedef enum simt_lane_variant { // slowest first
  SIMT_LANES_BASE,               // runs everywhere
  SIMT_LANES_V3,                 // x86-64-v3: AVX2, FMA
  SIMT_LANES_V4,                 // x86-64-v4: AVX-512, with a mask bit per lane
  SIMT_N_LANE_VARIANTS
} simt_lane_variant;

// Whether the variant was compiled and this processor runs it.
bool simt_lanes_run_here(simt_lane_variant variant);
simt_lane_variant simt_lanes_best(void); // the last that does

// The best variant of a row's lane function; NULL for forms that the core executes itself
// (branches, memory, barriers, warp-wide operations).
simt_lane_function simt_lanes_of(isa_id id);
// The same in a variant that runs here: tests compare them.
simt_lane_function simt_lanes_in(simt_lane_variant variant, isa_id id);

// The best variant of the computation of a warp's 32 addresses; any that runs here.
simt_address_function simt_lanes_addresses(void);
simt_address_function simt_lanes_addresses_in(simt_lane_variant variant);

#endif
