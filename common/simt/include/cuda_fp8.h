// SPDX-License-Identifier: MIT
// cuda_fp8.h - __nv_fp8_e4m3, __nv_fp8_e5m2 and __nv_fp8_e8m0: floating-point numbers of 8 bits,
// one, two or four together; names, layout and rounding as in CUDA. E4M3 has no infinity and one
// NaN; E5M2 is the upper half of a __half; E8M0 are the powers of two from 2^-127 to 2^127, and
// NaN.
#ifndef SIMT_CUDA_FP8_H
#define SIMT_CUDA_FP8_H
#define __CUDA_FP8_H__ // as in the toolkit: programs ask for it
#define __CUDA_FP8_TYPES_EXIST__

#include "simt_cuda/narrow_floats.h"

#ifdef __cplusplus
#pragma GCC system_header

typedef unsigned char __nv_fp8_storage_t;
typedef unsigned short __nv_fp8x2_storage_t;
typedef unsigned int __nv_fp8x4_storage_t;
typedef enum __nv_saturation_t { __NV_NOSAT, __NV_SATFINITE } __nv_saturation_t;
typedef enum __nv_fp8_interpretation_t { __NV_E4M3, __NV_E5M2 } __nv_fp8_interpretation_t;

// ---- E4M3 and E5M2: to nearest even; what is too large becomes the largest number
// (__NV_SATFINITE), or NaN (E4M3) or infinity (E5M2).
SIMT_BOTH __nv_fp8_storage_t __nv_cvt_float_to_fp8(float x, __nv_saturation_t saturate,
                                                   __nv_fp8_interpretation_t kind) {
  const bool is_e4m3 = kind == __NV_E4M3;
  const unsigned bits = __builtin_bit_cast(unsigned, x), sign = bits >> 24 & 0x80u;
  const float size = __builtin_bit_cast(float, bits & 0x7fffffffu);
  if (x != x) return 0x7f;
  if (is_e4m3 ? size > 464.0f : size >= 61440.0f) {
    const unsigned largest = is_e4m3 ? 0x7e : 0x7b, beyond = is_e4m3 ? 0x7f : 0x7c;
    return (__nv_fp8_storage_t)(sign | (saturate == __NV_SATFINITE ? largest : beyond));
  }
  return (__nv_fp8_storage_t)(sign |
                              simt_narrow_bits(size, is_e4m3 ? 3 : 2, is_e4m3 ? 7 : 15, false));
}
SIMT_BOTH __nv_fp8_storage_t __nv_cvt_double_to_fp8(double x, __nv_saturation_t saturate,
                                                    __nv_fp8_interpretation_t kind) {
  const unsigned long long bits = __builtin_bit_cast(unsigned long long, x);
  if (x != x) // with its sign and what fits of its bits, where a float's NaN has none of them
    return (__nv_fp8_storage_t)((bits >> 56 & 0x80u) |
                                (kind == __NV_E4M3 ? 0x7f : 0x7e | (bits >> 50 & 1u)));
  return __nv_cvt_float_to_fp8(simt_round_to_odd(x), saturate, kind);
}
SIMT_BOTH __nv_fp8_storage_t __nv_cvt_halfraw_to_fp8(__half_raw x, __nv_saturation_t saturate,
                                                     __nv_fp8_interpretation_t kind) {
  return __nv_cvt_float_to_fp8(__half2float(__half(x)), saturate, kind);
}
SIMT_BOTH __nv_fp8_storage_t __nv_cvt_bfloat16raw_to_fp8(__nv_bfloat16_raw x,
                                                         __nv_saturation_t saturate,
                                                         __nv_fp8_interpretation_t kind) {
  return __nv_cvt_float_to_fp8(__bfloat162float(__nv_bfloat16(x)), saturate, kind);
}
SIMT_BOTH __nv_fp8x2_storage_t simt_fp8_pair(__nv_fp8_storage_t low, __nv_fp8_storage_t high) {
  return (__nv_fp8x2_storage_t)(low | high << 8);
}
SIMT_BOTH __nv_fp8x2_storage_t __nv_cvt_float2_to_fp8x2(float2 v, __nv_saturation_t saturate,
                                                        __nv_fp8_interpretation_t kind) {
  return simt_fp8_pair(__nv_cvt_float_to_fp8(v.x, saturate, kind),
                       __nv_cvt_float_to_fp8(v.y, saturate, kind));
}
SIMT_BOTH __nv_fp8x2_storage_t __nv_cvt_double2_to_fp8x2(double2 v, __nv_saturation_t saturate,
                                                         __nv_fp8_interpretation_t kind) {
  return simt_fp8_pair(__nv_cvt_double_to_fp8(v.x, saturate, kind),
                       __nv_cvt_double_to_fp8(v.y, saturate, kind));
}
SIMT_BOTH __nv_fp8x2_storage_t __nv_cvt_halfraw2_to_fp8x2(__half2_raw v, __nv_saturation_t saturate,
                                                          __nv_fp8_interpretation_t kind) {
  return __nv_cvt_float2_to_fp8x2(__half22float2(__half2(v)), saturate, kind);
}
SIMT_BOTH __nv_fp8x2_storage_t __nv_cvt_bfloat16raw2_to_fp8x2(__nv_bfloat162_raw v,
                                                              __nv_saturation_t saturate,
                                                              __nv_fp8_interpretation_t kind) {
  return __nv_cvt_float2_to_fp8x2(__bfloat1622float2(__nv_bfloat162(v)), saturate, kind);
}
SIMT_BOTH __half_raw __nv_cvt_fp8_to_halfraw(__nv_fp8_storage_t x, __nv_fp8_interpretation_t kind) {
  const unsigned sign = (x & 0x80u) << 8, size = x & 0x7fu;
  __half_raw h = {(unsigned short)(x << 8)};
  if (kind == __NV_E5M2) {
    if (size > 0x7cu) h.x = 0x7fff;
    return h;
  }
  if (size == 0x7fu) h.x = 0x7fff;
  else h.x = (unsigned short)(sign | __float2half_rn(simt_narrow_value(size, 3, 7)).__x);
  return h;
}
SIMT_BOTH __half2_raw __nv_cvt_fp8x2_to_halfraw2(__nv_fp8x2_storage_t x,
                                                 __nv_fp8_interpretation_t kind) {
  __half2_raw h = {__nv_cvt_fp8_to_halfraw((__nv_fp8_storage_t)x, kind).x,
                   __nv_cvt_fp8_to_halfraw((__nv_fp8_storage_t)(x >> 8), kind).x};
  return h;
}

