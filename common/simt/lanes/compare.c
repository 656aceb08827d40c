// SPDX-License-Identifier: MIT
// lanes/compare.c - lane functions of setp, set and testp.
//
// A comparison makes one word, bit l for lane l; setp combines it with its boolean operand and
// stores it and its complement, set spreads it over a register.
// Invariants: an ordered comparison with a NaN is false, an unordered one true; -0 equals +0;
// .num and .nan mean nothing for integers and are false there.
// Source: PTX ISA 9.7.6, 9.7.5 (half precision).
#include "lanes/half.h"
#include "lanes/lanes.h"

// Bits of the lanes for which `condition` holds for a and b.
#define COMPARE_LOOP(T, condition)                                                                 \
  LANES_FOR {                                                                                      \
    const v_##T a = (v_##T)pa[l], b = (v_##T)pb[l];                                                \
    bits |= (condition) ? lanes_bit[l] : 0u;                                                       \
  }                                                                                                \
  break

#define COMPARE_INTEGERS(T)                                                                        \
  static uint32_t compare_##T(const uint8_t *regs, const simt_instr *in) {                         \
    const s_##T *pa = LANES_SOURCE(T, in->a), *pb = LANES_SOURCE(T, in->b);                        \
    uint32_t bits = 0;                                                                             \
    switch ((isa_compare)in->arithmetic.compare) {                                                 \
    case ISA_EQ: COMPARE_LOOP(T, a == b);                                                          \
    case ISA_NE: COMPARE_LOOP(T, a != b);                                                          \
    case ISA_LT: COMPARE_LOOP(T, a < b);                                                           \
    case ISA_LE: COMPARE_LOOP(T, a <= b);                                                          \
    case ISA_GT: COMPARE_LOOP(T, a > b);                                                           \
    case ISA_GE: COMPARE_LOOP(T, a >= b);                                                          \
    default: break;                                                                                \
    }                                                                                              \
    return bits;                                                                                   \
  }
COMPARE_INTEGERS(u16)
COMPARE_INTEGERS(s16)
COMPARE_INTEGERS(u32)
COMPARE_INTEGERS(s32)
COMPARE_INTEGERS(u64)
COMPARE_INTEGERS(s64)

#define COMPARE_FLOATS(T)                                                                          \
  static uint32_t compare_arrays_##T(const s_##T *pa, const s_##T *pb, uint8_t compare) {          \
    uint32_t bits = 0;                                                                             \
    switch ((isa_compare)compare) {                                                                \
    case ISA_EQ: COMPARE_LOOP(T, a == b);                                                          \
    case ISA_NE: COMPARE_LOOP(T, a<b || a> b);                                                     \
    case ISA_LT: COMPARE_LOOP(T, a < b);                                                           \
    case ISA_LE: COMPARE_LOOP(T, a <= b);                                                          \
    case ISA_GT: COMPARE_LOOP(T, a > b);                                                           \
    case ISA_GE: COMPARE_LOOP(T, a >= b);                                                          \
    case ISA_EQU: COMPARE_LOOP(T, !(a < b || a > b));                                              \
    case ISA_NEU: COMPARE_LOOP(T, a != b);                                                         \
    case ISA_LTU: COMPARE_LOOP(T, !(a >= b));                                                      \
    case ISA_LEU: COMPARE_LOOP(T, !(a > b));                                                       \
    case ISA_GTU: COMPARE_LOOP(T, !(a <= b));                                                      \
    case ISA_GEU: COMPARE_LOOP(T, !(a < b));                                                       \
    case ISA_NUM: COMPARE_LOOP(T, a == a && b == b);                                               \
    case ISA_NAN: COMPARE_LOOP(T, a != a || b != b);                                               \
    }                                                                                              \
    return bits;                                                                                   \
  }
COMPARE_FLOATS(f32)
COMPARE_FLOATS(f64)

