// SPDX-License-Identifier: MIT
// math_constant.h - math functions of constants, for device code with libdevice.
//
// nvcc computes them itself, with the C library of its host: the nearest number, where libdevice is
// an ulp off at times. So sinf(1.0f) is the double's sine, rounded, and pow(2.0, 0.5) is computed
// by clang, which does the same. Chosen are these functions where the arguments are constant
// expressions; what becomes a constant later is left to libdevice. Not here: functions of doubles
// that clang does not compute (tan, atan2, tanh, ...).
#ifndef SIMT_CUDA_MATH_CONSTANT_H
#define SIMT_CUDA_MATH_CONSTANT_H

#include "device.h"

#ifdef __OPTIMIZE__ // else clang would leave its own functions as calls
#define SIMT_WHERE(condition) __attribute__((enable_if(condition, "")))

#define SIMT_CONSTANT_FLOAT(fn)                                                                    \
  SIMT_DEVICE float fn##f(float x) SIMT_WHERE(x == x) { return (float)fn((double)x); }             \
  SIMT_DEVICE float fn(float x) SIMT_WHERE(x == x) { return (float)fn((double)x); }
#ifndef __USE_FAST_MATH__
SIMT_CONSTANT_FLOAT(sin)
SIMT_CONSTANT_FLOAT(cos)
SIMT_CONSTANT_FLOAT(tan)
SIMT_CONSTANT_FLOAT(tanh)
SIMT_CONSTANT_FLOAT(log)
SIMT_CONSTANT_FLOAT(log10)
SIMT_DEVICE float powf(float x, float y) SIMT_WHERE(x == x && y == y) {
  return (float)pow((double)x, (double)y);
}
#endif
SIMT_CONSTANT_FLOAT(asin)
SIMT_CONSTANT_FLOAT(acos)
SIMT_CONSTANT_FLOAT(atan)
SIMT_CONSTANT_FLOAT(sinh)
SIMT_CONSTANT_FLOAT(cosh)
#undef SIMT_CONSTANT_FLOAT

// Arguments for which there is neither overflow nor underflow, which clang would not compute.
#define SIMT_CONSTANT_DOUBLE(fn, condition)                                                        \
  SIMT_DEVICE double fn(double x) SIMT_WHERE(condition) { return __builtin_##fn(x); }
SIMT_CONSTANT_DOUBLE(sin, x > -1e6 && x < 1e6)
SIMT_CONSTANT_DOUBLE(cos, x > -1e6 && x < 1e6)
SIMT_CONSTANT_DOUBLE(exp, x > -700 && x < 700)
SIMT_CONSTANT_DOUBLE(exp2, x > -1000 && x < 1000)
SIMT_CONSTANT_DOUBLE(log, x > 1e-300 && x < 1e300)
SIMT_CONSTANT_DOUBLE(log10, x > 1e-300 && x < 1e300)
#undef SIMT_CONSTANT_DOUBLE
SIMT_DEVICE double pow(double x, double y) SIMT_WHERE(x > 1e-3 && x < 1e3 && y > -50 && y < 50) {
  return __builtin_pow(x, y);
}
#undef SIMT_WHERE
#endif
#endif
