// SPDX-License-Identifier: MIT
// lanes/float.c - lane functions of single- and double-precision arithmetic.
//
// Rounded to nearest they are plain vectorised loops; .rz .rm .rp and .sat take a slow, exact path
// (lanes/rounding.c). NaN results are as device/instruction.h says. min and max ignore one NaN and
// order -0 below +0; the .NaN forms do not ignore it. .ftz flushes a product or a fused sum that
// would be below the least normal number if the exponent range were unlimited, as an H200 does (the
// PTX ISA does not say); only there can rounding at subnormal spacing reach that number. The
// .approx functions are those of lanes/mufu.h with what ptxas puts around them, read from its
// machine code for sm_90: the same bits as on an H100. Source: PTX ISA 9.7.3.
#include "lanes/half.h"
#include "lanes/lanes.h"
#include "lanes/mufu.h"
#include "lanes/rounding.h"

// ---- the exact path: directed rounding, saturation

// The result d of an operation, flushed. A result equal to the least normal number may have been
// rounded up from a smaller one. To tell, the operation is repeated with operands that make its
// result 2^24 times as large, where rounding is finer.
static inline float flush_result(simt_operation op, isa_rounding rounding, float d, float a,
                                 float b, float c) {
  const float scale = 0x1p24f;
  const bool may_be_lifted = fabsf(d) == 0x1p-126f && (op == SIMT_OP_MUL || op == SIMT_OP_FMA);
  if (__builtin_expect(may_be_lifted, 0)) {
    if (fabsf(a) < fabsf(b)) a *= scale;
    else b *= scale;
    if (fabsf(simt_rounded_f32(op, rounding, a, b, c * scale)) < 0x1p-102f) return copysignf(0, d);
  }
  return lanes_flush_f32(d);
}

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
    if (in->arithmetic.ftz) d = flush_result(op, (isa_rounding)in->arithmetic.rounding, d, a, b, c);
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

// With subnormals flushed on both sides.
static inline float flushed_1(simt_operation op, float (*f)(float), float a) {
  a = lanes_flush_f32(a);
  return flush_result(op, ISA_RN, f(a), a, 0, 0);
}

static inline float flushed_2(simt_operation op, float (*f)(float, float), float a, float b) {
  a = lanes_flush_f32(a), b = lanes_flush_f32(b);
  return flush_result(op, ISA_RN, f(a, b), a, b, 0);
}

static inline float flushed_3(simt_operation op, float (*f)(float, float, float), float a, float b,
                              float c) {
  a = lanes_flush_f32(a), b = lanes_flush_f32(b), c = lanes_flush_f32(c);
  return flush_result(op, ISA_RN, f(a, b, c), a, b, c);
}

// Operations that may be rounded in any direction or saturate.
#define ROUNDED_F32(name, op, n, function, ...)                                                    \
  LANES_FN(name) {                                                                                 \
    if (in->arithmetic.rounding != ISA_RN || in->arithmetic.saturate)                              \
      careful_f32(regs, in, mask, op);                                                             \
    else if (in->arithmetic.ftz)                                                                   \
      PLAIN_##n(f32, flushed_##n(op, function, __VA_ARGS__)) else PLAIN_##n(f32,                   \
                                                                            function(__VA_ARGS__)) \
  }
#define ROUNDED_F64(name, op, n, function, ...)                                                    \
  LANES_FN(name) {                                                                                 \
    if (in->arithmetic.rounding != ISA_RN) careful_f64(regs, in, mask, op);                        \
    else PLAIN_##n(f64, function(__VA_ARGS__))                                                     \
  }
// Operations without rounding (the choice of `op` does not matter); `function` makes its own NaNs.
#define EXACT_F32(name, n, function, ...)                                                          \
  LANES_FN(name) {                                                                                 \
    if (in->arithmetic.ftz)                                                                        \
      PLAIN_##n(f32, flushed_##n(SIMT_OP_ADD, function, __VA_ARGS__)) else PLAIN_##n(              \
          f32, function(__VA_ARGS__))                                                              \
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

ROUNDED_F32(add_f32, SIMT_OP_ADD, 2, sum_f32, a, b)
ROUNDED_F32(sub_f32, SIMT_OP_SUB, 2, difference_f32, a, b)
ROUNDED_F32(mul_f32, SIMT_OP_MUL, 2, product_f32, a, b)
ROUNDED_F32(fma_f32, SIMT_OP_FMA, 3, fused_f32, a, b, c)
ROUNDED_F32(div_f32, SIMT_OP_DIV, 2, quotient_f32, a, b)
ROUNDED_F32(sqrt_f32, SIMT_OP_SQRT, 1, root_f32, a)
ROUNDED_F64(add_f64, SIMT_OP_ADD, 2, sum_f64, a, b)
ROUNDED_F64(sub_f64, SIMT_OP_SUB, 2, difference_f64, a, b)
ROUNDED_F64(mul_f64, SIMT_OP_MUL, 2, product_f64, a, b)
ROUNDED_F64(fma_f64, SIMT_OP_FMA, 3, fused_f64, a, b, c)
ROUNDED_F64(div_f64, SIMT_OP_DIV, 2, quotient_f64, a, b)
ROUNDED_F64(sqrt_f64, SIMT_OP_SQRT, 1, root_f64, a)

