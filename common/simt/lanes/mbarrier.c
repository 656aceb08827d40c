// SPDX-License-Identifier: MIT
// lanes/mbarrier.c - see lanes/mbarrier.h.
// Source: PTX ISA 9.7.13.15. Not modelled: errors of the counts, which PTX leaves undefined.
#include "lanes/mbarrier.h"

// A phase ends when no arrival and no byte is missing; the next one expects as many arrivals.
static uint64_t ended(uint64_t bits) {
  const bool complete = !(bits & SIMT_MBARRIER_COUNT_MASK) && !(bits >> SIMT_MBARRIER_BYTES_SHIFT);
  if (!complete) return bits;
  return (bits ^ SIMT_MBARRIER_PHASE) |
         (bits >> SIMT_MBARRIER_EXPECTED_SHIFT & SIMT_MBARRIER_COUNT_MASK);
}

static uint64_t arrived(uint64_t bits, uint64_t n) {
  const uint64_t left = (bits - n) & SIMT_MBARRIER_COUNT_MASK;
  return (bits & ~SIMT_MBARRIER_COUNT_MASK) | left;
}

static uint64_t dropped(uint64_t bits, uint64_t n) {
  const uint64_t mask = SIMT_MBARRIER_COUNT_MASK << SIMT_MBARRIER_EXPECTED_SHIFT;
  return (bits & ~mask) | ((bits - (n << SIMT_MBARRIER_EXPECTED_SHIFT)) & mask);
}

uint64_t simt_mbarrier_apply(isa_atomic operation, uint64_t old, uint64_t value) {
  const uint64_t bytes = value << SIMT_MBARRIER_BYTES_SHIFT;
  switch (operation) {
  case ISA_ATOM_MBARRIER_ARRIVE: return ended(arrived(old, value));
  case ISA_ATOM_MBARRIER_ARRIVE_EXPECT: return ended(arrived(old + bytes, 1));
  case ISA_ATOM_MBARRIER_DROP: return ended(arrived(dropped(old, value), value));
  case ISA_ATOM_MBARRIER_EXPECT: return old + bytes;
  case ISA_ATOM_MBARRIER_COMPLETE: return ended(old - bytes);
  default: return old;
  }
}

uint64_t simt_mbarrier_result(isa_atomic operation, uint64_t old, uint64_t value) {
  const bool phase = (old & SIMT_MBARRIER_PHASE) != 0;
  switch (operation) {
  case ISA_ATOM_MBARRIER_TEST: return phase != ((value & SIMT_MBARRIER_PHASE) != 0);
  case ISA_ATOM_MBARRIER_PARITY: return phase != (value & 1);
  default: return old;
  }
}