template <__nv_fp8_interpretation_t kind> struct simt_fp8 {
  typedef __nv_fp8_storage_t one;
  typedef __nv_fp8x2_storage_t two;
  typedef __nv_fp8x4_storage_t four;
  enum { width = 8 };
  SIMT_BOTH_MEMBER static one of_float(float x) {
    return __nv_cvt_float_to_fp8(x, __NV_SATFINITE, kind);
  }
  SIMT_BOTH_MEMBER static one of_double(double x) {
    return __nv_cvt_double_to_fp8(x, __NV_SATFINITE, kind);
  }
  SIMT_BOTH_MEMBER static one of_signed(long long i) { return of_float((float)i); }
  SIMT_BOTH_MEMBER static one of_unsigned(unsigned long long i) { return of_float((float)i); }
  SIMT_BOTH_MEMBER static __half to_half(unsigned x) {
    return __half(__nv_cvt_fp8_to_halfraw((one)x, kind));
  }
  SIMT_BOTH_MEMBER static float to_float(unsigned x) { return __half2float(to_half(x)); }
  SIMT_BOTH_MEMBER static double to_double(unsigned x) { return (double)to_float(x); }
  SIMT_BOTH_MEMBER static __nv_bfloat16 to_bfloat(unsigned x) {
    return __float2bfloat16_rn(to_float(x));
  }
  SIMT_BOTH_MEMBER static bool is_true(unsigned x) { return (x & 0x7fu) != 0; }
};
SIMT_NARROW_TYPES(simt_fp8<__NV_E4M3>, __nv_fp8_e4m3, __nv_fp8x2_e4m3, __nv_fp8x4_e4m3)
SIMT_NARROW_TYPES(simt_fp8<__NV_E5M2>, __nv_fp8_e5m2, __nv_fp8x2_e5m2, __nv_fp8x4_e5m2)

