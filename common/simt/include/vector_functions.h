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

#define SIMT_MAKERS_ALIGNED(type, element)                                                         \
  SIMT_MAKE type##_16a make_##type##_16a(element x, element y, element z, element w) {             \
    type##_16a v;                                                                                  \
    v.x = x, v.y = y, v.z = z, v.w = w;                                                            \
    return v;                                                                                      \
  }                                                                                                \
  SIMT_MAKE type##_32a make_##type##_32a(element x, element y, element z, element w) {             \
    type##_32a v;                                                                                  \
    v.x = x, v.y = y, v.z = z, v.w = w;                                                            \
    return v;                                                                                      \
  }
SIMT_MAKERS_ALIGNED(long4, long)
SIMT_MAKERS_ALIGNED(ulong4, unsigned long)
SIMT_MAKERS_ALIGNED(longlong4, long long)
SIMT_MAKERS_ALIGNED(ulonglong4, unsigned long long)
SIMT_MAKERS_ALIGNED(double4, double)

#undef SIMT_MAKERS_ALIGNED
#undef SIMT_MAKERS
#undef SIMT_MAKE
#endif
