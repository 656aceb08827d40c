// SPDX-License-Identifier: MIT
// lanes/integer.c - lane functions of integer arithmetic.
//
// Invariants: two's complement throughout, computed in unsigned types so that nothing overflows in
// C's sense; no operand makes the host trap: x / 0 and x % 0 are all ones, which is what an H200
// gives (the PTX ISA leaves it machine-specific); the most negative value divided by -1 wraps.
// Source: PTX ISA 9.7.1, 9.7.2.
#include "lanes/lanes.h"

// ---- addition, subtraction

LANES_BINARY(add_u16, u16, u16, u16, a + b)
LANES_BINARY(add_u32, u32, u32, u32, a + b)
LANES_BINARY(add_u64, u64, u64, u64, a + b)
LANES_BINARY(sub_u16, u16, u16, u16, a - b)
LANES_BINARY(sub_u32, u32, u32, u32, a - b)
LANES_BINARY(sub_u64, u64, u64, u64, a - b)
LANES_BINARY(add_x16x2, u32, u32, u32,
             ((a + b) & 0xffffu) | ((a & 0xffff0000u) + (b & 0xffff0000u)))

static inline int32_t clamp_s32(int64_t x) {
  return x > INT32_MAX ? INT32_MAX : x < INT32_MIN ? INT32_MIN : (int32_t)x;
}

LANES_BINARY(add_sat_s32, s32, s32, s32, clamp_s32((int64_t)a + b))
LANES_BINARY(sub_sat_s32, s32, s32, s32, clamp_s32((int64_t)a - b))

// ---- extended precision: the carry (or borrow) of lane l is bit l of SIMT_CARRY_SLOT

static inline uint64_t high_u64(uint64_t a, uint64_t b) {
  const uint64_t a0 = (uint32_t)a, a1 = a >> 32, b0 = (uint32_t)b, b1 = b >> 32;
  const uint64_t middle = a1 * b0 + ((a0 * b0) >> 32);
  return a1 * b1 + (middle >> 32) + ((a0 * b1 + (uint32_t)middle) >> 32);
}

static inline int64_t high_s64(int64_t a, int64_t b) {
  const uint64_t ua = (uint64_t)a, ub = (uint64_t)b;
  const uint64_t high = high_u64(ua, ub);
  return (int64_t)(high - (a < 0 ? ub : 0) - (b < 0 ? ua : 0));
}

static inline uint32_t high_u32(uint32_t a, uint32_t b) {
  return (uint32_t)(((uint64_t)a * b) >> 32);
}

static inline int32_t high_s32(int32_t a, int32_t b) { return (int32_t)(((int64_t)a * b) >> 32); }

// One lane at a time: these are rare. `x` and `y` are the addends, `in_carry` the carry read,
// `out_carry` whether flags are written.
#define CARRY_FN(name, T, x, y, n_sources, in_carry, out_carry)                                    \
  LANES_FN(name) {                                                                                 \
    s_##T *pd = LANES_SLOT(T, in->d);                                                              \
    const s_##T *pa = LANES_SOURCE(T, in->a), *pb = LANES_SOURCE(T, in->b);                        \
    const s_##T *pc = LANES_SOURCE(T, (n_sources) == 3 ? in->c : in->a);                           \
    s_u32 *flags = LANES_SLOT(u32, SIMT_CARRY_SLOT);                                               \
    uint32_t carries = 0;                                                                          \
    for (int l = 0; l < SIMT_LANES; l++) {                                                         \
      const v_##T a = pa[l], b = pb[l], c = pc[l];                                                 \
      (void)b, (void)c;                                                                            \
      const v_##T carry = (in_carry) ? (*flags >> l) & 1u : 0;                                     \
      const v_##T first = (v_##T)(x), sum = (v_##T)(first + (v_##T)(y));                           \
      const v_##T total = (v_##T)(sum + carry);                                                    \
      carries |= (uint32_t)((sum < first) | (total < sum)) << l;                                   \
      if ((mask >> l) & 1u) pd[l] = total;                                                         \
    }                                                                                              \
    if (out_carry) *flags = (*flags & ~mask) | (carries & mask);                                   \
  }
