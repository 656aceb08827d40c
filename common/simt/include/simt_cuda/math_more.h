// SPDX-License-Identifier: MIT
// math_more.h - gamma, error, Bessel and normal functions, norms, remainders and parts of numbers
// under their CUDA names, for device code; and for host code what CUDA offers there and the C
// library does not. float ones are computed in double and rounded once.
#ifndef SIMT_CUDA_MATH_MORE_H
#define SIMT_CUDA_MATH_MORE_H

#include "math.h"
#include "math_bessel.h"
#include "math_special.h"

#define SIMT_VIA_DOUBLE(where, fn)                                                                 \
  where double fn(double x) { return simt_m_##fn(x); }                                             \
  where float fn##f(float x) { return simt_m_single(simt_m_##fn((double)x)); }
#define SIMT_OVERLOADED(fn)                                                                        \
  SIMT_VIA_DOUBLE(SIMT_DEVICE, fn)                                                                 \
  SIMT_DEVICE float fn(float x) { return fn##f(x); }

// ---- Of the C library: device code alone.
SIMT_OVERLOADED(tgamma)
SIMT_OVERLOADED(lgamma)
SIMT_OVERLOADED(logb)
SIMT_VIA_DOUBLE(SIMT_DEVICE, j0)
SIMT_VIA_DOUBLE(SIMT_DEVICE, j1)
SIMT_VIA_DOUBLE(SIMT_DEVICE, y0)
SIMT_VIA_DOUBLE(SIMT_DEVICE, y1)
SIMT_DEVICE double jn(int n, double x) { return simt_m_jn(n, x); }
SIMT_DEVICE float jnf(int n, float x) { return simt_m_single(simt_m_jn(n, (double)x)); }
SIMT_DEVICE double yn(int n, double x) { return simt_m_yn(n, x); }
SIMT_DEVICE float ynf(int n, float x) { return simt_m_single(simt_m_yn(n, (double)x)); }
SIMT_DEVICE double remquo(double x, double y, int *q) { return simt_m_remquo(x, y, q); }
SIMT_DEVICE float remquof(float x, float y, int *q) {
  return simt_m_single(simt_m_remquo(x, y, q));
}
SIMT_DEVICE float remquo(float x, float y, int *q) { return remquof(x, y, q); }
SIMT_DEVICE double remainder(double x, double y) {
  int q;
  return simt_m_remquo(x, y, &q);
}
SIMT_DEVICE float remainderf(float x, float y) {
  return simt_m_single(remainder((double)x, (double)y));
}
SIMT_DEVICE float remainder(float x, float y) { return remainderf(x, y); }
SIMT_DEVICE double nextafter(double x, double y) {
  if (x != x || y != y) return x + y;
  if (x == y) return y;
  if (x == 0.0) return __builtin_copysign(0x1p-1074, y);
  return simt_m_double(simt_m_bits(x) + ((x < y) == (x > 0.0) ? 1 : -1));
}
SIMT_DEVICE float nextafterf(float x, float y) {
  if (x != x || y != y) return x + y;
  if (x == y) return y;
  if (x == 0.0f) return __builtin_copysignf(0x1p-149f, y);
  return simt_m_float(simt_m_bits_f(x) + ((x < y) == (x > 0.0f) ? 1 : -1));
}
SIMT_DEVICE float nextafter(float x, float y) { return nextafterf(x, y); }
SIMT_DEVICE int ilogb(double x) {
  int e;
  if (x == 0.0 || x != x) return -2147483647 - 1; // FP_ILOGB0 and FP_ILOGBNAN of CUDA
  if (__builtin_fabs(x) == __builtin_inf()) return 2147483647;
  simt_m_frexp(x, &e);
  return e - 1;
}
SIMT_DEVICE int ilogbf(float x) { return ilogb((double)x); }
SIMT_DEVICE int ilogb(float x) { return ilogb((double)x); }
SIMT_DEVICE float scalbn(float x, int n) { return ldexpf(x, n); }
SIMT_DEVICE int simt_clamped(long n) { return n > 5000 ? 5000 : n < -5000 ? -5000 : (int)n; }
SIMT_DEVICE double scalbln(double x, long n) { return ldexp(x, simt_clamped(n)); }
SIMT_DEVICE float scalblnf(float x, long n) { return ldexpf(x, simt_clamped(n)); }
SIMT_DEVICE float scalbln(float x, long n) { return scalblnf(x, n); }
SIMT_DEVICE double nan(const char *) { return __builtin_nan(""); }
SIMT_DEVICE float nanf(const char *) { return __builtin_nanf(""); }

// ---- CUDA's own: host and device code.
SIMT_VIA_DOUBLE(SIMT_BOTH, rcbrt)
SIMT_VIA_DOUBLE(SIMT_BOTH, erfinv)
SIMT_VIA_DOUBLE(SIMT_BOTH, erfcinv)
SIMT_VIA_DOUBLE(SIMT_BOTH, erfcx)
SIMT_VIA_DOUBLE(SIMT_BOTH, normcdf)
SIMT_VIA_DOUBLE(SIMT_BOTH, normcdfinv)
SIMT_VIA_DOUBLE(SIMT_BOTH, cyl_bessel_i0)
SIMT_VIA_DOUBLE(SIMT_BOTH, cyl_bessel_i1)
#undef SIMT_VIA_DOUBLE
#undef SIMT_OVERLOADED

// Device code alone.
#define SIMT_NORM(name, core, n, parameters, ...)                                                  \
  SIMT_DEVICE double name parameters(double) {                                                     \
    const double v[] = {__VA_ARGS__};                                                              \
    return core(v, n);                                                                             \
  }                                                                                                \
  SIMT_DEVICE float name##f parameters(float) {                                                    \
    const double v[] = {__VA_ARGS__};                                                              \
    return simt_m_single(core(v, n));                                                              \
  }
#define SIMT_TWO(type) (type a, type b)
#define SIMT_THREE(type) (type a, type b, type c)
#define SIMT_FOUR(type) (type a, type b, type c, type d)
SIMT_NORM(rhypot, simt_m_rnorm, 2, SIMT_TWO, (double)a, (double)b)
SIMT_NORM(norm3d, simt_m_norm, 3, SIMT_THREE, (double)a, (double)b, (double)c)
SIMT_NORM(rnorm3d, simt_m_rnorm, 3, SIMT_THREE, (double)a, (double)b, (double)c)
SIMT_NORM(norm4d, simt_m_norm, 4, SIMT_FOUR, (double)a, (double)b, (double)c, (double)d)
SIMT_NORM(rnorm4d, simt_m_rnorm, 4, SIMT_FOUR, (double)a, (double)b, (double)c, (double)d)
#undef SIMT_NORM
#undef SIMT_TWO
#undef SIMT_THREE
#undef SIMT_FOUR
SIMT_DEVICE double norm(int n, const double *v) { return simt_m_norm(v, n); }
SIMT_DEVICE double rnorm(int n, const double *v) { return simt_m_rnorm(v, n); }
SIMT_DEVICE double simt_squares_f(int n, const float *v) { // exact products; no overflow in double
  double sum = 0.0;
  for (int i = 0; i < n; i++) sum = __builtin_fma((double)v[i], (double)v[i], sum);
  return sum;
}
SIMT_DEVICE float normf(int n, const float *v) {
  return simt_m_single(__builtin_sqrt(simt_squares_f(n, v)));
}
SIMT_DEVICE float rnormf(int n, const float *v) {
  return simt_m_single(1.0 / __builtin_sqrt(simt_squares_f(n, v)));
}
SIMT_DEVICE void sincospi(double x, double *s, double *c) {
  *s = sinpi(x);
  *c = cospi(x);
}
SIMT_DEVICE void sincospif(float x, float *s, float *c) {
  *s = sinpif(x);
  *c = cospif(x);
}
SIMT_DEVICE float fdividef(float x, float y) { return x / y; }

// ---- CUDA's for the host, where a C library has them by now or will. Others than glibc have none.
#ifdef __GLIBC_PREREQ
#define SIMT_GLIBC(major, minor) __GLIBC_PREREQ(major, minor)
#else
#define SIMT_GLIBC(major, minor) 0
#endif
#define SIMT_HOST static __inline__ __attribute__((host, unused))
#if !SIMT_GLIBC(2, 42)
SIMT_HOST double rsqrt(double x) { return 1.0 / __builtin_sqrt(x); }
SIMT_HOST float rsqrtf(float x) { return (float)(1.0 / __builtin_sqrt((double)x)); }
#endif
#if !SIMT_GLIBC(2, 41)
SIMT_HOST double sinpi(double x) { return simt_m_sinpi(x); }
SIMT_HOST double cospi(double x) { return simt_m_cospi(x); }
SIMT_HOST float sinpif(float x) { return simt_m_single(simt_m_sinpi((double)x)); }
SIMT_HOST float cospif(float x) { return simt_m_single(simt_m_cospi((double)x)); }
#endif
#undef SIMT_HOST
#undef SIMT_GLIBC

#endif
