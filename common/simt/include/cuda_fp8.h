// SPDX-License-Identifier: MIT
// cuda_fp8.h - __nv_fp8_e4m3 and __nv_fp8_e5m2: floating-point numbers of 8 bits, one, two or four
// together; names, layout and rounding as in CUDA. E4M3 has no infinity and one NaN; E5M2 is the
// upper half of a __half. Not here: e8m0.
#ifndef SIMT_CUDA_FP8_H
#define SIMT_CUDA_FP8_H
#define __CUDA_FP8_H__ // as in the toolkit: programs ask for it

#include "cuda_bf16.h"
#include "cuda_fp16.h"

#if defined(__CUDA__) && defined(__clang__)
#pragma GCC system_header

typedef unsigned char __nv_fp8_storage_t;
typedef unsigned short __nv_fp8x2_storage_t;
typedef unsigned int __nv_fp8x4_storage_t;
typedef enum __nv_saturation_t { __NV_NOSAT, __NV_SATFINITE } __nv_saturation_t;
typedef enum __nv_fp8_interpretation_t { __NV_E4M3, __NV_E5M2 } __nv_fp8_interpretation_t;

// ---- Conversions: to nearest even; what is too large becomes the largest number (__NV_SATFINITE),
// or NaN (E4M3) or infinity (E5M2).
SIMT_BOTH __nv_fp8_storage_t __nv_cvt_float_to_fp8(float x, __nv_saturation_t saturate,
                                                   __nv_fp8_interpretation_t kind) {
  const bool is_e4m3 = kind == __NV_E4M3;
  const int digits = is_e4m3 ? 3 : 2, bias = is_e4m3 ? 7 : 15;
  const unsigned bits = __builtin_bit_cast(unsigned, x), sign = bits >> 24 & 0x80u;
  const float size = __builtin_bit_cast(float, bits & 0x7fffffffu);
  if (x != x) return 0x7f;
  if (is_e4m3 ? size > 464.0f : size >= 61440.0f) {
    const unsigned largest = is_e4m3 ? 0x7e : 0x7b, beyond = is_e4m3 ? 0x7f : 0x7c;
    return (__nv_fp8_storage_t)(sign | (saturate == __NV_SATFINITE ? largest : beyond));
  }
  int exponent = (int)(bits >> 23 & 0xffu) - 127;
  if (exponent < 1 - bias) exponent = 1 - bias;
  // In units of the last place: adding and subtracting 2^23 rounds.
  const float scale = __builtin_bit_cast(float, (unsigned)(127 + digits - exponent) << 23);
  const unsigned n = __builtin_bit_cast(unsigned, size *scale + 0x1p23f) & 0xffu;
  return (__nv_fp8_storage_t)(sign | (((unsigned)(exponent + bias - 1) << digits) + n));
}
SIMT_BOTH __nv_fp8_storage_t __nv_cvt_double_to_fp8(double x, __nv_saturation_t saturate,
                                                    __nv_fp8_interpretation_t kind) {
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
  return simt_fp8_pair(__nv_cvt_halfraw_to_fp8(__half_raw{v.x}, saturate, kind),
                       __nv_cvt_halfraw_to_fp8(__half_raw{v.y}, saturate, kind));
}
SIMT_BOTH __half_raw __nv_cvt_fp8_to_halfraw(__nv_fp8_storage_t x, __nv_fp8_interpretation_t kind) {
  const unsigned sign = (x & 0x80u) << 8, size = x & 0x7fu;
  __half_raw h = {(unsigned short)(x << 8)};
  if (kind == __NV_E5M2) {
    if (size > 0x7cu) h.x = 0x7fff;
    return h;
  }
  if (size == 0x7fu) h.x = 0x7fff;
  else if (size >= 8) h.x = (unsigned short)(sign | ((size << 7) + (8u << 10)));
  else h.x = (unsigned short)(sign | __float2half_rn((float)size * 0x1p-9f).__x);
  return h;
}
SIMT_BOTH __half2_raw __nv_cvt_fp8x2_to_halfraw2(__nv_fp8x2_storage_t x,
                                                 __nv_fp8_interpretation_t kind) {
  __half2_raw h = {__nv_cvt_fp8_to_halfraw((__nv_fp8_storage_t)x, kind).x,
                   __nv_cvt_fp8_to_halfraw((__nv_fp8_storage_t)(x >> 8), kind).x};
  return h;
}
SIMT_BOTH float simt_float_of_fp8(__nv_fp8_storage_t x, __nv_fp8_interpretation_t kind) {
  return __half2float(__half(__nv_cvt_fp8_to_halfraw(x, kind)));
}

