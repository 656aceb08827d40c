// SPDX-License-Identifier: MIT
// lanes/mbarrier.h - the 64 bits of an mbarrier and how its operations change them.
#ifndef SIMT_LANES_MBARRIER_H
#define SIMT_LANES_MBARRIER_H

#include "isa/isa.h"

// Layout, opaque to programs: arrivals still expected in this phase, arrivals expected in every
// phase, the phase's parity, bytes still expected (may be negative for a while).
#define SIMT_MBARRIER_COUNT_MASK UINT64_C(0xfffff)
#define SIMT_MBARRIER_EXPECTED_SHIFT 20
#define SIMT_MBARRIER_PHASE (UINT64_C(1) << 40)
#define SIMT_MBARRIER_BYTES_SHIFT 41

static inline bool simt_is_mbarrier(uint8_t operation) {
  return operation >= ISA_ATOM_MBARRIER_ARRIVE;
}
// The bits afterwards.
uint64_t simt_mbarrier_apply(isa_atomic operation, uint64_t old, uint64_t value);
// The result of the operation, computed from the bits before it: for an arrival, the phase it
// belongs to; for a test, 1 when the phase that it asks about has ended.
uint64_t simt_mbarrier_result(isa_atomic operation, uint64_t old, uint64_t value);

#endif
