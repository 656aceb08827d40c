// SPDX-License-Identifier: MIT
// cuComplex.h - complex numbers as pairs of float or double, for C and C++, in host and device
// code. Quotients and absolute values are scaled first, so that what is squared does not overflow.
// A header of a toolkit's library brings the toolkit's own, which has the same guard: the first of
// the two is all there is.
#ifndef CU_COMPLEX_H_
#define CU_COMPLEX_H_

#include <math.h>

#include "cuda_runtime.h"

typedef float2 cuFloatComplex;
typedef double2 cuDoubleComplex;
typedef cuFloatComplex cuComplex;

#if defined(__CUDA__) && defined(__clang__)
#define SIMT_COMPLEX static __host__ __device__ __inline__
#else
#define SIMT_COMPLEX static inline
#endif

// f: what the names of the functions of this precision end in.
#define SIMT_COMPLEX_FUNCTIONS(number, complex, f)                                                 \
  SIMT_COMPLEX complex make_##complex(number real, number imaginary) {                             \
    complex z;                                                                                     \
    z.x = real;                                                                                    \
    z.y = imaginary;                                                                               \
    return z;                                                                                      \
  }                                                                                                \
  SIMT_COMPLEX number cuCreal##f(complex z) { return z.x; }                                        \
  SIMT_COMPLEX number cuCimag##f(complex z) { return z.y; }                                        \
  SIMT_COMPLEX complex cuConj##f(complex z) { return make_##complex(z.x, -z.y); }                  \
  SIMT_COMPLEX complex cuCadd##f(complex a, complex b) {                                           \
    return make_##complex(a.x + b.x, a.y + b.y);                                                   \
  }                                                                                                \
  SIMT_COMPLEX complex cuCsub##f(complex a, complex b) {                                           \
    return make_##complex(a.x - b.x, a.y - b.y);                                                   \
  }                                                                                                \
  SIMT_COMPLEX complex cuCmul##f(complex a, complex b) {                                           \
    return make_##complex(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x);                           \
  }                                                                                                \
  SIMT_COMPLEX complex cuCdiv##f(complex a, complex b) {                                           \
    number scale = (number)1 / (fabs##f(b.x) + fabs##f(b.y));                                      \
    const complex p = make_##complex(a.x * scale, a.y * scale);                                    \
    const complex q = make_##complex(b.x * scale, b.y * scale);                                    \
    scale = (number)1 / (q.x * q.x + q.y * q.y);                                                   \
    return make_##complex((p.x * q.x + p.y * q.y) * scale, (p.y * q.x - p.x * q.y) * scale);       \
  }                                                                                                \
  SIMT_COMPLEX number cuCabs##f(complex z) {                                                       \
    const number x = fabs##f(z.x), y = fabs##f(z.y);                                               \
    const number larger = x > y ? x : y, smaller = x > y ? y : x, ratio = smaller / larger;        \
    const number result = larger * sqrt##f((number)1 + ratio * ratio);                             \
    const int plain =                                                                              \
        larger == 0 || larger > SIMT_LARGEST_##number || smaller > SIMT_LARGEST_##number;          \
    return plain ? larger + smaller : result;                                                      \
  }
#define SIMT_LARGEST_float 3.402823466e38f
#define SIMT_LARGEST_double 1.79769313486231570e+308
SIMT_COMPLEX_FUNCTIONS(float, cuFloatComplex, f)
SIMT_COMPLEX_FUNCTIONS(double, cuDoubleComplex, )
#undef SIMT_COMPLEX_FUNCTIONS
#undef SIMT_LARGEST_float
#undef SIMT_LARGEST_double

SIMT_COMPLEX cuComplex make_cuComplex(float x, float y) { return make_cuFloatComplex(x, y); }
SIMT_COMPLEX cuDoubleComplex cuComplexFloatToDouble(cuFloatComplex z) {
  return make_cuDoubleComplex((double)z.x, (double)z.y);
}
SIMT_COMPLEX cuFloatComplex cuComplexDoubleToFloat(cuDoubleComplex z) {
  return make_cuFloatComplex((float)z.x, (float)z.y);
}
// a * b + c, in the order of fused operations.
SIMT_COMPLEX cuComplex cuCfmaf(cuComplex a, cuComplex b, cuComplex c) {
  const float real = a.x * b.x + c.x, imaginary = a.x * b.y + c.y;
  return make_cuComplex(-(a.y * b.y) + real, a.y * b.x + imaginary);
}
SIMT_COMPLEX cuDoubleComplex cuCfma(cuDoubleComplex a, cuDoubleComplex b, cuDoubleComplex c) {
  const double real = a.x * b.x + c.x, imaginary = a.x * b.y + c.y;
  return make_cuDoubleComplex(-(a.y * b.y) + real, a.y * b.x + imaginary);
}
#undef SIMT_COMPLEX

#endif
