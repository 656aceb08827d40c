// SPDX-License-Identifier: MIT
// lanes/bits.c - lane functions that count, pick and move bits: population counts, bit fields,
// permutations, logic and shifts.
//
// Invariants: as in lanes/integer.c. Shift counts beyond the width clamp, or wrap where the
// instruction says so.
// Source: PTX ISA 9.7.1 (bit fields), 9.7.8 (logic and shift).
#include "lanes/lanes.h"

// ---- counting and picking bits

static inline uint32_t count_ones(uint64_t x) {
  x -= (x >> 1) & UINT64_C(0x5555555555555555);
  x = (x & UINT64_C(0x3333333333333333)) + ((x >> 2) & UINT64_C(0x3333333333333333));
  x = (x + (x >> 4)) & UINT64_C(0x0f0f0f0f0f0f0f0f);
  return (uint32_t)((x * UINT64_C(0x0101010101010101)) >> 56);
}

static inline uint32_t leading_zeros_u32(uint32_t x) {
  return x == 0 ? 32u : (uint32_t)__builtin_clz(x);
}

static inline uint32_t leading_zeros_u64(uint64_t x) {
  return x == 0 ? 64u : (uint32_t)__builtin_clzll(x);
}

// Position of the highest bit that differs from the sign (or of the highest one); ~0: none.
static inline uint32_t highest_u32(uint32_t x) {
  return x == 0 ? 0xffffffffu : 31u - leading_zeros_u32(x);
}

static inline uint32_t highest_u64(uint64_t x) {
  return x == 0 ? 0xffffffffu : 63u - leading_zeros_u64(x);
}

static inline uint32_t reverse_u32(uint32_t x) {
  x = ((x >> 1) & 0x55555555u) | ((x & 0x55555555u) << 1);
  x = ((x >> 2) & 0x33333333u) | ((x & 0x33333333u) << 2);
  x = ((x >> 4) & 0x0f0f0f0fu) | ((x & 0x0f0f0f0fu) << 4);
  x = ((x >> 8) & 0x00ff00ffu) | ((x & 0x00ff00ffu) << 8);
  return (x >> 16) | (x << 16);
}

