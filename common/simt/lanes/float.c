// SPDX-License-Identifier: MIT
// lanes/float.c - lane functions of single- and double-precision arithmetic.
//
// They are plain vectorised loops; for .rz .rm .rp the processor's rounding mode is set around
// them. What that cannot do takes a slow, exact path (lanes/rounding.c). NaN results are as
// device/instruction.h says. min and max ignore one NaN and order -0 below +0; the .NaN forms do
// not ignore it. .ftz flushes a product or a fused sum that would be below the least normal number
// if the exponent range were unlimited, as an H200 does (the PTX ISA does not say); only there can
// rounding at subnormal spacing reach that number. Source: PTX ISA 9.7.3.
#include "lanes/flush.h"
#include "lanes/half.h"
#include "lanes/lanes.h"
#include "lanes/rounding.h"

// ---- the exact path, a lane at a time

static void careful_f32(uint8_t *regs, const simt_instr *in, uint32_t mask, simt_operation op) {
  s_f32 *pd = LANES_SLOT(f32, in->d);
  const s_f32 *pa = LANES_SOURCE(f32, in->a);
  const s_f32 *pb = in->b == SIMT_NO_SLOT ? pa : LANES_SOURCE(f32, in->b);
  const s_f32 *pc = in->c == SIMT_NO_SLOT ? pa : LANES_SOURCE(f32, in->c);
  for (int l = 0; l < SIMT_LANES; l++) {
    if (!(mask & lanes_bit[l])) continue;
    float a = pa[l], b = pb[l], c = pc[l];
    if (in->arithmetic.ftz) a = lanes_flush_f32(a), b = lanes_flush_f32(b), c = lanes_flush_f32(c);
    float d = simt_rounded_f32(op, (isa_rounding)in->arithmetic.rounding, a, b, c);
    if (in->arithmetic.ftz)
      d = lanes_flush_result(op, (isa_rounding)in->arithmetic.rounding, d, a, b, c);
    pd[l] = in->arithmetic.saturate ? lanes_saturate_f32(d) : lanes_canonical_f32(d);
  }
}

static void careful_f64(uint8_t *regs, const simt_instr *in, uint32_t mask, simt_operation op) {
  s_f64 *pd = LANES_SLOT(f64, in->d);
  const s_f64 *pa = LANES_SOURCE(f64, in->a);
  const s_f64 *pb = in->b == SIMT_NO_SLOT ? pa : LANES_SOURCE(f64, in->b);
  const s_f64 *pc = in->c == SIMT_NO_SLOT ? pa : LANES_SOURCE(f64, in->c);
  for (int l = 0; l < SIMT_LANES; l++) {
    if (!(mask & lanes_bit[l])) continue;
    const double d =
        simt_rounded_f64(op, (isa_rounding)in->arithmetic.rounding, pa[l], pb[l], pc[l]);
    pd[l] = op == SIMT_OP_DIV ? lanes_nan_f64(d, pb[l], pa[l], pa[l])
                              : lanes_nan_f64(d, pa[l], pb[l], pc[l]);
  }
}

// Loops for `value` of a, b, c.
#define PLAIN_1(T, value) LANES_UNARY_BODY(T, T, value)
#define PLAIN_2(T, value) LANES_BINARY_BODY(T, T, T, value)
#define PLAIN_3(T, value) LANES_TERNARY_BODY(T, T, T, T, value)

// The operands as they are, and flushed.
#define OPERANDS_1 a
#define OPERANDS_2 a, b
#define OPERANDS_3 a, b, c
#define FLUSHED_1 lanes_flush_f32(a)
#define FLUSHED_2 lanes_flush_f32(a), lanes_flush_f32(b)
#define FLUSHED_3 lanes_flush_f32(a), lanes_flush_f32(b), lanes_flush_f32(c)

// Whether any lane's result is the least normal number, which lanes_flush_result() looks at again.
#define ANY_IS_LEAST(n, function)                                                                  \
  static inline bool function##_is_least(const uint8_t *regs, const simt_instr *in) {              \
    LEAST_SOURCES_##n uint32_t found = 0;                                                          \
    for (int l = 0; l < SIMT_LANES; l++) {                                                         \
      LEAST_LANE_##n found |= fabsf(function(FLUSHED_##n)) == 0x1p-126f;                           \
    }                                                                                              \
    return found != 0;                                                                             \
  }
