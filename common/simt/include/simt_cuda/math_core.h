// SPDX-License-Identifier: MIT
// math_core.h - elementary functions in plain C, for device code compiled without NVIDIA's
// libdevice. float functions are good to about 1-2 ulp, double ones to a few ulp over their whole
// range (tests/simt/programs/mathematics.cu compares them with the host); exceptional arguments
// follow C99. Results are not those of libdevice bit for bit.
//
// Every function is self-contained, branches little and uses explicit fma, so that it means the
// same whatever the compiler contracts. SIMT_MATH is the qualifier: a test may define it.
#ifndef SIMT_CUDA_MATH_CORE_H
#define SIMT_CUDA_MATH_CORE_H

#include <stdint.h>

#ifndef SIMT_MATH
#define SIMT_MATH SIMT_BOTH
#endif
#ifndef SIMT_MATH_TABLE
#ifdef __CUDA_ARCH__
#define SIMT_MATH_TABLE static __attribute__((device, unused)) const
#else
#define SIMT_MATH_TABLE static __attribute__((unused)) const
#endif
#endif

#define SIMT_M_NAN (-__builtin_nan("")) // as from a GPU's own invalid operations, in double
#define SIMT_M_INF __builtin_inf()

SIMT_MATH uint32_t simt_m_bits_f(float x) { return __builtin_bit_cast(uint32_t, x); }
SIMT_MATH float simt_m_float(uint32_t b) { return __builtin_bit_cast(float, b); }
SIMT_MATH uint64_t simt_m_bits(double x) { return __builtin_bit_cast(uint64_t, x); }
SIMT_MATH double simt_m_double(uint64_t b) { return __builtin_bit_cast(double, b); }
// Rounded; a NaN becomes the one that single precision has on a GPU.
// With -ftz=true a float that is too small for a normal one is zero, constants included.
SIMT_MATH float simt_m_flushed(float x) {
#ifdef SIMT_FTZ
  return __builtin_fabsf(x) < 0x1p-126f ? __builtin_copysignf(0.0f, x) : x;
#else
  return x;
#endif
}
SIMT_MATH float simt_m_single(double x) {
  return x == x ? simt_m_flushed((float)x) : simt_m_float(0x7fffffffu);
}

// x * 2^n for x in [0.5, 4): two steps, so that a subnormal result is rounded once.
SIMT_MATH float simt_m_scale_f(float x, int n) {
  int half = n >> 1;
  return x * simt_m_float((uint32_t)(half + 127) << 23) *
         simt_m_float((uint32_t)(n - half + 127) << 23);
}
SIMT_MATH double simt_m_scale(double x, int n) {
  int half = n >> 1;
  return x * simt_m_double((uint64_t)(half + 1023) << 52) *
         simt_m_double((uint64_t)(n - half + 1023) << 52);
}

// ---- Exponentials: x = n ln2 + r, |r| <= ln2/2, e^r by its series.
SIMT_MATH float simt_m_expf(float x) {
  float c = x > 89.0f ? 89.0f : x; // keeps n in range; a NaN passes both comparisons
  c = c < -104.0f ? -104.0f : c;
  float n = __builtin_rintf(c * 0x1.715476p+0f);
  float r = __builtin_fmaf(n, -0x1.62e400p-1f, c);
  r = __builtin_fmaf(n, -0x1.7f7d1cp-20f, r);
  float p = __builtin_fmaf(r, 0x1.a01a02p-13f, 0x1.6c16c2p-10f);
  p = __builtin_fmaf(p, r, 0x1.111112p-7f);
  p = __builtin_fmaf(p, r, 0x1.555556p-5f);
  p = __builtin_fmaf(p, r, 0x1.555556p-3f);
  p = __builtin_fmaf(p, r, 0.5f);
  p = __builtin_fmaf(p, r, 1.0f);
  p = __builtin_fmaf(p, r, 1.0f);
  return simt_m_scale_f(p, (int)n);
}

// (e^r - 1) / r - 1 = r/2! + r^2/3! + … for |r| <= 0.35.
SIMT_MATH double simt_m_exp_tail(double r) {
  double p = 1.0 / 87178291200.0;
  p = __builtin_fma(p, r, 1.0 / 6227020800.0);
  p = __builtin_fma(p, r, 1.0 / 479001600.0);
  p = __builtin_fma(p, r, 1.0 / 39916800.0);
  p = __builtin_fma(p, r, 1.0 / 3628800.0);
  p = __builtin_fma(p, r, 1.0 / 362880.0);
  p = __builtin_fma(p, r, 1.0 / 40320.0);
  p = __builtin_fma(p, r, 1.0 / 5040.0);
  p = __builtin_fma(p, r, 1.0 / 720.0);
  p = __builtin_fma(p, r, 1.0 / 120.0);
  p = __builtin_fma(p, r, 1.0 / 24.0);
  p = __builtin_fma(p, r, 1.0 / 6.0);
  p = __builtin_fma(p, r, 0.5);
  return p * r;
}

