// SPDX-License-Identifier: MIT
// math_more.h - remainders, neighbours and parts of numbers under their CUDA names, for device
// code; and for host code what CUDA offers there and the C library does not, where float functions
// are computed in double and rounded once.
#ifndef SIMT_CUDA_MATH_MORE_H
#define SIMT_CUDA_MATH_MORE_H

#include "math.h"
#include "math_bessel.h"
#include "math_special.h"

SIMT_DEVICE double logb(double x) { return simt_m_logb(x); }
SIMT_DEVICE float logbf(float x) { return simt_m_single(simt_m_logb((double)x)); }
SIMT_DEVICE float logb(float x) { return logbf(x); }
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
  const float from = simt_m_flushed(x), to = simt_m_flushed(y);
  if (x != x || y != y) return x + y;
  if (from == to) return to;
#ifdef SIMT_FTZ
  if (from == 0.0f) return __builtin_copysignf(0x1p-126f, to);
#else
  if (from == 0.0f) return __builtin_copysignf(0x1p-149f, to);
#endif
  const int step = (from < to) == (from > 0.0f) ? 1 : -1;
  return simt_m_flushed(simt_m_float(simt_m_bits_f(from) + step));
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
// The number that a NaN is made with: decimal, octal (0...) or hexadecimal (0x...); 0 where it is
// none.
SIMT_DEVICE unsigned long long simt_nan_number(const char *tag) {
  unsigned long long number = 0;
  unsigned base = 10;
  if (*tag == '0') base = 8, tag++;
  if (base == 8 && (*tag == 'x' || *tag == 'X')) base = 16, tag++;
  for (; *tag; tag++) {
    const unsigned letter = (unsigned)(*tag | 0x20) - 'a', figure = (unsigned)*tag - '0';
    const unsigned digit = figure < 10 ? figure : letter < 6 ? letter + 10 : 16;
    if (digit >= base) return 0;
    number = number * base + digit;
  }
  return number;
}
SIMT_DEVICE double nan(const char *tag) {
  return simt_m_double(0x7ff8000000000000u | (simt_nan_number(tag) & 0x7ffffffffffffu));
}
SIMT_DEVICE float nanf(const char *tag) {
  return simt_m_float(0x7fc00000u | ((unsigned)simt_nan_number(tag) & 0x3fffffu));
}
SIMT_DEVICE float fdividef(float x, float y) { return x / y; }

// ---- CUDA's for the host, where a C library has them by now or will. Others than glibc have none.
#ifdef __GLIBC_PREREQ
#define SIMT_GLIBC(major, minor) __GLIBC_PREREQ(major, minor)
#else
#define SIMT_GLIBC(major, minor) 0
#endif
#define SIMT_HOST static __inline__ __attribute__((host, unused))
#define SIMT_ON_HOST(fn)                                                                           \
  SIMT_HOST double fn(double x) { return simt_m_##fn(x); }                                         \
  SIMT_HOST float fn##f(float x) { return simt_m_single(simt_m_##fn((double)x)); }
SIMT_ON_HOST(rcbrt)
SIMT_ON_HOST(erfinv)
SIMT_ON_HOST(erfcinv)
SIMT_ON_HOST(erfcx)
SIMT_ON_HOST(normcdf)
SIMT_ON_HOST(normcdfinv)
SIMT_ON_HOST(cyl_bessel_i0)
SIMT_ON_HOST(cyl_bessel_i1)
#if !SIMT_GLIBC(2, 42)
SIMT_HOST double rsqrt(double x) { return 1.0 / __builtin_sqrt(x); }
SIMT_HOST float rsqrtf(float x) { return (float)(1.0 / __builtin_sqrt((double)x)); }
#endif
#if !SIMT_GLIBC(2, 41)
SIMT_ON_HOST(sinpi)
SIMT_ON_HOST(cospi)
#endif
#undef SIMT_ON_HOST
#undef SIMT_HOST
#undef SIMT_GLIBC

#endif
