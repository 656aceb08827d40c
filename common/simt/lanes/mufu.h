// SPDX-License-Identifier: MIT
// lanes/mufu.h - the multi-function unit (MUFU): reciprocal, roots, 2^x, log2, sine, cosine and
// tanh in single precision with the bits that an H100 gives. The .approx instructions are made of
// it, and with them expf(), sinf() and the rest of CUDA's mathematics.
//
// The unit splits its argument: the leading bits choose an interval, x are the others, and the
// result is c0 + c1 x + c2 x^2 in fixed point, cut off behind 24 bits (S. F. Oberman and M. Y. Siu,
// "A high-performance area-efficient multifunction interpolator", ARITH-17, 2005). The square is a
// truncated one: of its partial products only those of 2^-15 and more are summed. Coefficients,
// biases and what becomes of an argument before it is split are inferred: an H100 printed the
// result for each of the 2^23 arguments of an exponent, and for each of 580 intervals exactly one
// pair of c1 and c2 explains all of them. All 2^32 arguments of each function then agree with the
// H100; tests/simt/programs/approximations.cu holds every 1021st of them.
//
// Operands and results are bit patterns of floats. Subnormal numbers count as zero, also as
// results. NaN is 0x7fffffff.
#ifndef SIMT_MUFU_H
#define SIMT_MUFU_H

#include "lanes/half.h"

typedef struct mufu_interval {
  int32_t c0, c1, c2;
} mufu_interval;

#include "lanes/mufu_tables.inc"

enum { MUFU_FRACTION = 17 }; // bits behind the unit of the result in the sums below

#define MUFU_NAN UINT32_C(0x7fffffff)
#define MUFU_INFINITY UINT32_C(0x7f800000)
#define MUFU_SIGN UINT32_C(0x80000000)
#define MUFU_MANTISSA UINT32_C(0x007fffff)

static inline uint32_t mufu_exponent(uint32_t bits) { return bits >> 23 & 255u; }
static inline bool mufu_is_nan(uint32_t bits) { return (bits & ~MUFU_SIGN) > MUFU_INFINITY; }

// x^2 of a fraction x of `width` bits, 16 or 17, in 2^-15: row p of the partial products begins
// with the square of bit p and ends at 2^-15.
static inline uint32_t mufu_square(uint32_t x, int width) {
  uint32_t sum = 0;
  for (int p = 1; p <= 7; p++) {
    const uint32_t row =
        (x >> (width - 16 + p) & ((1u << (16 - 2 * p)) - 1)) + (1u << (15 - 2 * p));
    sum += x >> (width - p) & 1 ? row : 0;
  }
  return sum;
}

static inline int64_t mufu_sum(const mufu_interval *c, int64_t bias, uint32_t x, int width) {
  return (int64_t)c->c0 * (1 << (MUFU_FRACTION - 3)) + bias +
         (int64_t)c->c1 * x * (1 << (MUFU_FRACTION - width)) +
         (int64_t)c->c2 * mufu_square(x, width) * 2;
}

// The interval of a mantissa of 23 bits, of which 17 are x.
static inline int64_t mufu_sum_17(const mufu_interval *intervals, int64_t bias, uint32_t mantissa) {
  return mufu_sum(&intervals[mantissa >> 17], bias, mantissa & 0x1ffffu, 17);
}

// sum * 2^-scale, cut off behind 24 bits.
static inline uint32_t mufu_float(int64_t sum, int scale, uint32_t sign) {
  if (!sum) return sign;
  const int top = 63 - __builtin_clzll((unsigned long long)sum);
  const uint32_t mantissa = (uint32_t)(top >= 23 ? sum >> (top - 23) : sum << (23 - top));
  return sign | (uint32_t)(127 + top - scale) << 23 | (mantissa & MUFU_MANTISSA);
}

// 1/m for m = 1 + mantissa/2^23, in 2^-24.
static inline uint32_t mufu_reciprocal_of(uint32_t mantissa) {
  return (uint32_t)(mufu_sum(&mufu_reciprocal_intervals[mantissa >> 16], 8092, mantissa & 0xffffu,
                             16) >>
                    MUFU_FRACTION);
}

static inline uint32_t mufu_rcp(uint32_t a) {
  const uint32_t sign = a & MUFU_SIGN, exponent = mufu_exponent(a);
  if (mufu_is_nan(a)) return MUFU_NAN;
  if (exponent == 255) return sign;
  if (exponent == 0) return sign | MUFU_INFINITY;
  const uint32_t quotient = mufu_reciprocal_of(a & MUFU_MANTISSA);
  const uint32_t is_one = quotient >> 24; // of a power of two
  if (exponent >= 253 + is_one) return sign;
  return sign | (253 + is_one - exponent) << 23 | (quotient >> is_one & MUFU_MANTISSA);
}

