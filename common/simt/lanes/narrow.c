// SPDX-License-Identifier: MIT
// lanes/narrow.c - lane functions of conversions to less than a register: tf32, an f32 without its
// last 13 bits, and integers of 2 to 16 bits, two of them side by side.
// Source: PTX ISA 9.7.9.21 and 9.7.9.22; NaNs as an H100 has them.
#include "lanes/lanes.h"

enum { TF32_REST = 0x1fff, TF32_NAN = 0x7fffe000 };

static inline bool is_nan(uint32_t a) { return (a & 0x7fffffffu) > 0x7f800000u; }

// The nearest, of two equally near the one away from zero. A NaN is cut off like an infinity, and
// may become one.
static inline uint32_t nearest_away(uint32_t a) {
  const uint32_t half = (a & 0x7f800000u) == 0x7f800000u ? 0 : 0x1000;
  return (a + half) & ~(uint32_t)TF32_REST;
}

static inline uint32_t shortened(uint32_t a, uint8_t rounding) {
  if (is_nan(a)) return TF32_NAN;
  if (rounding == ISA_RN && (a & 0x7f800000u) != 0x7f800000u) a += 0xfff + (a >> 13 & 1);
  return a & ~(uint32_t)TF32_REST;
}

LANES_UNARY(cvt_rna_tf32, u32, u32, nearest_away(a))
LANES_FN(cvt_tf32){
    LANES_UNARY_BODY(u32, u32, shortened(a, in->arithmetic.rounding))} LANES_FN(cvt_relu_tf32) {
  LANES_UNARY_BODY(u32, u32, a >> 31 && !is_nan(a) ? 0 : shortened(a, in->arithmetic.rounding))
}

static inline uint32_t held(int32_t x, int32_t low, int32_t high) {
  return (uint32_t)(x < low ? low : x > high ? high : x);
}

// a and b, held to `bits` bits, side by side.
static inline uint32_t side_by_side(int32_t a, int32_t b, uint32_t bits, bool is_signed) {
  const int32_t high = (1 << (is_signed ? bits - 1 : bits)) - 1, low = is_signed ? -high - 1 : 0;
  const uint32_t ones = (1u << bits) - 1;
  return (held(a, low, high) & ones) << bits | (held(b, low, high) & ones);
}

LANES_BINARY(cvt_pack_u16, u32, s32, s32, side_by_side(a, b, 16, false))
LANES_BINARY(cvt_pack_s16, u32, s32, s32, side_by_side(a, b, 16, true))
#define PACK(bits)                                                                                 \
  LANES_TERNARY(cvt_pack_u##bits, u32, s32, s32, u32,                                              \
                c << 2 * bits | side_by_side(a, b, bits, false))                                   \
  LANES_TERNARY(cvt_pack_s##bits, u32, s32, s32, u32,                                              \
                c << 2 * bits | side_by_side(a, b, bits, true))
PACK(8)
PACK(4)
PACK(2)
