// SPDX-License-Identifier: MIT
// lanes/half_ops.c - lane functions of f16 and bf16 arithmetic, single and packed.
//
// Every operation widens exactly, is exact (or rounded to odd) in double and rounds once, to
// nearest (lanes/half.h). A packed operation is the single one on both halves of a 32-bit register.
// Invariants: a NaN result is 0x7fff in either format; .ftz (f16 only) flushes subnormal operands,
// and results that would be subnormal if the exponent range were unlimited (as an H200 does; the
// PTX ISA does not say), to zeros of their sign; .sat clamps to [0, 1] with NaN to +0, .relu to [0,
// infinity] and keeps NaN. Source: PTX ISA 9.7.4.
#include "lanes/half.h"
#include "lanes/lanes.h"
#include "lanes/mufu.h"

typedef struct half_format {
  uint32_t infinity;     // bits of it; a greater magnitude is a NaN
  uint32_t least_normal; // bits of it
  uint32_t lifted_least; // bits of 2^12 times it
  uint32_t one;
} half_format;

static const half_format format_f16 = {0x7c00, 0x0400, 0x3400, 0x3c00};
static const half_format format_bf16 = {0x7f80, 0x0080, 0x0680, 0x3f80};

static inline uint32_t flush_half(uint32_t x, const half_format *format, bool flush) {
  return flush && (x & 0x7fffu) < format->least_normal ? x & 0x8000u : x;
}

// `lifted`: 2^12 times what was rounded to x, rounded: never to a subnormal spacing near the least
// normal number.
static inline uint32_t finish_half(uint32_t x, uint32_t lifted, const half_format *format,
                                   const simt_instr *in) {
  if (in->arithmetic.ftz && (lifted & 0x7fffu) < format->lifted_least) x &= 0x8000u;
  if (!in->arithmetic.saturate) return x;
  if ((x & 0x8000u) || x > format->infinity) return 0;
  return x > format->one ? format->one : x;
}

static inline double widen_f16(uint32_t x) { return simt_float_of_f16((uint16_t)x); }
static inline double widen_bf16(uint32_t x) { return simt_float_of_bf16((uint16_t)x); }
static inline uint32_t round_f16(double x) { return simt_f16_of_float(simt_float_to_odd(x)); }
static inline uint32_t round_bf16(double x) { return simt_bf16_of_float(simt_float_to_odd(x)); }

static inline double sum(double a, double b) { return simt_add_to_odd(a, b); }
static inline double difference(double a, double b) { return simt_add_to_odd(a, -b); }
static inline double product(double a, double b) { return a * b; }
static inline double fused(double a, double b, double c) { return simt_add_to_odd(a * b, c); }

