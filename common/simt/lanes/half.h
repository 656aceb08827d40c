// SPDX-License-Identifier: MIT
// lanes/half.h - f16 and bf16 as bits: to double exactly, from double with one rounding.
//
// All half arithmetic of the simulator is: widen exactly, compute in double so that nothing but
// the last rounding is inexact (simt_add_to_odd), round once. Header-only; used by the lane
// functions and by half-precision atomics.
// Invariants: any NaN comes out as 0x7fff, subnormals are kept.
#ifndef SIMT_HALF_H
#define SIMT_HALF_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "isa/isa.h"

#define SIMT_HALF_NAN 0x7fffu // what arithmetic gives for a NaN, of f16 and bf16 alike

static inline uint64_t simt_double_bits(double x) {
  uint64_t bits;
  memcpy(&bits, &x, sizeof bits);
  return bits;
}

static inline double simt_double_of(uint64_t bits) {
  double x;
  memcpy(&x, &bits, sizeof x);
  return x;
}

// Rounds x to a format with `mantissa` stored bits and least normal exponent `least` (-14 for f16,
// -126 for bf16 and f32); returns the bits of that format, `all_ones` exponent for infinity and
// `nan` for NaN. Subnormal doubles are below half of every such format's least subnormal.
static inline uint32_t simt_round_to_format(double x, int mantissa, int least, uint32_t nan,
                                            isa_rounding rounding) {
  const uint64_t bits = simt_double_bits(x);
  const bool negative = bits >> 63;
  const int exponent = (int)(bits >> 52 & 0x7ff) - 1023;
  const uint64_t fraction = bits & ((UINT64_C(1) << 52) - 1);
  const uint32_t infinity = (uint32_t)(2 * (1 - least) + 1) << mantissa;
  const uint32_t sign = negative ? (infinity + (UINT32_C(1) << mantissa)) : 0;
  if (exponent == 1024) return fraction ? nan : sign | infinity;
  if ((bits << 1) == 0) return sign;
  const uint64_t significand = exponent == -1023 ? fraction : fraction | UINT64_C(1) << 52;
  int shift = 52 - mantissa + (exponent < least ? least - exponent : 0);
  if (shift > 60) shift = 60; // all of it is remainder
  const uint64_t kept = significand >> shift;
  const uint64_t rest = significand & ((UINT64_C(1) << shift) - 1);
  const uint64_t half = UINT64_C(1) << (shift - 1);
  bool up = false;
  if (rounding == ISA_RN) up = rest > half || (rest == half && (kept & 1));
  if (rounding == ISA_RM) up = negative && rest != 0;
  if (rounding == ISA_RP) up = !negative && rest != 0;
  // A normal number's leading one adds 1 to the exponent field, so the field starts one lower.
  uint32_t result = (uint32_t)kept + (up ? 1u : 0u);
  if (exponent >= least) {
    if (exponent > 1 - least) result = infinity; // far too large already
    else result += (uint32_t)(exponent - least) << mantissa;
  }
  if (result >= infinity) {
    const bool stays_finite = rounding == ISA_RZ || rounding == (negative ? ISA_RP : ISA_RM);
    result = stays_finite ? infinity - 1 : infinity;
  }
  return sign | result;
}

static inline uint16_t simt_f16_of_double(double x, isa_rounding rounding) {
  return (uint16_t)simt_round_to_format(x, 10, -14, SIMT_HALF_NAN, rounding);
}

static inline uint16_t simt_bf16_of_double(double x, isa_rounding rounding) {
  return (uint16_t)simt_round_to_format(x, 7, -126, SIMT_HALF_NAN, rounding);
}

static inline float simt_float_of_double(double x, isa_rounding rounding) {
  const uint32_t bits = simt_round_to_format(x, 23, -126, 0x7fffffffu, rounding);
  float result;
  memcpy(&result, &bits, sizeof result);
  return result;
}

