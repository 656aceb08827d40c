// SPDX-License-Identifier: MIT
// lanes/float.c - lane functions of single- and double-precision arithmetic.
//
// Rounded to nearest they are plain vectorised loops; .rz .rm .rp and .sat take a slow, exact path
// (lanes/rounding.c). NaN results are as device/instruction.h says. min and max ignore one NaN and
// order -0 below +0; the .NaN forms do not ignore it. .ftz flushes a product or a fused sum that
// would be below the least normal number if the exponent range were unlimited, as an H200 does (the
// PTX ISA does not say); only there can rounding at subnormal spacing reach that number. The
// .approx functions are evaluated in double by fixed sequences of operations (no libm), then
// rounded once: the same bits on every host, closer to the true value than the hardware's. Not
// modelled: the exact error pattern of the hardware's approximations. Source: PTX ISA 9.7.3; error
// bounds there.
#include "lanes/half.h"
#include "lanes/lanes.h"
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
    pd[l] = lanes_nan_f64(d, pa[l], pb[l], pc[l]);
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
static inline double quotient_f64(double a, double b) { return lanes_nan_f64(a / b, a, b, b); }
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
LANES_UNARY(abs_f64, u64, u64, a & ~(UINT64_C(1) << 63))
LANES_UNARY(neg_f64, u64, u64, a ^ (UINT64_C(1) << 63))
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
    return nan(number, a);                                                                         \
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

// ---- approximations

#include "lanes/approx.h"

static inline float approx_quotient(float a, float b) {
  // The hardware multiplies by the reciprocal, which underflows for |b| above 2^126.
  if (fabsf(b) > 0x1p126f && fabsf(b) <= 0x1.fffffep127f) {
    const float zero = lanes_f32_of_bits((lanes_bits_f32(a) ^ lanes_bits_f32(b)) & 0x80000000u);
    return fabsf(a) <= 0x1.fffffep127f ? zero : LANES_NAN_F32;
  }
  return quotient_f32(a, b);
}

static inline float approx_reciprocal(float a) { return reciprocal_f32(a); }
static inline float approx_root(float a) { return root_f32(a); }
static inline float approx_rsqrt(float a) {
  return lanes_canonical_f32((float)(1.0 / sqrt((double)a)));
}
static inline float approx_exp2(float a) { return lanes_canonical_f32((float)simt_exp2(a)); }
static inline float approx_log2(float a) { return lanes_canonical_f32((float)simt_log2(a)); }
static inline float approx_sine(float a) { return lanes_canonical_f32((float)simt_sine(a)); }
static inline float approx_cosine(float a) { return lanes_canonical_f32((float)simt_cosine(a)); }
static inline float approx_tanh(float a) { return lanes_canonical_f32((float)simt_tanh(a)); }
EXACT_F32(div_approx_f32, 2, approx_quotient, a, b)
EXACT_F32(div_full_f32, 2, quotient_f32, a, b)
EXACT_F32(rcp_approx_f32, 1, approx_reciprocal, a)
EXACT_F32(sqrt_approx_f32, 1, approx_root, a)
EXACT_F32(rsqrt_approx_f32, 1, approx_rsqrt, a)
EXACT_F32(ex2_approx_f32, 1, approx_exp2, a)
EXACT_F32(lg2_approx_f32, 1, approx_log2, a)
EXACT_F32(sin_approx_f32, 1, approx_sine, a)
EXACT_F32(cos_approx_f32, 1, approx_cosine, a)
EXACT_F32(tanh_approx_f32, 1, approx_tanh, a)

// The double-precision approximations look at the upper 32 bits of the operand and give 20
// mantissa bits; the lower half of the result is zero.
static inline double upper_word(double x) {
  return simt_double_of(simt_double_bits(x) & UINT64_C(0xffffffff00000000));
}

static inline double flush_f64(double x) {
  const uint64_t bits = simt_double_bits(x);
  return (bits >> 52 & 0x7ff) == 0 ? simt_double_of(bits & (UINT64_C(1) << 63)) : x;
}

LANES_UNARY(rcp_approx_ftz_f64, f64, f64,
            flush_f64(upper_word(reciprocal_f64(flush_f64(upper_word(a))))))
static inline double approx_rsqrt_f64(double a) { return lanes_nan_f64(1.0 / sqrt(a), a, a, a); }

LANES_UNARY(rsqrt_approx_f64, f64, f64, approx_rsqrt_f64(a))
LANES_UNARY(rsqrt_approx_ftz_f64, f64, f64, upper_word(approx_rsqrt_f64(flush_f64(upper_word(a)))))
