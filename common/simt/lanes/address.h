// SPDX-License-Identifier: MIT
// lanes/address.h - private to the core: the 32 addresses of a warp access and their shape.
#ifndef SIMT_EXEC_ADDRESS_H
#define SIMT_EXEC_ADDRESS_H

#include "device/instruction.h"

typedef struct simt_addresses {
  // Entries of inactive lanes repeat the first active lane's; one more, so that a loop over pairs
  // of neighbours has a step for every lane. Aligned: a vector of them lies in one line of the
  // cache.
  _Alignas(64) uint64_t at[SIMT_LANES + 1];
  uint64_t low, high;   // smallest and largest
  uint64_t bits;        // all of them or-ed (contiguous: the first): shows misalignment
  uint32_t same_sector; // neither of the below: bit l: at[l] lies in the sector of at[l - 1]
  bool contiguous;      // all lanes are active, and at[l] == at[0] + l * width
  bool uniform;
} simt_addresses;

// Address register (or constant) plus offset of every lane; `width_bytes` is what a lane accesses.
// Compiled once per processor variant like the lane functions; lanes/table.h picks one.
typedef void (*simt_address_function)(const uint8_t *regs, const simt_instr *in, uint32_t mask,
                                      uint32_t width_bytes, simt_addresses *out);
void simt_lanes_base_addresses(const uint8_t *regs, const simt_instr *in, uint32_t mask,
                               uint32_t width_bytes, simt_addresses *out);
void simt_lanes_v3_addresses(const uint8_t *regs, const simt_instr *in, uint32_t mask,
                             uint32_t width_bytes, simt_addresses *out);
void simt_lanes_v4_addresses(const uint8_t *regs, const simt_instr *in, uint32_t mask,
                             uint32_t width_bytes, simt_addresses *out);

#endif
