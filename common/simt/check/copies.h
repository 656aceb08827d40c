// SPDX-License-Identifier: MIT
// check/copies.h - uninitialised bytes that a warp has loaded only to store them again: kept from
// the load to the store (decode/analysis/copies.c says which loads those are).
#ifndef SIMT_CHECK_COPIES_H
#define SIMT_CHECK_COPIES_H

#include "device/lane.h"

// The uninitialised bytes that the lanes of one warp have loaded at one instruction.
typedef struct simt_copied {
  uint32_t block, warp, pc;
  uint32_t lanes;              // those that hold uninitialised bytes
  uint16_t gaps[SIMT_LANES];   // of these lanes: such bytes of the access, bit i for byte i
  uint32_t origin[SIMT_LANES]; // of these lanes: as check/written.h keeps it
} simt_copied;

typedef struct simt_copies {
  simt_copied *at; // [n]
  uint32_t n, capacity;
} simt_copies;

// NULL: none of its lanes holds such bytes.
simt_copied *simt_copies_find(const simt_copies *copies, uint32_t block, uint32_t warp,
                              uint32_t pc);
// The entry of these lanes, new if there is none; valid until the next call. NULL: out of memory.
simt_copied *simt_copies_of(simt_copies *copies, uint32_t block, uint32_t warp, uint32_t pc);
// The lanes have loaded something else at this instruction.
void simt_copies_forget(simt_copies *copies, uint32_t block, uint32_t warp, uint32_t pc,
                        uint32_t lanes);
void simt_copies_end_block(simt_copies *copies, uint32_t block);
void simt_copies_free(simt_copies *copies); // empty again

#endif
