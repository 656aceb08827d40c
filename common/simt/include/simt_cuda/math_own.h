// SPDX-License-Identifier: MIT
// math_own.h - the math functions whose last bits a standard leaves open, under their C and CUDA
// names, for device code compiled without a CUDA toolkit: on top of math_core.h, math_special.h and
// math_bessel.h. math_libdevice.h has the same list, from a toolkit.
//
// float ones without a float version of their own are computed in double and rounded once.
#ifndef SIMT_CUDA_MATH_OWN_H
#define SIMT_CUDA_MATH_OWN_H

#include "device.h"
#include "math_bessel.h"
#include "math_core.h"
#include "math_special.h"

#define SIMT_OWN(fn)                                                                               \
  SIMT_DEVICE double fn(double x) { return simt_m_##fn(x); }                                       \
  SIMT_DEVICE float fn##f(float x) { return simt_m_##fn##f(x); }                                   \
  SIMT_DEVICE float fn(float x) { return fn##f(x); }
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

// ---- Those for which -use_fast_math takes the intrinsic: math.h has the float ones then.
#ifdef __USE_FAST_MATH__
#define SIMT_OR_FAST(fn)                                                                           \
  SIMT_DEVICE double fn(double x) { return simt_m_##fn(x); }
#define SIMT_OR_FAST_VIA_DOUBLE(fn) SIMT_OR_FAST(fn)
SIMT_DEVICE double pow(double x, double y) { return simt_m_pow(x, y); }
#else
#define SIMT_OR_FAST(fn) SIMT_OWN(fn)
#define SIMT_OR_FAST_VIA_DOUBLE(fn) SIMT_VIA_DOUBLE(fn)
SIMT_VIA_DOUBLE_TWO(pow)
SIMT_DEVICE void sincosf(float x, float *s, float *c) {
  *s = simt_m_sinf(x);
  *c = simt_m_cosf(x);
}
#endif
SIMT_OR_FAST(exp)
SIMT_OR_FAST(log)
SIMT_OR_FAST(sin)
SIMT_OR_FAST(cos)
SIMT_OR_FAST_VIA_DOUBLE(exp10)
SIMT_OR_FAST_VIA_DOUBLE(log2)
SIMT_OR_FAST_VIA_DOUBLE(log10)
SIMT_OR_FAST_VIA_DOUBLE(tan)
SIMT_OR_FAST_VIA_DOUBLE(tanh)
#undef SIMT_OR_FAST
#undef SIMT_OR_FAST_VIA_DOUBLE

// ---- The others.
SIMT_OWN(erf)
SIMT_OWN(erfc)
SIMT_DEVICE double exp2(double x) { return simt_m_exp2(x); }
SIMT_DEVICE float exp2f(float x) { return __nvvm_ex2_approx_f(x); } // as nvcc
SIMT_DEVICE float exp2(float x) { return exp2f(x); }
SIMT_VIA_DOUBLE(expm1)
SIMT_VIA_DOUBLE(log1p)
SIMT_VIA_DOUBLE(asin)
SIMT_VIA_DOUBLE(acos)
SIMT_VIA_DOUBLE(atan)
SIMT_VIA_DOUBLE(sinh)
SIMT_VIA_DOUBLE(cosh)
SIMT_VIA_DOUBLE(asinh)
SIMT_VIA_DOUBLE(acosh)
SIMT_VIA_DOUBLE(atanh)
SIMT_VIA_DOUBLE(cbrt)
SIMT_VIA_DOUBLE_TWO(hypot)
SIMT_VIA_DOUBLE_TWO(atan2)
SIMT_VIA_DOUBLE(tgamma)
SIMT_VIA_DOUBLE(lgamma)

// ---- Without an overload for float.
#define SIMT_TWO_NAMES(fn)                                                                         \
  SIMT_DEVICE double fn(double x) { return simt_m_##fn(x); }                                       \
  SIMT_DEVICE float fn##f(float x) { return simt_m_single(simt_m_##fn((double)x)); }
SIMT_TWO_NAMES(sinpi)
SIMT_TWO_NAMES(cospi)
SIMT_TWO_NAMES(j0)
SIMT_TWO_NAMES(j1)
SIMT_TWO_NAMES(y0)
SIMT_TWO_NAMES(y1)
SIMT_TWO_NAMES(rcbrt)
SIMT_TWO_NAMES(erfinv)
SIMT_TWO_NAMES(erfcinv)
SIMT_TWO_NAMES(erfcx)
SIMT_TWO_NAMES(normcdf)
SIMT_TWO_NAMES(normcdfinv)
SIMT_TWO_NAMES(cyl_bessel_i0)
SIMT_TWO_NAMES(cyl_bessel_i1)
#undef SIMT_TWO_NAMES
#undef SIMT_OWN
#undef SIMT_VIA_DOUBLE
#undef SIMT_VIA_DOUBLE_TWO
SIMT_DEVICE double jn(int n, double x) { return simt_m_jn(n, x); }
SIMT_DEVICE float jnf(int n, float x) { return simt_m_single(simt_m_jn(n, (double)x)); }
SIMT_DEVICE double yn(int n, double x) { return simt_m_yn(n, x); }
SIMT_DEVICE float ynf(int n, float x) { return simt_m_single(simt_m_yn(n, (double)x)); }
SIMT_DEVICE void sincos(double x, double *s, double *c) {
  *s = simt_m_sin(x);
  *c = simt_m_cos(x);
}
SIMT_DEVICE void sincospi(double x, double *s, double *c) {
  *s = sinpi(x);
  *c = cospi(x);
}
SIMT_DEVICE void sincospif(float x, float *s, float *c) {
  *s = sinpif(x);
  *c = cospif(x);
}

// ---- Norms.
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
#endif
