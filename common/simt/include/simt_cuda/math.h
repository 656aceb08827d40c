// SPDX-License-Identifier: MIT
// math.h - the math functions of device code under their C and CUDA names. Here are those with one
// right answer: PTX instructions, parts of numbers, classification. The others, which have last
// bits to differ in, come from the CUDA toolkit where simtcc has found one (math_libdevice.h), or
// are our own (math_own.h).
//
// math_more.h has remainders, neighbours and what CUDA offers to host code.
#ifndef SIMT_CUDA_MATH_H
#define SIMT_CUDA_MATH_H

#include "device.h"
#include "intrinsics.h"
#include "math_core.h"
#include "math_special.h"

// ---- One PTX instruction each.
#ifdef SIMT_FTZ
SIMT_DEVICE float fabsf(float x) { return __nvvm_fabs_ftz_f(x); }
#else
SIMT_DEVICE float fabsf(float x) { return __builtin_fabsf(x); }
#endif
SIMT_DEVICE double fabs(double x) { return __builtin_fabs(x); }
SIMT_DEVICE float fabs(float x) { return fabsf(x); }
SIMT_DEVICE float fmaxf(float a, float b) { return __nvvm_fmax_f(a, b); }
SIMT_DEVICE double fmax(double a, double b) { return __nvvm_fmax_d(a, b); }
SIMT_DEVICE float fmax(float a, float b) { return __nvvm_fmax_f(a, b); }
SIMT_DEVICE float fminf(float a, float b) { return __nvvm_fmin_f(a, b); }
SIMT_DEVICE double fmin(double a, double b) { return __nvvm_fmin_d(a, b); }
SIMT_DEVICE float fmin(float a, float b) { return __nvvm_fmin_f(a, b); }
SIMT_DEVICE float fmaf(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
SIMT_DEVICE double fma(double a, double b, double c) { return __builtin_fma(a, b, c); }
SIMT_DEVICE float fma(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
#ifdef SIMT_SQRT_APPROX // -prec-sqrt=false
SIMT_DEVICE float sqrtf(float x) { return __nvvm_sqrt_approx_f(x); }
#else
SIMT_DEVICE float sqrtf(float x) { return __nvvm_sqrt_rn_f(x); }
#endif
SIMT_DEVICE double sqrt(double x) { return __nvvm_sqrt_rn_d(x); }
SIMT_DEVICE float sqrt(float x) { return sqrtf(x); }
SIMT_DEVICE float rsqrtf(float x) { return __nvvm_rsqrt_approx_f(x); }
SIMT_DEVICE double rsqrt(double x) { return __nvvm_rsqrt_approx_d(x); }
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
// Of bits: a denormal or a NaN stays what it is. A constant sign is given by abs and neg, as from
// nvcc, of which a NaN comes out as any other.
SIMT_DEVICE float copysignf(float x, float y) {
  const unsigned sign = simt_m_bits_f(y) & 0x80000000u;
  if (__builtin_constant_p(sign)) return sign ? -__builtin_fabsf(x) : __builtin_fabsf(x);
  return simt_m_float((simt_m_bits_f(x) & 0x7fffffffu) | sign);
}
SIMT_DEVICE double copysign(double x, double y) {
  return simt_m_double((simt_m_bits(x) & 0x7fffffffffffffffu) |
                       (simt_m_bits(y) & 0x8000000000000000u));
}
SIMT_DEVICE float copysign(float x, float y) { return copysignf(x, y); }

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
SIMT_DEVICE float abs(float x) { return fabsf(x); }
SIMT_DEVICE double abs(double x) { return __builtin_fabs(x); }

// ---- Differences, exponents and parts.
SIMT_DEVICE double fdim(double x, double y) { return x > y || x != x || y != y ? x - y : 0.0; }
SIMT_DEVICE float fdimf(float x, float y) { return x > y || x != x || y != y ? x - y : 0.0f; }
SIMT_DEVICE float fdim(float x, float y) { return fdimf(x, y); }
SIMT_DEVICE double frexp(double x, int *e) { return simt_m_frexp(x, e); }
SIMT_DEVICE float frexpf(float x, int *e) { return simt_m_single(simt_m_frexp((double)x, e)); }
SIMT_DEVICE float frexp(float x, int *e) { return frexpf(x, e); }
SIMT_DEVICE double ldexp(double x, int e) { return simt_m_ldexp(x, e); }
SIMT_DEVICE float ldexpf(float x, int e) {
  return simt_m_single(simt_m_ldexp((double)simt_m_flushed(x), e));
}
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

SIMT_DEVICE double fmod(double x, double y) { return simt_m_fmod(x, y); }
SIMT_DEVICE float fmodf(float x, float y) {
  return simt_m_single(simt_m_fmod((double)x, (double)y));
}
SIMT_DEVICE float fmod(float x, float y) { return fmodf(x, y); }

// ---- -use_fast_math: the intrinsics that the CUDA C++ programming guide lists for it.
#ifdef __USE_FAST_MATH__
#define SIMT_FAST(fn)                                                                              \
  SIMT_DEVICE float fn##f(float x) { return __##fn##f(x); }                                        \
  SIMT_DEVICE float fn(float x) { return __##fn##f(x); }
SIMT_FAST(exp)
SIMT_FAST(exp10)
SIMT_FAST(log)
SIMT_FAST(log2)
SIMT_FAST(log10)
SIMT_FAST(sin)
SIMT_FAST(cos)
SIMT_FAST(tan)
SIMT_FAST(tanh)
#undef SIMT_FAST
SIMT_DEVICE float powf(float x, float y) { return __powf(x, y); }
SIMT_DEVICE float pow(float x, float y) { return __powf(x, y); }
SIMT_DEVICE void sincosf(float x, float *s, float *c) { __sincosf(x, s, c); }
#endif

// ---- Functions with last bits to differ in.
#ifdef SIMT_LIBDEVICE
#include "math_libdevice.h"
#include "math_constant.h"
#else
#include "math_own.h"
#endif
#endif
