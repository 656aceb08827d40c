// SPDX-License-Identifier: MIT
// lanes/address.c - computes the addresses of one warp access and their pattern. Written so that
// the compiler turns every loop into vector code.
#include "lanes/address.h"
#include "lanes/lanes.h"

static void read_addresses(const uint8_t *regs, const simt_instr *in, uint64_t *at) {
  uint64_t offset = (uint64_t)in->memory.offset;
  if (in->memory.address_bits == 64) {
    const uint64_t *a = (const uint64_t *)(const void *)(regs + in->a);
    for (int lane = 0; lane < SIMT_LANES; lane++) at[lane] = a[lane] + offset;
  } else {
    const uint32_t *a = (const uint32_t *)(const void *)(regs + in->a);
    for (int lane = 0; lane < SIMT_LANES; lane++) at[lane] = (uint32_t)(a[lane] + (uint32_t)offset);
  }
}

// at[l] == at[0] + l * width_bytes, for widths that are powers of two.
static bool is_line(const uint64_t *at, uint32_t width_bytes) {
  unsigned shift = (unsigned)__builtin_ctz(width_bytes);
  uint64_t off_line = 0;
  for (uint64_t lane = 0; lane < SIMT_LANES; lane++)
    off_line |= at[lane] ^ (at[0] + (lane << shift));
  return off_line == 0;
}

// Most warps touch a few sectors in runs of lanes: observers look at each run once.
static uint32_t same_sectors(uint64_t *at) {
  enum { SECTOR_SHIFT = 5 };
  uint32_t bits = 0; // bit l: lanes l and l + 1
  at[SIMT_LANES] = 0;
  LANES_FOR bits |= (at[l] ^ at[l + 1]) >> SECTOR_SHIFT == 0 ? lanes_bit[l] : 0u;
  return bits << 1;
}

static void find_range(simt_addresses *out, uint64_t first) {
  uint64_t low = first, high = first;
  for (int lane = 0; lane < SIMT_LANES; lane++) {
    low = out->at[lane] < low ? out->at[lane] : low;
    high = out->at[lane] > high ? out->at[lane] : high;
  }
  out->low = low;
  out->high = high;
}

void LANES(addresses)(const uint8_t *regs, const simt_instr *in, uint32_t mask,
                      uint32_t width_bytes, simt_addresses *out) {
  uint64_t *at = out->at;
  read_addresses(regs, in, at);
  out->contiguous = mask == SIMT_FULL_MASK && is_line(at, width_bytes);
  if (out->contiguous) { // the most frequent shape
    out->uniform = false;
    out->bits = out->low = at[0];
    out->high = at[SIMT_LANES - 1];
    return;
  }
  uint64_t first = at[__builtin_ctz(mask)], off_first = 0, bits = 0;
  for (uint32_t lane = 0; lane < SIMT_LANES; lane++) {
    uint64_t active = -(uint64_t)(mask >> lane & 1);
    at[lane] = (at[lane] & active) | (first & ~active);
    off_first |= at[lane] ^ first;
    bits |= at[lane];
  }
  out->bits = bits;
  out->uniform = off_first == 0;
  if (out->uniform) {
    out->low = out->high = first;
    return;
  }
  find_range(out, first);
  out->same_sector = same_sectors(at);
}
