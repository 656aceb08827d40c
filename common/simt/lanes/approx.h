// SPDX-License-Identifier: MIT
// lanes/approx.h - 2^x, log2, sine, cosine and tanh in double by fixed sequences of IEEE
// operations.
//
// Used for the .approx functions of single and half precision: relative error below 1e-14 (sine
// and cosine: absolute, for |x| < 2^20), far inside the hardware's bounds, and the same bits on
// every host because no mathematical library is involved (fmod and sqrt are exact).
#ifndef SIMT_APPROX_H
#define SIMT_APPROX_H

#include "lanes/half.h"

// Adding and subtracting this rounds a double below 2^51 to an integer, ties to even.
#define SIMT_ROUNDER 0x1.8p52

static inline double simt_exp2(double x) {
  const double held = x < -1000.0 ? -1000.0 : x > 1000.0 ? 1000.0 : x; // NaN stays
  const double shifted = held + SIMT_ROUNDER;
  const double r = (held - (shifted - SIMT_ROUNDER)) * 0x1.62e42fefa39efp-1; // * ln 2: |r| < 0.35
  double sum = 1.0 / 479001600.0; // Taylor series of e^r to r^12
  sum = sum * r + 1.0 / 39916800.0;
  sum = sum * r + 1.0 / 3628800.0;
  sum = sum * r + 1.0 / 362880.0;
  sum = sum * r + 1.0 / 40320.0;
  sum = sum * r + 1.0 / 5040.0;
  sum = sum * r + 1.0 / 720.0;
  sum = sum * r + 1.0 / 120.0;
  sum = sum * r + 1.0 / 24.0;
  sum = sum * r + 1.0 / 6.0;
  sum = sum * r + 0.5;
  sum = sum * r + 1.0;
  sum = sum * r + 1.0;
  const uint64_t exponent = simt_double_bits(shifted) - simt_double_bits(SIMT_ROUNDER);
  return x != x ? x : sum * simt_double_of((exponent + 1023) << 52);
}

// x is a float or a half, so never a subnormal double.
static inline double simt_log2(double x) {
  const uint64_t bits = simt_double_bits(x);
  // Mantissa in [sqrt(1/2), sqrt(2)): a logarithm near 0 has no cancellation.
  const uint64_t fraction = bits & ((UINT64_C(1) << 52) - 1);
  const uint64_t above = fraction > UINT64_C(0x6a09e667f3bcc) ? 1 : 0;
  const int64_t exponent = (int64_t)((bits >> 52 & 0x7ff) + above) - 1023;
  const double m = simt_double_of(fraction | (UINT64_C(1023) - above) << 52);
  const double s = (m - 1.0) / (m + 1.0), s2 = s * s;
  double sum = 1.0 / 19.0; // atanh series: |s| < 0.1716
  sum = sum * s2 + 1.0 / 17.0;
  sum = sum * s2 + 1.0 / 15.0;
  sum = sum * s2 + 1.0 / 13.0;
  sum = sum * s2 + 1.0 / 11.0;
  sum = sum * s2 + 1.0 / 9.0;
  sum = sum * s2 + 1.0 / 7.0;
  sum = sum * s2 + 1.0 / 5.0;
  sum = sum * s2 + 1.0 / 3.0;
  sum = sum * s2 + 1.0;
  const double result = (double)exponent + sum * s * 0x1.71547652b82fep+1; // 2 / ln 2
  if (x == 0.0) return -HUGE_VAL;
  if (!(x > 0.0)) return x != x ? x : NAN;
  return x > 0x1.fffffffffffffp1023 ? x : result;
}

// x = quadrant * pi/2 + r with |r| <= pi/4; pi/2 in three parts of 33 bits, so that their products
// with a quadrant below 2^20 are exact. Beyond that, whole periods are subtracted first, with a
// rounded pi: the hardware guarantees nothing there either.
static inline double simt_reduce(double x, uint32_t *quadrant) {
  if (fabs(x) > 0x1p20) x = fmod(x, 0x1.921fb54442d18p+2);
  const double shifted = x * 0x1.45f306dc9c883p-1 + SIMT_ROUNDER; // * 2 / pi
  const double k = shifted - SIMT_ROUNDER;
  *quadrant = (uint32_t)simt_double_bits(shifted) & 3u;
  const double part_1 = 0x1.921fb544p+0, part_2 = 0x1.0b4611a6p-34, part_3 = 0x1.3198a2e037073p-69;
  return ((x - k * part_1) - k * part_2) - k * part_3;
}

static inline double simt_sine_near_zero(double r) {
  const double r2 = r * r;
  double sum = 1.0 / 355687428096000.0; // Taylor series to r^17
  sum = sum * r2 - 1.0 / 1307674368000.0;
  sum = sum * r2 + 1.0 / 6227020800.0;
  sum = sum * r2 - 1.0 / 39916800.0;
  sum = sum * r2 + 1.0 / 362880.0;
  sum = sum * r2 - 1.0 / 5040.0;
  sum = sum * r2 + 1.0 / 120.0;
  sum = sum * r2 - 1.0 / 6.0;
  return sum * r2 * r + r;
}

static inline double simt_cosine_near_zero(double r) {
  const double r2 = r * r;
  double sum = 1.0 / 20922789888000.0; // Taylor series to r^16
  sum = sum * r2 - 1.0 / 87178291200.0;
  sum = sum * r2 + 1.0 / 479001600.0;
  sum = sum * r2 - 1.0 / 3628800.0;
  sum = sum * r2 + 1.0 / 40320.0;
  sum = sum * r2 - 1.0 / 720.0;
  sum = sum * r2 + 1.0 / 24.0;
  sum = sum * r2 - 0.5;
  return sum * r2 + 1.0;
}

static inline double simt_quadrant(double x, uint32_t further) {
  if (!(fabs(x) <= 0x1.fffffffffffffp1023)) return NAN; // infinity and NaN
  uint32_t quadrant;
  const double r = simt_reduce(x, &quadrant);
  quadrant += further;
  const double d = quadrant & 1 ? simt_cosine_near_zero(r) : simt_sine_near_zero(r);
  return quadrant & 2 ? -d : d;
}

static inline double simt_sine(double x) { return x == 0.0 ? x : simt_quadrant(x, 0); }
static inline double simt_cosine(double x) { return simt_quadrant(x, 1); }

static inline double simt_tanh(double x) {
  const double size = fabs(x);
  if (size < 0x1p-20) return x; // tanh x = x - x^3/3: the difference is below the result's ulp
  const double e = simt_exp2(size * -0x1.71547652b82fep+1); // e^(-2|x|)
  const double d = (1.0 - e) / (1.0 + e);
  return x < 0.0 ? -d : d;
}

#endif
