// SPDX-License-Identifier: MIT
// narrow_floats.h - what cuda_fp8.h, cuda_fp6.h and cuda_fp4.h have in common: rounding to a few
// digits, and the types of one, two and four numbers.
//
// A format is a structure of functions: of_float, of_double, of_signed and of_unsigned to its bits,
// to_float, to_double, to_half and to_bfloat from them; `one`, `two` and `four` are the words that
// hold as many numbers, `width` the bits from one to the next. Every value of every format is one
// of bfloat16, too, so that conversions to integers are bfloat16's.
#ifndef SIMT_CUDA_NARROW_FLOATS_H
#define SIMT_CUDA_NARROW_FLOATS_H

#include "cuda_bf16.h"
#include "cuda_fp16.h"

#ifdef __cplusplus
#pragma GCC system_header

// A number of so many digits behind the point: the bits of `size`, which is not negative and not
// larger than the largest one by a unit of its last place. Rounds to nearest even, or toward zero.
SIMT_BOTH unsigned simt_narrow_bits(float size, int digits, int bias, bool toward_zero) {
  int exponent = (int)(__builtin_bit_cast(unsigned, size) >> 23) - 127;
  if (exponent < 1 - bias) exponent = 1 - bias;
  // In units of the last place: adding 2^23 rounds.
  const float scale = __builtin_bit_cast(float, (unsigned)(127 + digits - exponent) << 23);
  const unsigned n = toward_zero ? (unsigned)(size * scale)
                                 : __builtin_bit_cast(unsigned, size *scale + 8388608.0f) & 0xffu;
  return ((unsigned)(exponent + bias - 1) << digits) + n;
}
// The value of these bits, which are not those of an infinity or a NaN.
SIMT_BOTH float simt_narrow_value(unsigned size, int digits, int bias) {
  const int exponent = (int)(size >> digits);
  const unsigned last = (unsigned)((exponent ? exponent : 1) - bias - digits + 127) << 23;
  const unsigned n = exponent ? size - ((unsigned)(exponent - 1) << digits) : size;
  return (float)n * __builtin_bit_cast(float, last);
}

// A format of numbers without NaN and infinity: what is too large becomes the largest, so does NaN.
template <int digits, int bias, int bits> struct simt_narrow_finite {
  SIMT_BOTH_MEMBER static unsigned char rounded(float x, bool toward_zero) {
    const unsigned word = __builtin_bit_cast(unsigned, x), largest = (1u << (bits - 1)) - 1;
    const float size = __builtin_bit_cast(float, word & 0x7fffffffu);
    if (x != x) return largest;
    const bool is_large = size >= simt_narrow_value(largest, digits, bias);
    return (
        unsigned char)((word >> 31 << (bits - 1)) |
                       (is_large ? largest : simt_narrow_bits(size, digits, bias, toward_zero)));
  }
  SIMT_BOTH_MEMBER static unsigned char of_float(float x) { return rounded(x, false); }
  SIMT_BOTH_MEMBER static unsigned char of_double(double x) {
    return of_float(simt_round_to_odd(x));
  }
  SIMT_BOTH_MEMBER static unsigned char of_signed(long long i) { return of_float((float)i); }
  SIMT_BOTH_MEMBER static unsigned char of_unsigned(unsigned long long i) {
    return of_float((float)i);
  }
  SIMT_BOTH_MEMBER static float to_float(unsigned x) {
    const unsigned sign = x >> (bits - 1) & 1u, size = x & ((1u << (bits - 1)) - 1);
    const float f = simt_narrow_value(size, digits, bias);
    return sign ? -f : f;
  }
  SIMT_BOTH_MEMBER static double to_double(unsigned x) { return (double)to_float(x); }
  SIMT_BOTH_MEMBER static __half to_half(unsigned x) { return __float2half_rn(to_float(x)); }
  SIMT_BOTH_MEMBER static __nv_bfloat16 to_bfloat(unsigned x) {
    return __float2bfloat16_rn(to_float(x));
  }
  SIMT_BOTH_MEMBER static bool is_true(unsigned x) { return (x & ((1u << (bits - 1)) - 1)) != 0; }
};

// ---- The types: each of CUDA's is derived from one of these, and has a name of its own.
#define SIMT_NARROW_OF(T, function)                                                                \
  SIMT_BOTH_MEMBER explicit simt_narrow(T x) : __x(F::function(x)) {}
#define SIMT_NARROW_TO(T, convert)                                                                 \
  SIMT_BOTH_MEMBER explicit operator T() const { return (T)convert(F::to_bfloat(__x)); }