// Subtraction is a + ~b + 1, and the flag holds the carry of that, which is 1 where there is no
// borrow. PTX only says that subc reads what sub.cc wrote; that addc reads it as a carry, NVIDIA's
// own division of 128-bit integers relies on.
#define BORROW_FN(name, T, in_borrow, out_borrow)                                                  \
  LANES_FN(name) {                                                                                 \
    s_##T *pd = LANES_SLOT(T, in->d);                                                              \
    const s_##T *pa = LANES_SOURCE(T, in->a), *pb = LANES_SOURCE(T, in->b);                        \
    s_u32 *flags = LANES_SLOT(u32, SIMT_CARRY_SLOT);                                               \
    uint32_t carries = 0;                                                                          \
    for (int l = 0; l < SIMT_LANES; l++) {                                                         \
      const v_##T a = pa[l], b = pb[l], borrow = (in_borrow) ? ~(*flags >> l) & 1u : 0;            \
      carries |= (uint32_t)((a > b) | ((a == b) & (borrow == 0))) << l;                            \
      if ((mask >> l) & 1u) pd[l] = (v_##T)(a - b - borrow);                                       \
    }                                                                                              \
    if (out_borrow) *flags = (*flags & ~mask) | (carries & mask);                                  \
  }
CARRY_FN(add_cc_u32, u32, a, b, 2, false, true)
CARRY_FN(add_cc_u64, u64, a, b, 2, false, true)
CARRY_FN(addc_u32, u32, a, b, 2, true, false)
CARRY_FN(addc_u64, u64, a, b, 2, true, false)
CARRY_FN(addc_cc_u32, u32, a, b, 2, true, true)
CARRY_FN(addc_cc_u64, u64, a, b, 2, true, true)
BORROW_FN(sub_cc_u32, u32, false, true)
BORROW_FN(sub_cc_u64, u64, false, true)
BORROW_FN(subc_u32, u32, true, false)
BORROW_FN(subc_u64, u64, true, false)
BORROW_FN(subc_cc_u32, u32, true, true)
BORROW_FN(subc_cc_u64, u64, true, true)
#define CARRY_MADS(half, half_type, T, product)                                                    \
  CARRY_FN(mad_##half##_cc_##half_type, T, product, c, 3, false, true)                             \
  CARRY_FN(madc_##half##_##half_type, T, product, c, 3, true, false)                               \
  CARRY_FN(madc_##half##_cc_##half_type, T, product, c, 3, true, true)
CARRY_MADS(lo, u32, u32, a *b)
CARRY_MADS(lo, u64, u64, a *b)
CARRY_MADS(hi, u32, u32, high_u32(a, b))
CARRY_MADS(hi, s32, u32, high_s32((int32_t)a, (int32_t)b))
CARRY_MADS(hi, u64, u64, high_u64(a, b))
CARRY_MADS(hi, s64, u64, high_s64((int64_t)a, (int64_t)b))

// ---- multiplication

// clang-format off
LANES_BINARY(mul_lo_u16, u16, u16, u16, (uint32_t)a * b)
LANES_BINARY(mul_lo_u32, u32, u32, u32, a *b)
LANES_BINARY(mul_lo_u64, u64, u64, u64, a *b)
LANES_BINARY(mul_hi_u16, u16, u16, u16, ((uint32_t)a * b) >> 16)
LANES_BINARY(mul_hi_s16, s16, s16, s16, ((int32_t)a * b) >> 16)
LANES_BINARY(mul_hi_u32, u32, u32, u32, high_u32(a, b))
LANES_BINARY(mul_hi_s32, s32, s32, s32, high_s32(a, b))
LANES_BINARY(mul_hi_u64, u64, u64, u64, high_u64(a, b))
LANES_BINARY(mul_hi_s64, s64, s64, s64, high_s64(a, b))
LANES_BINARY(mul_wide_u16, u32, u16, u16, (uint32_t)a * b)
LANES_BINARY(mul_wide_s16, s32, s16, s16, (int32_t)a * b)
LANES_BINARY(mul_wide_u32, u64, u32, u32, (uint64_t)a * b)
LANES_BINARY(mul_wide_s32, s64, s32, s32, (int64_t)a * b)

LANES_TERNARY(mad_lo_u16, u16, u16, u16, u16, (uint32_t)a * b + c)
LANES_TERNARY(mad_lo_u32, u32, u32, u32, u32, a *b + c)
LANES_TERNARY(mad_lo_u64, u64, u64, u64, u64, a *b + c)
LANES_TERNARY(mad_hi_u16, u16, u16, u16, u16, (((uint32_t)a * b) >> 16) + c)
LANES_TERNARY(mad_hi_s16, s16, s16, s16, s16, (((int32_t)a * b) >> 16) + c)
LANES_TERNARY(mad_hi_u32, u32, u32, u32, u32, high_u32(a, b) + c)
LANES_TERNARY(mad_hi_s32, u32, s32, s32, u32, (uint32_t)high_s32(a, b) + c)
LANES_TERNARY(mad_hi_u64, u64, u64, u64, u64, high_u64(a, b) + c)
LANES_TERNARY(mad_hi_s64, u64, s64, s64, u64, (uint64_t)high_s64(a, b) + c)
LANES_TERNARY(mad_wide_u16, u32, u16, u16, u32, (uint32_t)a * b + c)
LANES_TERNARY(mad_wide_s16, u32, s16, s16, u32, (uint32_t)((int32_t)a * b) + c)
LANES_TERNARY(mad_wide_u32, u64, u32, u32, u64, (uint64_t)a * b + c)
LANES_TERNARY(mad_wide_s32, u64, s32, s32, u64, (uint64_t)((int64_t)a * b) + c)
LANES_TERNARY(mad_hi_sat_s32, s32, s32, s32, s32, clamp_s32((int64_t)high_s32(a, b) + c))
// clang-format on

// 24-bit factors, 48-bit product: .lo is its low 32 bits, .hi its bits 16 to 47.
static inline uint64_t product_u24(uint32_t a, uint32_t b) {
  return (uint64_t)(a & 0xffffffu) * (b & 0xffffffu);
}

static inline int64_t product_s24(int32_t a, int32_t b) {
  return (int64_t)((int32_t)((uint32_t)a << 8) >> 8) * ((int32_t)((uint32_t)b << 8) >> 8);
}

LANES_BINARY(mul24_lo_u32, u32, u32, u32, product_u24(a, b))
LANES_BINARY(mul24_lo_s32, s32, s32, s32, product_s24(a, b))
LANES_BINARY(mul24_hi_u32, u32, u32, u32, product_u24(a, b) >> 16)
LANES_BINARY(mul24_hi_s32, s32, s32, s32, product_s24(a, b) >> 16)
LANES_TERNARY(mad24_lo_u32, u32, u32, u32, u32, product_u24(a, b) + c)
LANES_TERNARY(mad24_lo_s32, u32, s32, s32, u32, (uint64_t)product_s24(a, b) + c)
LANES_TERNARY(mad24_hi_u32, u32, u32, u32, u32, (product_u24(a, b) >> 16) + c)
LANES_TERNARY(mad24_hi_s32, u32, s32, s32, u32, (uint64_t)(product_s24(a, b) >> 16) + c)
LANES_TERNARY(mad24_hi_sat_s32, s32, s32, s32, s32, clamp_s32((product_s24(a, b) >> 16) + c))

// c + |a - b|
#define SAD(T, U)                                                                                  \
  LANES_TERNARY(sad_##T, U, T, T, U, c + (a < b ? (v_##U)b - (v_##U)a : (v_##U)a - (v_##U)b))
SAD(u16, u16)
SAD(s16, u16)
SAD(u32, u32)
SAD(s32, u32)
SAD(u64, u64)
SAD(s64, u64)

static inline uint32_t byte_u32(uint32_t x, int i) { return (x >> (8 * i)) & 0xffu; }
static inline uint32_t byte_s32(uint32_t x, int i) {
  return (uint32_t)(int32_t)(int8_t)(uint8_t)(x >> (8 * i));
}
static inline uint32_t half_u32(uint32_t x, int i) { return (x >> (16 * i)) & 0xffffu; }
static inline uint32_t half_s32(uint32_t x, int i) {
  return (uint32_t)(int32_t)(int16_t)(uint16_t)(x >> (16 * i));
}

#define DOT(AT, BT)                                                                                \
  LANES_TERNARY(dp4a_##AT##_##BT, u32, u32, u32, u32,                                              \
                c + byte_##AT(a, 0) * byte_##BT(b, 0) + byte_##AT(a, 1) * byte_##BT(b, 1) +        \
                    byte_##AT(a, 2) * byte_##BT(b, 2) + byte_##AT(a, 3) * byte_##BT(b, 3))         \
  LANES_TERNARY(dp2a_lo_##AT##_##BT, u32, u32, u32, u32,                                           \
                c + half_##AT(a, 0) * byte_##BT(b, 0) + half_##AT(a, 1) * byte_##BT(b, 1))         \
  LANES_TERNARY(dp2a_hi_##AT##_##BT, u32, u32, u32, u32,                                           \
                c + half_##AT(a, 0) * byte_##BT(b, 2) + half_##AT(a, 1) * byte_##BT(b, 3))
DOT(u32, u32)
DOT(u32, s32)
DOT(s32, u32)
DOT(s32, s32)

// ---- division

#define DIVISION_UNSIGNED(T)                                                                       \
  LANES_BINARY(div_##T, T, T, T, b == 0 ? (v_##T) ~(v_##T)0 : (v_##T)(a / (b == 0 ? 1 : b)))       \
  LANES_BINARY(rem_##T, T, T, T, b == 0 ? (v_##T) ~(v_##T)0 : (v_##T)(a % (b == 0 ? 1 : b)))
// Dividing by -1 is negation, which keeps the most negative value from trapping.
#define DIVISION_SIGNED(T, U)                                                                      \
  static inline v_##T quotient_##T(v_##T a, v_##T b) {                                             \
    if (b == 0) return (v_##T) - 1;                                                                \
    return b == -1 ? (v_##T)(v_##U)(0 - (v_##U)a) : (v_##T)(a / b);                                \
  }                                                                                                \
  static inline v_##T remainder_##T(v_##T a, v_##T b) {                                            \
    if (b == 0) return -1;                                                                         \
    return b == -1 ? 0 : (v_##T)(a % b);                                                           \
  }                                                                                                \
  LANES_BINARY(div_##T, T, T, T, quotient_##T(a, b))                                               \
  LANES_BINARY(rem_##T, T, T, T, remainder_##T(a, b))
DIVISION_UNSIGNED(u64)
DIVISION_SIGNED(s64, u64)

// Up to 32 bits the quotient is taken in double, which vectorises: for a, b < 2^32 the rounded
// a / b lies on an integer only if the exact one does. Doubles are made from and turned into
// integers through the mantissa of 2^52.
static inline double double_of_u32(uint32_t x) {
  return simt_double_of(UINT64_C(0x4330000000000000) | x) - 0x1p52;
}

static inline uint32_t quotient_u32(uint32_t a, uint32_t b) {
  const double exact = double_of_u32(a) / double_of_u32(b == 0 ? 1u : b);
  const double nearest = (exact + 0x1p52) - 0x1p52;
  const double whole = nearest > exact ? nearest - 1.0 : nearest;
  return b == 0 ? 0xffffffffu : (uint32_t)simt_double_bits(whole + 0x1p52);
}

static inline uint32_t size_of_s32(uint32_t x) { return (int32_t)x < 0 ? 0u - x : x; }

static inline uint32_t quotient_s32(uint32_t a, uint32_t b) {
  const uint32_t size = quotient_u32(size_of_s32(a), size_of_s32(b));
  return b == 0 ? 0xffffffffu : (int32_t)(a ^ b) < 0 ? 0u - size : size;
}

static inline uint32_t extend_s16(uint32_t x) { return (uint32_t)(int32_t)(int16_t)(uint16_t)x; }

LANES_BINARY(div_u32, u32, u32, u32, quotient_u32(a, b))
LANES_BINARY(div_s32, u32, u32, u32, quotient_s32(a, b))
LANES_BINARY(div_u16, u16, u16, u16, quotient_u32(a, b))
LANES_BINARY(div_s16, u16, u16, u16, quotient_s32(extend_s16(a), extend_s16(b)))
static inline uint32_t remainder_u32(uint32_t a, uint32_t b) {
  return b == 0 ? 0xffffffffu : a - quotient_u32(a, b) * b;
}
static inline uint32_t remainder_s32(uint32_t a, uint32_t b) {
  return b == 0 ? 0xffffffffu : a - quotient_s32(a, b) * b;
}
LANES_BINARY(rem_u32, u32, u32, u32, remainder_u32(a, b))
LANES_BINARY(rem_s32, u32, u32, u32, remainder_s32(a, b))
LANES_BINARY(rem_u16, u16, u16, u16, remainder_u32(a, b))
LANES_BINARY(rem_s16, u16, u16, u16, remainder_s32(extend_s16(a), extend_s16(b)))

// ---- absolute value, negation, minimum, maximum

LANES_UNARY(neg_s16, u16, u16, 0u - a)
LANES_UNARY(neg_s32, u32, u32, 0u - a)
LANES_UNARY(neg_s64, u64, u64, 0u - a)
LANES_UNARY(abs_s16, u16, s16, a < 0 ? 0u - (uint32_t)a : (uint32_t)a)
LANES_UNARY(abs_s32, u32, s32, a < 0 ? 0u - (uint32_t)a : (uint32_t)a)
LANES_UNARY(abs_s64, u64, s64, a < 0 ? 0u - (uint64_t)a : (uint64_t)a)
#define MIN_MAX(T)                                                                                 \
  LANES_BINARY(min_##T, T, T, T, a < b ? a : b)                                                    \
  LANES_BINARY(max_##T, T, T, T, a > b ? a : b)
MIN_MAX(u16)
MIN_MAX(s16)
MIN_MAX(u32)
MIN_MAX(s32)
MIN_MAX(u64)
MIN_MAX(s64)

static inline uint32_t join_halves(uint32_t low, uint32_t high) {
  return (low & 0xffffu) | (high << 16);
}

static inline uint32_t smaller_u32(uint32_t a, uint32_t b) { return a < b ? a : b; }
static inline uint32_t larger_u32(uint32_t a, uint32_t b) { return a > b ? a : b; }
static inline uint32_t smaller_s32(uint32_t a, uint32_t b) {
  return (int32_t)a < (int32_t)b ? a : b;
}
static inline uint32_t larger_s32(uint32_t a, uint32_t b) {
  return (int32_t)a > (int32_t)b ? a : b;
}
#define PACKED(name, pick, half)                                                                   \
  LANES_BINARY(name, u32, u32, u32,                                                                \
               join_halves(pick(half(a, 0), half(b, 0)), pick(half(a, 1), half(b, 1))))
PACKED(min_u16x2, smaller_u32, half_u32)
PACKED(max_u16x2, larger_u32, half_u32)
PACKED(min_s16x2, smaller_s32, half_s32)
PACKED(max_s16x2, larger_s32, half_s32)

// .relu: negative results become zero.
static inline uint32_t rectified(uint32_t a) { return (int32_t)a < 0 ? 0 : a; }
#define RECTIFIED(name, pick)                                                                      \
  LANES_BINARY(name##_s32, u32, u32, u32, rectified(pick(a, b)))                                   \
  LANES_BINARY(name##_s16x2, u32, u32, u32,                                                        \
               join_halves(rectified(pick(half_s32(a, 0), half_s32(b, 0))),                        \
                           rectified(pick(half_s32(a, 1), half_s32(b, 1)))))
RECTIFIED(min_relu, smaller_s32)
RECTIFIED(max_relu, larger_s32)