// ---- E8M0: of a number's size, upward (cudaRoundPosInf) or toward zero (cudaRoundZero). Below
// 2^-127 there is nothing smaller; above 2^127 comes NaN, or 2^127 again (__NV_SATFINITE). Made of
// a number's bits, so that -ftz=true does not matter.
SIMT_BOTH __nv_fp8_storage_t simt_e8m0_of(int exponent, bool has_more, cudaRoundMode rounding,
                                          __nv_saturation_t saturate) {
  int e = exponent + 127 + (has_more && rounding == cudaRoundPosInf);
  const int largest = saturate == __NV_SATFINITE ? 254 : 255;
  return (__nv_fp8_storage_t)(e < 0 ? 0 : e > largest ? largest : e);
}
SIMT_BOTH __nv_fp8_storage_t __nv_cvt_double_to_e8m0(double x, __nv_saturation_t saturate,
                                                     cudaRoundMode rounding) {
  const unsigned long long size = __builtin_bit_cast(unsigned long long, x) & ~0ull >> 1;
  const unsigned long long infinity = 0x7ffull << 52;
  if (size > infinity) return 0xff;
  // Toward zero, what is finite and beyond floats is the largest float.
  if (size != infinity && size >= (128 + 1023ull) << 52 && rounding == cudaRoundZero) return 0xfe;
  return simt_e8m0_of((int)(size >> 52) - 1023, size << 12 != 0, rounding, saturate);
}
SIMT_BOTH __nv_fp8_storage_t __nv_cvt_float_to_e8m0(float x, __nv_saturation_t saturate,
                                                    cudaRoundMode rounding) {
  const unsigned size = __builtin_bit_cast(unsigned, x) & 0x7fffffffu;
  if (size > 0x7f800000u) return 0xff;
  if (size < 0x800000u) return rounding == cudaRoundPosInf && size > 0x400000u;
  return simt_e8m0_of((int)(size >> 23) - 127, (size & 0x7fffffu) != 0, rounding, saturate);
}
SIMT_BOTH __nv_fp8_storage_t __nv_cvt_bfloat16raw_to_e8m0(__nv_bfloat16_raw x,
                                                          __nv_saturation_t saturate,
                                                          cudaRoundMode rounding) {
  return __nv_cvt_float_to_e8m0(__bfloat162float(__nv_bfloat16(x)), saturate, rounding);
}
SIMT_BOTH __nv_fp8x2_storage_t __nv_cvt_float2_to_e8m0x2(float2 v, __nv_saturation_t saturate,
                                                         cudaRoundMode rounding) {
  return simt_fp8_pair(__nv_cvt_float_to_e8m0(v.x, saturate, rounding),
                       __nv_cvt_float_to_e8m0(v.y, saturate, rounding));
}
SIMT_BOTH __nv_fp8x2_storage_t __nv_cvt_double2_to_e8m0x2(double2 v, __nv_saturation_t saturate,
                                                          cudaRoundMode rounding) {
  return simt_fp8_pair(__nv_cvt_double_to_e8m0(v.x, saturate, rounding),
                       __nv_cvt_double_to_e8m0(v.y, saturate, rounding));
}
SIMT_BOTH __nv_fp8x2_storage_t __nv_cvt_bfloat162raw_to_e8m0x2(__nv_bfloat162_raw v,
                                                               __nv_saturation_t saturate,
                                                               cudaRoundMode rounding) {
  return __nv_cvt_float2_to_e8m0x2(__bfloat1622float2(__nv_bfloat162(v)), saturate, rounding);
}
SIMT_BOTH __nv_bfloat16_raw __nv_cvt_e8m0_to_bf16raw(__nv_fp8_storage_t x) {
  __nv_bfloat16_raw h = {(unsigned short)(x == 0xff ? 0x7fff : x ? x << 7 : 0x40)};
  return h;
}
SIMT_BOTH __nv_bfloat162_raw __nv_cvt_e8m0x2_to_bf162raw(__nv_fp8x2_storage_t x) {
  __nv_bfloat162_raw h = {__nv_cvt_e8m0_to_bf16raw((__nv_fp8_storage_t)x).x,
                          __nv_cvt_e8m0_to_bf16raw((__nv_fp8_storage_t)(x >> 8)).x};
  return h;
}

struct simt_e8m0 {
  typedef __nv_fp8_storage_t one;
  typedef __nv_fp8x2_storage_t two;
  typedef __nv_fp8x4_storage_t four;
  enum { width = 8 };
  SIMT_BOTH_MEMBER static one of_float(float x) {
    return __nv_cvt_float_to_e8m0(x, __NV_SATFINITE, cudaRoundPosInf);
  }
  SIMT_BOTH_MEMBER static one of_double(double x) {
    return __nv_cvt_double_to_e8m0(x, __NV_SATFINITE, cudaRoundPosInf);
  }
  SIMT_BOTH_MEMBER static one of_signed(long long i) {
    return of_float(simt_odd_signed_bfloat16(i));
  }
  SIMT_BOTH_MEMBER static one of_unsigned(unsigned long long i) {
    return of_float(simt_odd_bfloat16(i));
  }
  SIMT_BOTH_MEMBER static __nv_bfloat16 to_bfloat(unsigned x) {
    return __nv_bfloat16(__nv_cvt_e8m0_to_bf16raw((one)x));
  }
  SIMT_BOTH_MEMBER static float to_float(unsigned x) { return __bfloat162float(to_bfloat(x)); }
  SIMT_BOTH_MEMBER static double to_double(unsigned x) {
    return x == 0xff ? (double)to_float(x)
                     : __builtin_bit_cast(double, (unsigned long long)(x + 1023 - 127) << 52);
  }
  SIMT_BOTH_MEMBER static __half to_half(unsigned x) { return __float2half_rn(to_float(x)); }
  SIMT_BOTH_MEMBER static bool is_true(unsigned) { return true; }
};
SIMT_NARROW_TYPE(simt_e8m0, __nv_fp8_e8m0, simt_narrow)
struct __nv_fp8x2_e8m0 : simt_narrow_pair<simt_e8m0> {
  __nv_fp8x2_e8m0() = default;
  using simt_narrow_pair<simt_e8m0>::simt_narrow_pair;
  SIMT_BOTH_MEMBER explicit operator __nv_bfloat162() const {
    return __nv_bfloat162(__nv_cvt_e8m0x2_to_bf162raw(__x));
  }
};
SIMT_NARROW_TYPE(simt_e8m0, __nv_fp8x4_e8m0, simt_narrow_four)

#endif
#endif
