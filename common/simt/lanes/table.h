// SPDX-License-Identifier: MIT
// lanes/table.h - which lane function belongs to which opcode row.
//
// Every lane function is compiled once per processor variant (lanes/lanes.h). The variant is
// chosen for this processor, once, and is the same for all functions.
#ifndef SIMT_LANES_TABLE_H
#define SIMT_LANES_TABLE_H

#include "device/instruction.h"
#include "lanes/address.h"

// The fastest variant of a row's lane function that this processor runs; NULL for forms that the
// core executes itself (branches, memory, barriers, warp-wide operations).
simt_lane_function simt_lanes_of(isa_id id);
// The portable variant of the same function: what the fast one is tested against.
simt_lane_function simt_lanes_portable(isa_id id);

// The fastest variant of the computation of a warp's 32 addresses.
simt_address_function simt_lanes_addresses(void);

#endif
