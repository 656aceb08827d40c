// SPDX-License-Identifier: MIT
// minmax.h - min and max of two numbers in the global namespace, for host and device code.
// Mixed arguments are converted as by the usual arithmetic conversions. NaN: the other argument.
#ifndef SIMT_CUDA_MINMAX_H
#define SIMT_CUDA_MINMAX_H

#include "device.h"

// Programs may declare such a function once more, for the host: that is another one then, to which
// this one is preferred.
#define SIMT_REDECLARABLE __attribute__((enable_if(true, "")))

#define SIMT_MINMAX(type, a_type, b_type)                                                          \
  SIMT_BOTH type min(a_type a, b_type b) SIMT_REDECLARABLE {                                       \
    return (type)a < (type)b ? (type)a : (type)b;                                                  \
  }                                                                                                \
  SIMT_BOTH type max(a_type a, b_type b) SIMT_REDECLARABLE {                                       \
    return (type)a > (type)b ? (type)a : (type)b;                                                  \
  }
#define SIMT_MINMAX_MIXED(type, other) SIMT_MINMAX(type, type, other) SIMT_MINMAX(type, other, type)

SIMT_MINMAX(int, int, int)
SIMT_MINMAX(unsigned, unsigned, unsigned)
SIMT_MINMAX_MIXED(unsigned, int)
SIMT_MINMAX(long, long, long)
SIMT_MINMAX(unsigned long, unsigned long, unsigned long)
SIMT_MINMAX_MIXED(unsigned long, long)
SIMT_MINMAX(long long, long long, long long)
SIMT_MINMAX(unsigned long long, unsigned long long, unsigned long long)
SIMT_MINMAX_MIXED(unsigned long long, long long)
#undef SIMT_MINMAX_MIXED
#undef SIMT_MINMAX

#define SIMT_FMINMAX(type, a_type, b_type, suffix)                                                 \
  SIMT_BOTH type min(a_type a, b_type b) SIMT_REDECLARABLE {                                       \
    return __builtin_fmin##suffix((type)a, (type)b);                                               \
  }                                                                                                \
  SIMT_BOTH type max(a_type a, b_type b) SIMT_REDECLARABLE {                                       \
    return __builtin_fmax##suffix((type)a, (type)b);                                               \
  }
SIMT_FMINMAX(float, float, float, f)
SIMT_FMINMAX(double, double, double, )
SIMT_FMINMAX(double, float, double, )
SIMT_FMINMAX(double, double, float, )
#undef SIMT_FMINMAX

SIMT_DEVICE unsigned umin(unsigned a, unsigned b) { return a < b ? a : b; }
SIMT_DEVICE unsigned umax(unsigned a, unsigned b) { return a > b ? a : b; }
SIMT_DEVICE long long llmin(long long a, long long b) { return a < b ? a : b; }
SIMT_DEVICE long long llmax(long long a, long long b) { return a > b ? a : b; }
SIMT_DEVICE unsigned long long ullmin(unsigned long long a, unsigned long long b) {
  return a < b ? a : b;
}
SIMT_DEVICE unsigned long long ullmax(unsigned long long a, unsigned long long b) {
  return a > b ? a : b;
}

#endif