// exp(x + tail) for a tail below an ulp of x.
SIMT_MATH double simt_m_exp_with_tail(double x, double tail) {
  double c = x > 710.0 ? 710.0 : x;
  c = c < -746.0 ? -746.0 : c;
  double n = __builtin_rint(c * 0x1.71547652b82fep+0);
  double r = __builtin_fma(n, -0x1.62e42fefp-1, c);
  r = __builtin_fma(n, -0x1.473de6af278edp-34, r) + tail;
  double p = __builtin_fma(simt_m_exp_tail(r), r, r) + 1.0;
  return simt_m_scale(p, (int)n);
}
SIMT_MATH double simt_m_exp(double x) { return simt_m_exp_with_tail(x, 0.0); }
SIMT_MATH double simt_m_exp2(double x) {
  double c = x > 1025.0 ? 1025.0 : x;
  c = c < -1080.0 ? -1080.0 : c;
  double n = __builtin_rint(c);
  double f = c - n; // exact
  double r = f * 0x1.62e42fefa39efp-1;
  double r_low = __builtin_fma(f, 0x1.62e42fefa39efp-1, -r) + f * 0x1.abc9e3b39803fp-56;
  double p = __builtin_fma(simt_m_exp_tail(r), r, r + r_low) + 1.0;
  return simt_m_scale(p, (int)n);
}
SIMT_MATH double simt_m_expm1(double x) {
  if (x == 0.0) return x; // keeps its sign
  if (x < 0.35 && x > -0.35) return __builtin_fma(simt_m_exp_tail(x), x, x);
  return simt_m_exp(x) - 1.0;
}
SIMT_MATH double simt_m_exp10(double x) {
  double high = x * 0x1.26bb1bbb55516p+1;
  double low = __builtin_fma(x, 0x1.26bb1bbb55516p+1, -high) + x * -0x1.f48ad494ea3e9p-53;
  return simt_m_exp_with_tail(high, __builtin_fabs(high) < 800.0 ? low : 0.0);
}

// ---- Logarithms: x = m 2^e, m in [sqrt(1/2), sqrt(2)); log m = 2 atanh(s), s = f / (2 + f).
SIMT_MATH float simt_m_logf(float x) {
  uint32_t bits = simt_m_bits_f(x);
  int e = 0;
  if (bits - 0x00800000u >= 0x7f000000u) { // zero, subnormal, negative, infinite or NaN
    if (x == 0.0f) return -__builtin_inff();
    if (x == __builtin_inff()) return x;
    if (!(x > 0.0f)) return simt_m_float(0x7fffffffu);
    bits = simt_m_bits_f(x * 0x1p23f);
    e = -23;
  }
  bits += 0x3f800000u - 0x3f3504f3u;
  e += (int)(bits >> 23) - 127;
  float f = simt_m_float((bits & 0x007fffffu) + 0x3f3504f3u) - 1.0f;
  float s = f / (2.0f + f);
  float z = s * s;
  float p = __builtin_fmaf(z, 2.0f / 11.0f, 2.0f / 9.0f);
  p = __builtin_fmaf(p, z, 2.0f / 7.0f);
  p = __builtin_fmaf(p, z, 2.0f / 5.0f);
  p = __builtin_fmaf(p, z, 2.0f / 3.0f) * z;
  float h = 0.5f * f * f;
  float n = (float)e;
  float low = __builtin_fmaf(s, h + p, n * 0x1.7f7d1cp-20f);
  return __builtin_fmaf(n, 0x1.62e400p-1f, f - (h - low));
}

