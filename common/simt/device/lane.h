// SPDX-License-Identifier: MIT
// device/lane.h - what every room above agrees on about warps and memory: the number of lanes of a
// warp, masks of lanes, and the poison that uninitialised memory holds.
#ifndef SIMT_LANE_H
#define SIMT_LANE_H

#include <stdbool.h>
#include <stdint.h>

enum {
  SIMT_LANES = 32,         // of a warp
  SIMT_POISON_BYTE = 0xA5, // what uninitialised memory holds, and what a shuffle from an inactive
                           // lane returns; as a float -2.87e-16: small, but never an identity
  SIMT_PAGE_BYTES = 4096   // granularity in which memory is watched and shadowed
};
#define SIMT_FULL_MASK 0xffffffffu   // all lanes of a warp
#define SIMT_POISON_WORD 0xA5A5A5A5u // SIMT_POISON_BYTE four times

// Iterates over the set bits of a mask: for (SIMT_EACH_LANE(lane, mask)) …
#define SIMT_EACH_LANE(lane, mask)                                                                 \
  uint32_t lane##_left = (mask), lane = 0;                                                         \
  lane##_left && (lane = (uint32_t)__builtin_ctz(lane##_left), true);                              \
  lane##_left &= lane##_left - 1

// Number of lanes in a mask. The mask is nearly always full; without a popcount instruction, the
// compiler's builtin would be a call.
static inline unsigned simt_count_lanes(uint32_t mask) {
  if (mask == SIMT_FULL_MASK) return SIMT_LANES;
  mask -= mask >> 1 & 0x55555555u;
  mask = (mask & 0x33333333u) + (mask >> 2 & 0x33333333u);
  return ((mask + (mask >> 4)) & 0x0f0f0f0fu) * 0x01010101u >> 24;
}

#endif
