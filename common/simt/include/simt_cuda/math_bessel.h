// SPDX-License-Identifier: MIT
// math_bessel.h - Bessel functions in plain C, after math_special.h. Up to 25 the power series, in
// two doubles because its terms cancel; beyond, Hankel's asymptotic expansion. Orders from 2 on by
// recurrence.
#ifndef SIMT_CUDA_MATH_BESSEL_H
#define SIMT_CUDA_MATH_BESSEL_H

#include "math_special.h"

#define SIMT_M_NAN (-__builtin_nan("")) // as from a GPU's own invalid operations, in double
#define SIMT_M_INF __builtin_inf()

// sum of sign^k (x/2)^(2k+n) / (k! (k+n)!), n = 0 or 1. harmonic, if given: the same with each term
// multiplied by H(k) + H(k+n), the harmonic numbers.
SIMT_MATH simt_m_two simt_m_bessel_series(int n, double x, double sign, simt_m_two *harmonic) {
  simt_m_two half = simt_m_two_of(0.5 * x, 0.0), one = simt_m_two_of(1.0, 0.0);
  simt_m_two square = simt_m_two_product(half, half), term = n ? half : one, sum = term;
  simt_m_two numbers = simt_m_two_of(n ? 1.0 : 0.0, 0.0), weighted = n ? half : simt_m_two_of(0, 0);
  for (int k = 1; k < 500; k++) {
    term = simt_m_two_quotient(simt_m_two_product(term, square), sign * k * (k + n));
    sum = simt_m_two_sum(sum, term);
    if (harmonic) {
      numbers = simt_m_two_sum(numbers, simt_m_two_quotient(one, k));
      numbers = simt_m_two_sum(numbers, simt_m_two_quotient(one, k + n));
      weighted = simt_m_two_sum(weighted, simt_m_two_product(term, numbers));
    }
    if (k > x && __builtin_fabs(term.high) < 0x1p-120) break;
  }
  if (harmonic) *harmonic = weighted;
  return sum;
}
// The amplitudes of Hankel's expansion for x >= 25: cos and sin parts.
SIMT_MATH void simt_m_hankel(int n, double x, double *p, double *q) {
  double term = 1.0, mu = 4.0 * n * n;
  *p = 1.0, *q = 0.0;
  for (int k = 1; k < 60; k++) {
    double odd = 2.0 * k - 1.0, next = term * (mu - odd * odd) / (8.0 * x * k);
    if (__builtin_fabs(next) >= __builtin_fabs(term) || __builtin_fabs(next) < 1e-18) break;
    term = next;
    double signed_term = k & 2 ? -term : term;
    if (k & 1) *q += signed_term;
    else *p += signed_term;
  }
}
// Order n = 0 or 1 for x >= 25; of the second kind when `second`.
SIMT_MATH double simt_m_bessel_far(int n, double x, int second) {
  double p, q, s = simt_m_sin(x), c = simt_m_cos(x);
  simt_m_hankel(n, x, &p, &q);
  double cosine = n ? s - c : c + s; // of x - (2n + 1) pi/4, times sqrt(2)
  double sine = n ? -(s + c) : s - c;
  return (second ? sine * p + cosine * q : cosine * p - sine * q) *
         __builtin_sqrt(0x1.45f306dc9c883p-2 / x);
}
SIMT_MATH double simt_m_j01(int n, double x) { // x >= 0
  if (x == SIMT_M_INF) return 0.0;
  if (x >= 25.0) return simt_m_bessel_far(n, x, 0);
  simt_m_two r = simt_m_bessel_series(n, x, -1.0, 0);
  return r.high + r.low;
}
// log x in two doubles: 2 atanh((m - 1) / (m + 1)) by its series.
SIMT_MATH simt_m_two simt_m_log_two(double x) {
  int e;
  double f = simt_m_log_split(x, &e), t = 2.0 + f;
  simt_m_two s = simt_m_two_quotient(simt_m_two_of(f, 0.0), t);
  s = simt_m_two_sum(s, simt_m_two_of(-(f - (t - 2.0)) / t * s.high, 0.0)); // 2 + f was rounded
  simt_m_two square = simt_m_two_product(s, s), power = s, sum = s;
  for (int k = 3; k < 45; k += 2) {
    power = simt_m_two_product(power, square);
    sum = simt_m_two_sum(sum, simt_m_two_quotient(power, k));
  }
  sum = simt_m_two_of(2.0 * sum.high, 2.0 * sum.low);
  simt_m_two ln2 = simt_m_two_of(0x1.62e42fefa39efp-1, 0x1.abc9e3b39803fp-56);
  return simt_m_two_sum(sum, simt_m_two_product(simt_m_two_of(e, 0.0), ln2));
}
SIMT_MATH double simt_m_y01(int n, double x) { // x > 0
  if (x == SIMT_M_INF) return 0.0;
  if (x >= 25.0) return simt_m_bessel_far(n, x, 1);
  if (n && x < 1e-300) return -0x1.45f306dc9c883p-1 / x;
  simt_m_two l = simt_m_two_sum(simt_m_log_two(0.5 * x),
                                simt_m_two_of(0x1.2788cfc6fb619p-1, -0x1.6cb90701fbfabp-58));
  simt_m_two weighted, sum = simt_m_two_product(simt_m_bessel_series(n, x, -1.0, &weighted), l);
  weighted = simt_m_two_of(-0.5 * weighted.high, -0.5 * weighted.low);
  sum = simt_m_two_sum(sum, weighted); // H(k) + H(k) is twice what order 0 wants
  if (n) sum = simt_m_two_sum(sum, simt_m_two_quotient(simt_m_two_of(-1.0, 0.0), x));
  sum = simt_m_two_product(sum, simt_m_two_of(0x1.45f306dc9c883p-1, -0x1.6b01ec5417056p-55));
  return sum.high + sum.low;
}
SIMT_MATH double simt_m_j0(double x) { return x != x ? x : simt_m_j01(0, __builtin_fabs(x)); }
SIMT_MATH double simt_m_j1(double x) {
  if (x != x) return x;
  double r = simt_m_j01(1, __builtin_fabs(x));
  return x < 0.0 ? -r : x == 0.0 ? x : r;
}
SIMT_MATH double simt_m_y_edge(double x) {
  return x == 0.0 ? -SIMT_M_INF : x < 0.0 ? SIMT_M_NAN : x;
}
SIMT_MATH double simt_m_y0(double x) { return x > 0.0 ? simt_m_y01(0, x) : simt_m_y_edge(x); }
SIMT_MATH double simt_m_y1(double x) { return x > 0.0 ? simt_m_y01(1, x) : simt_m_y_edge(x); }