// Splits a positive finite x into f = m - 1 and e.
SIMT_MATH double simt_m_log_split(double x, int *e) {
  uint64_t bits = simt_m_bits(x);
  int shift = 0;
  if (bits < UINT64_C(0x0010000000000000)) {
    bits = simt_m_bits(x * 0x1p54);
    shift = -54;
  }
  bits += UINT64_C(0x3ff0000000000000) - UINT64_C(0x3fe6a09e667f3bcd);
  *e = (int)(bits >> 52) - 1023 + shift;
  return simt_m_double((bits & UINT64_C(0x000fffffffffffff)) + UINT64_C(0x3fe6a09e667f3bcd)) - 1.0;
}
// log m = 2 s + s * this, z = s^2.
SIMT_MATH double simt_m_log_series(double z) {
  double p = 2.0 / 25.0;
  p = __builtin_fma(p, z, 2.0 / 23.0);
  p = __builtin_fma(p, z, 2.0 / 21.0);
  p = __builtin_fma(p, z, 2.0 / 19.0);
  p = __builtin_fma(p, z, 2.0 / 17.0);
  p = __builtin_fma(p, z, 2.0 / 15.0);
  p = __builtin_fma(p, z, 2.0 / 13.0);
  p = __builtin_fma(p, z, 2.0 / 11.0);
  p = __builtin_fma(p, z, 2.0 / 9.0);
  p = __builtin_fma(p, z, 2.0 / 7.0);
  p = __builtin_fma(p, z, 2.0 / 5.0);
  p = __builtin_fma(p, z, 2.0 / 3.0);
  return p * z;
}
// log(x) of a positive finite x as a sum: returns the high part, *low the rest.
SIMT_MATH double simt_m_log_pair(double x, double *low) {
  int e;
  double f = simt_m_log_split(x, &e);
  double t = 2.0 + f;
  double s = f / t;
  double s_low = (__builtin_fma(-s, t, f) - s * (f - (t - 2.0))) / t;
  double n = (double)e;
  double tail = 2.0 * s_low + s * simt_m_log_series(s * s);
  double big = n * 0x1.62e42fefp-1; // exact: the constant has 33 bits
  double two_s = 2.0 * s;
  double sum = big + two_s;
  double rest = e ? two_s - (sum - big) : 0.0;
  rest += tail + n * 0x1.473de6af278edp-34;
  double high = sum + rest;
  *low = rest - (high - sum);
  return high;
}
// What every logarithm does with 0, negative, infinite and NaN arguments.
SIMT_MATH int simt_m_log_special(double x, double *result) {
  if (x > 0.0 && x < SIMT_M_INF) return 0;
  *result = x == 0.0 ? -SIMT_M_INF : x < 0.0 ? SIMT_M_NAN : __builtin_fabs(x);
  return 1;
}
SIMT_MATH double simt_m_log(double x) {
  double result, low;
  if (simt_m_log_special(x, &result)) return result;
  return simt_m_log_pair(x, &low);
}
SIMT_MATH double simt_m_log_scaled(double x, double factor, double factor_low) {
  double result, low;
  if (simt_m_log_special(x, &result)) return result;
  double high = simt_m_log_pair(x, &low);
  double product = high * factor;
  double rest = __builtin_fma(high, factor, -product) + (high * factor_low + low * factor);
  return product + rest;
}
SIMT_MATH double simt_m_log2(double x) {
  return simt_m_log_scaled(x, 0x1.71547652b82fep+0, 0x1.777d0ffda0d24p-56);
}
SIMT_MATH double simt_m_log10(double x) {
  return simt_m_log_scaled(x, 0x1.bcb7b1526e50ep-2, 0x1.95355baaafad3p-57);
}
SIMT_MATH double simt_m_log1p(double x) {
  double u = 1.0 + x;
  if (!(u > 0.0) || u >= SIMT_M_INF) return simt_m_log(u);
  if (u == 1.0) return x;
  double lost = x < 1.0 ? x - (u - 1.0) : 1.0 - (u - x); // what 1 + x rounded away
  double low;
  return simt_m_log_pair(u, &low) + (lost / u + low);
}

