// SPDX-License-Identifier: MIT
// lanes/move.c - lane functions of moves, selection, packing and unpacking.
//
// Invariant: bits pass through unchanged, NaN payloads included.
// Source: PTX ISA 9.7.7 (selp, slct), 9.7.9 (mov).
#include "device/memory.h"
#include "lanes/lanes.h"

// ---- mov

LANES_UNARY(mov_b16, u16, u16, a)
LANES_UNARY(mov_b32, u32, u32, a)
LANES_UNARY(mov_b64, u64, u64, a)

LANES_FN(mov_b128) {
  s_u64 *pd = LANES_SLOT(u64, in->d);
  const s_u64 *pa = LANES_SOURCE(u64, in->a);
  for (int l = 0; l < SIMT_LANES; l++) {
    if (!(mask & lanes_bit[l])) continue;
    pd[2 * l] = pa[2 * l];
    pd[2 * l + 1] = pa[2 * l + 1];
  }
}

LANES_FN(mov_pred) {
  lanes_set_predicate(regs, in->d, lanes_predicate(regs, in->a, in->a_negated), mask);
}

// ---- the shared memory of a cluster's blocks: device/memory.h has the form of its addresses

// A rank that no block has gives an address that no access reaches.
#define IN_BLOCK(a, rank)                                                                          \
  (((a) & ~((uint64_t)SIMT_MOST_RANK << SIMT_RANK_SHIFT)) |                                        \
   (uint64_t)((rank) > SIMT_MOST_RANK ? SIMT_MOST_RANK : (rank)) << SIMT_RANK_SHIFT)

LANES_BINARY(mapa_u32, u32, u32, u32, IN_BLOCK(a, b))
LANES_BINARY(mapa_u64, u64, u64, u32, IN_BLOCK(a, b))
LANES_UNARY(getctarank_u32, u32, u32, a >> SIMT_RANK_SHIFT & SIMT_MOST_RANK)
LANES_UNARY(getctarank_u64, u32, u64, a >> SIMT_RANK_SHIFT & SIMT_MOST_RANK)

// ---- mov with a vector operand. Elements of 2 bytes have a stride of 4 like all 16-bit registers;
// a wide register has a stride of 4, 8 or 16. Element 0 is the lowest.

static inline uint64_t low_bytes(uint64_t x, uint32_t bytes) {
  return x & (~UINT64_C(0) >> (64 - 8 * bytes));
}

static uint64_t element_at(const uint8_t *regs, uint32_t slot, uint32_t bytes, int lane) {
  return bytes == 8 ? LANES_SOURCE(u64, slot)[lane]
                    : low_bytes(LANES_SOURCE(u32, slot)[lane], bytes);
}

static inline void pack(uint8_t *regs, const simt_instr *in, uint32_t mask, uint32_t lane_bytes) {
  const uint32_t bytes = in->pack.element_bytes;
  for (int l = 0; l < SIMT_LANES; l++) {
    if (!(mask & lanes_bit[l])) continue;
    uint64_t words[2] = {0, 0};
    for (uint32_t i = 0; i < in->pack.n_elements; i++) {
      const uint32_t at = i * bytes * 8;
      words[at / 64] |= element_at(regs, in->pack.element[i], bytes, l) << (at % 64);
    }
    if (lane_bytes == 4) LANES_SLOT(u32, in->d)[l] = (uint32_t)words[0];
    if (lane_bytes == 8) LANES_SLOT(u64, in->d)[l] = words[0];
    if (lane_bytes == 16) memcpy(regs + in->d + 16 * l, words, sizeof words);
  }
}

static inline void unpack(uint8_t *regs, const simt_instr *in, uint32_t mask, uint32_t lane_bytes) {
  const uint32_t bytes = in->pack.element_bytes;
  for (int l = 0; l < SIMT_LANES; l++) {
    if (!(mask & lanes_bit[l])) continue;
    uint64_t words[2] = {0, 0};
    if (lane_bytes == 4) words[0] = LANES_SOURCE(u32, in->a)[l];
    if (lane_bytes == 8) words[0] = LANES_SOURCE(u64, in->a)[l];
    if (lane_bytes == 16) memcpy(words, regs + in->a + 16 * l, sizeof words);
    for (uint32_t i = 0; i < in->pack.n_elements; i++) {
      if (in->pack.element[i] == SIMT_NO_SLOT) continue; // `_`
      const uint32_t at = i * bytes * 8;
      const uint64_t x = words[at / 64] >> (at % 64);
      if (bytes == 8) LANES_SLOT(u64, in->pack.element[i])[l] = x;
      else LANES_SLOT(u32, in->pack.element[i])[l] = (uint32_t)low_bytes(x, bytes);
    }
  }
}

LANES_FN(pack_b32) { pack(regs, in, mask, 4); }
LANES_FN(pack_b64) { pack(regs, in, mask, 8); }
LANES_FN(pack_b128) { pack(regs, in, mask, 16); }
LANES_FN(unpack_b32) { unpack(regs, in, mask, 4); }
LANES_FN(unpack_b64) { unpack(regs, in, mask, 8); }
LANES_FN(unpack_b128) { unpack(regs, in, mask, 16); }

// ---- selp, slct

#define SELP(B, T)                                                                                 \
  LANES_FN(selp_##B) {                                                                             \
    const uint32_t chosen = lanes_predicate(regs, in->c, in->c_negated);                           \
    LANES_BINARY_BODY(T, T, T, (chosen & lanes_bit[l]) ? a : b)                                    \
  }
SELP(b16, u16)
SELP(b32, u32)
SELP(b64, u64)

// a where c >= 0, else b; a NaN counts as negative, -0 as not negative, and so does a negative
// subnormal that .ftz flushes.
static inline bool takes_first(float c, bool flush) {
  return (flush ? lanes_flush_f32(c) : c) >= 0.0f;
}

#define SLCT(B, T)                                                                                 \
  LANES_TERNARY(slct_##B##_s32, T, T, T, s32, c >= 0 ? a : b)                                      \
  LANES_FN(slct_##B##_f32) {                                                                       \
    const bool flush = in->arithmetic.ftz;                                                         \
    LANES_TERNARY_BODY(T, T, T, f32, takes_first(c, flush) ? a : b)                                \
  }
SLCT(b16, u16)
SLCT(b32, u32)
SLCT(b64, u64)

LANES_FN(no_policy) {
  s_u64 *pd = LANES_SLOT(u64, in->d);
  for (int l = 0; l < SIMT_LANES; l++) pd[l] = mask & lanes_bit[l] ? 0 : pd[l];
}
