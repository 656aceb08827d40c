// SPDX-License-Identifier: MIT
// math_special.h - gamma, error and Bessel functions and norms in plain C, after math_core.h, whose
// rules hold here too: double precision, explicit fma, exceptional arguments as C99 and CUDA say.
// Where terms cancel (Bessel functions near their zeros, norms, powers within gamma) sums are kept
// in two doubles. tests/simt/programs/special_functions.cu holds all of them to the error bounds
// that CUDA's programming guide documents.
#ifndef SIMT_CUDA_MATH_SPECIAL_H
#define SIMT_CUDA_MATH_SPECIAL_H

#include "math_core.h"

#define SIMT_M_NAN (-__builtin_nan("")) // as from a GPU's own invalid operations, in double
#define SIMT_M_INF __builtin_inf()
#define SIMT_M_PI 0x1.921fb54442d18p+1

// ---- Roots and norms.
SIMT_MATH double simt_m_rcbrt(double x) {
  double a = __builtin_fabs(x);
  if (a != a) return x;
  if (a == 0.0 || a == SIMT_M_INF) return __builtin_copysign(a == 0.0 ? SIMT_M_INF : 0.0, x);
  int e;
  double m = simt_m_frexp(a, &e);
  int third = e >= 0 ? e / 3 : -((2 - e) / 3);
  m = simt_m_ldexp(m, e - 3 * third); // in [1/2, 4): nothing below overflows
  double r = 1.0 / simt_m_cbrt(m);
  simt_m_two one = simt_m_two_of(r, 0.0);
  simt_m_two cube = simt_m_two_product(simt_m_two_product(one, one), one);
  double error = __builtin_fma(-m, cube.high, 1.0) - m * cube.low;
  r = __builtin_fma(r * (1.0 / 3.0), error, r);
  return __builtin_copysign(simt_m_ldexp(r, -third), x);
}
// The sum of n squares as two doubles; *scale is what the values were multiplied by. Infinite: the
// high part is infinite, even beside a NaN.
SIMT_MATH simt_m_two simt_m_squares(const double *v, int n, double *scale) {
  double big = 0.0;
  int infinite = 0, undefined = 0;
  for (int i = 0; i < n; i++) {
    double a = __builtin_fabs(v[i]);
    infinite |= a == SIMT_M_INF, undefined |= a != a;
    if (a > big) big = a;
  }
  *scale = 1.0;
  if (infinite || undefined) return simt_m_two_of(infinite ? SIMT_M_INF : -SIMT_M_NAN, 0.0);
  *scale = big > 0x1p500 ? 0x1p-600 : big < 0x1p-400 ? 0x1p600 : 1.0;
  simt_m_two sum = simt_m_two_of(0.0, 0.0);
  for (int i = 0; i < n; i++) {
    simt_m_two a = simt_m_two_of(v[i] * *scale, 0.0);
    sum = simt_m_two_sum(sum, simt_m_two_product(a, a));
  }
  return sum;
}
SIMT_MATH double simt_m_norm(const double *v, int n) {
  double scale;
  simt_m_two s = simt_m_squares(v, n, &scale);
  if (!(s.high > 0.0) || s.high == SIMT_M_INF) return s.high;
  double r = __builtin_sqrt(s.high);
  return (r + (__builtin_fma(-r, r, s.high) + s.low) / (2.0 * r)) / scale;
}
SIMT_MATH double simt_m_rnorm(const double *v, int n) {
  double scale;
  simt_m_two s = simt_m_squares(v, n, &scale);
  if (!(s.high > 0.0) || s.high == SIMT_M_INF) return 1.0 / s.high; // 0: infinite
  double r = 1.0 / __builtin_sqrt(s.high);
  simt_m_two one = simt_m_two_of(r, 0.0);
  simt_m_two square = simt_m_two_product(one, one);
  simt_m_two product = simt_m_two_product(square, s);
  return __builtin_fma(0.5 * r, (1.0 - product.high) - product.low, r) * scale;
}