static uint32_t compare_f64(const uint8_t *regs, const simt_instr *in) {
  return compare_arrays_f64(LANES_SOURCE(f64, in->a), LANES_SOURCE(f64, in->b),
                            in->arithmetic.compare);
}

static uint32_t compare_f32(const uint8_t *regs, const simt_instr *in) {
  const s_f32 *pa = LANES_SOURCE(f32, in->a), *pb = LANES_SOURCE(f32, in->b);
  if (!in->arithmetic.ftz) return compare_arrays_f32(pa, pb, in->arithmetic.compare);
  s_f32 a[SIMT_LANES], b[SIMT_LANES];
  for (int l = 0; l < SIMT_LANES; l++) {
    a[l] = lanes_flush_f32(pa[l]);
    b[l] = lanes_flush_f32(pb[l]);
  }
  return compare_arrays_f32(a, b, in->arithmetic.compare);
}

// Half precision: widened to float, which changes no comparison. `shift` picks the upper half.
typedef float (*widening)(uint16_t);

static uint32_t compare_halves(const uint8_t *regs, const simt_instr *in, widening widen,
                               uint32_t shift) {
  const s_u32 *pa = LANES_SOURCE(u32, in->a), *pb = LANES_SOURCE(u32, in->b);
  s_f32 a[SIMT_LANES], b[SIMT_LANES];
  const float least_normal = in->arithmetic.ftz ? 0x1p-14f : 0.0f; // .ftz exists for f16 only
  for (int l = 0; l < SIMT_LANES; l++) {
    a[l] = widen((uint16_t)(pa[l] >> shift));
    b[l] = widen((uint16_t)(pb[l] >> shift));
    if (fabsf(a[l]) < least_normal) a[l] = 0.0f;
    if (fabsf(b[l]) < least_normal) b[l] = 0.0f;
  }
  return compare_arrays_f32(a, b, in->arithmetic.compare);
}

static uint32_t compare_f16(const uint8_t *regs, const simt_instr *in) {
  return compare_halves(regs, in, simt_float_of_f16, 0);
}
static uint32_t compare_upper_f16(const uint8_t *regs, const simt_instr *in) {
  return compare_halves(regs, in, simt_float_of_f16, 16);
}
static uint32_t compare_bf16(const uint8_t *regs, const simt_instr *in) {
  return compare_halves(regs, in, simt_float_of_bf16, 0);
}
static uint32_t compare_upper_bf16(const uint8_t *regs, const simt_instr *in) {
  return compare_halves(regs, in, simt_float_of_bf16, 16);
}

static uint32_t combine(const uint8_t *regs, const simt_instr *in, uint32_t bits) {
  if (in->arithmetic.boolean == ISA_BOOL_NONE) return bits;
  const uint32_t c = lanes_predicate(regs, in->c, in->c_negated);
  return in->arithmetic.boolean == ISA_BOOL_AND  ? bits & c
         : in->arithmetic.boolean == ISA_BOOL_OR ? bits | c
                                                 : bits ^ c;
}

// ---- setp: p is the combined comparison, q the combined complement

#define SETP(T)                                                                                    \
  LANES_FN(setp_##T) {                                                                             \
    const uint32_t bits = compare_##T(regs, in);                                                   \
    const uint32_t p = combine(regs, in, bits);                                                    \
    if (in->arithmetic.second_d != SIMT_NO_SLOT) {                                                 \
      const uint32_t q = combine(regs, in, ~bits);                                                 \
      lanes_set_predicate(regs, in->arithmetic.second_d, q, mask);                                 \
    }                                                                                              \
    lanes_set_predicate(regs, in->d, p, mask);                                                     \
  }
SETP(u16)
SETP(s16)
SETP(u32)
SETP(s32)
SETP(u64)
SETP(s64)
SETP(f32)
SETP(f64)
SETP(f16)
SETP(bf16)

