// SPDX-License-Identifier: MIT
// lanes/rounding_soft.c - directed rounding where the processor only rounds to nearest, as
// WebAssembly does: the nearest result and the sign of its error decide.
//
// float: computed in double, rounded there to odd (so that the last bit says whether anything was
// lost), then to float in the requested direction. double: the nearest result, or its neighbour
// where the nearest lies on the wrong side. Not modelled: the direction of double results so small
// that their error cannot be represented (below 2^-960); they trap, so they are never wrong.
#include "lanes/rounding.h"

#include <float.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "lanes/half.h"

// Error of the nearest sum: a + b - sum, exact (Knuth).
static double sum_error(double a, double b, double sum) {
  const double part = sum - a;
  return (a - (sum - part)) + (b - part);
}

// Sign of a * b + c - nearest (Boldo and Muller, 2005).
static double fma_error(double a, double b, double c, double nearest) {
  const double product = a * b, rest = fma(a, b, -product);
  const double low = c + rest, low_error = sum_error(c, rest, low);
  const double high = product + low, high_error = sum_error(product, low, high);
  return ((high - nearest) + high_error) + low_error;
}

static double nearest_of(simt_operation op, double a, double b, double c) {
  switch (op) {
  case SIMT_OP_ADD: return a + b;
  case SIMT_OP_SUB: return a - b;
  case SIMT_OP_MUL: return a * b;
  case SIMT_OP_FMA: return fma(a, b, c);
  case SIMT_OP_DIV: return a / b;
  case SIMT_OP_SQRT: return sqrt(a);
  }
  return 0;
}

// Its sign is that of the exact result minus `nearest`.
static double error_of(simt_operation op, double a, double b, double c, double nearest) {
  switch (op) {
  case SIMT_OP_ADD: return sum_error(a, b, nearest);
  case SIMT_OP_SUB: return sum_error(a, -b, nearest);
  case SIMT_OP_MUL: return fma(a, b, -nearest);
  case SIMT_OP_FMA: return fma_error(a, b, c, nearest);
  case SIMT_OP_DIV: return fma(-nearest, b, a) * (signbit(b) ? -1.0 : 1.0);
  case SIMT_OP_SQRT: return fma(-nearest, nearest, a);
  }
  return 0;
}

// An exact sum of 0 is -0 when rounding down, unless both parts are +0.
static bool is_negative_zero(simt_operation op, isa_rounding rounding, double a, double b,
                             double c) {
  if (rounding != ISA_RM || op == SIMT_OP_MUL || op == SIMT_OP_DIV || op == SIMT_OP_SQRT)
    return false;
  const bool first = op == SIMT_OP_FMA ? signbit(a) != signbit(b) : signbit(a);
  const bool second = op == SIMT_OP_FMA ? signbit(c) : op == SIMT_OP_SUB ? !signbit(b) : signbit(b);
  return first || second;
}

// The neighbour of a finite number.
static double next(double x, bool up) {
  uint64_t bits;
  memcpy(&bits, &x, sizeof bits);
  if (x == 0) bits = up ? 1 : UINT64_C(0x8000000000000001);
  else bits += (x > 0) == up ? 1 : UINT64_MAX;
  memcpy(&x, &bits, sizeof x);
  return x;
}

static double to_odd(double nearest, double error) {
  uint64_t bits;
  memcpy(&bits, &nearest, sizeof bits);
  if (error == 0 || bits & 1) return nearest;
  return next(nearest, error > 0);
}

float simt_soft_rounded_f32(simt_operation op, isa_rounding rounding, float a, float b, float c) {
  const double nearest = nearest_of(op, a, b, c);
  if (!isfinite(nearest) || (op == SIMT_OP_DIV && isinf(b)))
    return (float)nearest; // a number over infinity
  const double error = error_of(op, a, b, c, nearest);
  if (nearest == 0 && error == 0 && is_negative_zero(op, rounding, a, b, c)) return -0.0f;
  return simt_float_of_double(to_odd(nearest, error), rounding);
}

// The result of an overflow from finite operands.
static double overflowed(double infinite, isa_rounding rounding) {
  const bool stays = rounding == ISA_RN || (rounding == ISA_RP && infinite > 0) ||
                     (rounding == ISA_RM && infinite < 0);
  return stays ? infinite : copysign(DBL_MAX, infinite);
}

double simt_soft_rounded_f64(simt_operation op, isa_rounding rounding, double a, double b,
                             double c) {
  const double nearest = nearest_of(op, a, b, c);
  const bool is_binary = op != SIMT_OP_SQRT;
  if (isnan(nearest) || rounding == ISA_RN || (op == SIMT_OP_DIV && isinf(b))) return nearest;
  if (isinf(nearest)) {
    const bool from_finite = isfinite(a) && (!is_binary || isfinite(b)) &&
                             (op != SIMT_OP_FMA || isfinite(c)) && !(op == SIMT_OP_DIV && b == 0);
    return from_finite ? overflowed(nearest, rounding) : nearest;
  }
  const bool is_sum = op == SIMT_OP_ADD || op == SIMT_OP_SUB;
  if (!is_sum && fabs(nearest) < 0x1p-960 && a != 0 && (!is_binary || b != 0)) __builtin_trap();
  const double error = error_of(op, a, b, c, nearest);
  if (nearest == 0 && error == 0 && is_negative_zero(op, rounding, a, b, c)) return -0.0;
  const bool toward_zero_from_beyond = nearest > 0 ? error < 0 : error > 0;
  if (rounding == ISA_RZ && toward_zero_from_beyond) return next(nearest, nearest < 0);
  if (rounding == ISA_RM && error < 0) return next(nearest, false);
  if (rounding == ISA_RP && error > 0) return next(nearest, true);
  return nearest;
}