// ---- Gamma. Stirling's series for large x; its rest is B[2k] / (2k (2k-1) x^(2k-1)).
SIMT_MATH double simt_m_stirling(double x) {
  double z = 1.0 / (x * x);
  double p = -691.0 / 360360.0;
  p = __builtin_fma(p, z, 1.0 / 1188.0);
  p = __builtin_fma(p, z, -1.0 / 1680.0);
  p = __builtin_fma(p, z, 1.0 / 1260.0);
  p = __builtin_fma(p, z, -1.0 / 360.0);
  p = __builtin_fma(p, z, 1.0 / 12.0);
  return p / x;
}
// The logarithm of gamma for x >= 13, as two doubles: (x - 1/2) log x - x + log(2 pi)/2 + rest.
SIMT_MATH simt_m_two simt_m_log_gamma_large(double x) {
  double low;
  double high = simt_m_log_pair(x, &low);
  simt_m_two r = simt_m_two_product(simt_m_two_of(x - 0.5, 0.0), simt_m_two_of(high, low));
  r = simt_m_two_sum(r, simt_m_two_of(-x, 0.0));
  r = simt_m_two_sum(r, simt_m_two_of(0x1.d67f1c864beb5p-1, -0x1.65b5a1b7ff5dfp-55));
  return simt_m_two_sum(r, simt_m_two_of(simt_m_stirling(x), 0.0));
}
SIMT_MATH double simt_m_sinpi_abs(double x) { // |sin(pi x)|
  double t = simt_m_fmod(__builtin_fabs(x), 1.0);
  if (t > 0.5) t = 1.0 - t;
  return t > 0.25 ? simt_m_cos_part((0.5 - t) * SIMT_M_PI) : simt_m_sin_part(t * SIMT_M_PI);
}
// gamma(x) = gamma(x + n) / (x (x + 1) ... (x + n - 1)) for x > 0; x + n in two doubles.
SIMT_MATH double simt_m_tgamma_positive(double x) {
  if (x < 0x1p-900) return 1.0 / x;
  simt_m_two product = simt_m_two_of(1.0, 0.0), one = product, at = simt_m_two_of(x, 0.0);
  for (int i = 0; i < 13 && at.high < 13.0; i++) {
    product = simt_m_two_product(product, at);
    at = simt_m_two_sum(at, one);
  }
  simt_m_two l = simt_m_log_gamma_large(at.high);
  double slope = simt_m_log(at.high) - 0.5 / at.high; // of the logarithm, for the low part
  double g = simt_m_exp_with_tail(l.high, __builtin_fma(at.low, slope, l.low));
  double q = g / product.high;
  return __builtin_fma(-q, product.low / product.high, q);
}
SIMT_MATH double simt_m_tgamma(double x) {
  if (x != x || x == SIMT_M_INF) return x;
  if (x == 0.0) return __builtin_copysign(SIMT_M_INF, x);
  if (x > 0.0) return x > 171.63 ? SIMT_M_INF : simt_m_tgamma_positive(x);
  double a = -x, sign = simt_m_integer_kind(__builtin_floor(x)) == 1 ? -1.0 : 1.0;
  if (a == __builtin_trunc(a)) return SIMT_M_NAN; // poles, and minus infinity
  if (a > 190.0) return sign * 0.0;
  double r = SIMT_M_PI / (a * simt_m_sinpi_abs(a)), rest = a > 170.0 ? a - 20.0 : a;
  r /= simt_m_tgamma_positive(rest);
  for (; rest < a; rest += 1.0) r /= rest;
  return sign * r;
}
// lgamma(2 + t) = (1 - gamma) t + sum of (-t)^k (zeta(k) - 1) / k, for -0.65 <= t <= 0.5.
SIMT_MATH_TABLE double simt_m_zeta[40] = {
    0x1.4a34cc4a60fa6p-2,  -0x1.13e001a557607p-4,  0x1.51322ac7d8483p-6,  -0x1.e404fc218f5f2p-8,
    0x1.7add6eadb6c30p-9,  -0x1.38ac5c2bf8e08p-10, 0x1.0b36af86396e9p-11, -0x1.d3fd4c76d2fc8p-13,
    0x1.a127b0f17d65ap-14, -0x1.78de5bd7c81efp-15, 0x1.580dcee66eb02p-16, -0x1.3cbc963ce2243p-17,
    0x1.2597a39f34aacp-18, -0x1.11b2eb7679541p-19, 0x1.0064cdeb22f0fp-20, -0x1.e2600d93cfd2fp-22,
    0x1.c76bbb3f07a4dp-23, -0x1.af5a6cbbf8a97p-24, 0x1.99b93c2070b0fp-25, -0x1.862c734df3eacp-26,
    0x1.7469daccfadcdp-27, -0x1.6434a8447aeadp-28, 0x1.555a877ffd2c3p-29, -0x1.47b1679258d0ep-30,
    0x1.3b15d2b2fc10cp-31, -0x1.2f69a9fabe3e0p-32, 0x1.24932a337434cp-33, -0x1.1a7c26ec2523cp-34,
    0x1.11116e693ed98p-35, -0x1.08424cbc543d8p-36, 0x1.000026e3f644fp-37, -0x1.f07c514fc9f0ap-39,
    0x1.e1e2026aafcd8p-40, -0x1.d41d56e5ee2e2p-41, 0x1.c71c7f6f10e37p-42, -0x1.bacf9a27bc89bp-43,
    0x1.af28718a10d6ep-44, -0x1.a41a45603e5b6p-45, 0x1.99999c0716ee9p-46, -0x1.8f9c1a8df9d78p-47};