// 1/sqrt(m) for m = 1 + mantissa/2^23, or for 2 m, in 2^-24. For m = 1 itself it is not asked.
static inline uint32_t mufu_rsqrt_of(uint32_t mantissa, bool is_doubled) {
  return (uint32_t)(mufu_sum_17(mufu_rsqrt_intervals + (is_doubled ? 64 : 0), -2, mantissa) >>
                    MUFU_FRACTION);
}

static inline uint32_t mufu_rsq(uint32_t a) {
  const uint32_t mantissa = a & MUFU_MANTISSA, exponent = mufu_exponent(a);
  if (mufu_is_nan(a)) return MUFU_NAN;
  if (exponent == 0) return (a & MUFU_SIGN) | MUFU_INFINITY;
  if (a & MUFU_SIGN) return MUFU_NAN;
  if (exponent == 255) return 0;
  const bool is_doubled = !(exponent & 1);
  const uint32_t half = (exponent + 127 - is_doubled) / 2; // 127 + half of the exponent
  if (!mantissa && !is_doubled) return (254 - half) << 23;
  return (253 - half) << 23 | (mufu_rsqrt_of(mantissa, is_doubled) & MUFU_MANTISSA);
}

static inline uint32_t mufu_sqrt(uint32_t a) {
  const uint32_t exponent = mufu_exponent(a);
  if (mufu_is_nan(a)) return MUFU_NAN;
  if (exponent == 0) return a & MUFU_SIGN;
  if (a & MUFU_SIGN) return MUFU_NAN;
  if (exponent == 255) return MUFU_INFINITY;
  const bool is_doubled = !(exponent & 1);
  const int64_t sum =
      mufu_sum_17(mufu_root_intervals + (is_doubled ? 64 : 0), -1, a & MUFU_MANTISSA);
  return (exponent + 127 - is_doubled) / 2 << 23 |
         ((uint32_t)(sum >> MUFU_FRACTION) & MUFU_MANTISSA);
}

// The argument is cut to 2^-23; the fraction of a negative one is complemented bit by bit.
static inline uint32_t mufu_ex2(uint32_t a) {
  const uint32_t exponent = mufu_exponent(a);
  if (mufu_is_nan(a)) return MUFU_NAN;
  if (exponent >= 134) return a & MUFU_SIGN ? 0 : MUFU_INFINITY; // 128 and more
  const uint32_t significand = (a & MUFU_MANTISSA) | 0x800000u;
  const uint32_t fixed = exponent >= 127  ? significand << (exponent - 127)
                         : exponent > 103 ? significand >> (127 - exponent)
                                          : 0;
  int32_t whole = (int32_t)(fixed >> 23);
  uint32_t fraction = fixed & MUFU_MANTISSA;
  if (a & MUFU_SIGN) {
    whole = fraction ? -1 - whole : -whole;
    fraction = fraction ? ~fraction & MUFU_MANTISSA : 0;
  }
  if (whole <= -127) return 0;
  const int64_t sum = mufu_sum_17(mufu_exp2_intervals, 24456, fraction);
  return (uint32_t)(whole + 127) << 23 | ((uint32_t)(sum >> MUFU_FRACTION) & MUFU_MANTISSA);
}

// What is printed of arguments near 1 shows the sum itself: it has 36 bits behind the point, and a
// negative one is complemented bit by bit.
static inline uint32_t mufu_lg2(uint32_t a) {
  enum { SCALE = 23 + MUFU_FRACTION, KEPT = 36 };
  const uint32_t exponent = mufu_exponent(a);
  if (mufu_is_nan(a)) return MUFU_NAN;
  if (exponent == 0) return MUFU_SIGN | MUFU_INFINITY;
  if (a & MUFU_SIGN) return MUFU_NAN;
  if (exponent == 255) return MUFU_INFINITY;
  if (a == UINT32_C(0x3f800000)) return 0;
  const int64_t sum = (mufu_sum_17(mufu_log2_intervals, 3348, a & MUFU_MANTISSA) +
                       ((int64_t)exponent - 128) * (INT64_C(1) << SCALE)) >>
                      (SCALE - KEPT);
  return sum < 0 ? mufu_float(~sum, KEPT, MUFU_SIGN) : mufu_float(sum, KEPT, 0);
}

