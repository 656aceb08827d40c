// SPDX-License-Identifier: MIT
// lanes/lanes.h - how a lane function is written: storage, values, masked loops, floating-point
// helpers.
//
// Every file of this room with lane functions is compiled once per processor variant, with
// -DSIMT_LANES_VARIANT=base and, on x86-64, again with v3 and -march=x86-64-v3, and with v4 and
// -march=x86-64-v4; LANES(add_u32) is then simt_lanes_base_add_u32, simt_lanes_v3_add_u32 and so
// on, and lanes/table.h chooses. Needed flags: -O3 -ffp-contract=off -fno-math-errno
// -fno-trapping-math.
//
// A function is one loop over 32 lanes without branches, so that the compiler vectorises it; the
// partial-mask loop computes all lanes and keeps the old value where the mask is clear.
// Destination and sources may be the same slot, never overlapping ones.
// Invariant: an expression must be harmless for any bits that an inactive lane may hold.
#ifndef SIMT_LANES_H
#define SIMT_LANES_H

#include <math.h>
#include <string.h>

#include "device/instruction.h"
#include "lanes/half.h"

#ifndef SIMT_LANES_VARIANT
#define SIMT_LANES_VARIANT base
#endif
#define LANES_NAME2(variant, name) simt_lanes_##variant##_##name
#define LANES_NAME(variant, name) LANES_NAME2(variant, name)
#define LANES(name) LANES_NAME(SIMT_LANES_VARIANT, name)
#define LANES_FN(name) void LANES(name)(uint8_t * regs, const simt_instr *in, uint32_t mask)

#define ISA_ROW(id, opcode, type, source, required, allowed, klass, form, n, d, a, b, c, fn, ...)  \
  LANES_FN(fn);
#include "isa/isa.def"
#undef ISA_ROW

// The iterations of a lane loop are independent even where d and a are the same slot.
#if defined(__clang__)
#pragma clang diagnostic ignored "-Wpass-failed" // a loop that cannot be vectorised is not an error
#define LANES_INDEPENDENT _Pragma("clang loop vectorize(assume_safety)")
#elif defined(__GNUC__)
#define LANES_INDEPENDENT _Pragma("GCC ivdep")
#else
#define LANES_INDEPENDENT
#endif
#define LANES_FOR LANES_INDEPENDENT for (int l = 0; l < SIMT_LANES; l++)

// Bit l at index l: a table, because SSE2 has no shift by a different count in each lane.
static const uint32_t lanes_bit[SIMT_LANES] = {
    1u << 0,  1u << 1,  1u << 2,  1u << 3,  1u << 4,  1u << 5,  1u << 6,  1u << 7,
    1u << 8,  1u << 9,  1u << 10, 1u << 11, 1u << 12, 1u << 13, 1u << 14, 1u << 15,
    1u << 16, 1u << 17, 1u << 18, 1u << 19, 1u << 20, 1u << 21, 1u << 22, 1u << 23,
    1u << 24, 1u << 25, 1u << 26, 1u << 27, 1u << 28, 1u << 29, 1u << 30, 1u << 31};

// Storage of a lane (s_...) and the value in it (v_...). The bytes of a register file are read as
// different types, hence may_alias. 16-bit values live in 32-bit lanes.
typedef uint32_t s_u32 __attribute__((may_alias));
typedef int32_t s_s32 __attribute__((may_alias));
typedef uint64_t s_u64 __attribute__((may_alias));
typedef int64_t s_s64 __attribute__((may_alias));
typedef float s_f32 __attribute__((may_alias));
typedef double s_f64 __attribute__((may_alias));
typedef s_u32 s_u8, s_s8, s_u16, s_s16, s_f16, s_bf16;
typedef uint8_t v_u8;
typedef int8_t v_s8;
typedef uint16_t v_u16, v_f16, v_bf16;
typedef int16_t v_s16;
typedef uint32_t v_u32;
typedef int32_t v_s32;
typedef uint64_t v_u64;
typedef int64_t v_s64;
typedef float v_f32;
typedef double v_f64;

#define LANES_SLOT(type, offset) ((s_##type *)(void *)(regs + (offset)))
#define LANES_SOURCE(type, offset) ((const s_##type *)(const void *)(regs + (offset)))

