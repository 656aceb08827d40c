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
// results. NaN is 0x7fffffff. Nothing branches on a value, so that a loop over lanes is vectorised.
#ifndef SIMT_MUFU_H
#define SIMT_MUFU_H

#include "lanes/half.h"

typedef struct mufu_interval {
  _Alignas(16) int32_t c0; // so that an interval is one load
  int32_t c1, c2;
} mufu_interval;

#include "lanes/mufu_tables.inc"

enum { MUFU_FRACTION = 17 }; // bits behind the unit of the result in the sums below

#define MUFU_NAN UINT32_C(0x7fffffff)
#define MUFU_INFINITY UINT32_C(0x7f800000)
#define MUFU_SIGN UINT32_C(0x80000000)
#define MUFU_MANTISSA UINT32_C(0x007fffff)

static inline uint32_t mufu_exponent(uint32_t bits) { return bits >> 23 & 255u; }
static inline bool mufu_is_nan(uint32_t bits) { return (bits & ~MUFU_SIGN) > MUFU_INFINITY; }

// Where an argument lies: in which interval, and x within it.
typedef struct mufu_place {
  uint32_t interval, x;
} mufu_place;

static inline mufu_place mufu_place_of(uint32_t first, uint32_t fraction, int width) {
  return (mufu_place){first + (fraction >> width), fraction & ((1u << width) - 1)};
}

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

// A whole number below 2^53, and so exact.
static inline double mufu_sum(mufu_interval c, double bias, uint32_t x, int width) {
  return c.c0 * (double)(1 << (MUFU_FRACTION - 3)) + bias +
         (double)c.c1 * (double)(int32_t)x * (double)(1 << (MUFU_FRACTION - width)) +
         (double)c.c2 * (double)(int32_t)mufu_square(x, width) * 2.0;
}

// The whole part of a sum that is not negative.
static inline uint32_t mufu_whole(double sum) {
  return (uint32_t)(int32_t)(sum * (1.0 / (1 << MUFU_FRACTION)));
}

// sum * 2^-scale, cut off behind 24 bits; a sum is not negative.
static inline uint32_t mufu_float(double sum, uint32_t scale, uint32_t sign) {
  const uint32_t bits = (uint32_t)(simt_double_bits(sum) >> 29) - ((1023 - 127 + scale) << 23);
  return sign | (sum == 0.0 ? 0 : bits);
}

// A function of the unit, made of two: NAME_place(a), and NAME_result(a, sum). mufu_NAME(a) is for
// one argument; mufu_NAME_lanes() for a warp's, in three loops of which the first and the last are
// vectorised: compilers make no good code of a lookup among other things.
#define MUFU_FUNCTION(name, intervals, bias, width)                                                \
  static inline uint32_t mufu_##name(uint32_t a) {                                                 \
    const mufu_place place = name##_place(a);                                                      \
    return name##_result(a, mufu_sum((intervals)[place.interval], bias, place.x, width));          \
  }                                                                                                \
  static inline void mufu_##name##_lanes(const uint32_t *a, uint32_t *d) {                         \
    uint32_t index[SIMT_LANES], x[SIMT_LANES];                                                     \
    mufu_interval found[SIMT_LANES];                                                               \
    for (int l = 0; l < SIMT_LANES; l++) {                                                         \
      const mufu_place place = name##_place(a[l]);                                                 \
      index[l] = place.interval;                                                                   \
      x[l] = place.x;                                                                              \
    }                                                                                              \
    for (int l = 0; l < SIMT_LANES; l++) found[l] = (intervals)[index[l]];                         \
    for (int l = 0; l < SIMT_LANES; l++)                                                           \
      d[l] = name##_result(a[l], mufu_sum(found[l], bias, x[l], width));                           \
  }

// ---- reciprocal

static inline mufu_place rcp_place(uint32_t a) { return mufu_place_of(0, a & MUFU_MANTISSA, 16); }

// sum: 1/m for the mantissa m, 1 included, in 2^-24.
static inline uint32_t rcp_result(uint32_t a, double sum) {
  const uint32_t sign = a & MUFU_SIGN, exponent = mufu_exponent(a), quotient = mufu_whole(sum);
  const uint32_t is_one = quotient >> 24; // of a power of two
  uint32_t d = sign | (253 + is_one - exponent) << 23 | (quotient >> is_one & MUFU_MANTISSA);
  d = exponent >= 253 + is_one ? sign : d; // of infinity, too
  d = exponent == 0 ? sign | MUFU_INFINITY : d;
  return mufu_is_nan(a) ? MUFU_NAN : d;
}
MUFU_FUNCTION(rcp, mufu_reciprocal_intervals, 8092, 16)

// ---- roots: of m, or of 2 m where the exponent is odd

static inline uint32_t root_doubles(uint32_t a) { return ~(a >> 23) & 1u; }
static inline mufu_place root_place(uint32_t a) {
  return mufu_place_of(root_doubles(a) << 6, a & MUFU_MANTISSA, 17);
}
static inline mufu_place rsq_place(uint32_t a) { return root_place(a); }
static inline mufu_place sqrt_place(uint32_t a) { return root_place(a); }