// ---- Powers.
SIMT_MATH int simt_m_integer_kind(double y) { // 0: no integer, 1: odd, 2: even
  double a = __builtin_fabs(y);
  if (a >= 0x1p53) return 2;
  if (a != __builtin_trunc(a)) return 0;
  return ((uint64_t)a & 1u) ? 1 : 2;
}
SIMT_MATH double simt_m_pow(double x, double y) {
  if (x == 1.0 || y == 0.0) return 1.0;
  if (x != x || y != y) return x + y;
  int kind = simt_m_integer_kind(y);
  double sign = kind == 1 && (simt_m_bits(x) >> 63) ? -1.0 : 1.0;
  double a = __builtin_fabs(x);
  if (a == 1.0 && __builtin_fabs(y) == SIMT_M_INF) return 1.0;
  if (a == 0.0 || a == SIMT_M_INF) return sign * ((a == 0.0) == (y < 0.0) ? SIMT_M_INF : 0.0);
  if (__builtin_fabs(y) == SIMT_M_INF) return (a > 1.0) == (y > 0.0) ? SIMT_M_INF : 0.0;
  if (x < 0.0 && kind == 0) return SIMT_M_NAN;
  double low;
  double high = simt_m_log_pair(a, &low);
  double product = high * y;
  if (product > 720.0) return sign * SIMT_M_INF;
  if (product < -760.0) return sign * 0.0;
  double rest = __builtin_fma(high, y, -product) + low * y;
  return sign * simt_m_exp_with_tail(product, rest);
}
SIMT_MATH float simt_m_powf(float x, float y) { return simt_m_single(simt_m_pow(x, y)); }
SIMT_MATH double simt_m_cbrt(double x) {
  double a = __builtin_fabs(x);
  if (!(a > 0.0) || a == SIMT_M_INF) return x;
  double low;
  double y = simt_m_exp(simt_m_log_pair(a, &low) * (1.0 / 3.0));
  y = y - (y - a / (y * y)) * (1.0 / 3.0);
  return __builtin_copysign(y, x);
}
SIMT_MATH double simt_m_hypot(double x, double y) {
  double a = __builtin_fabs(x), b = __builtin_fabs(y);
  if (a == SIMT_M_INF || b == SIMT_M_INF) return SIMT_M_INF;
  double big = a > b ? a : b, small = a > b ? b : a;
  if (!(big > 0.0) || a != a || b != b) return a + b;
  double scale = big > 0x1p500 ? 0x1p-600 : big < 0x1p-500 ? 0x1p600 : 1.0;
  big *= scale, small *= scale;
  return __builtin_sqrt(__builtin_fma(big, big, small * small)) / scale;
}

// ---- Trigonometry: x = n pi/2 + r.
// The bits of 2/pi after the binary point.
SIMT_MATH_TABLE uint64_t simt_m_two_over_pi[20] = {
    UINT64_C(0xa2f9836e4e441529), UINT64_C(0xfc2757d1f534ddc0), UINT64_C(0xdb6295993c439041),
    UINT64_C(0xfe5163abdebbc561), UINT64_C(0xb7246e3a424dd2e0), UINT64_C(0x06492eea09d1921c),
    UINT64_C(0xfe1deb1cb129a73e), UINT64_C(0xe88235f52ebb4484), UINT64_C(0xe99c7026b45f7e41),
    UINT64_C(0x3991d639835339f4), UINT64_C(0x9c845f8bbdf9283b), UINT64_C(0x1ff897ffde05980f),
    UINT64_C(0xef2f118b5a0a6d1f), UINT64_C(0x6d367ecf27cb09b7), UINT64_C(0x4f463f669e5fea2d),
    UINT64_C(0x7527bac7ebe5f17b), UINT64_C(0x3d0739f78a5292ea), UINT64_C(0x6bfb5fb11f8d5d08),
    UINT64_C(0x56033046fc7b6bab), UINT64_C(0xf0cfbc209af4361d)};

