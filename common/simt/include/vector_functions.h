// SPDX-License-Identifier: MIT
// vector_functions.h - make_float4 and the rest. C and C++, host and device.
#ifndef SIMT_VECTOR_FUNCTIONS_H
#define SIMT_VECTOR_FUNCTIONS_H
#define __VECTOR_FUNCTIONS_H__ // as in the toolkit: programs ask for it

#include "simt_cuda/qualifiers.h"
#include "vector_types.h"

#define SIMT_MAKE static __inline__ __attribute__((unused)) __host__ __device__
#define SIMT_MAKERS(type, element)                                                                 \
  SIMT_MAKE type##1 make_##type##1(element x) {                                                    \
    type##1 v;                                                                                     \
    v.x = x;                                                                                       \
    return v;                                                                                      \
  }                                                                                                \
  SIMT_MAKE type##2 make_##type##2(element x, element y) {                                         \
    type##2 v;                                                                                     \
    v.x = x, v.y = y;                                                                              \
    return v;                                                                                      \
  }                                                                                                \
  SIMT_MAKE type##3 make_##type##3(element x, element y, element z) {                              \
    type##3 v;                                                                                     \
    v.x = x, v.y = y, v.z = z;                                                                     \
    return v;                                                                                      \
  }                                                                                                \
  SIMT_MAKE type##4 make_##type##4(element x, element y, element z, element w) {                   \
    type##4 v;                                                                                     \
    v.x = x, v.y = y, v.z = z, v.w = w;                                                            \
    return v;                                                                                      \
  }

SIMT_MAKERS(char, signed char)
SIMT_MAKERS(uchar, unsigned char)
SIMT_MAKERS(short, short)
SIMT_MAKERS(ushort, unsigned short)
SIMT_MAKERS(int, int)
SIMT_MAKERS(uint, unsigned int)
SIMT_MAKERS(long, long)
SIMT_MAKERS(ulong, unsigned long)
SIMT_MAKERS(longlong, long long)
SIMT_MAKERS(ulonglong, unsigned long long)
SIMT_MAKERS(float, float)
SIMT_MAKERS(double, double)

#undef SIMT_MAKERS
#undef SIMT_MAKE
#endif