SIMT_MATH double simt_m_lgamma_near_two(double t) {
  double p = 0.0;
  for (int k = 39; k >= 0; k--) p = __builtin_fma(p, t, simt_m_zeta[k]);
  double high = t * 0x1.b0ee6072093cep-2;
  double low = __builtin_fma(t, 0x1.b0ee6072093cep-2, -high) + t * 0x1.6cb90701fbfabp-58;
  return __builtin_fma(p * t, t, high) + low;
}
SIMT_MATH double simt_m_lgamma_positive(double x) {
  if (x >= 13.0) {
    if (x > 0x1p1014) return x * (simt_m_log(x) - 1.0);
    simt_m_two l = simt_m_log_gamma_large(x);
    return l.high + l.low;
  }
  if (x < 0.35) return simt_m_lgamma_near_two(x) - simt_m_log1p(x) - simt_m_log(x);
  if (x < 0.5) return simt_m_lgamma_near_two(x - 1.0) - simt_m_log(x); // x - 1 is exact
  if (x < 1.35) return simt_m_lgamma_near_two(x - 1.0) - simt_m_log1p(x - 1.0);
  double product = 1.0;
  for (; x > 2.5; x -= 1.0) product *= x - 1.0;
  double rest = simt_m_lgamma_near_two(x - 2.0);
  return product == 1.0 ? rest : simt_m_log(product) + rest;
}
SIMT_MATH double simt_m_lgamma(double x) {
  double a = __builtin_fabs(x);
  if (x != x) return x;
  if (a == SIMT_M_INF || (x <= 0.0 && x == __builtin_trunc(x))) return SIMT_M_INF;
  if (x > 0.0) return simt_m_lgamma_positive(x);
  if (a < 0x1p-60) return -simt_m_log(a);
  return simt_m_log(SIMT_M_PI / (a * simt_m_sinpi_abs(a))) - simt_m_lgamma_positive(a);
}