// Upwards where that is stable (x > n), else downwards from an order far above (Miller), scaled by
// the larger of orders 0 and 1.
SIMT_MATH double simt_m_jn_up(int n, double x) {
  double a = simt_m_j01(0, x), b = simt_m_j01(1, x);
  for (int k = 1; k < n; k++) {
    double c = 2.0 * k / x * b - a;
    a = b, b = c;
  }
  return b;
}
SIMT_MATH double simt_m_jn_down(int n, double x) {
  int start = n + 16 + (int)(8.0 * __builtin_sqrt((double)n));
  double above = 0.0, here = 0x1p-500, wanted = 0.0;
  for (int k = start; k >= 1; k--) {
    double below = 2.0 * k / x * here - above;
    above = here, here = below;
    if (k - 1 == n) wanted = here;
    if (__builtin_fabs(here) > 0x1p400) here *= 0x1p-800, above *= 0x1p-800, wanted *= 0x1p-800;
  }
  double j0 = simt_m_j01(0, x), j1 = simt_m_j01(1, x);
  return __builtin_fabs(j0) > __builtin_fabs(j1) ? wanted / here * j0 : wanted / above * j1;
}
SIMT_MATH double simt_m_jn(int n, double x) {
  if (n < 0) return SIMT_M_NAN;
  if (n == 0) return simt_m_j0(x);
  if (n == 1) return simt_m_j1(x);
  double a = __builtin_fabs(x);
  if (a != a) return x;
  if (a == 0.0 || a == SIMT_M_INF) return 0.0;
  double r = a > n ? simt_m_jn_up(n, a) : simt_m_jn_down(n, a);
  return x < 0.0 && (n & 1) ? -r : r;
}
SIMT_MATH double simt_m_yn(int n, double x) {
  if (n < 0) return SIMT_M_NAN;
  if (n == 0) return simt_m_y0(x);
  if (n == 1 || !(x > 0.0)) return simt_m_y1(x);
  double a = simt_m_y0(x), b = simt_m_y1(x);
  for (int k = 1; k < n && b != -SIMT_M_INF; k++) {
    double c = 2.0 * k / x * b - a;
    a = b, b = c;
  }
  return b;
}
// Modified, of orders 0 and 1. Beyond 30: e^x / sqrt(2 pi x) times an asymptotic series.
SIMT_MATH double simt_m_cyl_bessel_i(int n, double x) {
  double a = __builtin_fabs(x), r;
  if (a != a) return x;
  if (a > 720.0) r = SIMT_M_INF;
  else if (a <= 30.0) {
    simt_m_two sum = simt_m_bessel_series(n, a, 1.0, 0);
    r = sum.high + sum.low;
  } else {
    double term = 1.0, rest = 0.0, mu = 4.0 * n * n;
    for (int k = 1; k < 60 && __builtin_fabs(term) > 1e-18; k++) {
      double odd = 2.0 * k - 1.0;
      term *= -(mu - odd * odd) / (8.0 * a * k);
      rest += term;
    }
    r = simt_m_exp(a - 16.0) * ((1.0 + rest) * __builtin_sqrt(0x1.45f306dc9c883p-3 / a)) *
        8886110.520507872; // e^16: the exponential alone would overflow first
  }
  return n ? __builtin_copysign(r, x) : r;
}
SIMT_MATH double simt_m_cyl_bessel_i0(double x) { return simt_m_cyl_bessel_i(0, x); }
SIMT_MATH double simt_m_cyl_bessel_i1(double x) { return simt_m_cyl_bessel_i(1, x); }

#undef SIMT_M_NAN
#undef SIMT_M_INF
#endif
