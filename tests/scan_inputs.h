// SPDX-License-Identifier: MIT
// scan_inputs.h - what suites 09 and 10 share: block sizes, inputs of scans and compactions, and
// when a scanned value is right.
#ifndef SCAN_INPUTS_H
#define SCAN_INPUTS_H

#include "inputs.h"
#include "judge.h"

#include <math.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

enum { LANES = WB_LANES };

static const unsigned blocks[] = {256, 32, 96, 64, 512, 1024};

// Values that a scan must carry to the right places and nowhere else.
static const float special_values[] = {NAN, INFINITY, -INFINITY, -0.0f};

// How many parts of `per_part` elements n elements take: one at least.
static inline unsigned parts_for(unsigned n, unsigned per_part) {
  unsigned parts = n / per_part + (n % per_part != 0);
  return parts ? parts : 1;
}

// A variant of exercises 09 and 10 keeps the elements that are smaller than t.
static inline bool keeps_smaller(void) { return wb_judge_is_variant("below"); }
static inline bool is_kept(float x, float t) { return keeps_smaller() ? x < t : x > t; }

// The case in which the same elements are kept: there all values are negated.
static inline const float *values_for_variant(wb_judge *judge, const float *x, unsigned n) {
  if (!keeps_smaller()) return x;
  float *other = wb_judge_host(judge, n * sizeof *other);
  for (unsigned i = 0; i < n; i++) other[i] = -x[i];
  return other;
}
static inline float threshold_for_variant(float t) { return keeps_smaller() ? -t : t; }

static inline bool is_poison(float value) {
  uint32_t bits;
  memcpy(&bits, &value, sizeof bits);
  return bits == WB_POISON;
}

static inline bool is_right(double expected, double got, double bound) {
  if (isnan(expected)) return isnan(got);
  return isinf(expected) ? got == expected : fabs(got - expected) <= bound;
}

static inline float *integers(wb_judge *judge, unsigned n) {
  float *x = wb_judge_host(judge, n * sizeof *x);
  wb_fill_float_range(x, n, -100, 100, wb_random(wb_judge_seed(judge), n));
  return x;
}

// All zero but one.
static inline float *one_hot(wb_judge *judge, unsigned n, unsigned hot) {
  float *x = wb_judge_host(judge, n * sizeof *x);
  x[hot] = (float)(hot + 1);
  return x;
}

// Different values from -2^19 to 2^19, in an order that looks like none; n up to 2^20.
static inline float *different_values(wb_judge *judge, unsigned n) {
  float *x = wb_judge_host(judge, n * sizeof *x);
  unsigned start = (unsigned)wb_judge_seed(judge);
  for (unsigned i = 0; i < n; i++) x[i] = (float)((i * 407717u + start) & 0xfffffu) - 524288.0f;
  return x;
}

#endif
