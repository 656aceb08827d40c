// SPDX-License-Identifier: MIT
// 11_exact_sum.h - what the two halves of lesson 11's suite share: inputs with every exponent, and
// a reference that is slow and plain. It counts every bit of every number by itself, and carries at
// the end; the cases from Python's whole numbers (exact_sum_cases.h) judge it, too.
#ifndef EXACT_SUM_SUITE_H
#define EXACT_SUM_SUITE_H

#include "inputs.h"
#include "judge.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

enum { LANES = WB_LANES };

extern const wb_suite exact_exercise;

// A variant of the exercise: the exact sum of |x|.
static inline bool sums_magnitudes(void) { return wb_judge_is_variant("magnitudes"); }

typedef struct exact_format {
  unsigned fraction, field_max, bytes; // bits of the fraction, the largest exponent field
} exact_format;
static const exact_format format_float = {23, 255, sizeof(float)};
static const exact_format format_double = {52, 2047, sizeof(double)};

static inline uint64_t bits_at(const exact_format *f, const void *x, size_t i) {
  uint64_t bits = 0; // the suites run on little-endian machines, like the devices
  memcpy(&bits, (const unsigned char *)x + i * f->bytes, f->bytes);
  return bits;
}

enum { PLACES = 2200 }; // bits of a sum, from the smallest subnormal's
typedef struct exact_sum {
  int64_t place[PLACES]; // how often 2^k, in units of the smallest subnormal
  bool nan, infinite[2], other_than_minus_zero;
} exact_sum;

static inline void exact_add(const exact_format *f, exact_sum *sum, uint64_t bits) {
  bool negative = bits >> (8 * f->bytes - 1) & 1;
  unsigned field = (unsigned)(bits >> f->fraction) & f->field_max;
  uint64_t significand = bits & ((UINT64_C(1) << f->fraction) - 1);
  if (field == f->field_max) {
    if (significand != 0) sum->nan = true;
    else sum->infinite[negative] = true;
    return;
  }
  if (!negative || field > 0 || significand != 0) sum->other_than_minus_zero = true;
  if (field > 0) significand |= UINT64_C(1) << f->fraction;
  for (unsigned k = 0; significand >> k != 0; k++)
    if (significand >> k & 1) sum->place[(field > 0 ? field - 1 : 0) + k] += negative ? -1 : 1;
}

// Carries so that every place is 0 or 1, of the absolute value; returns the sign.
static inline bool exact_carry(exact_sum *sum) {
  bool negative = false;
  for (unsigned pass = 0; pass < 2; pass++) {
    int64_t carry = 0;
    for (unsigned k = 0; k < PLACES; k++) {
      int64_t v = sum->place[k] + carry, bit = v & 1;
      sum->place[k] = bit;
      carry = (v - bit) / 2;
    }
    if (carry == 0) break;
    negative = true; // the places hold 2^PLACES + sum: 1 - place everywhere, and one more
    for (unsigned k = 0; k < PLACES; k++) sum->place[k] = 1 - sum->place[k];
    sum->place[0]++;
  }
  return negative;
}

// Bits of the nearest number, the even one of two. Uses the sum up.
static inline uint64_t exact_round(const exact_format *f, exact_sum *sum, bool empty) {
  const uint64_t infinity = (uint64_t)f->field_max << f->fraction;
  const uint64_t sign = UINT64_C(1) << (8 * f->bytes - 1);
  if (sum->nan || (sum->infinite[0] && sum->infinite[1]))
    return infinity | UINT64_C(1) << (f->fraction - 1);
  if (sum->infinite[0] || sum->infinite[1]) return infinity | (sum->infinite[1] ? sign : 0);
  bool negative = exact_carry(sum);
  int top = PLACES - 1;
  while (top >= 0 && sum->place[top] == 0) top--;
  if (top < 0) return sum->other_than_minus_zero || empty ? 0 : sign;
  int last = top > (int)f->fraction ? top - (int)f->fraction : 0;
  uint64_t bits = (uint64_t)last << f->fraction; // the leading 1 adds to the exponent field
  for (int k = top; k >= last; k--) bits += (uint64_t)sum->place[k] << (k - last);
  bool half = last > 0 && sum->place[last - 1], more = (bits & 1) != 0;
  for (int k = 0; k < last - 1; k++) more |= sum->place[k] != 0;
  bits += half && more ? 1 : 0;
  return (bits < infinity ? bits : infinity) | (negative ? sign : 0);
}

static inline uint64_t exact_sum_bits(wb_judge *judge, const exact_format *f, const void *x,
                                      size_t n) {
  exact_sum *sum = wb_judge_host(judge, sizeof *sum);
  for (size_t i = 0; i < n; i++) exact_add(f, sum, bits_at(f, x, i));
  return exact_round(f, sum, n == 0);
}

// Floats of every sign, exponent field low … high and significand.
static inline float *floats_between(wb_judge *judge, unsigned n, unsigned low, unsigned high) {
  float *x = wb_judge_host(judge, (n > 0 ? n : 1) * sizeof *x);
  uint64_t seed = wb_random(wb_judge_seed(judge), n * UINT64_C(65536) + low * 256 + high);
  for (unsigned i = 0; i < n; i++) {
    uint64_t random = wb_random(seed, i);
    uint32_t bits = (uint32_t)(random & 0x807fffffu);
    bits |= (low + (uint32_t)((random >> 32) % (high - low + 1))) << 23;
    memcpy(&x[i], &bits, sizeof bits);
  }
  return x;
}

// Another order of the same elements.
static inline void shuffle_elements(void *x, size_t n, size_t bytes, uint64_t seed) {
  unsigned char *at = x, spare[8];
  for (size_t i = n; i > 1; i--) {
    size_t other = wb_random(seed, i) % i;
    memcpy(spare, at + (i - 1) * bytes, bytes);
    memcpy(at + (i - 1) * bytes, at + other * bytes, bytes);
    memcpy(at + other * bytes, spare, bytes);
  }
}

#endif