// name_T and name_Tx2 from an expression `value` in the doubles a, b, c: without flags, which
// vectorises, and with them.
#define HALF_OPERATION(name, T, value)                                                             \
  static inline uint32_t name##_plain_##T(uint32_t a16, uint32_t b16, uint32_t c16) {              \
    const double a = widen_##T(a16), b = widen_##T(b16), c = widen_##T(c16);                       \
    (void)b, (void)c;                                                                              \
    return round_##T(value);                                                                       \
  }                                                                                                \
  static inline uint32_t name##_one_##T(uint32_t a16, uint32_t b16, uint32_t c16,                  \
                                        const simt_instr *in) {                                    \
    if (!in->arithmetic.ftz && !in->arithmetic.saturate) return name##_plain_##T(a16, b16, c16);   \
    const double a = widen_##T(flush_half(a16 & 0xffffu, &format_##T, in->arithmetic.ftz));        \
    const double b = widen_##T(flush_half(b16 & 0xffffu, &format_##T, in->arithmetic.ftz));        \
    const double c = widen_##T(flush_half(c16 & 0xffffu, &format_##T, in->arithmetic.ftz));        \
    (void)b, (void)c;                                                                              \
    const double exact = value;                                                                    \
    return finish_half(round_##T(exact), round_##T(exact * 0x1p12), &format_##T, in);              \
  }                                                                                                \
  HALF_FAST_LANES(name##_##T, name##_one_##T, name##_plain_##T)

// Operands that an instruction lacks are read from its first one.
#define HALF_LANES(name, one)                                                                      \
  LANES_FN(name) {                                                                                 \
    HALF_SOURCES                                                                                   \
    LANES_STORE(u32, (void)0, one(pa[l], pb[l], pc[l], in));                                       \
  }                                                                                                \
  LANES_FN(name##x2) {                                                                             \
    HALF_SOURCES                                                                                   \
    LANES_STORE(u32, (void)0,                                                                      \
                one(pa[l], pb[l], pc[l], in) | one(pa[l] >> 16, pb[l] >> 16, pc[l] >> 16, in)      \
                                                   << 16);                                         \
  }
#define HALF_FAST_LANES(name, one, plain)                                                          \
  LANES_FN(name) {                                                                                 \
    HALF_SOURCES                                                                                   \
    if (in->arithmetic.ftz || in->arithmetic.saturate)                                             \
      LANES_STORE(u32, (void)0, one(pa[l], pb[l], pc[l], in));                                     \
    else LANES_STORE(u32, (void)0, plain(pa[l], pb[l], pc[l]));                                    \
  }                                                                                                \
  LANES_FN(name##x2) {                                                                             \
    HALF_SOURCES                                                                                   \
    if (in->arithmetic.ftz || in->arithmetic.saturate) {                                           \
      LANES_STORE(u32, (void)0,                                                                    \
                  one(pa[l], pb[l], pc[l], in) | one(pa[l] >> 16, pb[l] >> 16, pc[l] >> 16, in)    \
                                                     << 16);                                       \
    } else {                                                                                       \
      LANES_STORE(u32, (void)0,                                                                    \
                  plain(pa[l], pb[l], pc[l]) | plain(pa[l] >> 16, pb[l] >> 16, pc[l] >> 16)        \
                                                   << 16);                                         \
    }                                                                                              \
  }
#define HALF_SOURCES                                                                               \
  s_u32 *pd = LANES_SLOT(u32, in->d);                                                              \
  const s_u32 *pa = LANES_SOURCE(u32, in->a);                                                      \
  const s_u32 *pb = in->b == SIMT_NO_SLOT ? pa : LANES_SOURCE(u32, in->b);                         \
  const s_u32 *pc = in->c == SIMT_NO_SLOT ? pa : LANES_SOURCE(u32, in->c);

#define HALF_OPERATIONS(T)                                                                         \
  HALF_OPERATION(add, T, sum(a, b))                                                                \
  HALF_OPERATION(sub, T, difference(a, b))                                                         \
  HALF_OPERATION(mul, T, product(a, b))                                                            \
  HALF_OPERATION(fma, T, fused(a, b, c))
HALF_OPERATIONS(f16)
HALF_OPERATIONS(bf16)

// The multi-function unit computes in single precision and cuts off what the format has not.
static inline uint32_t cut_f16(uint32_t bits) {
  const uint32_t sign = bits >> 16 & 0x8000u, exponent = mufu_exponent(bits);
  if (mufu_is_nan(bits)) return SIMT_HALF_NAN;
  if (exponent >= 127 + 16) return sign | 0x7c00u;
  if (exponent >= 127 - 14) return sign | (exponent - 112) << 10 | (bits & MUFU_MANTISSA) >> 13;
  if (exponent < 127 - 24) return sign;
  return sign | ((bits & MUFU_MANTISSA) | 0x800000u) >> (126 - exponent);
}
static inline uint32_t cut_bf16(uint32_t bits) {
  return mufu_is_nan(bits) ? SIMT_HALF_NAN : bits >> 16;
}
#define HALF_FUNCTION(name, T, function)                                                           \
  static inline uint32_t name##_one_##T(uint32_t a16, uint32_t b16, uint32_t c16,                  \
                                        const simt_instr *in) {                                    \
    (void)b16, (void)c16, (void)in;                                                                \
    return cut_##T(function(lanes_bits_f32((float)widen_##T(a16 & 0xffffu))));                     \
  }                                                                                                \
  HALF_LANES(name##_##T, name##_one_##T)
HALF_FUNCTION(ex2_approx, f16, mufu_ex2)
HALF_FUNCTION(ex2_approx, bf16, mufu_ex2)
HALF_FUNCTION(tanh_approx, f16, mufu_tanh)
HALF_FUNCTION(tanh_approx, bf16, mufu_tanh)

static inline uint32_t rectified(uint32_t x, const half_format *format) {
  if ((x & 0x7fffu) > format->infinity) return SIMT_HALF_NAN;
  return x & 0x8000u ? 0 : x;
}
#define HALF_RECTIFIED(T)                                                                          \
  static inline uint32_t fma_relu_one_##T(uint32_t a, uint32_t b, uint32_t c,                      \
                                          const simt_instr *in) {                                  \
    return rectified(fma_one_##T(a, b, c, in), &format_##T);                                       \
  }                                                                                                \
  HALF_LANES(fma_relu_##T, fma_relu_one_##T)
HALF_RECTIFIED(f16)
HALF_RECTIFIED(bf16)

// ---- sign bits

static inline uint32_t flush_halves(uint32_t x, const simt_instr *in) {
  return flush_half(x & 0xffffu, &format_f16, in->arithmetic.ftz) |
         flush_half(x >> 16, &format_f16, in->arithmetic.ftz) << 16;
}

// A NaN becomes the canonical one, as an H100 was seen to make it.
static inline uint32_t negated(uint32_t x, const half_format *format) {
  return (x & 0x7fffu) > format->infinity ? 0x7fffu : x ^ 0x8000u;
}
static inline uint32_t magnitude(uint32_t x, const half_format *format) {
  return (x & 0x7fffu) > format->infinity ? 0x7fffu : x & 0x7fffu;
}
#define HALF_SIGN(name, what, T)                                                                   \
  LANES_UNARY(name##_##T, u16, u16, flush_halves(what(a, &format_##T), in))                        \
  LANES_UNARY(name##_##T##x2, u32, u32,                                                            \
              flush_halves(what(a & 0xffffu, &format_##T) | what(a >> 16, &format_##T) << 16, in))
HALF_SIGN(neg, negated, f16)
HALF_SIGN(neg, negated, bf16)
HALF_SIGN(abs, magnitude, f16)
HALF_SIGN(abs, magnitude, bf16)

// ---- minimum, maximum: on the bits, ordered as sign-magnitude integers (so -0 is below +0)

static inline int32_t rank_of(uint32_t x) {
  return x & 0x8000u ? -(int32_t)(x & 0x7fffu) - 1 : (int32_t)x;
}

typedef struct pick_rule {
  bool larger, nan_wins, xorsign;
} pick_rule;

static inline uint32_t pick_half(uint32_t a, uint32_t b, const half_format *format, pick_rule rule,
                                 const simt_instr *in) {
  a = flush_half(a & 0xffffu, format, in->arithmetic.ftz);
  b = flush_half(b & 0xffffu, format, in->arithmetic.ftz);
  const bool a_nan = (a & 0x7fffu) > format->infinity, b_nan = (b & 0x7fffu) > format->infinity;
  const uint32_t sign = (a ^ b) & 0x8000u;
  if (rule.xorsign) a &= 0x7fffu, b &= 0x7fffu;
  if (rule.nan_wins ? a_nan || b_nan : a_nan && b_nan) return SIMT_HALF_NAN;
  const bool a_first = rule.larger ? rank_of(a) >= rank_of(b) : rank_of(a) <= rank_of(b);
  const uint32_t picked = a_nan ? b : b_nan || a_first ? a : b;
  return rule.xorsign ? picked | sign : picked;
}

#define HALF_PICK(name, T, ...)                                                                    \
  static inline uint32_t name##_one_##T(uint32_t a, uint32_t b, uint32_t c,                        \
                                        const simt_instr *in) {                                    \
    (void)c;                                                                                       \
    return pick_half(a, b, &format_##T, (pick_rule){__VA_ARGS__}, in);                             \
  }                                                                                                \
  HALF_LANES(name##_##T, name##_one_##T)
#define HALF_PICKS(T)                                                                              \
  HALF_PICK(min, T, false, false, false)                                                           \
  HALF_PICK(max, T, true, false, false)                                                            \
  HALF_PICK(min_nan, T, false, true, false)                                                        \
  HALF_PICK(max_nan, T, true, true, false)                                                         \
  HALF_PICK(min_xorsign, T, false, false, true)                                                    \
  HALF_PICK(max_xorsign, T, true, false, true)                                                     \
  HALF_PICK(min_nan_xorsign, T, false, true, true)                                                 \
  HALF_PICK(max_nan_xorsign, T, true, true, true)
HALF_PICKS(f16)
HALF_PICKS(bf16)