#define LEAST_SOURCES_1 const s_f32 *pa = LANES_SOURCE(f32, in->a);
#define LEAST_SOURCES_2 LEAST_SOURCES_1 const s_f32 *pb = LANES_SOURCE(f32, in->b);
#define LEAST_SOURCES_3 LEAST_SOURCES_2 const s_f32 *pc = LANES_SOURCE(f32, in->c);
#define LEAST_LANE_1 const float a = pa[l];
#define LEAST_LANE_2 LEAST_LANE_1 const float b = pb[l];
#define LEAST_LANE_3 LEAST_LANE_2 const float c = pc[l];

// Whether loops over lanes may run while the processor rounds in another direction: without FMA
// unit a fused operation is made of others that must round to nearest.
#if defined(__FMA__) || defined(__ARM_FEATURE_FMA)
#define CAN_BE_DIRECTED(op) simt_has_rounding_modes
#else
#define CAN_BE_DIRECTED(op) (simt_has_rounding_modes && (op) != SIMT_OP_FMA)
#endif

// Operations that may be rounded in any direction, and in single precision saturate: `name`_loops()
// in the mode asked for, or else `careful`. The loops stand between calls of functions that the
// compiler does not see into, and so does all that they compute from memory.
#define DIRECTED(name, op, careful)                                                                \
  LANES_FN(name) {                                                                                 \
    const isa_rounding rounding = (isa_rounding)in->arithmetic.rounding;                           \
    if (rounding == ISA_RN) {                                                                      \
      name##_loops(regs, in, mask);                                                                \
    } else if (CAN_BE_DIRECTED(op)) {                                                              \
      const int before = simt_round_as(rounding);                                                  \
      name##_loops(regs, in, mask);                                                                \
      simt_round_back(before);                                                                     \
    } else {                                                                                       \
      careful;                                                                                     \
    }                                                                                              \
  }
#define ROUNDED_F32(name, op, n, function)                                                         \
  ANY_IS_LEAST(n, function)                                                                        \
  static void name##_loops(uint8_t *regs, const simt_instr *in, uint32_t mask) {                   \
    const bool flushes = in->arithmetic.ftz, saturates = in->arithmetic.saturate;                  \
    if (flushes && ((op) == SIMT_OP_MUL || (op) == SIMT_OP_FMA) &&                                 \
        function##_is_least(regs, in)) {                                                           \
      careful_f32(regs, in, mask, op);                                                             \
    } else if (flushes && saturates) {                                                             \
      PLAIN_##n(f32, lanes_saturate_f32(lanes_flush_f32(function(FLUSHED_##n))));                  \
    } else if (flushes) {                                                                          \
      PLAIN_##n(f32, lanes_flush_f32(function(FLUSHED_##n)));                                      \
    } else if (saturates) {                                                                        \
      PLAIN_##n(f32, lanes_saturate_f32(function(OPERANDS_##n)));                                  \
    } else {                                                                                       \
      PLAIN_##n(f32, function(OPERANDS_##n));                                                      \
    }                                                                                              \
  }                                                                                                \
  DIRECTED(name, op, careful_f32(regs, in, mask, op))
#define ROUNDED_F64(name, op, n, function)                                                         \
  static void name##_loops(uint8_t *regs, const simt_instr *in, uint32_t mask) {                   \
    PLAIN_##n(f64, function(OPERANDS_##n));                                                        \
  }                                                                                                \
  DIRECTED(name, op, careful_f64(regs, in, mask, op))
// Operations without rounding; `function` makes its own NaNs.
#define EXACT_F32(name, n, function)                                                               \
  LANES_FN(name) {                                                                                 \
    if (in->arithmetic.ftz) {                                                                      \
      PLAIN_##n(f32, lanes_flush_f32(function(FLUSHED_##n)));                                      \
    } else {                                                                                       \
      PLAIN_##n(f32, function(OPERANDS_##n));                                                      \
    }                                                                                              \
  }

// ---- add, sub, mul, fma, div, rcp, sqrt

