// SPDX-License-Identifier: MIT
// lanes/convert.c - lane functions of cvt between every pair of integer and floating types.
//
// Frequent conversions (plain, registers as wide as the types) are vectorised loops. All others
// go through an array of 32 intermediate values: integers as their 64-bit extension, floats as
// the exactly equal double, so that the final conversion is the only rounding.
//
// Lane sizes come with the instruction (width_bytes, data_bytes: 4 or 8), since an integer register
// may be wider than the type: sources are truncated to the type, results are sign- or zero-extended
// from it. An 8- or 16-bit result is extended to the 32 bits of its lane.
// Float to integer: out-of-range values clamp. A NaN gives 0, or the integer's top bit alone where
// the source is f64 or the destination has 64 bits.
// Source: PTX ISA 9.7.9.21 (cvt).
#include "lanes/half.h"
#include "lanes/integral.h"
#include "lanes/lanes.h"

typedef enum kind {
  KIND_u8,
  KIND_s8,
  KIND_u16,
  KIND_s16,
  KIND_u32,
  KIND_s32,
  KIND_u64,
  KIND_s64,
  KIND_f16,
  KIND_bf16,
  KIND_f32,
  KIND_f64
} kind;

static inline int bits_of(kind k) { return 8 << (k / 2); } // integers only
static inline bool is_signed(kind k) { return k & 1; }
static inline uint64_t most_of(kind k) { // greatest value
  return UINT64_MAX >> (64 - bits_of(k) + (is_signed(k) ? 1 : 0));
}

// ---- staging: loads, stores

static uint64_t extended(uint64_t x, kind k) {
  const int unused = 64 - bits_of(k);
  return is_signed(k) ? (uint64_t)((int64_t)(x << unused) >> unused) : x << unused >> unused;
}

static void load_integers(uint64_t *x, const uint8_t *regs, const simt_instr *in, kind k) {
  const bool is_wide = in->arithmetic.a_bytes == 8 || bits_of(k) == 64;
  for (int l = 0; l < SIMT_LANES; l++) {
    const uint64_t raw = is_wide ? LANES_SOURCE(u64, in->a)[l] : LANES_SOURCE(u32, in->a)[l];
    x[l] = extended(raw, k);
  }
}

static void store_integers(const uint64_t *x, uint8_t *regs, const simt_instr *in, uint32_t mask,
                           kind k) {
  const bool is_wide = in->arithmetic.d_bytes == 8 || bits_of(k) == 64;
  for (int l = 0; l < SIMT_LANES; l++) {
    if (!(mask & lanes_bit[l])) continue;
    const uint64_t value = extended(x[l], k);
    if (is_wide) LANES_SLOT(u64, in->d)[l] = value;
    else LANES_SLOT(u32, in->d)[l] = (uint32_t)value;
  }
}

// A NaN of a shorter format as a double: sign and payload at the top, quiet.
static inline double widened_nan(uint32_t bits, int mantissa, uint32_t sign) {
  const uint64_t payload = (uint64_t)(bits & ((1u << mantissa) - 1)) << (52 - mantissa);
  const uint64_t quiet = (bits & sign ? UINT64_C(0xfff8) : UINT64_C(0x7ff8)) << 48;
  return simt_double_of(quiet | payload);
}

static inline double widened_f32(float value) {
  return value == value ? (double)value : widened_nan(lanes_bits_f32(value), 23, 0x80000000u);
}

static double loaded_float(const uint8_t *regs, const simt_instr *in, kind k, int lane) {
  if (k == KIND_f64) return LANES_SOURCE(f64, in->a)[lane];
  const uint32_t bits = LANES_SOURCE(u32, in->a)[lane];
  float value = 0;
  switch (k) {
  case KIND_f16: value = simt_float_of_f16((uint16_t)bits); break;
  case KIND_bf16: value = simt_float_of_bf16((uint16_t)bits); break;
  default:
    value = LANES_SOURCE(f32, in->a)[lane];
    return widened_f32(in->arithmetic.ftz ? lanes_canonical_f32(lanes_flush_f32(value)) : value);
  }
  return value == value ? (double)value : widened_nan(bits, k == KIND_f16 ? 10 : 7, 0x8000u);
}

