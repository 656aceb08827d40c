// SPDX-License-Identifier: MIT
// lanes/address.c - computes the addresses of one warp access and their pattern. Written so that
// the compiler turns every loop into vector code.
#include "lanes/address.h"

#ifdef __AVX512F__
#include <immintrin.h>
#endif

#include "lanes/lanes.h"

static void read_addresses(const uint8_t *regs, const simt_instr *in, uint64_t *at) {
  uint64_t offset = (uint64_t)in->memory.offset;
  if (in->memory.address_bits == 64) {
    const uint64_t *a = (const uint64_t *)(const void *)(regs + in->a);
    for (int lane = 0; lane < SIMT_LANES; lane++) at[lane] = a[lane] + offset;
    if (in->memory.space == PTX_SPACE_SHARED) // whose addresses have 32 bits in the machine
      for (int lane = 0; lane < SIMT_LANES; lane++) at[lane] = (uint32_t)at[lane];
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

// Most warps touch a few sectors in runs of lanes: observers look at each run once. With AVX-512
// the neighbours come from registers, by hand: a compiler loads them from memory, across two
// vectors that have just been stored, and such a load waits until both have left for the cache.
static uint32_t same_sectors(uint64_t *at) {
  enum { SECTOR_SHIFT = 5 };
  uint32_t bits = 0;
#ifdef __AVX512F__
  __m512i before = _mm512_setzero_si512();
  for (int l = 0; l < SIMT_LANES; l += 8) {
    const __m512i here = _mm512_load_si512(at + l), lower = _mm512_alignr_epi64(here, before, 7);
    const __m512i differs = _mm512_srli_epi64(_mm512_xor_si512(here, lower), SECTOR_SHIFT);
    bits |= (uint32_t)_mm512_testn_epi64_mask(differs, differs) << l;
    before = here;
  }
  return bits & ~1u;
#else
  at[SIMT_LANES] = 0;
  LANES_FOR bits |= (at[l] ^ at[l + 1]) >> SECTOR_SHIFT == 0 ? lanes_bit[l] : 0u;
  return bits << 1; // lane l with lane l + 1
#endif
}

static void fill_inactive(uint64_t *at, uint32_t mask, uint64_t first) {
  LANES_FOR at[l] = (mask & lanes_bit[l]) ? at[l] : first;
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
  const uint64_t first = at[__builtin_ctz(mask)];
  uint64_t off_first = 0, bits = 0;
  if (mask != SIMT_FULL_MASK) fill_inactive(at, mask, first);
  LANES_FOR {
    off_first |= at[l] ^ first;
    bits |= at[l];
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