static inline uint32_t rsq_result(uint32_t a, double sum) {
  const uint32_t mantissa = a & MUFU_MANTISSA, exponent = mufu_exponent(a);
  const uint32_t is_doubled = root_doubles(a);
  const uint32_t half = (exponent + 127 - is_doubled) >> 1; // 127 + half of the exponent
  uint32_t d = (253 - half) << 23 | (mufu_whole(sum) & MUFU_MANTISSA);
  d = (mantissa | is_doubled) == 0 ? (254 - half) << 23 : d;
  d = exponent == 255 ? 0 : d;
  d = a & MUFU_SIGN ? MUFU_NAN : d;
  d = exponent == 0 ? (a & MUFU_SIGN) | MUFU_INFINITY : d;
  return mufu_is_nan(a) ? MUFU_NAN : d;
}
MUFU_FUNCTION(rsq, mufu_rsqrt_intervals, -2, 17)

static inline uint32_t sqrt_result(uint32_t a, double sum) {
  const uint32_t exponent = mufu_exponent(a);
  uint32_t d = (exponent + 127 - root_doubles(a)) >> 1 << 23 | (mufu_whole(sum) & MUFU_MANTISSA);
  d = exponent == 255 ? MUFU_INFINITY : d;
  d = a & MUFU_SIGN ? MUFU_NAN : d;
  d = exponent == 0 ? a & MUFU_SIGN : d;
  return mufu_is_nan(a) ? MUFU_NAN : d;
}
MUFU_FUNCTION(sqrt, mufu_root_intervals, -1, 17)

// ---- 2^x and log2

// The magnitude of `a` in 2^-`behind`, cut off; bits beyond the 32nd are lost.
static inline uint32_t mufu_fixed(uint32_t a, uint32_t behind) {
  const uint32_t significand = (a & MUFU_MANTISSA) | 0x800000u;
  const int32_t left = (int32_t)(mufu_exponent(a) + behind) - 150;
  const uint32_t larger = significand << (left < 0 ? 0 : left > 31 ? 31 : left);
  const uint32_t smaller = significand >> (left > 0 ? 0 : left < -31 ? 31 : -left);
  return left >= 0 ? larger : smaller;
}

// The argument is cut to 2^-23; the fraction of a negative one is complemented bit by bit.
static inline uint32_t ex2_is_complemented(uint32_t a, uint32_t fixed) {
  return (a & MUFU_SIGN) != 0 && (fixed & MUFU_MANTISSA) != 0;
}
static inline mufu_place ex2_place(uint32_t a) {
  const uint32_t fixed = mufu_fixed(a, 23);
  const uint32_t fraction = fixed ^ (0 - ex2_is_complemented(a, fixed));
  return mufu_place_of(0, fraction & MUFU_MANTISSA, 17);
}

static inline uint32_t ex2_result(uint32_t a, double sum) {
  const uint32_t fixed = mufu_fixed(a, 23), magnitude = fixed >> 23;
  const uint32_t whole = a & MUFU_SIGN ? 0 - magnitude - ex2_is_complemented(a, fixed) : magnitude;
  uint32_t d = (whole + 127) << 23 | (mufu_whole(sum) & MUFU_MANTISSA);
  d = (int32_t)whole <= -127 ? 0 : d;
  d = mufu_exponent(a) >= 134 ? (a & MUFU_SIGN ? 0 : MUFU_INFINITY) : d; // 128 and more
  return mufu_is_nan(a) ? MUFU_NAN : d;
}
MUFU_FUNCTION(ex2, mufu_exp2_intervals, 24456, 17)

static inline mufu_place lg2_place(uint32_t a) { return mufu_place_of(0, a & MUFU_MANTISSA, 17); }

// What is printed of arguments near 1 shows the sum itself: it has 36 bits behind the point, and a
// negative one is complemented bit by bit.
static inline uint32_t lg2_result(uint32_t a, double mantissa_sum) {
  enum { SCALE = 23 + MUFU_FRACTION, KEPT = 36 };
  const double cutter = 0x1.8p52 * (1 << (SCALE - KEPT)); // doubles near it are multiples of 16
  const uint32_t exponent = mufu_exponent(a);
  const double sum = mantissa_sum + (double)((int32_t)exponent - 128) * 0x1p40;
  const double cut = ((sum - 7.5) + cutter - cutter) * 0x1p-4; // the next multiple of 16 below
  uint32_t d = mufu_float(cut < 0 ? -1.0 - cut : cut, KEPT, cut < 0 ? MUFU_SIGN : 0);
  d = a == UINT32_C(0x3f800000) ? 0 : d;
  d = exponent == 255 ? MUFU_INFINITY : d;
  d = a & MUFU_SIGN ? MUFU_NAN : d;
  d = exponent == 0 ? MUFU_SIGN | MUFU_INFINITY : d;
  return mufu_is_nan(a) ? MUFU_NAN : d;
}
MUFU_FUNCTION(lg2, mufu_log2_intervals, 3348, 17)