static void load_floats(double *x, const uint8_t *regs, const simt_instr *in, kind k) {
  for (int l = 0; l < SIMT_LANES; l++) x[l] = loaded_float(regs, in, k, l);
}

static double saturated(double x) { return x > 0.0 ? (x < 1.0 ? x : 1.0) : 0.0; }

// The upper bits of a NaN, quiet, in a format with `mantissa` stored bits out of `bits`.
static inline uint32_t narrowed_nan(double nan, int bits, int mantissa) {
  const uint64_t all = simt_double_bits(nan) | LANES_QUIET_F64;
  const uint32_t sign = (uint32_t)(all >> 63) << (bits - 1);
  const uint32_t exponent = ((1u << (bits - 1 - mantissa)) - 1) << mantissa;
  return sign | exponent | (uint32_t)((all & (LANES_QUIET_F64 * 2 - 1)) >> (52 - mantissa));
}

static uint32_t narrowed(double value, kind d, bool keeps_payload, isa_rounding rounding) {
  const bool payload = keeps_payload && value != value;
  switch (d) {
  case KIND_f16: return payload ? narrowed_nan(value, 16, 10) : simt_f16_of_double(value, rounding);
  case KIND_bf16:
    return payload ? narrowed_nan(value, 16, 7) : simt_bf16_of_double(value, rounding);
  default:
    return payload ? narrowed_nan(value, 32, 23)
                   : lanes_bits_f32(simt_float_of_double(value, rounding));
  }
}

// Conversions from f64, and from bf16 to f32, keep a NaN's payload; other narrowings do not.
static void store_floats(const double *x, uint8_t *regs, const simt_instr *in, uint32_t mask,
                         kind d, kind a, isa_rounding rounding) {
  const bool keeps_payload = a == KIND_f64 || (a == KIND_bf16 && d == KIND_f32);
  for (int l = 0; l < SIMT_LANES; l++) {
    if (!(mask & lanes_bit[l])) continue;
    const double value = in->arithmetic.saturate ? saturated(x[l]) : x[l];
    if (d == KIND_f64) {
      LANES_SLOT(f64, in->d)[l] = lanes_nan_f64(value, value, value, value);
      continue;
    }
    uint32_t bits = narrowed(value, d, keeps_payload, rounding);
    if (in->arithmetic.ftz && d == KIND_f32 && !(bits & 0x7f800000u)) bits &= 0x80000000u;
    LANES_SLOT(u32, in->d)[l] = bits;
  }
}

static bool natural(const simt_instr *in, kind d, kind a) {
  const int d_bytes = d < KIND_f16 && bits_of(d) == 64 ? 8 : 4;
  const int a_bytes = a < KIND_f16 && bits_of(a) == 64 ? 8 : 4;
  return (d >= KIND_f16 || in->arithmetic.d_bytes <= d_bytes) &&
         (a >= KIND_f16 || in->arithmetic.a_bytes <= a_bytes);
}

// ---- integer to integer

// x is a's 64-bit extension; clamps it to the range of d.
static uint64_t clamped(uint64_t x, kind d, kind a) {
  const bool negative = is_signed(a) && x >> 63;
  if (negative) {
    if (!is_signed(d)) return 0;
    const uint64_t least = ~most_of(d);
    return (int64_t)x < (int64_t)least ? least : x;
  }
  return x > most_of(d) ? most_of(d) : x;
}

static void convert_integers(uint8_t *regs, const simt_instr *in, uint32_t mask, kind d, kind a) {
  uint64_t x[SIMT_LANES];
  load_integers(x, regs, in, a);
  if (in->arithmetic.saturate) {
    for (int l = 0; l < SIMT_LANES; l++) x[l] = clamped(x[l], d, a);
  }
  store_integers(x, regs, in, mask, d);
}

// Lanes in which a converted value is stored: 32 bits for the small types.
#define STORE_u8 u32
#define STORE_s8 s32
#define STORE_u16 u32
#define STORE_s16 s32
#define STORE_u32 u32
#define STORE_s32 s32
#define STORE_u64 u64
#define STORE_s64 s64