static inline float reciprocal_f32(float a) { return lanes_canonical_f32(1.0f / a); }
static inline double reciprocal_f64(double a) { return lanes_nan_f64(1.0 / a, a, a, a); }

// rcp is 1 / a: one operand in the instruction, two in the operation.
#define RECIPROCAL(T, flush, nan)                                                                  \
  LANES_FN(rcp_##T) {                                                                              \
    if (in->arithmetic.rounding == ISA_RN && !in->arithmetic.ftz) {                                \
      PLAIN_1(T, reciprocal_##T(a))                                                                \
      return;                                                                                      \
    }                                                                                              \
    s_##T *pd = LANES_SLOT(T, in->d);                                                              \
    const s_##T *pa = LANES_SOURCE(T, in->a);                                                      \
    for (int l = 0; l < SIMT_LANES; l++) {                                                         \
      if (!(mask & lanes_bit[l])) continue;                                                        \
      const v_##T a = flush(in->arithmetic.ftz, pa[l]);                                            \
      const v_##T d =                                                                              \
          simt_rounded_##T(SIMT_OP_DIV, (isa_rounding)in->arithmetic.rounding, 1, a, 0);           \
      pd[l] = nan(flush(in->arithmetic.ftz, d), a);                                                \
    }                                                                                              \
  }
#define FLUSH_IF(ftz, x) ((ftz) ? lanes_flush_f32(x) : (x))
#define KEEP(ftz, x) (x)
#define NAN_F32(d, a) lanes_canonical_f32(d)
#define NAN_F64(d, a) lanes_nan_f64(d, a, a, a)
RECIPROCAL(f32, FLUSH_IF, NAN_F32)
RECIPROCAL(f64, KEEP, NAN_F64)

// ---- abs, neg, copysign: the sign bit alone

static inline float magnitude_f32(float a) { return lanes_canonical_f32(fabsf(a)); }
static inline float negative_f32(float a) { return lanes_canonical_f32(-a); }
EXACT_F32(abs_f32, 1, magnitude_f32, a)
EXACT_F32(neg_f32, 1, negative_f32, a)
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

EXACT_F32(min_f32, 2, min_number_f32, a, b)
EXACT_F32(max_f32, 2, max_number_f32, a, b)
EXACT_F32(min_nan_f32, 2, min_or_nan, a, b)
EXACT_F32(max_nan_f32, 2, max_or_nan, a, b)
EXACT_F32(min_xorsign_f32, 2, min_xorsign, a, b)
EXACT_F32(max_xorsign_f32, 2, max_xorsign, a, b)
EXACT_F32(min_nan_xorsign_f32, 2, min_nan_xorsign, a, b)
EXACT_F32(max_nan_xorsign_f32, 2, max_nan_xorsign, a, b)
LANES_BINARY(min_f64, f64, f64, f64, min_number_f64(a, b))
LANES_BINARY(max_f64, f64, f64, f64, max_number_f64(a, b))

// ---- approximations: the multi-function unit, and the scaling that keeps its arguments normal

static inline bool is_subnormal(float a) { return fabsf(a) < 0x1p-126f; }
static inline float unit_rcp(float a) { return lanes_f32_of_bits(mufu_rcp(lanes_bits_f32(a))); }
static inline float unit_rsq(float a) { return lanes_f32_of_bits(mufu_rsq(lanes_bits_f32(a))); }
static inline float unit_sqrt(float a) { return lanes_f32_of_bits(mufu_sqrt(lanes_bits_f32(a))); }
static inline float unit_ex2(float a) { return lanes_f32_of_bits(mufu_ex2(lanes_bits_f32(a))); }
static inline float unit_lg2(float a) { return lanes_f32_of_bits(mufu_lg2(lanes_bits_f32(a))); }
static inline float unit_sin(float a) { return lanes_f32_of_bits(mufu_sin(lanes_bits_f32(a))); }
static inline float unit_cos(float a) { return lanes_f32_of_bits(mufu_cos(lanes_bits_f32(a))); }
static inline float unit_tanh(float a) { return lanes_f32_of_bits(mufu_tanh(lanes_bits_f32(a))); }

static inline float approx_rcp(float a) {
  const float scale = fabsf(a) > 0x1p126f ? 0.25f : is_subnormal(a) ? 0x1p24f : 1.0f;
  return product_f32(scale, unit_rcp(scale * a));
}
static inline float approx_rsq(float a) {
  return is_subnormal(a) ? product_f32(unit_rsq(a * 0x1p24f), 0x1p12f) : unit_rsq(a);
}
static inline float approx_sqrt(float a) {
  return is_subnormal(a) ? product_f32(unit_sqrt(a * 0x1p24f), 0x1p-12f) : unit_sqrt(a);
}
static inline float approx_ex2(float a) {
  if (!(a < -126.0f)) return unit_ex2(a);
  const float root = unit_ex2(a * 0.5f);
  return root * root;
}
static inline float approx_lg2(float a) {
  return is_subnormal(a) ? sum_f32(unit_lg2(a * 0x1p24f), -24.0f) : unit_lg2(a);
}
// A quotient of full range scales large divisors as well.
static inline float approx_quotient(float a, float b) {
  const float scale = is_subnormal(b) ? 0x1p24f : 1.0f;
  return product_f32(unit_rcp(b * scale), a * scale);
}
static inline float full_quotient(float a, float b) {
  const float scale = fabsf(b) > 0x1p126f ? 0.25f : is_subnormal(b) ? 0x1p24f : 1.0f;
  return product_f32(unit_rcp(b * scale), a * scale);
}
static inline float flushed_quotient(float a, float b) { // both flushed
  const float inverse = unit_rcp(b);
  return flush_result(SIMT_OP_MUL, ISA_RN, product_f32(inverse, a), inverse, a, 0);
}
static inline float approx_quotient_ftz(float a, float b) {
  return flushed_quotient(lanes_flush_f32(a), lanes_flush_f32(b));
}
static inline float full_quotient_ftz(float a, float b) {
  a = lanes_flush_f32(a), b = lanes_flush_f32(b);
  const float scale = fabsf(b) > 0x1p126f ? 0.25f : 1.0f;
  return flushed_quotient(lanes_flush_f32(a * scale), b * scale);
}

// A function of `n` operands, without .ftz and with it.
#define APPROXIMATE(name, n, function, flushing, ...)                                              \
  LANES_FN(name) {                                                                                 \
    if (in->arithmetic.ftz)                                                                        \
      PLAIN_##n(f32, flushing(__VA_ARGS__)) else PLAIN_##n(f32, function(__VA_ARGS__))             \
  }
APPROXIMATE(div_approx_f32, 2, approx_quotient, approx_quotient_ftz, a, b)
APPROXIMATE(div_full_f32, 2, full_quotient, full_quotient_ftz, a, b)
APPROXIMATE(rcp_approx_f32, 1, approx_rcp, unit_rcp, a)
APPROXIMATE(sqrt_approx_f32, 1, approx_sqrt, unit_sqrt, a)
APPROXIMATE(rsqrt_approx_f32, 1, approx_rsq, unit_rsq, a)
APPROXIMATE(ex2_approx_f32, 1, approx_ex2, unit_ex2, a)
APPROXIMATE(lg2_approx_f32, 1, approx_lg2, unit_lg2, a)
APPROXIMATE(sin_approx_f32, 1, unit_sin, unit_sin, a)
APPROXIMATE(cos_approx_f32, 1, unit_cos, unit_cos, a)
APPROXIMATE(tanh_approx_f32, 1, unit_tanh, unit_tanh, a)

// Of doubles the unit sees and gives the upper words; .ftz is all there is to them.
static inline double of_upper_word(uint32_t word) { return simt_double_of((uint64_t)word << 32); }
static inline uint32_t upper_word(double x) { return (uint32_t)(simt_double_bits(x) >> 32); }
static inline double unit_rsq64(double a) { return of_upper_word(mufu_rsq64h(upper_word(a))); }

// One step of Newton's method to the third order.
static inline double refined_rsq(double a) {
  const double root = unit_rsq64(a), error = fma(-(root * root), a, 1.0);
  return fma(fma(error, 0.375, 0.5), root * error, root);
}
static inline double approx_rsq64(double a) {
  if (a != a) return lanes_nan_f64(a + a, a, a, a);
  if (a == 0.0) return copysign(HUGE_VAL, a);
  if (a < 0.0) return simt_double_of(UINT64_C(0xfff8000000000000));
  if (a > 0x1.fffffffffffffp1023) return 0.0;
  return a < 0x1p-1022 ? refined_rsq(a * 0x1p54) * 0x1p27 : refined_rsq(a);
}
LANES_UNARY(rcp_approx_ftz_f64, f64, f64, of_upper_word(mufu_rcp64h(upper_word(a))))
LANES_UNARY(rsqrt_approx_f64, f64, f64, approx_rsq64(a))
LANES_UNARY(rsqrt_approx_ftz_f64, f64, f64, unit_rsq64(a))