SIMT_MATH uint64_t simt_m_mulhi(uint64_t a, uint64_t b) {
  uint64_t a_low = (uint32_t)a, a_high = a >> 32, b_low = (uint32_t)b, b_high = b >> 32;
  uint64_t mid = a_high * b_low + ((a_low * b_low) >> 32);
  uint64_t mid2 = a_low * b_high + (uint32_t)mid;
  return a_high * b_high + (mid >> 32) + (mid2 >> 32);
}
// 64 bits of 2/pi starting at bit `at`, counted from the binary point.
SIMT_MATH uint64_t simt_m_window(int at) {
  if (at < 0) return simt_m_two_over_pi[0] >> -at; // at > -64
  int word = at >> 6, bit = at & 63;
  uint64_t w = simt_m_two_over_pi[word] << bit;
  return bit ? w | simt_m_two_over_pi[word + 1] >> (64 - bit) : w;
}
// |x| >= 2^30: only the bits of 2/pi whose product with x lands near the binary point matter
// (Payne and Hanek). Returns n mod 4, *r in [-pi/4, pi/4].
SIMT_MATH int simt_m_reduce_huge(double x, double *r) {
  uint64_t bits = simt_m_bits(x);
  int exponent = (int)(bits >> 52 & 0x7ff) - 1075; // |x| = mantissa * 2^exponent
  uint64_t mantissa = (bits & UINT64_C(0x000fffffffffffff)) | UINT64_C(0x0010000000000000);
  mantissa <<= 11, exponent -= 11;
  // Bits of 2/pi above `at` contribute multiples of 4, which do not matter.
  int at = exponent - 2;
  uint64_t w0 = simt_m_window(at), w1 = simt_m_window(at + 64), w2 = simt_m_window(at + 128);
  uint64_t p1 = mantissa * w1, p1_high = simt_m_mulhi(mantissa, w1);
  uint64_t high = mantissa * w0 + p1_high; // its two top bits are n mod 4
  uint64_t low = p1 + simt_m_mulhi(mantissa, w2);
  high += low < p1;
  uint64_t quadrant = high >> 62;
  uint64_t f_high = high << 2 | low >> 62, f_low = low << 2;
  int negative = (f_high >> 63) != 0; // fraction >= 1/2: take the next multiple
  if (negative) {
    quadrant++;
    f_low = 0 - f_low;
    f_high = ~f_high + (f_low == 0);
  }
  double fraction = (double)f_high * 0x1p-64 + (double)f_low * 0x1p-128;
  *r = fraction * 0x1.921fb54442d18p+0;
  if (negative) *r = -*r;
  int n = (int)(quadrant & 3);
  if (bits >> 63) {
    *r = -*r;
    n = (4 - n) & 3;
  }
  return n;
}
SIMT_MATH int simt_m_reduce(double x, double *r) {
  if (!(__builtin_fabs(x) < 0x1p30)) {
    if (x - x == 0.0) return simt_m_reduce_huge(x, r);
    *r = x - x;
    return 0;
  }
  double n = __builtin_rint(x * 0x1.45f306dc9c883p-1);
  double t = __builtin_fma(n, -0x1.921fb544p+0, x); // n times 33 bits: exact
  double u = __builtin_fma(n, -0x1.0b4611a6p-34, t);
  *r = __builtin_fma(n, -0x1.3198a2e037073p-69, u);
  return (int)n & 3;
}
SIMT_MATH double simt_m_sin_part(double r) {
  double z = r * r;
  double p = 1.0 / 355687428096000.0;
  p = __builtin_fma(p, z, -1.0 / 1307674368000.0);
  p = __builtin_fma(p, z, 1.0 / 6227020800.0);
  p = __builtin_fma(p, z, -1.0 / 39916800.0);
  p = __builtin_fma(p, z, 1.0 / 362880.0);
  p = __builtin_fma(p, z, -1.0 / 5040.0);
  p = __builtin_fma(p, z, 1.0 / 120.0);
  p = __builtin_fma(p, z, -1.0 / 6.0);
  return __builtin_fma(p * z, r, r);
}
SIMT_MATH double simt_m_cos_part(double r) {
  double z = r * r;
  double p = 1.0 / 20922789888000.0;
  p = __builtin_fma(p, z, -1.0 / 87178291200.0);
  p = __builtin_fma(p, z, 1.0 / 479001600.0);
  p = __builtin_fma(p, z, -1.0 / 3628800.0);
  p = __builtin_fma(p, z, 1.0 / 40320.0);
  p = __builtin_fma(p, z, -1.0 / 720.0);
  p = __builtin_fma(p, z, 1.0 / 24.0);
  double h = 0.5 * z, one = 1.0 - h;
  return one + (((1.0 - one) - h) + p * z * z);
}
SIMT_MATH double simt_m_turn(int n, double r) { // sin(n pi/2 + r)
  double v = (n & 1) ? simt_m_cos_part(r) : simt_m_sin_part(r);
  return (n & 2) ? -v : v;
}
SIMT_MATH double simt_m_sin(double x) {
  if (x == 0.0) return x; // keeps its sign
  double r;
  int n = simt_m_reduce(x, &r);
  return simt_m_turn(n, r);
}
SIMT_MATH double simt_m_cos(double x) {
  double r;
  if (x - x != 0.0) return x - x;
  int n = simt_m_reduce(x, &r);
  return simt_m_turn(n + 1, r);
}
SIMT_MATH double simt_m_tan(double x) {
  if (x == 0.0) return x; // keeps its sign
  double r;
  int n = simt_m_reduce(x, &r);
  double s = simt_m_sin_part(r), c = simt_m_cos_part(r);
  return (n & 1) ? -c / s : s / c;
}
SIMT_MATH float simt_m_turn_f(float x, int quarter_turns) { // sin(x + quarter_turns * pi/2)
  int n;
  float r;
  if (__builtin_fabsf(x) < 10000.0f) {
    float k = __builtin_rintf(x * 0x1.45f306p-1f);
    r = __builtin_fmaf(k, -0x1.921fb4p+0f, x);
    r = __builtin_fmaf(k, -0x1.4442d0p-24f, r);
    r = __builtin_fmaf(k, -0x1.84698ap-48f, r);
    n = (int)k + quarter_turns;
  } else {
    double wide;
    n = simt_m_reduce((double)x, &wide) + quarter_turns;
    r = (float)wide;
  }
  float z = r * r, p;
  if (n & 1) {
    p = __builtin_fmaf(z, -0x1.27e4fcp-22f, 0x1.a01a02p-16f);
    p = __builtin_fmaf(p, z, -0x1.6c16c2p-10f);
    p = __builtin_fmaf(p, z, 0x1.555556p-5f);
    p = __builtin_fmaf(p, z, -0.5f);
    p = __builtin_fmaf(p, z, 1.0f);
  } else {
    p = __builtin_fmaf(z, 0x1.71de3ap-19f, -0x1.a01a02p-13f);
    p = __builtin_fmaf(p, z, 0x1.111112p-7f);
    p = __builtin_fmaf(p, z, -0x1.555556p-3f);
    p = __builtin_fmaf(p * z, r, r);
  }
  return (n & 2) ? -p : p;
}
SIMT_MATH float simt_m_sinf(float x) { return x == 0.0f ? x : simt_m_turn_f(x, 0); }
SIMT_MATH float simt_m_cosf(float x) { return simt_m_turn_f(x, 1); }