#define CVT_PLAIN(ST, D, A, value)                                                                 \
  {                                                                                                \
    s_##ST *pd = LANES_SLOT(ST, in->d);                                                            \
    const s_##A *pa = LANES_SOURCE(A, in->a);                                                      \
    LANES_STORE(ST, const v_##A a = (v_##A)pa[l], value);                                          \
  }
#define CVT_EXPANDED(ST, D, A) CVT_PLAIN(ST, D, A, (v_##D)a)
#define CVT_INTEGER(D, A)                                                                          \
  LANES_FN(cvt_##D##_##A) {                                                                        \
    if (in->arithmetic.saturate || !natural(in, KIND_##D, KIND_##A)) {                             \
      convert_integers(regs, in, mask, KIND_##D, KIND_##A);                                        \
    } else CVT_EXPANDED(STORE_##D, D, A)                                                           \
  }
#define FOR_EACH_INTEGER(macro, other)                                                             \
  macro(other, u8) macro(other, s8) macro(other, u16) macro(other, s16) macro(other, u32)          \
      macro(other, s32) macro(other, u64) macro(other, s64)
FOR_EACH_INTEGER(CVT_INTEGER, u8)
FOR_EACH_INTEGER(CVT_INTEGER, s8)
FOR_EACH_INTEGER(CVT_INTEGER, u16)
FOR_EACH_INTEGER(CVT_INTEGER, s16)
FOR_EACH_INTEGER(CVT_INTEGER, u32)
FOR_EACH_INTEGER(CVT_INTEGER, s32)
FOR_EACH_INTEGER(CVT_INTEGER, u64)
FOR_EACH_INTEGER(CVT_INTEGER, s64)

// ---- float to integer

// x is integral or not a number; the limits are powers of two, exact in double.
static uint64_t integer_of(double x, kind d, uint64_t nan) {
  const double above = 2.0 * (double)(UINT64_C(1) << (bits_of(d) - 1 - (is_signed(d) ? 1 : 0)));
  if (x != x) return nan;
  if (x >= above) return most_of(d);
  if (is_signed(d)) return x < -above ? ~most_of(d) : (uint64_t)(int64_t)x;
  return x < 0.0 ? 0 : (uint64_t)x;
}

static void integers_of_floats(uint8_t *regs, const simt_instr *in, uint32_t mask, kind d, kind a) {
  double x[SIMT_LANES];
  uint64_t integers[SIMT_LANES];
  const uint64_t top_bit = UINT64_C(1) << (bits_of(d) - 1);
  const uint64_t nan = a == KIND_f64 || bits_of(d) == 64 ? top_bit : 0;
  const isa_rounding rounding = (isa_rounding)in->arithmetic.rounding;
  load_floats(x, regs, in, a);
  for (int l = 0; l < SIMT_LANES; l++) {
    integers[l] = integer_of(lanes_integral_double(x[l], rounding), d, nan);
  }
  store_integers(integers, regs, in, mask, d);
}

#define CVT_TO_INTEGER(A, D)                                                                       \
  LANES_FN(cvt_##D##_##A) { integers_of_floats(regs, in, mask, KIND_##D, KIND_##A); }
FOR_EACH_INTEGER(CVT_TO_INTEGER, f16)
FOR_EACH_INTEGER(CVT_TO_INTEGER, f64)
CVT_TO_INTEGER(f32, u8)
CVT_TO_INTEGER(f32, s8)
CVT_TO_INTEGER(f32, u16)
CVT_TO_INTEGER(f32, s16)
CVT_TO_INTEGER(f32, u64)
CVT_TO_INTEGER(f32, s64)
CVT_TO_INTEGER(bf16, u16)
CVT_TO_INTEGER(bf16, s16)
CVT_TO_INTEGER(bf16, u32)
CVT_TO_INTEGER(bf16, s32)
CVT_TO_INTEGER(bf16, u64)
CVT_TO_INTEGER(bf16, s64)

// Truncation is what C's (int) means and what most kernels use.
static inline int32_t truncated_s32(float a) {
  const float held = a >= 0x1p31f ? 0.0f : a < -0x1p31f ? 0.0f : a != a ? 0.0f : a;
  return a >= 0x1p31f ? INT32_MAX : a < -0x1p31f ? INT32_MIN : (int32_t)held;
}

static inline uint32_t truncated_u32(float a) {
  const float held = a >= 0x1p31f ? a - 0x1p31f : a;
  const float safe = held >= 0x1p31f ? 0.0f : held > 0.0f ? held : 0.0f;
  const uint32_t low = (uint32_t)(int32_t)safe;
  return a >= 0x1p32f ? UINT32_MAX : a >= 0x1p31f ? low + 0x80000000u : low;
}

#define CVT_TO_WORD(D)                                                                             \
  LANES_FN(cvt_##D##_f32) {                                                                        \
    const isa_rounding rounding = (isa_rounding)in->arithmetic.rounding;                           \
    const bool ftz = in->arithmetic.ftz;                                                           \
    if (in->arithmetic.d_bytes == 8) integers_of_floats(regs, in, mask, KIND_##D, KIND_f32);       \
    else if (rounding == ISA_RZ) LANES_UNARY_BODY(D, f32, truncated_##D(a))                        \
    else                                                                                           \
      LANES_UNARY_BODY(D, f32,                                                                     \
                       truncated_##D(lanes_integral_float(lanes_flush_if(ftz, a), rounding)))      \
  }
CVT_TO_WORD(s32)
CVT_TO_WORD(u32)

// ---- integer to float

// The integer whose 64-bit extension is x, as a double: rounded as asked, or (`to_odd`) so that a
// later rounding to a shorter format has the same effect as a single one.
static double double_of_integer(uint64_t x, bool negative, isa_rounding rounding, bool to_odd) {
  const uint64_t size = negative ? 0 - x : x;
  if (size < UINT64_C(1) << 53) return negative ? -(double)size : (double)size;
  int shift = 0;
  while (size >> shift >= UINT64_C(1) << 53) shift++;
  uint64_t kept = size >> shift;
  const uint64_t rest = size & ((UINT64_C(1) << shift) - 1), half = UINT64_C(1) << (shift - 1);
  bool up = rest > half || (rest == half && (kept & 1));
  if (rounding == ISA_RZ) up = false;
  if (rounding == ISA_RM) up = negative && rest != 0;
  if (rounding == ISA_RP) up = !negative && rest != 0;
  if (to_odd) kept |= rest != 0;
  else kept += up;
  const double result = (double)kept * (double)(UINT64_C(1) << shift);
  return negative ? -result : result;
}

static void floats_of_integers(uint8_t *regs, const simt_instr *in, uint32_t mask, kind d, kind a) {
  uint64_t x[SIMT_LANES];
  double doubles[SIMT_LANES];
  const isa_rounding rounding = (isa_rounding)in->arithmetic.rounding;
  load_integers(x, regs, in, a);
  for (int l = 0; l < SIMT_LANES; l++) {
    doubles[l] = double_of_integer(x[l], is_signed(a) && x[l] >> 63, rounding, d != KIND_f64);
  }
  store_floats(doubles, regs, in, mask, d, a, rounding);
}

#define CVT_FROM_INTEGER(D, A)                                                                     \
  LANES_FN(cvt_##D##_##A) {                                                                        \
    if (in->arithmetic.rounding != ISA_RN || in->arithmetic.saturate ||                            \
        !natural(in, KIND_##D, KIND_##A)) {                                                        \
      floats_of_integers(regs, in, mask, KIND_##D, KIND_##A);                                      \
    } else LANES_UNARY_BODY(D, A, (v_##D)a)                                                        \
  }
#define CVT_HALF_FROM_INTEGER(D, A)                                                                \
  LANES_FN(cvt_##D##_##A) { floats_of_integers(regs, in, mask, KIND_##D, KIND_##A); }
FOR_EACH_INTEGER(CVT_FROM_INTEGER, f32)
FOR_EACH_INTEGER(CVT_FROM_INTEGER, f64)
FOR_EACH_INTEGER(CVT_HALF_FROM_INTEGER, f16)
CVT_HALF_FROM_INTEGER(bf16, u16)
CVT_HALF_FROM_INTEGER(bf16, s16)
CVT_HALF_FROM_INTEGER(bf16, u32)
CVT_HALF_FROM_INTEGER(bf16, s32)
CVT_HALF_FROM_INTEGER(bf16, u64)
CVT_HALF_FROM_INTEGER(bf16, s64)

// ---- float to float

static void floats_of_floats(uint8_t *regs, const simt_instr *in, uint32_t mask, kind d, kind a) {
  double x[SIMT_LANES];
  load_floats(x, regs, in, a);
  if (d == a) { // the only rounding that keeps the type is that to an integer
    if (in->arithmetic.rounds_to_integer) {
      for (int l = 0; l < SIMT_LANES; l++)
        x[l] = lanes_integral_double(x[l], (isa_rounding)in->arithmetic.rounding);
    }
    store_floats(x, regs, in, mask, d, a, ISA_RN);
    return;
  }
  store_floats(x, regs, in, mask, d, a, (isa_rounding)in->arithmetic.rounding);
}

#define CVT_FLOAT(D, A)                                                                            \
  LANES_FN(cvt_##D##_##A) { floats_of_floats(regs, in, mask, KIND_##D, KIND_##A); }
#define CVT_FLOAT_PLAIN(D, A, value)                                                               \
  LANES_FN(cvt_##D##_##A) {                                                                        \
    if (in->arithmetic.rounding != ISA_RN || in->arithmetic.saturate || in->arithmetic.ftz) {      \
      floats_of_floats(regs, in, mask, KIND_##D, KIND_##A);                                        \
    } else LANES_UNARY_BODY(D, A, value)                                                           \
  }
static inline float narrowed_f64(double a) {
  return a == a ? (float)a : lanes_f32_of_bits(narrowed_nan(a, 32, 23));
}

CVT_FLOAT(f16, f16)
CVT_FLOAT(f16, bf16)
CVT_FLOAT(f16, f64)
CVT_FLOAT(bf16, f16)
CVT_FLOAT(bf16, bf16)
CVT_FLOAT(bf16, f64)
CVT_FLOAT(f64, f16)
CVT_FLOAT(f64, bf16)
CVT_FLOAT_PLAIN(f32, f16, simt_float_of_f16(a))
CVT_FLOAT_PLAIN(f16, f32, simt_f16_of_float(a))
CVT_FLOAT_PLAIN(bf16, f32, simt_bf16_of_float(a))
CVT_FLOAT_PLAIN(f32, f64, narrowed_f64(a))
CVT_FLOAT_PLAIN(f64, f32, widened_f32(a))

static inline float flushed_bf16(uint32_t a) {
  return lanes_canonical_f32(lanes_flush_f32(lanes_f32_of_bits(a << 16)));
}

LANES_FN(cvt_f32_bf16) { // the upper half of the float: a NaN keeps its bits, but not with .ftz
  if (in->arithmetic.ftz) LANES_UNARY_BODY(f32, bf16, flushed_bf16(a))
  else LANES_UNARY_BODY(u32, bf16, (uint32_t)a << 16)
}

static inline float positive(float x) { return x < 0.0f ? 0.0f : x + 0.0f; } // and NaN

// Two floats into one packed register: a is the upper half, b the lower.
#define CVT_PACKED(T)                                                                              \
  LANES_FN(cvt_relu_##T##x2_f32) {                                                                 \
    const isa_rounding rounding = (isa_rounding)in->arithmetic.rounding;                           \
    LANES_BINARY_BODY(u32, f32, f32,                                                               \
                      (uint32_t)simt_##T##_of_double(positive(a), rounding) << 16 |                \
                          simt_##T##_of_double(positive(b), rounding))                             \
  }                                                                                                \
  LANES_FN(cvt_##T##x2_f32) {                                                                      \
    const isa_rounding rounding = (isa_rounding)in->arithmetic.rounding;                           \
    if (rounding == ISA_RN) {                                                                      \
      LANES_BINARY_BODY(u32, f32, f32, simt_##T##_of_float(a) << 16 | simt_##T##_of_float(b))      \
    } else {                                                                                       \
      LANES_BINARY_BODY(u32, f32, f32,                                                             \
                        (uint32_t)simt_##T##_of_double(a, rounding) << 16 |                        \
                            simt_##T##_of_double(b, rounding))                                     \
    }                                                                                              \
  }
CVT_PACKED(f16)
CVT_PACKED(bf16)
