// SPDX-License-Identifier: MIT
// math.h - the math functions of device code under their C and CUDA names, on top of math_core.h
// and PTX instructions.
//
// math_more.h has the rest of them: gamma and Bessel functions, norms, inverses.
#ifndef SIMT_CUDA_MATH_H
#define SIMT_CUDA_MATH_H

#include "device.h"
#include "math_core.h"

// ---- One PTX instruction each.
SIMT_DEVICE float fabsf(float x) { return __builtin_fabsf(x); }
SIMT_DEVICE double fabs(double x) { return __builtin_fabs(x); }
SIMT_DEVICE float fabs(float x) { return __builtin_fabsf(x); }
SIMT_DEVICE float fmaxf(float a, float b) { return __nvvm_fmax_f(a, b); }
SIMT_DEVICE double fmax(double a, double b) { return __nvvm_fmax_d(a, b); }
SIMT_DEVICE float fmax(float a, float b) { return __nvvm_fmax_f(a, b); }
SIMT_DEVICE float fminf(float a, float b) { return __nvvm_fmin_f(a, b); }
SIMT_DEVICE double fmin(double a, double b) { return __nvvm_fmin_d(a, b); }
SIMT_DEVICE float fmin(float a, float b) { return __nvvm_fmin_f(a, b); }
SIMT_DEVICE float fmaf(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
SIMT_DEVICE double fma(double a, double b, double c) { return __builtin_fma(a, b, c); }
SIMT_DEVICE float fma(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
SIMT_DEVICE float sqrtf(float x) { return __nvvm_sqrt_rn_f(x); }
SIMT_DEVICE double sqrt(double x) { return __nvvm_sqrt_rn_d(x); }
SIMT_DEVICE float sqrt(float x) { return __nvvm_sqrt_rn_f(x); }
SIMT_DEVICE float rsqrtf(float x) { return __nvvm_rsqrt_approx_f(x); }
SIMT_DEVICE double rsqrt(double x) { return 1.0 / __nvvm_sqrt_rn_d(x); }
SIMT_DEVICE float rsqrt(float x) { return __nvvm_rsqrt_approx_f(x); }
#define SIMT_ROUNDING(fn)                                                                          \
  SIMT_DEVICE float fn##f(float x) { return __builtin_##fn##f(x); }                                \
  SIMT_DEVICE double fn(double x) { return __builtin_##fn(x); }                                    \
  SIMT_DEVICE float fn(float x) { return __builtin_##fn##f(x); }
SIMT_ROUNDING(floor)
SIMT_ROUNDING(ceil)
SIMT_ROUNDING(trunc)
SIMT_ROUNDING(rint)
#undef SIMT_ROUNDING
SIMT_DEVICE float nearbyintf(float x) { return __builtin_rintf(x); }
SIMT_DEVICE double nearbyint(double x) { return __builtin_rint(x); }
SIMT_DEVICE float nearbyint(float x) { return __builtin_rintf(x); }
SIMT_DEVICE double round(double x) { // halves away from zero
  double t = __builtin_trunc(x);
  return __builtin_copysign(__builtin_fabs(x - t) >= 0.5 ? t + __builtin_copysign(1.0, x) : t, x);
}
SIMT_DEVICE float roundf(float x) {
  float t = __builtin_truncf(x);
  return __builtin_copysignf(__builtin_fabsf(x - t) >= 0.5f ? t + __builtin_copysignf(1.0f, x) : t,
                             x);
}
SIMT_DEVICE float round(float x) { return roundf(x); }
SIMT_DEVICE long lrint(double x) { return (long)__double2ll_rn(x); }
SIMT_DEVICE long lrint(float x) { return (long)__float2ll_rn(x); }
SIMT_DEVICE long lrintf(float x) { return (long)__float2ll_rn(x); }
SIMT_DEVICE long long llrint(double x) { return __double2ll_rn(x); }
SIMT_DEVICE long long llrint(float x) { return __float2ll_rn(x); }
SIMT_DEVICE long long llrintf(float x) { return __float2ll_rn(x); }
SIMT_DEVICE long lround(double x) { return (long)__double2ll_rz(round(x)); }
SIMT_DEVICE long lround(float x) { return (long)__float2ll_rz(roundf(x)); }
SIMT_DEVICE long lroundf(float x) { return (long)__float2ll_rz(roundf(x)); }
SIMT_DEVICE long long llround(double x) { return __double2ll_rz(round(x)); }
SIMT_DEVICE long long llround(float x) { return __float2ll_rz(roundf(x)); }
SIMT_DEVICE long long llroundf(float x) { return __float2ll_rz(roundf(x)); }
SIMT_DEVICE float copysignf(float x, float y) { return __builtin_copysignf(x, y); }
SIMT_DEVICE double copysign(double x, double y) { return __builtin_copysign(x, y); }
SIMT_DEVICE float copysign(float x, float y) { return __builtin_copysignf(x, y); }

// ---- Classification.
SIMT_DEVICE bool isnan(float x) { return x != x; }
SIMT_DEVICE bool isnan(double x) { return x != x; }
SIMT_DEVICE bool isinf(float x) { return __builtin_fabsf(x) == __builtin_inff(); }
SIMT_DEVICE bool isinf(double x) { return __builtin_fabs(x) == __builtin_inf(); }
SIMT_DEVICE bool isfinite(float x) { return __builtin_fabsf(x) < __builtin_inff(); }
SIMT_DEVICE bool isfinite(double x) { return __builtin_fabs(x) < __builtin_inf(); }
SIMT_DEVICE bool isnormal(float x) {
  return __builtin_fabsf(x) < __builtin_inff() && __builtin_fabsf(x) >= 0x1p-126f;
}
SIMT_DEVICE bool isnormal(double x) {
  return __builtin_fabs(x) < __builtin_inf() && __builtin_fabs(x) >= 0x1p-1022;
}
SIMT_DEVICE bool signbit(float x) { return simt_m_bits_f(x) >> 31; }
SIMT_DEVICE bool signbit(double x) { return simt_m_bits(x) >> 63; }

// ---- Integers.
SIMT_DEVICE int abs(int x) { return x < 0 ? -x : x; }
SIMT_DEVICE long abs(long x) { return x < 0 ? -x : x; }
SIMT_DEVICE long long abs(long long x) { return x < 0 ? -x : x; }
SIMT_DEVICE long labs(long x) { return x < 0 ? -x : x; }
SIMT_DEVICE long long llabs(long long x) { return x < 0 ? -x : x; }
SIMT_DEVICE float abs(float x) { return __builtin_fabsf(x); }
SIMT_DEVICE double abs(double x) { return __builtin_fabs(x); }

// ---- Elementary functions. float ones without a float version of their own are computed in
// double and rounded once.
#define SIMT_OWN(fn)                                                                               \
  SIMT_DEVICE double fn(double x) { return simt_m_##fn(x); }                                       \
  SIMT_DEVICE float fn##f(float x) { return simt_m_##fn##f(x); }                                   \
  SIMT_DEVICE float fn(float x) { return simt_m_##fn##f(x); }
#define SIMT_VIA_DOUBLE(fn)                                                                        \
  SIMT_DEVICE double fn(double x) { return simt_m_##fn(x); }                                       \
  SIMT_DEVICE float fn##f(float x) { return simt_m_single(simt_m_##fn((double)x)); }               \
  SIMT_DEVICE float fn(float x) { return fn##f(x); }
#define SIMT_VIA_DOUBLE_TWO(fn)                                                                    \
  SIMT_DEVICE double fn(double x, double y) { return simt_m_##fn(x, y); }                          \
  SIMT_DEVICE float fn##f(float x, float y) {                                                      \
    return simt_m_single(simt_m_##fn((double)x, (double)y));                                       \
  }                                                                                                \
  SIMT_DEVICE float fn(float x, float y) { return fn##f(x, y); }
SIMT_OWN(exp)
SIMT_OWN(log)
SIMT_OWN(sin)
SIMT_OWN(cos)
SIMT_VIA_DOUBLE(exp2)
SIMT_VIA_DOUBLE(exp10)
SIMT_VIA_DOUBLE(expm1)
SIMT_VIA_DOUBLE(log2)
SIMT_VIA_DOUBLE(log10)
SIMT_VIA_DOUBLE(log1p)
SIMT_VIA_DOUBLE(tan)
SIMT_VIA_DOUBLE(asin)
SIMT_VIA_DOUBLE(acos)
SIMT_VIA_DOUBLE(atan)
SIMT_VIA_DOUBLE(sinh)
SIMT_VIA_DOUBLE(cosh)
SIMT_VIA_DOUBLE(tanh)
SIMT_VIA_DOUBLE(asinh)
SIMT_VIA_DOUBLE(acosh)
SIMT_VIA_DOUBLE(atanh)
SIMT_OWN(erf)
SIMT_OWN(erfc)
SIMT_VIA_DOUBLE(cbrt)
SIMT_VIA_DOUBLE_TWO(pow)
SIMT_VIA_DOUBLE_TWO(hypot)
SIMT_VIA_DOUBLE_TWO(fmod)
SIMT_VIA_DOUBLE_TWO(atan2)
#undef SIMT_OWN
#undef SIMT_VIA_DOUBLE
#undef SIMT_VIA_DOUBLE_TWO

SIMT_DEVICE double fdim(double x, double y) { return x > y || x != x || y != y ? x - y : 0.0; }
SIMT_DEVICE float fdimf(float x, float y) { return x > y || x != x || y != y ? x - y : 0.0f; }
SIMT_DEVICE float fdim(float x, float y) { return fdimf(x, y); }
SIMT_DEVICE void sincos(double x, double *s, double *c) {
  *s = simt_m_sin(x);
  *c = simt_m_cos(x);
}
SIMT_DEVICE void sincosf(float x, float *s, float *c) {
  *s = simt_m_sinf(x);
  *c = simt_m_cosf(x);
}
SIMT_DEVICE double sinpi(double x) { return simt_m_sinpi(x); }
SIMT_DEVICE double cospi(double x) { return simt_m_cospi(x); }
SIMT_DEVICE float sinpif(float x) { return simt_m_single(sinpi((double)x)); }
SIMT_DEVICE float cospif(float x) { return simt_m_single(cospi((double)x)); }
SIMT_DEVICE double frexp(double x, int *e) { return simt_m_frexp(x, e); }
SIMT_DEVICE float frexpf(float x, int *e) { return simt_m_single(simt_m_frexp((double)x, e)); }
SIMT_DEVICE float frexp(float x, int *e) { return frexpf(x, e); }
SIMT_DEVICE double ldexp(double x, int e) { return simt_m_ldexp(x, e); }
SIMT_DEVICE float ldexpf(float x, int e) { return simt_m_single(simt_m_ldexp((double)x, e)); }
SIMT_DEVICE float ldexp(float x, int e) { return ldexpf(x, e); }
SIMT_DEVICE double scalbn(double x, int e) { return simt_m_ldexp(x, e); }
SIMT_DEVICE float scalbnf(float x, int e) { return ldexpf(x, e); }
SIMT_DEVICE double modf(double x, double *whole) {
  *whole = __builtin_trunc(x);
  return __builtin_copysign(isinf(x) ? 0.0 : x - *whole, x);
}
SIMT_DEVICE float modff(float x, float *whole) {
  *whole = __builtin_truncf(x);
  return __builtin_copysignf(isinf(x) ? 0.0f : x - *whole, x);
}
SIMT_DEVICE float modf(float x, float *whole) { return modff(x, whole); }
#endif