// ---- Inverse functions. atan: reduce to |t| <= tan(pi/12)… by subtracting a known angle.
SIMT_MATH double simt_m_atan(double x) {
  double a = __builtin_fabs(x), base = 0.0, base_low = 0.0, t = a;
  if (a > 1e300) return a != a ? x : __builtin_copysign(0x1.921fb54442d18p+0, x);
  if (a > 2.414213562373095) { // pi/2 - atan(1/a)
    base = 0x1.921fb54442d18p+0, base_low = 0x1.1a62633145c07p-54;
    t = -1.0 / a;
  } else if (a > 0.41421356237309503) { // pi/4 + atan((a-1)/(a+1))
    base = 0x1.921fb54442d18p-1, base_low = 0x1.1a62633145c07p-55;
    t = (a - 1.0) / (a + 1.0);
  }
  double halve = 1.0;
  if (__builtin_fabs(t) > 0.15) { // atan t = 2 atan(t / (1 + sqrt(1 + t^2)))
    t = t / (1.0 + __builtin_sqrt(__builtin_fma(t, t, 1.0)));
    halve = 2.0;
  }
  double z = t * t, p = 0.0;
  for (int k = 27; k >= 3; k -= 2) p = __builtin_fma(p, z, ((k >> 1) & 1 ? -1.0 : 1.0) / k);
  double v = halve * __builtin_fma(p * z, t, t);
  return __builtin_copysign(base + (v + base_low), x);
}
SIMT_MATH double simt_m_atan2(double y, double x) {
  if (x != x || y != y) return x + y;
  double pi = 0x1.921fb54442d18p+1;
  int x_negative = (int)(simt_m_bits(x) >> 63);
  double a = __builtin_fabs(y), b = __builtin_fabs(x), v;
  if (a == 0.0) v = 0.0;
  else if (b == 0.0) v = 0.5 * pi;
  else if (a == SIMT_M_INF && b == SIMT_M_INF) v = 0.25 * pi;
  else if (a == SIMT_M_INF) v = 0.5 * pi;
  else if (b == SIMT_M_INF) v = 0.0;
  else v = simt_m_atan(a / b);
  if (x_negative) v = pi - (v - 0x1.1a62633145c07p-53);
  return __builtin_copysign(v, y);
}
SIMT_MATH double simt_m_asin(double x) {
  double a = __builtin_fabs(x);
  if (!(a <= 1.0)) return __builtin_copysign(SIMT_M_NAN, x); // so it is on a GPU
  return simt_m_atan2(x, __builtin_sqrt((1.0 - a) * (1.0 + a)));
}
SIMT_MATH double simt_m_acos(double x) {
  if (!(__builtin_fabs(x) <= 1.0)) return x == x ? SIMT_M_NAN : x; // -nan, of either side
  return 2.0 * simt_m_atan2(__builtin_sqrt(1.0 - x), __builtin_sqrt(1.0 + x));
}