LANES_UNARY(popc_b32, u32, u32, count_ones(a))
LANES_UNARY(popc_b64, u32, u64, count_ones(a))
LANES_UNARY(clz_b32, u32, u32, leading_zeros_u32(a))
LANES_UNARY(clz_b64, u32, u64, leading_zeros_u64(a))
#define BFIND(T, width, highest, bits)                                                             \
  LANES_UNARY(bfind_##T, u32, T, highest(bits))                                                    \
  LANES_UNARY(bfind_shiftamt_##T, u32, T,                                                          \
              (bits) == 0 ? 0xffffffffu : (uint32_t)(width)-1u - highest(bits))
BFIND(u32, 32, highest_u32, a)
BFIND(u64, 64, highest_u64, a)
BFIND(s32, 32, highest_u32, (uint32_t)(a < 0 ? ~a : a))
BFIND(s64, 64, highest_u64, (uint64_t)(a < 0 ? ~a : a))
LANES_UNARY(brev_b32, u32, u32, reverse_u32(a))
LANES_UNARY(brev_b64, u64, u64,
            ((uint64_t)reverse_u32((uint32_t)a) << 32) | reverse_u32((uint32_t)(a >> 32)))

// `length` bits of a from bit `start` on; bits past the top repeat the sign (0 when unsigned).
// The 32-bit form reads the low 8 bits of start and length, the 64-bit form all of them (as
// measured; PTX defines values up to 255 only).
static inline uint64_t extract_bits(uint64_t a, uint32_t start, uint32_t length, uint32_t width,
                                    bool is_signed) {
  start = width == 32 ? start & 0xffu : start > 255 ? 255 : start;
  length = width == 32 ? length & 0xffu : length > 255 ? 255 : length;
  if (length == 0) return 0;
  const uint32_t last = start + length - 1 < width - 1 ? start + length - 1 : width - 1;
  const bool sign = is_signed && ((a >> last) & 1u);
  uint64_t field = start >= width ? 0 : a >> start;
  const uint32_t kept = start >= width ? 0 : last - start + 1;
  const uint64_t ones = kept >= 64 ? ~UINT64_C(0) : (UINT64_C(1) << kept) - 1;
  field &= ones;
  return sign ? field | ~ones : field;
}

LANES_TERNARY(bfe_u32, u32, u32, u32, u32, extract_bits(a, b, c, 32, false))
LANES_TERNARY(bfe_s32, u32, u32, u32, u32, extract_bits(a, b, c, 32, true))
LANES_TERNARY(bfe_u64, u64, u64, u32, u32, extract_bits(a, b, c, 64, false))
LANES_TERNARY(bfe_s64, u64, u64, u32, u32, extract_bits(a, b, c, 64, true))

// b with `length` bits from bit `start` on replaced by the low bits of a; counts as above.
static inline uint64_t insert_bits(uint64_t a, uint64_t b, uint32_t start, uint32_t length,
                                   uint32_t width) {
  start = width == 32 ? start & 0xffu : start;
  length = width == 32 ? length & 0xffu : length;
  if (start >= width || length == 0) return b;
  const uint64_t ones = length >= 64 ? ~UINT64_C(0) : (UINT64_C(1) << length) - 1;
  return (b & ~(ones << start)) | ((a & ones) << start);
}

// bmsk: `width` ones from bit `start` upwards; beyond bit 31 they are cut off.
static inline uint32_t ones_from(uint32_t start, uint32_t width) {
  const uint32_t end = start + width; // start <= 31
  return (~0u << start) & (end >= 32 ? ~0u : ~(~0u << (end & 31u)));
}

LANES_BINARY(bmsk_clamp_b32, u32, u32, u32, a >= 32 ? 0u : ones_from(a & 31u, b >= 32 ? 32u : b))
LANES_BINARY(bmsk_wrap_b32, u32, u32, u32, ones_from(a & 31u, b & 31u))

// szext: the lowest `width` bits, extended by zeros or by copies of their highest one.
static inline uint32_t extended(uint32_t value, uint32_t width, bool by_sign) {
  if (width == 0) return 0;
  if (width >= 32) return value;
  const uint32_t above = ~0u << width;
  const bool is_negative = by_sign && (value >> (width - 1) & 1u);
  return is_negative ? value | above : value & ~above;
}

LANES_BINARY(szext_clamp_u32, u32, u32, u32, extended(a, b, false))
LANES_BINARY(szext_wrap_u32, u32, u32, u32, extended(a, b & 31u, false))
LANES_BINARY(szext_clamp_s32, s32, s32, u32, (int32_t)extended((uint32_t)a, b, true))
LANES_BINARY(szext_wrap_s32, s32, s32, u32, (int32_t)extended((uint32_t)a, b & 31u, true))

#define BFI(name, T, width)                                                                        \
  LANES_FN(name) {                                                                                 \
    s_##T *pd = LANES_SLOT(T, in->d);                                                              \
    const s_##T *pa = LANES_SOURCE(T, in->a), *pb = LANES_SOURCE(T, in->b);                        \
    const s_u32 *pc = LANES_SOURCE(u32, in->c), *pe = LANES_SOURCE(u32, in->arithmetic.fourth);    \
    LANES_STORE(T, (void)0, insert_bits(pa[l], pb[l], pc[l], pe[l], width));                       \
  }
BFI(bfi_b32, u32, 32)
BFI(bfi_b64, u64, 64)

// Position of the n-th set bit of a, counted from bit `base` upwards (n > 0) or downwards (n < 0),
// the bit at `base` included; n == 0: `base` itself if it is set. ~0: there is none.
static inline uint32_t nth_set_bit(uint32_t a, uint32_t base, int32_t n) {
  if (base > 31) return 0xffffffffu;
  if (n == 0) return (a >> base) & 1u ? base : 0xffffffffu;
  const int step = n > 0 ? 1 : -1;
  uint32_t left = n > 0 ? (uint32_t)n : 0u - (uint32_t)n;
  for (int at = (int)base; at >= 0 && at < 32; at += step) {
    if ((a >> at) & 1u && --left == 0) return (uint32_t)at;
  }
  return 0xffffffffu;
}

LANES_TERNARY(fns_b32, u32, u32, u32, s32, nth_set_bit(a, b, c))

// prmt: the eight bytes of {b, a} are numbered 0 to 7 from the bottom of a; a selector nibble
// picks one, its top bit replicates that byte's sign instead. Modes give four selectors from the
// low two bits of c.
static inline uint32_t permute_selectors(uint32_t c, uint8_t mode) {
  static const uint16_t table[6][4] = {
      {0x3210, 0x4321, 0x5432, 0x6543}, // f4e
      {0x5670, 0x6701, 0x7012, 0x0123}, // b4e
      {0x0000, 0x1111, 0x2222, 0x3333}, // rc8
      {0x3210, 0x3211, 0x3222, 0x3333}, // ecl
      {0x0000, 0x1110, 0x2210, 0x3210}, // ecr
      {0x1010, 0x3232, 0x1010, 0x3232}, // rc16
  };
  return mode == 0 ? c : table[mode - 1][c & 3u];
}

static inline uint32_t permute_byte(uint64_t bytes, uint32_t selector) {
  const uint32_t byte = (uint32_t)(bytes >> (8 * (selector & 7u))) & 0xffu;
  return selector & 8u ? (byte & 0x80u ? 0xffu : 0u) : byte;
}

static inline uint32_t permute(uint32_t a, uint32_t b, uint32_t c, uint8_t mode) {
  const uint64_t bytes = ((uint64_t)b << 32) | a;
  const uint32_t s = permute_selectors(c, mode);
  return permute_byte(bytes, s) | permute_byte(bytes, s >> 4) << 8 |
         permute_byte(bytes, s >> 8) << 16 | permute_byte(bytes, s >> 12) << 24;
}

LANES_TERNARY(prmt_b32, u32, u32, u32, u32, permute(a, b, c, in->arithmetic.prmt_mode))

// ---- logic

#define PREDICATE_BINARY(name, op)                                                                 \
  LANES_FN(name) {                                                                                 \
    const uint32_t a = lanes_predicate(regs, in->a, in->a_negated);                                \
    const uint32_t b = lanes_predicate(regs, in->b, in->b_negated);                                \
    lanes_set_predicate(regs, in->d, a op b, mask);                                                \
  }
PREDICATE_BINARY(and_pred, &)
PREDICATE_BINARY(or_pred, |)
PREDICATE_BINARY(xor_pred, ^)

LANES_FN(not_pred) {
  lanes_set_predicate(regs, in->d, ~lanes_predicate(regs, in->a, in->a_negated), mask);
}

#define LOGIC(B, T)                                                                                \
  LANES_BINARY(and_##B, T, T, T, a &b)                                                             \
  LANES_BINARY(or_##B, T, T, T, a | b)                                                             \
  LANES_BINARY(xor_##B, T, T, T, a ^ b)                                                            \
  LANES_UNARY(not_##B, T, T, ~a)                                                                   \
  LANES_UNARY(cnot_##B, T, T, a == 0)
LOGIC(b16, u16)
LOGIC(b32, u32)
LOGIC(b64, u64)

// Bit i of the result is the bit of `table` whose number is made of the bits i of a, b and c (a the
// highest).
static inline uint32_t look_up_3(uint32_t a, uint32_t b, uint32_t c, uint32_t table) {
  uint32_t d = 0;
  for (uint32_t i = 0; i < 8; i++) {
    const uint32_t hit = (i & 4 ? a : ~a) & (i & 2 ? b : ~b) & (i & 1 ? c : ~c);
    d |= (0u - ((table >> i) & 1u)) & hit;
  }
  return d;
}

LANES_FN(lop3_b32) {
  const uint32_t table =
      LANES_SOURCE(u32, in->arithmetic.fourth)[0]; // an immediate, the same in every lane
  LANES_TERNARY_BODY(u32, u32, u32, u32, look_up_3(a, b, c, table))
}

// ---- shifts

LANES_BINARY(shl_b16, u16, u16, u32, b > 15 ? 0u : (uint32_t)a << (b & 15u))
LANES_BINARY(shl_b32, u32, u32, u32, b > 31 ? 0u : a << (b & 31u))
LANES_BINARY(shl_b64, u64, u64, u32, b > 63 ? 0u : a << (b & 63u))
LANES_BINARY(shr_u16, u16, u16, u32, b > 15 ? 0u : (uint32_t)a >> (b & 15u))
LANES_BINARY(shr_u32, u32, u32, u32, b > 31 ? 0u : a >> (b & 31u))
LANES_BINARY(shr_u64, u64, u64, u32, b > 63 ? 0u : a >> (b & 63u))
LANES_BINARY(shr_s16, s16, s16, u32, a >> (b > 15 ? 15u : b))
LANES_BINARY(shr_s32, s32, s32, u32, a >> (b > 31 ? 31u : b))
LANES_BINARY(shr_s64, s64, s64, u32, a >> (b > 63 ? 63u : b))

// The 64 bits {b, a} shifted; .l takes the upper word, .r the lower. The count is taken modulo 32
// (.wrap) or held at 32 (.clamp).
static inline uint32_t funnel_left(uint32_t a, uint32_t b, uint32_t n) {
  return (uint32_t)(((((uint64_t)b << 32) | a) << n) >> 32);
}

static inline uint32_t funnel_right(uint32_t a, uint32_t b, uint32_t n) {
  return (uint32_t)((((uint64_t)b << 32) | a) >> n);
}

LANES_TERNARY(shf_l_wrap_b32, u32, u32, u32, u32, funnel_left(a, b, c & 31u))
LANES_TERNARY(shf_r_wrap_b32, u32, u32, u32, u32, funnel_right(a, b, c & 31u))
LANES_TERNARY(shf_l_clamp_b32, u32, u32, u32, u32, funnel_left(a, b, c > 32 ? 32u : c))
LANES_TERNARY(shf_r_clamp_b32, u32, u32, u32, u32, funnel_right(a, b, c > 32 ? 32u : c))
