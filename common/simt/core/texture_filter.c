// SPDX-License-Identifier: MIT
// core/texture_filter.c - what linear filtering makes of the elements around a position, to the bit
// as an H100 does it (tests/simt/programs/texture_bits.cu has what it returned).
//
// Weights have 8 bits. Integers are added exactly and rounded once, to 16 bits. Floats are cut to
// the scale of the largest of them, with 4 bits more than they have, then added and rounded; halves
// as well, to a half. Halves of a unit are rounded up (integers) or away from zero (floats).
#include "core/texture_filter.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { ONE = SIMT_FILTER_ONE, GUARD_BITS = 4 };

int64_t simt_filter_position(double position) {
  const double limit = 1e15;
  if (!(position > -limit)) position = -limit; // NaN, too
  return (int64_t)floor(fmin(position, limit) * ONE + 0.5);
}

void simt_filter_weights(int weight, int n_dimensions, const int fraction[3], int weights[8]) {
  static const int orders[3][3] = {{0}, {0, 1}, {2, 0, 1}}; // z is divided first
  int n = 1, bit[8] = {0}; // bit: of the elements so far, which are the farther ones
  weights[0] = weight;
  int divided[8] = {weight};
  for (int k = 0; k < n_dimensions; k++, n *= 2) {
    const int i = orders[n_dimensions - 1][k];
    for (int c = 0; c < n; c++) {
      // Along y, halves go to the nearer element where x is nearer, so that columns add up.
      const int half = i == 1 && !(bit[c] & 1) ? ONE / 2 - 1 : ONE / 2;
      divided[c + n] = (divided[c] * fraction[i] + half) / ONE;
      divided[c] -= divided[c + n];
      bit[c + n] = bit[c] | 1 << i;
    }
  }
  for (int c = 0; c < n; c++) weights[bit[c]] = divided[c];
}

static int64_t floor_shift(int64_t x, int n) {
  const int64_t unit = INT64_C(1) << n;
  return (x >= 0 ? x : x - unit + 1) / unit;
}

// A fraction of the largest value, from the sum of elements times weights. The result has 16 bits.
static float fraction_of(const simt_texture *t, int64_t sum) {
  if (t->kind == SIMT_TEXEL_UNSIGNED) {
    if (t->channel_bytes == 1) sum *= 257; // 0xff becomes 0xffff
    return (float)((double)floor_shift(sum + ONE / 2, 8) / 65535.0);
  }
  if (t->channel_bytes == 1) sum = sum * 258 + 32 * floor_shift(sum, 12); // 127 becomes 32767
  const int64_t result = floor_shift(sum + ONE / 2, 8);
  return result <= -32767 ? -1.0f : (float)((double)result / 32767.0);
}

static float of_bits(uint32_t bits) {
  float x;
  memcpy(&x, &bits, sizeof x);
  return x;
}

// Of numbers that are not finite: infinity, or NaN.
static bool special(const simt_filter *f, int channel, float *out) {
  float sum = 0;
  for (int i = 0; i < f->n; i++)
    if (f->weight[i] && !isfinite(f->texel[i].value[channel])) sum += f->texel[i].value[channel];
  *out = isnan(sum) ? of_bits(UINT32_C(0x7fffffff)) : sum;
  return sum != 0; // NaN, too
}

// `digits` of the format behind the leading one; `smallest`: exponent of its smallest normal
// number. Subnormal floats are zeros.
static float float_sum(const simt_filter *f, int channel, int digits, int smallest) {
  double element[SIMT_FILTER_MAX], sum = 0; // whole numbers of at most 37 bits
  float x;
  if (special(f, channel, &x)) return x;
  int largest = smallest;
  bool is_negative = true; // all of them, -0 included
  for (int i = 0; i < f->n; i++) {
    x = f->weight[i] ? f->texel[i].value[channel] : 0;
    if (fabsf(x) < FLT_MIN) x = copysignf(0, x);
    if (x != 0 && ilogbf(x) > largest) largest = ilogbf(x);
    is_negative &= !f->weight[i] || signbit(x);
    element[i] = (double)x;
  }
  const int scale = largest - digits - GUARD_BITS;
  for (int i = 0; i < f->n; i++) sum += f->weight[i] * trunc(ldexp(element[i], -scale));
  if (sum == 0) return is_negative ? -0.0f : 0.0f;
  const int unit_of_sum = scale - 8; // weights are 256ths
  int unit = ilogb(sum) + unit_of_sum;
  unit = (unit > smallest ? unit : smallest) - digits;
  const double rounded = round(ldexp(sum, unit_of_sum - unit)); // halves away from zero
  return (float)ldexp(rounded, unit);
}

void simt_filter_sum(const simt_texture *t, const simt_filter *filter, simt_texel *out) {
  for (int k = 0; k < 4; k++) {
    if (t->kind == SIMT_TEXEL_FLOAT) {
      out->value[k] =
          t->channel_bytes == 2 ? float_sum(filter, k, 10, -14) : float_sum(filter, k, 23, -126);
    } else {
      int64_t sum = 0;
      for (int i = 0; i < filter->n; i++) {
        const uint32_t bits = filter->texel[i].bits[k];
        const int64_t element = t->kind == SIMT_TEXEL_SIGNED ? (int32_t)bits : (int64_t)bits;
        sum += filter->weight[i] * element;
      }
      out->value[k] = fraction_of(t, sum);
    }
    memcpy(&out->bits[k], &out->value[k], sizeof(float));
  }
}