static inline float sum_f32(float a, float b) { return lanes_canonical_f32(a + b); }
static inline float difference_f32(float a, float b) { return lanes_canonical_f32(a - b); }
static inline float product_f32(float a, float b) { return lanes_canonical_f32(a * b); }
static inline float quotient_f32(float a, float b) { return lanes_canonical_f32(a / b); }
static inline float root_f32(float a) { return lanes_canonical_f32(sqrtf(a)); }
static inline double sum_f64(double a, double b) { return lanes_nan_f64(a + b, a, b, b); }
static inline double difference_f64(double a, double b) { return lanes_nan_f64(a - b, a, b, b); }
static inline double product_f64(double a, double b) { return lanes_nan_f64(a * b, a, b, b); }
static inline double quotient_f64(double a, double b) { return lanes_nan_f64(a / b, b, a, a); }
static inline double root_f64(double a) { return lanes_nan_f64(sqrt(a), a, a, a); }
static inline double fused_f64(double a, double b, double c) {
  return lanes_nan_f64(fma(a, b, c), a, b, c);
}

// Without an FMA unit: the product is exact in double, the sum rounded to odd, so the conversion
// is the only rounding.
static inline float fused_f32(float a, float b, float c) {
#if defined(__FMA__) || defined(__ARM_FEATURE_FMA)
  return lanes_canonical_f32(__builtin_fmaf(a, b, c));
#else
  return lanes_canonical_f32((float)simt_add_to_odd((double)a * b, c));
#endif
}

ROUNDED_F32(add_f32, SIMT_OP_ADD, 2, sum_f32)
ROUNDED_F32(sub_f32, SIMT_OP_SUB, 2, difference_f32)
ROUNDED_F32(mul_f32, SIMT_OP_MUL, 2, product_f32)
ROUNDED_F32(fma_f32, SIMT_OP_FMA, 3, fused_f32)
ROUNDED_F32(div_f32, SIMT_OP_DIV, 2, quotient_f32)
ROUNDED_F32(sqrt_f32, SIMT_OP_SQRT, 1, root_f32)
ROUNDED_F64(add_f64, SIMT_OP_ADD, 2, sum_f64)
ROUNDED_F64(sub_f64, SIMT_OP_SUB, 2, difference_f64)
ROUNDED_F64(mul_f64, SIMT_OP_MUL, 2, product_f64)
ROUNDED_F64(fma_f64, SIMT_OP_FMA, 3, fused_f64)
ROUNDED_F64(div_f64, SIMT_OP_DIV, 2, quotient_f64)
ROUNDED_F64(sqrt_f64, SIMT_OP_SQRT, 1, root_f64)

static inline float reciprocal_f32(float a) { return lanes_canonical_f32(1.0f / a); }
static inline double reciprocal_f64(double a) { return lanes_nan_f64(1.0 / a, a, a, a); }

