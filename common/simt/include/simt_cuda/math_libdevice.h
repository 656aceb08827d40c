// SPDX-License-Identifier: MIT
// math_libdevice.h - the math functions whose last bits a standard leaves open, under their C and
// CUDA names, for device code: from libdevice, the bitcode library of a CUDA toolkit, which simtcc
// then links (--maths), so that every bit is as from nvcc. math_own.h has the same list without a
// toolkit.
//
// libdevice calls a function as C does, with __nv_ before its name: __nv_sin(), __nv_sinf().
#ifndef SIMT_CUDA_MATH_LIBDEVICE_H
#define SIMT_CUDA_MATH_LIBDEVICE_H

#include "device.h"

#define SIMT_NV extern "C" __attribute__((device))
#define SIMT_NV_DOUBLE(fn)                                                                         \
  SIMT_NV double __nv_##fn(double);                                                                \
  SIMT_DEVICE double fn(double x) { return __nv_##fn(x); }
#define SIMT_NV_FLOAT(fn)                                                                          \
  SIMT_NV float __nv_##fn##f(float);                                                               \
  SIMT_DEVICE float fn##f(float x) { return __nv_##fn##f(x); }
#define SIMT_NV_OVERLOADED(fn)                                                                     \
  SIMT_NV_DOUBLE(fn)                                                                               \
  SIMT_NV_FLOAT(fn)                                                                                \
  SIMT_DEVICE float fn(float x) { return __nv_##fn##f(x); }
#define SIMT_NV_BOTH(fn)                                                                           \
  SIMT_NV_DOUBLE(fn)                                                                               \
  SIMT_NV_FLOAT(fn)
// Of several arguments: their types stand in `parameters`, a macro of the type.
#define SIMT_NV_MANY(fn, parameters, ...)                                                          \
  SIMT_NV double __nv_##fn parameters(double);                                                     \
  SIMT_DEVICE double fn parameters(double) { return __nv_##fn(__VA_ARGS__); }                      \
  SIMT_NV float __nv_##fn##f parameters(float);                                                    \
  SIMT_DEVICE float fn##f parameters(float) { return __nv_##fn##f(__VA_ARGS__); }
#define SIMT_TWO(type) (type a, type b)
#define SIMT_THREE(type) (type a, type b, type c)
#define SIMT_FOUR(type) (type a, type b, type c, type d)
#define SIMT_ORDER(type) (int n, type a)
#define SIMT_ARRAY(type) (int n, const type *a)

// ---- Those for which -use_fast_math takes the intrinsic: math.h has the float ones then.
#ifdef __USE_FAST_MATH__
#define SIMT_NV_OR_FAST(fn) SIMT_NV_DOUBLE(fn)
SIMT_NV double __nv_pow(double, double);
SIMT_DEVICE double pow(double x, double y) { return __nv_pow(x, y); }
#else
#define SIMT_NV_OR_FAST(fn) SIMT_NV_OVERLOADED(fn)
SIMT_NV_MANY(pow, SIMT_TWO, a, b)
SIMT_DEVICE float pow(float x, float y) { return __nv_powf(x, y); }
SIMT_NV void __nv_sincosf(float, float *, float *);
SIMT_DEVICE void sincosf(float x, float *s, float *c) { __nv_sincosf(x, s, c); }
#endif
SIMT_NV_OR_FAST(exp)
SIMT_NV_OR_FAST(log)
SIMT_NV_OR_FAST(sin)
SIMT_NV_OR_FAST(cos)
SIMT_NV_OR_FAST(exp10)
SIMT_NV_OR_FAST(log2)
SIMT_NV_OR_FAST(log10)
SIMT_NV_OR_FAST(tan)
SIMT_NV_OR_FAST(tanh)

// ---- The others.
SIMT_NV_OVERLOADED(erf)
SIMT_NV_OVERLOADED(erfc)
SIMT_NV_OVERLOADED(exp2)
SIMT_NV_OVERLOADED(expm1)
SIMT_NV_OVERLOADED(log1p)
SIMT_NV_OVERLOADED(asin)
SIMT_NV_OVERLOADED(acos)
SIMT_NV_OVERLOADED(atan)
SIMT_NV_OVERLOADED(sinh)
SIMT_NV_OVERLOADED(cosh)
SIMT_NV_OVERLOADED(asinh)
SIMT_NV_OVERLOADED(acosh)
SIMT_NV_OVERLOADED(atanh)
SIMT_NV_OVERLOADED(cbrt)
SIMT_NV_OVERLOADED(tgamma)
SIMT_NV_OVERLOADED(lgamma)
SIMT_NV_BOTH(sinpi)
SIMT_NV_BOTH(cospi)
SIMT_NV_BOTH(j0)
SIMT_NV_BOTH(j1)
SIMT_NV_BOTH(y0)
SIMT_NV_BOTH(y1)
SIMT_NV_BOTH(rcbrt)
SIMT_NV_BOTH(erfinv)
SIMT_NV_BOTH(erfcinv)
SIMT_NV_BOTH(erfcx)
SIMT_NV_BOTH(normcdf)
SIMT_NV_BOTH(normcdfinv)
SIMT_NV_BOTH(cyl_bessel_i0)
SIMT_NV_BOTH(cyl_bessel_i1)
SIMT_NV_MANY(hypot, SIMT_TWO, a, b)
SIMT_DEVICE float hypot(float x, float y) { return __nv_hypotf(x, y); }
SIMT_NV_MANY(atan2, SIMT_TWO, a, b)
SIMT_DEVICE float atan2(float y, float x) { return __nv_atan2f(y, x); }
SIMT_NV_MANY(rhypot, SIMT_TWO, a, b)
SIMT_NV_MANY(norm3d, SIMT_THREE, a, b, c)
SIMT_NV_MANY(rnorm3d, SIMT_THREE, a, b, c)
SIMT_NV_MANY(norm4d, SIMT_FOUR, a, b, c, d)
SIMT_NV_MANY(rnorm4d, SIMT_FOUR, a, b, c, d)
SIMT_NV_MANY(norm, SIMT_ARRAY, n, a)
SIMT_NV_MANY(rnorm, SIMT_ARRAY, n, a)
SIMT_NV_MANY(jn, SIMT_ORDER, n, a)
SIMT_NV_MANY(yn, SIMT_ORDER, n, a)
SIMT_NV void __nv_sincos(double, double *, double *);
SIMT_DEVICE void sincos(double x, double *s, double *c) { __nv_sincos(x, s, c); }
SIMT_NV void __nv_sincospi(double, double *, double *);
SIMT_DEVICE void sincospi(double x, double *s, double *c) { __nv_sincospi(x, s, c); }
SIMT_NV void __nv_sincospif(float, float *, float *);
SIMT_DEVICE void sincospif(float x, float *s, float *c) { __nv_sincospif(x, s, c); }

#undef SIMT_NV
#undef SIMT_NV_DOUBLE
#undef SIMT_NV_FLOAT
#undef SIMT_NV_OVERLOADED
#undef SIMT_NV_BOTH
#undef SIMT_NV_MANY
#undef SIMT_NV_OR_FAST
#undef SIMT_TWO
#undef SIMT_THREE
#undef SIMT_FOUR
#undef SIMT_ORDER
#undef SIMT_ARRAY
#endif