// ---- The types. Each is spelled out, as in CUDA, by one macro for both formats.
#define SIMT_FP8_OF(name, kind, T)                                                                 \
  SIMT_BOTH_MEMBER explicit name(T x)                                                              \
      : __x(__nv_cvt_double_to_fp8((double)x, __NV_SATFINITE, kind)) {}
#define SIMT_FP8_TO(T, convert)                                                                    \
  SIMT_BOTH_MEMBER explicit operator T() const { return (T)convert((__half) * this); }
#define SIMT_FP8(name, kind)                                                                       \
  struct name {                                                                                    \
    __nv_fp8_storage_t __x;                                                                        \
    name() = default;                                                                              \
    SIMT_BOTH_MEMBER explicit name(float x)                                                        \
        : __x(__nv_cvt_float_to_fp8(x, __NV_SATFINITE, kind)) {}                                   \
    SIMT_BOTH_MEMBER explicit name(double x)                                                       \
        : __x(__nv_cvt_double_to_fp8(x, __NV_SATFINITE, kind)) {}                                  \
    SIMT_BOTH_MEMBER explicit name(__half x)                                                       \
        : __x(__nv_cvt_halfraw_to_fp8(x, __NV_SATFINITE, kind)) {}                                 \
    SIMT_BOTH_MEMBER explicit name(__nv_bfloat16 x)                                                \
        : __x(__nv_cvt_bfloat16raw_to_fp8(x, __NV_SATFINITE, kind)) {}                             \
    SIMT_FP8_OF(name, kind, short)                                                                 \
    SIMT_FP8_OF(name, kind, int)                                                                   \
    SIMT_FP8_OF(name, kind, long)                                                                  \
    SIMT_FP8_OF(name, kind, long long)                                                             \
    SIMT_FP8_OF(name, kind, unsigned short)                                                        \
    SIMT_FP8_OF(name, kind, unsigned)                                                              \
    SIMT_FP8_OF(name, kind, unsigned long)                                                         \
    SIMT_FP8_OF(name, kind, unsigned long long)                                                    \
    SIMT_BOTH_MEMBER explicit operator __half() const {                                            \
      return __half(__nv_cvt_fp8_to_halfraw(__x, kind));                                           \
    }                                                                                              \
    SIMT_BOTH_MEMBER explicit operator float() const { return simt_float_of_fp8(__x, kind); }      \
    SIMT_BOTH_MEMBER explicit operator double() const { return (double)(float)*this; }             \
    SIMT_BOTH_MEMBER explicit operator __nv_bfloat16() const {                                     \
      return __float2bfloat16_rn((float)*this);                                                    \
    }                                                                                              \
    SIMT_FP8_TO(char, __half2char_rz)                                                              \
    SIMT_FP8_TO(signed char, __half2char_rz)                                                       \
    SIMT_FP8_TO(short, __half2short_rz)                                                            \
    SIMT_FP8_TO(int, __half2int_rz)                                                                \
    SIMT_FP8_TO(long, __half2ll_rz)                                                                \
    SIMT_FP8_TO(long long, __half2ll_rz)                                                           \
    SIMT_FP8_TO(unsigned char, __half2uchar_rz)                                                    \
    SIMT_FP8_TO(unsigned short, __half2ushort_rz)                                                  \
    SIMT_FP8_TO(unsigned, __half2uint_rz)                                                          \
    SIMT_FP8_TO(unsigned long, __half2ull_rz)                                                      \
    SIMT_FP8_TO(unsigned long long, __half2ull_rz)                                                 \
    SIMT_BOTH_MEMBER explicit operator bool() const { return (__x & 0x7f) != 0; }                  \
  };                                                                                               \
  SIMT_FP8_PAIR(name, kind)
