// SPDX-License-Identifier: MIT
// lanes/approximate.c - lane functions of the .approx instructions: those of the multi-function
// unit (lanes/mufu.h) with what ptxas puts around them, read from its machine code for sm_90. The
// bits are an H100's.
//
// The unit counts subnormal numbers as zero. Where an instruction does not (no .ftz), its operand
// is scaled into the normal range before, and the result after.
#include "lanes/flush.h"
#include "lanes/half.h"
#include "lanes/lanes.h"
#include "lanes/mufu.h"
#include "lanes/rounding.h"

static inline bool is_subnormal(float a) { return fabsf(a) < 0x1p-126f; }
static inline float product(float a, float b) { return lanes_canonical_f32(a * b); }

// ---- what goes into the unit, and what its value y becomes

static inline float kept(float a) { return a; }
static inline float kept_value(float y, float a) {
  (void)a;
  return y;
}
static inline float radians(float a) {
  return lanes_f32_of_bits(mufu_revolutions(lanes_bits_f32(a)));
}

static inline float rcp_scale(float a) {
  return fabsf(a) > 0x1p126f ? 0.25f : is_subnormal(a) ? 0x1p24f : 1.0f;
}
static inline float rcp_argument(float a) { return rcp_scale(a) * a; }
static inline float rcp_value(float y, float a) { return product(rcp_scale(a), y); }

static inline float lifted(float a) { return is_subnormal(a) ? a * 0x1p24f : a; }
static inline float rsq_value(float y, float a) {
  return is_subnormal(a) ? product(y, 0x1p12f) : y;
}
static inline float sqrt_value(float y, float a) {
  return is_subnormal(a) ? product(y, 0x1p-12f) : y;
}
static inline float lg2_value(float y, float a) {
  return is_subnormal(a) ? lanes_canonical_f32(y - 24.0f) : y;
}

// A result that is subnormal: the square of a root.
static inline float ex2_argument(float a) { return a < -126.0f ? a * 0.5f : a; }
static inline float ex2_value(float y, float a) { return a < -126.0f ? y * y : y; }

// `name`: without .ftz; with it the unit's own rule is enough.
#define UNARY(name, unit, argument, value, ftz_argument)                                           \
  LANES_FN(name) {                                                                                 \
    const s_f32 *pa = LANES_SOURCE(f32, in->a);                                                    \
    s_f32 *pd = LANES_SLOT(f32, in->d);                                                            \
    uint32_t x[SIMT_LANES], y[SIMT_LANES];                                                         \
    const bool ftz = in->arithmetic.ftz;                                                           \
    if (ftz) LANES_FOR x[l] = lanes_bits_f32(ftz_argument(pa[l]));                                 \
    else LANES_FOR x[l] = lanes_bits_f32(argument(pa[l]));                                         \
    mufu_##unit##_lanes(x, y);                                                                     \
    if (ftz) LANES_STORE(f32, (void)0, lanes_f32_of_bits(y[l]));                                   \
    else LANES_STORE(f32, const float a = pa[l], value(lanes_f32_of_bits(y[l]), a));               \
  }
UNARY(rcp_approx_f32, rcp, rcp_argument, rcp_value, kept)
UNARY(sqrt_approx_f32, sqrt, lifted, sqrt_value, kept)
UNARY(rsqrt_approx_f32, rsq, lifted, rsq_value, kept)
UNARY(ex2_approx_f32, ex2, ex2_argument, ex2_value, kept)
UNARY(lg2_approx_f32, lg2, lifted, lg2_value, kept)
UNARY(sin_approx_f32, sine, radians, kept_value, radians)
UNARY(cos_approx_f32, cosine, radians, kept_value, radians)
UNARY(tanh_approx_f32, tanh, kept, kept_value, kept)

// ---- quotients: the dividend times the divisor's reciprocal, both scaled

static inline float approx_scale(float b) { return is_subnormal(b) ? 0x1p24f : 1.0f; }
static inline float approx_ftz_scale(float b) {
  (void)b;
  return 1.0f;
}
// Of full range: large divisors are scaled as well.
static inline float full_scale(float b) { return rcp_scale(b); }
static inline float full_ftz_scale(float b) { return fabsf(b) > 0x1p126f ? 0.25f : 1.0f; }

#define QUOTIENT(name, scale, ftz_scale)                                                           \
  LANES_FN(name) {                                                                                 \
    const s_f32 *pa = LANES_SOURCE(f32, in->a), *pb = LANES_SOURCE(f32, in->b);                    \
    s_f32 *pd = LANES_SLOT(f32, in->d);                                                            \
    float dividend[SIMT_LANES];                                                                    \
    uint32_t divisor[SIMT_LANES], inverse[SIMT_LANES];                                             \
    const bool ftz = in->arithmetic.ftz;                                                           \
    LANES_FOR {                                                                                    \
      const float a = lanes_flush_if(ftz, pa[l]);                                                  \
      const float b = lanes_flush_if(ftz, pb[l]);                                                  \
      const float factor = ftz ? ftz_scale(b) : scale(b), scaled = a * factor;                     \
      dividend[l] = lanes_flush_if(ftz, scaled);                                                   \
      divisor[l] = lanes_bits_f32(b * factor);                                                     \
    }                                                                                              \
    mufu_rcp_lanes(divisor, inverse);                                                              \
    if (in->arithmetic.part == SIMT_QUOTIENT_DIVIDEND) {                                           \
      LANES_STORE(f32, (void)0, dividend[l]);                                                      \
    } else if (in->arithmetic.part == SIMT_QUOTIENT_INVERSE) {                                     \
      LANES_STORE(f32, (void)0, lanes_f32_of_bits(inverse[l]));                                    \
    } else if (ftz && quotient_is_least(inverse, dividend)) {                                      \
      for (int l = 0; l < SIMT_LANES; l++)                                                         \
        if (mask & lanes_bit[l]) pd[l] = flushed_quotient(inverse[l], dividend[l]);                \
    } else if (ftz) {                                                                              \
      LANES_STORE(f32, (void)0, lanes_flush_f32(quotient(inverse[l], dividend[l])));               \
    } else {                                                                                       \
      LANES_STORE(f32, (void)0, quotient(inverse[l], dividend[l]));                                \
    }                                                                                              \
  }

static inline float quotient(uint32_t inverse, float dividend) {
  return product(lanes_f32_of_bits(inverse), dividend);
}
static inline bool quotient_is_least(const uint32_t *inverse, const float *dividend) {
  uint32_t found = 0;
  for (int l = 0; l < SIMT_LANES; l++)
    found |= fabsf(quotient(inverse[l], dividend[l])) == 0x1p-126f;
  return found != 0;
}
static float flushed_quotient(uint32_t inverse, float dividend) {
  return lanes_flush_result(SIMT_OP_MUL, ISA_RN, quotient(inverse, dividend),
                            lanes_f32_of_bits(inverse), dividend, 0);
}
QUOTIENT(div_approx_f32, approx_scale, approx_ftz_scale)
QUOTIENT(div_full_f32, full_scale, full_ftz_scale)

// ---- doubles: the unit sees and gives the upper words; .ftz is all there is to them

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
