// SPDX-License-Identifier: MIT
// half_host.h - 16-bit floating-point conversions in integer arithmetic, for host code, and what
// the headers of small floating-point types begin with. A C++ file that is the host's alone has of
// them what is for both; what is for devices stands behind SIMT_DEVICE.
#ifndef SIMT_CUDA_HALF_HOST_H
#define SIMT_CUDA_HALF_HOST_H

#if defined(__CUDA__) && defined(__clang__)
#include "device.h"
#define SIMT_BOTH_MEMBER __host__ __device__ __inline__ __attribute__((always_inline, nodebug))
#else
#define SIMT_BOTH static inline __attribute__((unused))
#define SIMT_BOTH_MEMBER inline
#endif

// binary16 of a float, round to nearest even.
SIMT_BOTH unsigned short simt_half_of_float(float f) {
  unsigned bits = __builtin_bit_cast(unsigned, f), sign = bits >> 16 & 0x8000u;
  unsigned magnitude = bits & 0x7fffffffu;
  if (magnitude > 0x7f800000u) return 0x7fff;                            // NaN
  if (magnitude >= 0x477ff000u) return (unsigned short)(sign | 0x7c00u); // rounds to infinity
  if (magnitude < 0x38800000u) { // subnormal: adding 1/2 puts the last place where it belongs
    float shifted = __builtin_bit_cast(float, magnitude) + 0.5f;
    return (unsigned short)(sign | (__builtin_bit_cast(unsigned, shifted) - 0x3f000000u));
  }
  unsigned rounded = magnitude - 0x38000000u + 0xfffu + (magnitude >> 13 & 1u);
  return (unsigned short)(sign | rounded >> 13);
}
SIMT_BOTH float simt_float_of_half(unsigned short h) {
  unsigned sign = (unsigned)(h & 0x8000u) << 16, magnitude = h & 0x7fffu;
  if (magnitude >= 0x7c00u) // infinity and NaN
    return __builtin_bit_cast(float, sign | 0x7f800000u | (magnitude & 0x3ffu) << 13);
  float f = __builtin_bit_cast(float, magnitude << 13) * 0x1p112f; // subnormals come out right
  return __builtin_bit_cast(float, __builtin_bit_cast(unsigned, f) | sign);
}
// bfloat16 of a float, round to nearest even.
SIMT_BOTH unsigned short simt_bfloat_of_float(float f) {
  unsigned bits = __builtin_bit_cast(unsigned, f);
  if ((bits & 0x7fffffffu) > 0x7f800000u) return 0x7fff;
  return (unsigned short)((bits + 0x7fffu + (bits >> 16 & 1u)) >> 16);
}
// A float from which a second rounding gives the correctly rounded 16-bit value: toward zero, with
// the last bit set when anything was lost.
SIMT_BOTH float simt_round_to_odd(double d) {
  float f = (float)d;
  unsigned bits = __builtin_bit_cast(unsigned, f);
  if ((double)f == d || f != f) return f;
  if (__builtin_fabs((double)f) > __builtin_fabs(d)) bits--; // was rounded away from zero
  return __builtin_bit_cast(float, bits | 1u);
}

#endif