// rcp is 1 / a: one operand in the instruction, two in the operation.
#define RECIPROCAL(T, flush, nan)                                                                  \
  static void careful_rcp_##T(uint8_t *regs, const simt_instr *in, uint32_t mask) {                \
    s_##T *pd = LANES_SLOT(T, in->d);                                                              \
    const s_##T *pa = LANES_SOURCE(T, in->a);                                                      \
    for (int l = 0; l < SIMT_LANES; l++) {                                                         \
      if (!(mask & lanes_bit[l])) continue;                                                        \
      const v_##T a = flush(in->arithmetic.ftz, pa[l]);                                            \
      const v_##T d =                                                                              \
          simt_rounded_##T(SIMT_OP_DIV, (isa_rounding)in->arithmetic.rounding, 1, a, 0);           \
      pd[l] = nan(flush(in->arithmetic.ftz, d), a);                                                \
    }                                                                                              \
  }                                                                                                \
  static void rcp_##T##_loops(uint8_t *regs, const simt_instr *in, uint32_t mask) {                \
    if (in->arithmetic.ftz) PLAIN_1(T, flush(true, reciprocal_##T(flush(true, a))))                \
    else PLAIN_1(T, reciprocal_##T(a))                                                             \
  }                                                                                                \
  DIRECTED(rcp_##T, SIMT_OP_DIV, careful_rcp_##T(regs, in, mask))
#define KEEP(ftz, x) (x)
#define NAN_F32(d, a) lanes_canonical_f32(d)
#define NAN_F64(d, a) lanes_nan_f64(d, a, a, a)
RECIPROCAL(f32, lanes_flush_if, NAN_F32)
RECIPROCAL(f64, KEEP, NAN_F64)

// ---- abs, neg, copysign: the sign bit alone

static inline float magnitude_f32(float a) { return lanes_canonical_f32(fabsf(a)); }
static inline float negative_f32(float a) { return lanes_canonical_f32(-a); }
EXACT_F32(abs_f32, 1, magnitude_f32)
EXACT_F32(neg_f32, 1, negative_f32)
// A sum with zero of the operand's magnitude or negation to an H100: NaN keeps its sign.
static inline double magnitude_f64(double a) { return a != a ? a + a : fabs(a); }
static inline double negated_f64(double a) { return a != a ? a + a : -a; }
LANES_UNARY(abs_f64, f64, f64, magnitude_f64(a))
LANES_UNARY(neg_f64, f64, f64, negated_f64(a))
// The sign comes from a, the magnitude from b.
LANES_BINARY(copysign_f32, u32, u32, u32, (a & 0x80000000u) | (b & 0x7fffffffu))
LANES_BINARY(copysign_f64, u64, u64, u64, (a & (UINT64_C(1) << 63)) | (b & ~(UINT64_C(1) << 63)))

// ---- min, max. Equal operands differ at most in the sign of zero, which or/and decides.

static inline float lower_f32(float a, float b) {
  const float either = lanes_f32_of_bits(lanes_bits_f32(a) | lanes_bits_f32(b));
  return a < b ? a : b < a ? b : either;
}

static inline float upper_f32(float a, float b) {
  const float either = lanes_f32_of_bits(lanes_bits_f32(a) & lanes_bits_f32(b));
  return a > b ? a : b > a ? b : either;
}

static inline double lower_f64(double a, double b) {
  const double either = simt_double_of(simt_double_bits(a) | simt_double_bits(b));
  return a < b ? a : b < a ? b : either;
}

static inline double upper_f64(double a, double b) {
  const double either = simt_double_of(simt_double_bits(a) & simt_double_bits(b));
  return a > b ? a : b > a ? b : either;
}

#define PICK_IGNORING_NAN(name, T, pick, nan)                                                      \
  static inline v_##T name(v_##T a, v_##T b) {                                                     \
    const v_##T number = a != a ? b : b != b ? a : pick(a, b);                                     \
    return nan(number, number);                                                                    \
  }
PICK_IGNORING_NAN(min_number_f32, f32, lower_f32, NAN_F32)
PICK_IGNORING_NAN(max_number_f32, f32, upper_f32, NAN_F32)
PICK_IGNORING_NAN(min_number_f64, f64, lower_f64, NAN_F64)
PICK_IGNORING_NAN(max_number_f64, f64, upper_f64, NAN_F64)

static inline float min_or_nan(float a, float b) {
  return a != a || b != b ? LANES_NAN_F32 : lower_f32(a, b);
}

static inline float max_or_nan(float a, float b) {
  return a != a || b != b ? LANES_NAN_F32 : upper_f32(a, b);
}

// .xorsign.abs: the magnitudes are compared, the sign is the product's.
#define XORSIGN(name, pick)                                                                        \
  static inline float name(float a, float b) {                                                     \
    const uint32_t sign = (lanes_bits_f32(a) ^ lanes_bits_f32(b)) & 0x80000000u;                   \
    const float d = pick(fabsf(a), fabsf(b));                                                      \
    return d != d ? d : lanes_f32_of_bits(lanes_bits_f32(d) | sign);                               \
  }
XORSIGN(min_xorsign, min_number_f32)
XORSIGN(max_xorsign, max_number_f32)
XORSIGN(min_nan_xorsign, min_or_nan)
XORSIGN(max_nan_xorsign, max_or_nan)

EXACT_F32(min_f32, 2, min_number_f32)
EXACT_F32(max_f32, 2, max_number_f32)
EXACT_F32(min_nan_f32, 2, min_or_nan)
EXACT_F32(max_nan_f32, 2, max_or_nan)
EXACT_F32(min_xorsign_f32, 2, min_xorsign)
EXACT_F32(max_xorsign_f32, 2, max_xorsign)
EXACT_F32(min_nan_xorsign_f32, 2, min_nan_xorsign)
EXACT_F32(max_nan_xorsign_f32, 2, max_nan_xorsign)
LANES_BINARY(min_f64, f64, f64, f64, min_number_f64(a, b))
LANES_BINARY(max_f64, f64, f64, f64, max_number_f64(a, b))