// ---- Hyperbolic functions.
SIMT_MATH double simt_m_sinh(double x) {
  double a = __builtin_fabs(x);
  if (a > 700.0) return __builtin_copysign(simt_m_exp(a - 0x1.62e42fefa39efp-1), x);
  double t = simt_m_expm1(a);
  return __builtin_copysign(0.5 * (t + t / (t + 1.0)), x);
}
SIMT_MATH double simt_m_cosh(double x) {
  double a = __builtin_fabs(x);
  if (a > 700.0) return simt_m_exp(a - 0x1.62e42fefa39efp-1);
  double t = simt_m_exp(a);
  return 0.5 * (t + 1.0 / t);
}
SIMT_MATH double simt_m_tanh(double x) {
  double a = __builtin_fabs(x);
  if (a > 20.0) return __builtin_copysign(1.0, x);
  double t = simt_m_expm1(2.0 * a);
  return __builtin_copysign(t / (t + 2.0), x);
}
SIMT_MATH double simt_m_asinh(double x) {
  double a = __builtin_fabs(x);
  if (a > 1e150) return __builtin_copysign(simt_m_log(a) + 0x1.62e42fefa39efp-1, x);
  double v = simt_m_log1p(a + a * a / (1.0 + __builtin_sqrt(__builtin_fma(a, a, 1.0))));
  return __builtin_copysign(v, x);
}
SIMT_MATH double simt_m_acosh(double x) {
  if (!(x >= 1.0)) return x == x ? SIMT_M_NAN : x;
  if (x > 1e150) return simt_m_log(x) + 0x1.62e42fefa39efp-1;
  double t = x - 1.0;
  return simt_m_log1p(t + __builtin_sqrt(__builtin_fma(t, t, 2.0 * t)));
}
SIMT_MATH double simt_m_atanh(double x) {
  double a = __builtin_fabs(x);
  return __builtin_copysign(0.5 * simt_m_log1p(2.0 * a / (1.0 - a)), x);
}

// ---- Sums and products of two doubles: about 104 bits.
typedef struct simt_m_two {
  double high, low;
} simt_m_two;

SIMT_MATH simt_m_two simt_m_two_of(double high, double low) {
  simt_m_two r = {high, low};
  return r;
}
SIMT_MATH simt_m_two simt_m_two_sum(simt_m_two a, simt_m_two b) {
  double s = a.high + b.high, t = s - a.high;
  double rest = (a.high - (s - t)) + (b.high - t) + a.low + b.low;
  double high = s + rest;
  return simt_m_two_of(high, rest - (high - s));
}
SIMT_MATH simt_m_two simt_m_two_product(simt_m_two a, simt_m_two b) {
  double p = a.high * b.high;
  double rest = __builtin_fma(a.high, b.high, -p) + (a.high * b.low + a.low * b.high);
  double high = p + rest;
  return simt_m_two_of(high, rest - (high - p));
}
SIMT_MATH simt_m_two simt_m_two_quotient(simt_m_two a, double b) {
  double q = a.high / b;
  double rest = (__builtin_fma(-q, b, a.high) + a.low) / b;
  double high = q + rest;
  return simt_m_two_of(high, rest - (high - q));
}

// ---- Error function: its power series in two doubles up to 2, a continued fraction beyond.
SIMT_MATH simt_m_two simt_m_erf_series(double a) {
  simt_m_two x = simt_m_two_of(a, 0.0), square = simt_m_two_product(x, x), term = x, sum = x;
  for (int k = 1; k < 60 && __builtin_fabs(term.high) > a * 0x1p-106; k++) {
    term = simt_m_two_quotient(simt_m_two_product(term, square), -k);
    sum = simt_m_two_sum(sum, simt_m_two_quotient(term, 2 * k + 1));
  }
  return simt_m_two_product(sum, simt_m_two_of(0x1.20dd750429b6dp+0, 0x1.1ae3a914fed80p-56));
}
// e^(-a^2) / sqrt(pi) over this is erfc(a), with terms / a^2 terms of the fraction.
SIMT_MATH double simt_m_erfc_fraction(double a, double terms) {
  double t = a;
  for (int k = a < 10.0 ? (int)(terms / (a * a)) + 8 : 10; k >= 1; k--) t = a + 0.5 * k / t;
  return t;
}
SIMT_MATH double simt_m_erfc_tail(double a, double terms) {
  if (a > 27.5) return 0.0;
  double low = __builtin_fma(a, a, -(a * a));
  return simt_m_exp_with_tail(-a * a, -low) * 0x1.20dd750429b6dp-1 / simt_m_erfc_fraction(a, terms);
}
SIMT_MATH double simt_m_erf(double x) {
  double a = __builtin_fabs(x);
  if (a != a || a == 0.0) return x;
  double r = a < 2.0 ? simt_m_erf_series(a).high : 1.0 - simt_m_erfc_tail(a, 200.0);
  return __builtin_copysign(r, x);
}
SIMT_MATH double simt_m_erfc(double x) {
  if (x != x) return x;
  if (x >= 2.0) return simt_m_erfc_tail(x, 200.0);
  if (x <= -2.0) return 2.0 - simt_m_erfc_tail(-x, 200.0);
  if (__builtin_fabs(x) < 1e-300) return 1.0;
  simt_m_two r = simt_m_erf_series(__builtin_fabs(x));
  return x > 0.0 ? (1.0 - r.high) - r.low : (1.0 + r.high) + r.low;
}
// In one double, for float.
SIMT_MATH double simt_m_erf_quick(double a) {
  double term = a, sum = a, z = 2.0 * a * a;
  for (int k = 3; k < 60 && term > sum * 1e-10; k += 2) {
    term *= z / k;
    sum += term;
  }
  return sum * 0x1.20dd750429b6dp+0 * simt_m_exp(-a * a);
}
SIMT_MATH float simt_m_erff(float x) {
  double a = __builtin_fabs((double)x);
  if (!(a > 0.0)) return a == 0.0 ? x : simt_m_single(a);
  double r = a < 1.25 ? simt_m_erf_quick(a) : 1.0 - simt_m_erfc_tail(a, 92.0);
  return (float)__builtin_copysign(r, (double)x);
}
SIMT_MATH float simt_m_erfcf(float x) {
  double a = __builtin_fabs((double)x);
  if (a != a) return simt_m_single(a);
  double r = a < 1.25 ? 1.0 - simt_m_erf_quick(a) : simt_m_erfc_tail(a, 92.0);
  return (float)(x < 0.0f ? 2.0 - r : r);
}