// ---- Around the error function.
SIMT_MATH double simt_m_erfcx(double x) {
  if (x != x) return x;
  if (x < -26.7) return SIMT_M_INF;
  if (x > 1e8) return 0x1.20dd750429b6dp-1 / x;
  if (x >= 2.0) return 0x1.20dd750429b6dp-1 / simt_m_erfc_fraction(x, 200.0);
  double low = __builtin_fma(x, x, -(x * x));
  return simt_m_exp_with_tail(x * x, low) * simt_m_erfc(x);
}
SIMT_MATH double simt_m_normcdf(double x) { // erfc(-x / sqrt(2)) / 2, the argument in two doubles
  if (x != x) return x;
  if (x < -39.0) return 0.0;
  if (x > 9.0) return 1.0;
  double a = x * -0x1.6a09e667f3bcdp-1;
  double low = __builtin_fma(x, -0x1.6a09e667f3bcdp-1, -a) + x * 0x1.bdd3413b26456p-55;
  double slope = 0x1.20dd750429b6dp+0 * simt_m_exp(-a * a);
  return 0.5 * __builtin_fma(-slope, low, simt_m_erfc(a));
}
// q in (0, 1/2]: a first value good to some thousandths (Winitzki), then Halley's method on erfc,
// whose relative error is small wherever q is.
SIMT_MATH double simt_m_erfcinv_small(double q) {
  double l = simt_m_log(q * (2.0 - q)), b = 4.330746750799873 + 0.5 * l;
  double x = __builtin_sqrt(__builtin_sqrt(b * b - l * 6.802721088435374) - b);
  for (int i = 0; i < 4; i++) {
    double slope = 0x1.20dd750429b6dp+0 * simt_m_exp(-x * x);
    double step = (simt_m_erfc(x) - q) / slope;
    x += step / (1.0 - x * step);
  }
  return x;
}
SIMT_MATH double simt_m_erfinv(double y) {
  double a = __builtin_fabs(y);
  if (!(a <= 1.0)) return a == a ? SIMT_M_NAN : y;
  if (a == 1.0) return __builtin_copysign(SIMT_M_INF, y);
  if (a > 0.5) return __builtin_copysign(simt_m_erfcinv_small(1.0 - a), y);
  if (a < 1e-9) return y * 0x1.c5bf891b4ef6bp-1;
  double x = a * 0x1.c5bf891b4ef6bp-1;
  x = __builtin_fma(x * x * x, 1.0 / 3.0, x);
  for (int i = 0; i < 4; i++) {
    double step = (simt_m_erf(x) - a) * simt_m_exp(x * x) * 0x1.c5bf891b4ef6bp-1;
    x -= step / (1.0 + x * step);
  }
  return __builtin_copysign(x, y);
}
SIMT_MATH double simt_m_erfcinv(double q) {
  if (!(q >= 0.0) || q > 2.0) return q != q ? -q : SIMT_M_NAN;
  if (q == 0.0 || q == 2.0) return q == 0.0 ? SIMT_M_INF : -SIMT_M_INF;
  if (q < 0.5) return simt_m_erfcinv_small(q);
  return q > 1.5 ? -simt_m_erfcinv_small(2.0 - q) : simt_m_erfinv(1.0 - q);
}
SIMT_MATH double simt_m_normcdfinv(double p) {
  if (p == 0.5) return 0.0; // not -0
  return -0x1.6a09e667f3bcdp+0 * simt_m_erfcinv(2.0 * p);
}

SIMT_MATH double simt_m_logb(double x) {
  int e;
  if (x == 0.0) return -SIMT_M_INF;
  if (!(__builtin_fabs(x) < SIMT_M_INF)) return x * x;
  simt_m_frexp(x, &e);
  return e - 1;
}

// ---- Remainders: exact. *quotient: the low three bits of the rounded quotient, with its sign.
SIMT_MATH double simt_m_remquo(double x, double y, int *quotient) {
  double a = __builtin_fabs(x), b = __builtin_fabs(y);
  *quotient = 0;
  if (x != x || y != y) return x != x ? x : y;
  if (b == 0.0 || a == SIMT_M_INF) return SIMT_M_NAN;
  if (b == SIMT_M_INF) return x;
  int q = 0;
  if (b < 0x1p1020) a = simt_m_fmod(a, 8.0 * b);
  if (a >= 4.0 * b) a -= 4.0 * b, q += 4;
  if (a >= 2.0 * b) a -= 2.0 * b, q += 2;
  if (a > b - a || (a == b - a && (q & 1))) a -= b, q += 1;
  if (a > b - a || (a == b - a && (q & 1))) a -= b, q += 1;
  *quotient = (simt_m_bits(x) ^ simt_m_bits(y)) >> 63 ? -(q & 7) : q & 7;
  double r = simt_m_bits(x) >> 63 ? -a : a;
  return a == 0.0 ? __builtin_copysign(0.0, x) : r;
}

#undef SIMT_M_NAN
#undef SIMT_M_INF
#endif