// ---- sine and cosine, of revolutions

// Cut to 2^-25 of a revolution, of which two bits are the quadrant; in every other quadrant the
// angle is complemented bit by bit. A cosine is a sine a quarter further on.
static inline uint32_t wave_angle(uint32_t fixed, uint32_t further) {
  return (fixed ^ (0 - (((fixed >> 23) + further) & 1u))) & MUFU_MANTISSA;
}
static inline mufu_place wave_place(uint32_t a, uint32_t further) {
  return mufu_place_of(0, wave_angle(mufu_fixed(a, 25), further), 17);
}
static inline mufu_place sine_place(uint32_t a) { return wave_place(a, 0); }
static inline mufu_place cosine_place(uint32_t a) { return wave_place(a, 1); }

static inline uint32_t wave_result(uint32_t a, uint32_t further, double sum) {
  const uint32_t fixed = mufu_fixed(a, 25), quadrant = (fixed >> 23) + further;
  const uint32_t sign = (further ? 0 : a & MUFU_SIGN) ^ (quadrant & 2u) << 30;
  uint32_t d = mufu_float(sum, 24 + MUFU_FRACTION, sign);
  d = (quadrant & 1u) != 0 && (fixed & MUFU_MANTISSA) == 0 ? sign | UINT32_C(0x3f800000) : d;
  return mufu_exponent(a) == 255 ? MUFU_NAN : d;
}
static inline uint32_t sine_result(uint32_t a, double sum) { return wave_result(a, 0, sum); }
static inline uint32_t cosine_result(uint32_t a, double sum) { return wave_result(a, 1, sum); }
MUFU_FUNCTION(sine, mufu_sine_intervals, 0, 17)
MUFU_FUNCTION(cosine, mufu_sine_intervals, 0, 17)

// Revolutions of an angle in radians: a product rounded towards zero, as ptxas has it computed.
static inline uint32_t mufu_revolutions(uint32_t a) {
  const float angle = lanes_f32_of_bits(mufu_exponent(a) ? a : a & MUFU_SIGN);
  const double product = (double)angle * (double)0x1.45f306p-3f; // exact
  const float nearest = (float)product;
  const uint32_t bits = lanes_bits_f32(nearest);
  return fabs((double)nearest) > fabs(product) ? bits - 1 : bits;
}

// ---- tanh

// By exponent, from 2^-8: how many bits of the mantissa count, and the first of its intervals.
static const uint32_t mufu_tanh_parts[11][2] = {{17, 0},  {17, 1},  {17, 2},  {18, 3},
                                                {18, 5},  {19, 7},  {19, 11}, {19, 15},
                                                {20, 19}, {21, 27}, {20, 43}};

static inline mufu_place tanh_place(uint32_t a) {
  const uint32_t row = mufu_exponent(a) - (127 - 8), *part = mufu_tanh_parts[row > 10 ? 0 : row];
  return mufu_place_of(part[1], (a & MUFU_MANTISSA) >> (23 - part[0]), 17);
}

static inline uint32_t tanh_result(uint32_t a, double sum) {
  const uint32_t exponent = mufu_exponent(a), sign = a & MUFU_SIGN;
  uint32_t d = mufu_float(sum, 24 + MUFU_FRACTION, sign);
  d = exponent >= 127 + 3 ? sign | UINT32_C(0x3f800000) : d;
  d = exponent < 127 - 8 ? a : d;
  return mufu_is_nan(a) ? MUFU_NAN : d;
}
MUFU_FUNCTION(tanh, mufu_tanh_intervals, 0, 17)

// ---- the upper words of doubles: 20 bits of the mantissa go in and come out

static inline uint32_t mufu_rcp64h(uint32_t a) {
  const uint32_t sign = a & MUFU_SIGN, exponent = a >> 20 & 2047u, mantissa = a & 0xfffffu;
  if (exponent == 2047) return mantissa ? MUFU_NAN : sign;
  if (exponent == 0) return sign | UINT32_C(0x7ff00000);
  const mufu_place place = rcp_place(mantissa << 3);
  const uint32_t quotient =
      mufu_whole(mufu_sum(mufu_reciprocal_intervals[place.interval], 8092, place.x, 16));
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
  const uint32_t is_doubled = ~exponent & 1u;
  const uint32_t half = (exponent + 1023 - is_doubled) / 2;
  if (!mantissa && !is_doubled) return (2046 - half) << 20;
  const mufu_place place = mufu_place_of(is_doubled << 6, mantissa << 3, 17);
  const uint32_t root = mufu_whole(mufu_sum(mufu_rsqrt_intervals[place.interval], -2, place.x, 17));
  return (2045 - half) << 20 | (root >> 3 & 0xfffffu);
}
#endif