// ---- Remainders and parts: exact.
SIMT_MATH double simt_m_fmod(double x, double y) {
  double a = __builtin_fabs(x), b = __builtin_fabs(y);
  if (x != x || y != y) return x != x ? x : y;
  if (b == 0.0 || a == SIMT_M_INF) return SIMT_M_NAN;
  if (b == SIMT_M_INF) return x;
  while (a >= b) { // subtracts the largest b 2^k that fits: exact at every step
    int k = (int)(simt_m_bits(a) >> 52) - (int)(simt_m_bits(b) >> 52);
    double step = b;
    if (simt_m_bits(b) >> 52 == 0) { // subnormal divisor: double it up
      while (step + step <= a) step += step;
    } else {
      step = simt_m_double(simt_m_bits(b) + ((uint64_t)k << 52));
      if (step > a) step *= 0.5;
    }
    a -= step;
  }
  return __builtin_copysign(a, x);
}

// sin(pi x), a zero with the sign of x; cos(pi x), its zeros positive.
SIMT_MATH double simt_m_sinpi(double x) {
  double t = simt_m_fmod(x, 2.0), k = __builtin_rint(2.0 * t);
  if (t == 0.0 || __builtin_fabs(t) == 1.0) return __builtin_copysign(0.0, x);
  return simt_m_turn((int)k, (t - 0.5 * k) * 0x1.921fb54442d18p+1);
}
SIMT_MATH double simt_m_cospi(double x) {
  double t = simt_m_fmod(x, 2.0), k = __builtin_rint(2.0 * t);
  if (t != t) return t;
  if (__builtin_fabs(t) == 0.5 || __builtin_fabs(t) == 1.5) return 0.0;
  return simt_m_turn((int)k + 1, (t - 0.5 * k) * 0x1.921fb54442d18p+1);
}
SIMT_MATH double simt_m_frexp(double x, int *e) {
  *e = 0;
  if (x == 0.0 || x - x != 0.0) return x;
  uint64_t bits = simt_m_bits(x);
  if (!(bits >> 52 & 0x7ff)) {
    bits = simt_m_bits(x * 0x1p54);
    *e = -54;
  }
  *e += (int)(bits >> 52 & 0x7ff) - 1022;
  return simt_m_double((bits & UINT64_C(0x800fffffffffffff)) | UINT64_C(0x3fe0000000000000));
}
SIMT_MATH double simt_m_ldexp(double x, int n) {
  n = n > 2200 ? 2200 : n < -2200 ? -2200 : n;
  if (x == 0.0 || x - x != 0.0) return x;
  int e;
  double m = simt_m_frexp(x, &e);
  e += n;
  if (e > 1030) return m * 0x1p1023 * 4.0;
  if (e < -1100) return m * 0x1p-1022 * 0x1p-1022;
  return simt_m_scale(m, e);
}

#undef SIMT_M_NAN
#undef SIMT_M_INF
#endif