// Sine of `a` revolutions, a quarter of one further on for the cosine: cut to 2^-25 of a
// revolution, of which two bits are the quadrant. In every other quadrant the angle is complemented
// bit by bit.
static inline uint32_t mufu_wave(uint32_t a, uint32_t further) {
  const uint32_t exponent = mufu_exponent(a);
  if (exponent == 255) return MUFU_NAN;
  const uint32_t significand = (a & MUFU_MANTISSA) | 0x800000u;
  const uint32_t fixed = exponent >= 125 + 25 ? 0 // whole revolutions
                         : exponent >= 125    ? significand << (exponent - 125)
                         : exponent > 101     ? significand >> (125 - exponent)
                                              : 0;
  const uint32_t quadrant = ((fixed >> 23) + further) & 3u;
  uint32_t sign = further ? 0 : a & MUFU_SIGN, angle = fixed & MUFU_MANTISSA;
  if (quadrant & 2) sign ^= MUFU_SIGN;
  if (quadrant & 1) {
    if (!angle) return sign | UINT32_C(0x3f800000);
    angle = ~angle & MUFU_MANTISSA;
  }
  return mufu_float(mufu_sum_17(mufu_sine_intervals, 0, angle), 24 + MUFU_FRACTION, sign);
}

// Revolutions of an angle in radians: a product rounded towards zero, as ptxas has it computed.
static inline uint32_t mufu_revolutions(uint32_t a) {
  const float angle = lanes_f32_of_bits(mufu_exponent(a) ? a : a & MUFU_SIGN);
  const double product = (double)angle * (double)0x1.45f306p-3f; // exact
  const float nearest = (float)product;
  const uint32_t bits = lanes_bits_f32(nearest);
  return fabs((double)nearest) > fabs(product) ? bits - 1 : bits;
}
static inline uint32_t mufu_sin(uint32_t a) { return mufu_wave(mufu_revolutions(a), 0); }
static inline uint32_t mufu_cos(uint32_t a) { return mufu_wave(mufu_revolutions(a), 1); }

// By exponent, from 2^-8: how many bits of the mantissa count, and the first of its intervals.
static const uint8_t mufu_tanh_parts[11][2] = {{17, 0},  {17, 1},  {17, 2},  {18, 3},
                                               {18, 5},  {19, 7},  {19, 11}, {19, 15},
                                               {20, 19}, {21, 27}, {20, 43}};

static inline uint32_t mufu_tanh(uint32_t a) {
  const uint32_t exponent = mufu_exponent(a), sign = a & MUFU_SIGN;
  if (mufu_is_nan(a)) return MUFU_NAN;
  if (exponent < 127 - 8) return a;
  if (exponent >= 127 + 3) return sign | UINT32_C(0x3f800000);
  const uint8_t *part = mufu_tanh_parts[exponent - (127 - 8)];
  const uint32_t kept = (a & MUFU_MANTISSA) >> (23 - part[0]);
  return mufu_float(mufu_sum_17(mufu_tanh_intervals + part[1], 0, kept), 24 + MUFU_FRACTION, sign);
}

// The upper words of doubles: 20 bits of the mantissa go in and come out.
static inline uint32_t mufu_rcp64h(uint32_t a) {
  const uint32_t sign = a & MUFU_SIGN, exponent = a >> 20 & 2047u, mantissa = a & 0xfffffu;
  if (exponent == 2047) return mantissa ? MUFU_NAN : sign;
  if (exponent == 0) return sign | UINT32_C(0x7ff00000);
  const uint32_t quotient = mufu_reciprocal_of(mantissa << 3);
  const uint32_t is_one = quotient >> 24;
  if (exponent >= 2045 + is_one) return sign;
  return sign | (2045 + is_one - exponent) << 20 | (quotient >> is_one >> 3 & 0xfffffu);
}

static inline uint32_t mufu_rsq64h(uint32_t a) {
  const uint32_t exponent = a >> 20 & 2047u, mantissa = a & 0xfffffu;
  if (exponent == 2047 && mantissa) return MUFU_NAN;
  if (exponent == 0) return (a & MUFU_SIGN) | UINT32_C(0x7ff00000);
  if (a & MUFU_SIGN) return MUFU_NAN;
  if (exponent == 2047) return 0;
  const bool is_doubled = !(exponent & 1);
  const uint32_t half = (exponent + 1023 - is_doubled) / 2;
  if (!mantissa && !is_doubled) return (2046 - half) << 20;
  return (2045 - half) << 20 | (mufu_rsqrt_of(mantissa << 3, is_doubled) >> 3 & 0xfffffu);
}
#endif