// Exact. Every f16 and bf16 is a float, too.
static inline float simt_float_of_f16(uint16_t half) {
  const uint32_t sign = (uint32_t)(half & 0x8000u) << 16;
  const uint32_t rest = half & 0x7fffu;
  // Shifted into place a half is a float 2^112 too small; the multiplication is exact and
  // normalises subnormals.
  uint32_t bits = rest << 13;
  float x;
  memcpy(&x, &bits, sizeof x);
  x *= 0x1p112f;
  memcpy(&bits, &x, sizeof bits);
  if (rest >= 0x7c00u) bits = 0x7f800000u;
  bits |= sign;
  if (rest > 0x7c00u) bits = 0x7fffffffu; // whatever its sign
  memcpy(&x, &bits, sizeof x);
  return x;
}

static inline float simt_float_of_bf16(uint16_t half) {
  uint32_t bits = (uint32_t)half << 16;
  if ((half & 0x7fffu) > 0x7f80u) bits = 0x7fffffffu;
  float x;
  memcpy(&x, &bits, sizeof x);
  return x;
}

// a + b rounded to odd: the nearest double on the far side keeps a 1 in its last place whenever
// the sum is inexact, so that rounding it once more to a format of at most 51 bits gives what
// rounding the exact sum would have given.
static inline double simt_add_to_odd(double a, double b) {
  const double sum = a + b;
  const double b_part = sum - a, a_part = sum - b_part;
  const double error = (a - a_part) + (b - b_part); // exact where sum is finite (Knuth)
  // Written without branches: loops of this are vectorised.
  const uint64_t bits = simt_double_bits(sum);
  const uint64_t error_sign = simt_double_bits(error) ^ bits; // top bit: the error points to zero
  const uint64_t away = error_sign >> 63 ? ~UINT64_C(0) : 1;
  const uint64_t step = bits & 1 ? 0 : away;
  const double odd = simt_double_of(bits + step);
  const double finite = fabs(error) > 0.0 ? odd : sum; // false for NaN, too
  return fabs(sum) <= 0x1.fffffffffffffp1023 ? finite : sum;
}

// x as a float rounded to odd, ready for one more rounding to a half. Branch-free, like the two
// functions below, so that loops of them are vectorised.
static inline float simt_float_to_odd(double x) {
  float result = (float)x;
  uint32_t bits;
  memcpy(&bits, &result, sizeof bits);
  const double size = fabs(x), rounded = fabs((double)result);
  const uint32_t away = size > rounded ? 1u : 0u, back = size < rounded ? 1u : 0u;
  bits += bits & 1 ? 0 : away - back; // a NaN is neither greater nor less
  memcpy(&result, &bits, sizeof result);
  return result;
}

// To nearest even; the result is in the low 16 bits.
static inline uint32_t simt_f16_of_float(float x) {
  uint32_t bits;
  memcpy(&bits, &x, sizeof bits);
  const uint32_t sign = bits >> 16 & 0x8000u, size = bits & 0x7fffffffu;
  // Normal: rebias the exponent and round at bit 13. A carry out of the mantissa is right as it is.
  const uint32_t normal = (size - ((127u - 15u) << 23) + 0xfffu + (size >> 13 & 1)) >> 13;
  // Subnormal: adding 1/2, whose last place is worth the least f16, makes the adder round.
  float magnitude;
  memcpy(&magnitude, &size, sizeof magnitude);
  const float shifted = magnitude + 0.5f;
  uint32_t tiny;
  memcpy(&tiny, &shifted, sizeof tiny);
  tiny -= 0x3f000000u;
  const uint32_t finite = size < 0x38800000u ? tiny : normal;
  const uint32_t rounded = size >= 0x47800000u ? 0x7c00u : finite;
  return size > 0x7f800000u ? SIMT_HALF_NAN : sign | rounded;
}

static inline uint32_t simt_bf16_of_float(float x) {
  uint32_t bits;
  memcpy(&bits, &x, sizeof bits);
  const uint32_t rounded = (bits + 0x7fffu + (bits >> 16 & 1)) >> 16;
  return (bits & 0x7fffffffu) > 0x7f800000u ? SIMT_HALF_NAN : rounded;
}

#endif