template <class F> struct simt_narrow {
  typename F::one __x;
  simt_narrow() = default;
  SIMT_BOTH_MEMBER explicit simt_narrow(float x) : __x(F::of_float(x)) {}
  SIMT_BOTH_MEMBER explicit simt_narrow(double x) : __x(F::of_double(x)) {}
  SIMT_BOTH_MEMBER explicit simt_narrow(__half x) : __x(F::of_float(__half2float(x))) {}
  SIMT_BOTH_MEMBER explicit simt_narrow(__nv_bfloat16 x) : __x(F::of_float(__bfloat162float(x))) {}
  SIMT_NARROW_OF(short, of_signed)
  SIMT_NARROW_OF(int, of_signed)
  SIMT_NARROW_OF(long, of_signed)
  SIMT_NARROW_OF(long long, of_signed)
  SIMT_NARROW_OF(unsigned short, of_unsigned)
  SIMT_NARROW_OF(unsigned, of_unsigned)
  SIMT_NARROW_OF(unsigned long, of_unsigned)
  SIMT_NARROW_OF(unsigned long long, of_unsigned)
  SIMT_BOTH_MEMBER explicit operator __half() const { return F::to_half(__x); }
  SIMT_BOTH_MEMBER explicit operator float() const { return F::to_float(__x); }
  SIMT_BOTH_MEMBER explicit operator double() const { return F::to_double(__x); }
  SIMT_BOTH_MEMBER explicit operator __nv_bfloat16() const { return F::to_bfloat(__x); }
  SIMT_NARROW_TO(char, __bfloat162char_rz)
  SIMT_NARROW_TO(signed char, __bfloat162char_rz)
  SIMT_NARROW_TO(short, __bfloat162short_rz)
  SIMT_NARROW_TO(int, __bfloat162int_rz)
  SIMT_NARROW_TO(long, __bfloat162ll_rz)
  SIMT_NARROW_TO(long long, __bfloat162ll_rz)
  SIMT_NARROW_TO(unsigned char, __bfloat162uchar_rz)
  SIMT_NARROW_TO(unsigned short, __bfloat162ushort_rz)
  SIMT_NARROW_TO(unsigned, __bfloat162uint_rz)
  SIMT_NARROW_TO(unsigned long, __bfloat162ull_rz)
  SIMT_NARROW_TO(unsigned long long, __bfloat162ull_rz)
  SIMT_BOTH_MEMBER explicit operator bool() const { return F::is_true(__x); }
};
#undef SIMT_NARROW_OF
#undef SIMT_NARROW_TO

template <class F> SIMT_BOTH typename F::two simt_narrow_two(unsigned low, unsigned high) {
  return (typename F::two)(low | high << F::width);
}
template <class F> SIMT_BOTH unsigned simt_narrow_low(unsigned two) {
  return two & ((1u << F::width) - 1);
}
template <class F> struct simt_narrow_pair {
  typename F::two __x;
  simt_narrow_pair() = default;
  SIMT_BOTH_MEMBER explicit simt_narrow_pair(float2 v)
      : __x(simt_narrow_two<F>(F::of_float(v.x), F::of_float(v.y))) {}
  SIMT_BOTH_MEMBER explicit simt_narrow_pair(double2 v)
      : __x(simt_narrow_two<F>(F::of_double(v.x), F::of_double(v.y))) {}
  SIMT_BOTH_MEMBER explicit simt_narrow_pair(__half2 v) : simt_narrow_pair(__half22float2(v)) {}
  SIMT_BOTH_MEMBER explicit simt_narrow_pair(__nv_bfloat162 v)
      : simt_narrow_pair(__bfloat1622float2(v)) {}
  SIMT_BOTH_MEMBER explicit operator __half2() const {
    return __half2(F::to_half(simt_narrow_low<F>(__x)), F::to_half(__x >> F::width));
  }
  SIMT_BOTH_MEMBER explicit operator float2() const {
    return make_float2(F::to_float(simt_narrow_low<F>(__x)), F::to_float(__x >> F::width));
  }
};

template <class F> struct simt_narrow_four {
  typedef simt_narrow_pair<F> pair;
  typename F::four __x;
  simt_narrow_four() = default;
  SIMT_BOTH_MEMBER explicit simt_narrow_four(pair low, pair high)
      : __x((typename F::four)(low.__x | (unsigned)high.__x << 2 * F::width)) {}
  SIMT_BOTH_MEMBER explicit simt_narrow_four(__half2 low, __half2 high)
      : simt_narrow_four(pair(low), pair(high)) {}
  SIMT_BOTH_MEMBER explicit simt_narrow_four(__nv_bfloat162 low, __nv_bfloat162 high)
      : simt_narrow_four(pair(low), pair(high)) {}
  SIMT_BOTH_MEMBER explicit simt_narrow_four(float4 v)
      : simt_narrow_four(pair(make_float2(v.x, v.y)), pair(make_float2(v.z, v.w))) {}
  SIMT_BOTH_MEMBER explicit simt_narrow_four(double4_32a v)
      : simt_narrow_four(pair(make_double2(v.x, v.y)), pair(make_double2(v.z, v.w))) {}
  SIMT_BOTH_MEMBER explicit simt_narrow_four(double4_16a v)
      : simt_narrow_four(pair(make_double2(v.x, v.y)), pair(make_double2(v.z, v.w))) {}
  SIMT_BOTH_MEMBER explicit simt_narrow_four(double4 v)
      : simt_narrow_four(pair(make_double2(v.x, v.y)), pair(make_double2(v.z, v.w))) {}
  SIMT_BOTH_MEMBER explicit operator float4() const {
    pair low, high;
    low.__x = (typename F::two)__x, high.__x = (typename F::two)(__x >> 2 * F::width);
    const float2 a = (float2)low, b = (float2)high;
    return make_float4(a.x, a.y, b.x, b.y);
  }
};

#define SIMT_NARROW_TYPE(F, name, base)                                                            \
  struct name : base<F> {                                                                          \
    name() = default;                                                                              \
    using base<F>::base;                                                                           \
  };
#define SIMT_NARROW_TYPES(F, one, two, four)                                                       \
  SIMT_NARROW_TYPE(F, one, simt_narrow)                                                            \
  SIMT_NARROW_TYPE(F, two, simt_narrow_pair)                                                       \
  SIMT_NARROW_TYPE(F, four, simt_narrow_four)

#endif
#endif