#define SIMT_FP8_PAIR(name, kind) SIMT_FP8_PAIR_(SIMT_FP8_##kind##_2, SIMT_FP8_##kind##_4, kind)
#define SIMT_FP8___NV_E4M3_2 __nv_fp8x2_e4m3
#define SIMT_FP8___NV_E4M3_4 __nv_fp8x4_e4m3
#define SIMT_FP8___NV_E5M2_2 __nv_fp8x2_e5m2
#define SIMT_FP8___NV_E5M2_4 __nv_fp8x4_e5m2
#define SIMT_FP8_PAIR_(two, four, kind)                                                            \
  struct __attribute__((aligned(2))) two {                                                         \
    __nv_fp8x2_storage_t __x;                                                                      \
    two() = default;                                                                               \
    SIMT_BOTH_MEMBER explicit two(float2 v)                                                        \
        : __x(__nv_cvt_float2_to_fp8x2(v, __NV_SATFINITE, kind)) {}                                \
    SIMT_BOTH_MEMBER explicit two(double2 v)                                                       \
        : __x(__nv_cvt_double2_to_fp8x2(v, __NV_SATFINITE, kind)) {}                               \
    SIMT_BOTH_MEMBER explicit two(__half2 v)                                                       \
        : __x(__nv_cvt_halfraw2_to_fp8x2(v, __NV_SATFINITE, kind)) {}                              \
    SIMT_BOTH_MEMBER explicit operator __half2() const {                                           \
      return __half2(__nv_cvt_fp8x2_to_halfraw2(__x, kind));                                       \
    }                                                                                              \
    SIMT_BOTH_MEMBER explicit operator float2() const {                                            \
      return make_float2(simt_float_of_fp8((__nv_fp8_storage_t)__x, kind),                         \
                         simt_float_of_fp8((__nv_fp8_storage_t)(__x >> 8), kind));                 \
    }                                                                                              \
  };                                                                                               \
  struct __attribute__((aligned(4))) four {                                                        \
    __nv_fp8x4_storage_t __x;                                                                      \
    four() = default;                                                                              \
    SIMT_BOTH_MEMBER explicit four(float4 v)                                                       \
        : __x(two(make_float2(v.x, v.y)).__x | (unsigned)two(make_float2(v.z, v.w)).__x << 16) {}  \
    SIMT_BOTH_MEMBER four(__half2 low, __half2 high)                                               \
        : __x(two(low).__x | (unsigned)two(high).__x << 16) {}                                     \
    SIMT_BOTH_MEMBER explicit operator float4() const {                                            \
      two low, high;                                                                               \
      low.__x = (__nv_fp8x2_storage_t)__x, high.__x = (__nv_fp8x2_storage_t)(__x >> 16);           \
      const float2 a = (float2)low, b = (float2)high;                                              \
      return make_float4(a.x, a.y, b.x, b.y);                                                      \
    }                                                                                              \
  };
SIMT_FP8(__nv_fp8_e4m3, __NV_E4M3)
SIMT_FP8(__nv_fp8_e5m2, __NV_E5M2)
#undef SIMT_FP8
#undef SIMT_FP8_OF
#undef SIMT_FP8_TO
#undef SIMT_FP8_PAIR
#undef SIMT_FP8_PAIR_

#endif
#endif