// Packed: p for the lower halves, q for the upper ones.
#define SETP_PACKED(T)                                                                             \
  LANES_FN(setp_##T##x2) {                                                                         \
    const uint32_t p = combine(regs, in, compare_##T(regs, in));                                   \
    const uint32_t q = combine(regs, in, compare_upper_##T(regs, in));                             \
    lanes_set_predicate(regs, in->d, p, mask);                                                     \
    lanes_set_predicate(regs, in->arithmetic.second_d, q, mask);                                   \
  }
SETP_PACKED(f16)
SETP_PACKED(bf16)

// ---- set: `yes` where the combined comparison holds, else 0

static void spread(uint8_t *regs, const simt_instr *in, uint32_t bits, uint32_t yes,
                   uint32_t mask) {
  s_u32 *pd = LANES_SLOT(u32, in->d);
  LANES_STORE(u32, (void)0, (bits & lanes_bit[l]) ? yes : 0u);
}

#define SET(name, T, yes)                                                                          \
  LANES_FN(set_##name##_##T) {                                                                     \
    spread(regs, in, combine(regs, in, compare_##T(regs, in)), yes, mask);                         \
  }
#define SETS(T)                                                                                    \
  SET(u32, T, 0xffffffffu)                                                                         \
  SET(f32, T, 0x3f800000u)
SETS(u16)
SETS(s16)
SETS(u32)
SETS(s32)
SETS(u64)
SETS(s64)
SETS(f32)
SETS(f64)
SET(u32, f16, 0xffffffffu)
SET(u32, bf16, 0xffffffffu)
SET(f16, f16, 0x3c00u)
SET(bf16, bf16, 0x3f80u)

#define SET_PACKED(name, T, one)                                                                   \
  LANES_FN(set_##name##_##T##x2) {                                                                 \
    const uint32_t low = combine(regs, in, compare_##T(regs, in));                                 \
    const uint32_t high = combine(regs, in, compare_upper_##T(regs, in));                          \
    s_u32 *pd = LANES_SLOT(u32, in->d);                                                            \
    LANES_STORE(u32, (void)0,                                                                      \
                ((low & lanes_bit[l]) ? (one) : 0u) | ((high & lanes_bit[l]) ? (one) << 16 : 0u)); \
  }
SET_PACKED(f16x2, f16, 0x3c00u)
SET_PACKED(bf16x2, bf16, 0x3f80u)
SET_PACKED(u32, f16, 0xffffu)
SET_PACKED(u32, bf16, 0xffffu)

// ---- testp

// `magnitude` without sign; `infinity` and `least_normal` in the same format.
static inline bool passes(uint64_t magnitude, uint64_t infinity, uint64_t least_normal,
                          uint8_t test) {
  switch ((isa_test)test) {
  case ISA_TEST_FINITE: return magnitude < infinity;
  case ISA_TEST_INFINITE: return magnitude == infinity;
  case ISA_TEST_NUMBER: return magnitude <= infinity;
  case ISA_TEST_NAN: return magnitude > infinity;
  case ISA_TEST_NORMAL: // zero counts as normal
    return magnitude == 0 || (magnitude >= least_normal && magnitude < infinity);
  case ISA_TEST_SUBNORMAL: return magnitude != 0 && magnitude < least_normal;
  }
  return false;
}

#define TESTP(name, T, sign_bit, infinity, least_normal)                                           \
  LANES_FN(name) {                                                                                 \
    const s_##T *pa = LANES_SOURCE(T, in->a);                                                      \
    uint32_t bits = 0;                                                                             \
    for (int l = 0; l < SIMT_LANES; l++) {                                                         \
      if (passes(pa[l] & ~(sign_bit), infinity, least_normal, in->arithmetic.test))                \
        bits |= lanes_bit[l];                                                                      \
    }                                                                                              \
    lanes_set_predicate(regs, in->d, bits, mask);                                                  \
  }
TESTP(testp_f32, u32, UINT32_C(1) << 31, 0x7f800000u, 0x00800000u)
TESTP(testp_f64, u64, UINT64_C(1) << 63, UINT64_C(0x7ff0000000000000), UINT64_C(0x0010000000000000))