// d[l] = value for the lanes of `mask`; `setup` declares the operands of one lane.
#define LANES_STORE(DT, setup, value)                                                              \
  do {                                                                                             \
    if (mask == SIMT_FULL_MASK) {                                                                  \
      LANES_FOR {                                                                                  \
        setup;                                                                                     \
        pd[l] = (s_##DT)(v_##DT)(value);                                                           \
      }                                                                                            \
    } else {                                                                                       \
      LANES_FOR {                                                                                  \
        setup;                                                                                     \
        const s_##DT new_value = (s_##DT)(v_##DT)(value);                                          \
        pd[l] = (mask & lanes_bit[l]) ? new_value : pd[l];                                         \
      }                                                                                            \
    }                                                                                              \
  } while (0)

// Bodies for one, two and three sources, named a, b and c in `value`.
#define LANES_UNARY_BODY(DT, AT, value)                                                            \
  {                                                                                                \
    s_##DT *pd = LANES_SLOT(DT, in->d);                                                            \
    const s_##AT *pa = LANES_SOURCE(AT, in->a);                                                    \
    LANES_STORE(DT, const v_##AT a = (v_##AT)pa[l], value);                                        \
  }
#define LANES_BINARY_BODY(DT, AT, BT, value)                                                       \
  {                                                                                                \
    s_##DT *pd = LANES_SLOT(DT, in->d);                                                            \
    const s_##AT *pa = LANES_SOURCE(AT, in->a);                                                    \
    const s_##BT *pb = LANES_SOURCE(BT, in->b);                                                    \
    LANES_STORE(DT, const v_##AT a = (v_##AT)pa[l]; const v_##BT b = (v_##BT)pb[l], value);        \
  }
#define LANES_TERNARY_BODY(DT, AT, BT, CT, value)                                                  \
  {                                                                                                \
    s_##DT *pd = LANES_SLOT(DT, in->d);                                                            \
    const s_##AT *pa = LANES_SOURCE(AT, in->a);                                                    \
    const s_##BT *pb = LANES_SOURCE(BT, in->b);                                                    \
    const s_##CT *pc = LANES_SOURCE(CT, in->c);                                                    \
    LANES_STORE(DT, const v_##AT a = (v_##AT)pa[l]; const v_##BT b = (v_##BT)pb[l];                \
                const v_##CT c = (v_##CT)pc[l], value);                                            \
  }
#define LANES_UNARY(name, DT, AT, value) LANES_FN(name) LANES_UNARY_BODY(DT, AT, value)
#define LANES_BINARY(name, DT, AT, BT, value) LANES_FN(name) LANES_BINARY_BODY(DT, AT, BT, value)
#define LANES_TERNARY(name, DT, AT, BT, CT, value)                                                 \
  LANES_FN(name) LANES_TERNARY_BODY(DT, AT, BT, CT, value)

// Predicates: one word, bit l for lane l.
static inline uint32_t lanes_predicate(const uint8_t *regs, uint32_t slot, bool negated) {
  const uint32_t bits = *LANES_SOURCE(u32, slot);
  return negated ? ~bits : bits;
}

static inline void lanes_set_predicate(uint8_t *regs, uint32_t slot, uint32_t bits, uint32_t mask) {
  if (slot == SIMT_NO_SLOT) return; // `_`
  s_u32 *p = LANES_SLOT(u32, slot);
  *p = (*p & ~mask) | (bits & mask);
}

// What arithmetic gives for a NaN (moves keep payloads). device/instruction.h, invariants. For f16
// and bf16: SIMT_HALF_NAN (lanes/half.h).
#define LANES_NAN_F32 __builtin_nanf("0x3fffff")

static inline uint32_t lanes_bits_f32(float x) {
  uint32_t bits;
  memcpy(&bits, &x, sizeof bits);
  return bits;
}

static inline float lanes_f32_of_bits(uint32_t bits) {
  float x;
  memcpy(&x, &bits, sizeof x);
  return x;
}

static inline float lanes_canonical_f32(float x) { return x == x ? x : LANES_NAN_F32; }

// Double precision keeps the payload of a NaN operand, of several the one that an H100 keeps; an
// invalid operation makes this one.
#define LANES_INVALID_F64 UINT64_C(0xfff8000000000000)
#define LANES_QUIET_F64 UINT64_C(0x0008000000000000)

static inline double lanes_nan_f64(double result, double a, double b, double c) {
  const double operand = b != b ? b : c != c ? c : a;
  const uint64_t nan =
      operand != operand ? simt_double_bits(operand) | LANES_QUIET_F64 : LANES_INVALID_F64;
  return result == result ? result : simt_double_of(nan);
}

// .ftz: a subnormal becomes a zero of its sign.
static inline float lanes_flush_f32(float x) {
  const uint32_t bits = lanes_bits_f32(x);
  return (bits & 0x7f800000u) == 0 ? lanes_f32_of_bits(bits & 0x80000000u) : x;
}

static inline float lanes_flush_if(bool flushes, float x) {
  return flushes ? lanes_flush_f32(x) : x;
}

// .sat: clamped to [0, 1]; a NaN becomes +0.
static inline float lanes_saturate_f32(float x) { return x > 0.0f ? (x < 1.0f ? x : 1.0f) : 0.0f; }

// A comparison of integers, as isa_compare names it.
static inline bool lanes_compared(uint8_t compare, int64_t a, int64_t b) {
  switch (compare) {
  case ISA_EQ: return a == b;
  case ISA_NE: return a != b;
  case ISA_LT: return a < b;
  case ISA_LE: return a <= b;
  case ISA_GT: return a > b;
  default: return a >= b;
  }
}

#endif
