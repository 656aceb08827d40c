// SPDX-License-Identifier: MIT
// cuda_fp16.h - __half and __half2: IEEE 754 binary16. The part of CUDA's header that reductions
// and their neighbours need; names, layout and rounding as there.
#ifndef SIMT_CUDA_FP16_H
#define SIMT_CUDA_FP16_H
#define __CUDA_FP16_H__ // as in the toolkit: programs ask for it

#include "cuda_runtime.h"

#ifdef __cplusplus
#pragma GCC system_header
#include "simt_cuda/half_host.h"

struct __half;
SIMT_BOTH __half __float2half_rn(float f);
SIMT_BOTH float __half2float(__half h);
SIMT_BOTH __half __ll2half_rn(long long i);
SIMT_BOTH __half __ull2half_rn(unsigned long long i);

// The bits alone.
struct __attribute__((aligned(2))) __half_raw {
  unsigned short x;
};
struct __attribute__((aligned(4))) __half2_raw {
  unsigned short x, y;
};

struct __attribute__((aligned(2))) __half {
  unsigned short __x;
  __half() = default;
  SIMT_BOTH_MEMBER __half(float f) : __x(__float2half_rn(f).__x) {}
  SIMT_BOTH_MEMBER __half(double d) : __x(__float2half_rn(simt_round_to_odd(d)).__x) {}
  SIMT_BOTH_MEMBER __half(int i) : __x(__float2half_rn((float)i).__x) {}
  SIMT_BOTH_MEMBER __half(unsigned i) : __x(__float2half_rn((float)i).__x) {}
  SIMT_BOTH_MEMBER __half(short i) : __half((int)i) {}
  SIMT_BOTH_MEMBER __half(unsigned short i) : __half((int)i) {}
  SIMT_BOTH_MEMBER __half(long i) : __x(__ll2half_rn(i).__x) {}
  SIMT_BOTH_MEMBER __half(unsigned long i) : __x(__ull2half_rn(i).__x) {}
  SIMT_BOTH_MEMBER __half(long long i) : __x(__ll2half_rn(i).__x) {}
  SIMT_BOTH_MEMBER __half(unsigned long long i) : __x(__ull2half_rn(i).__x) {}
  SIMT_BOTH_MEMBER constexpr __half(const __half_raw &bits) : __x(bits.x) {}
  SIMT_BOTH_MEMBER operator __half_raw() const {
    __half_raw bits = {__x};
    return bits;
  }
  SIMT_BOTH_MEMBER operator float() const { return __half2float(*this); }
};
struct __attribute__((aligned(4))) __half2 {
  __half x, y;
  __half2() = default;
  SIMT_BOTH_MEMBER __half2(__half low, __half high) : x(low), y(high) {}
  SIMT_BOTH_MEMBER __half2(const __half2_raw &bits)
      : __half2(__half_raw{bits.x}, __half_raw{bits.y}) {}
  SIMT_BOTH_MEMBER operator __half2_raw() const {
    __half2_raw bits = {x.__x, y.__x};
    return bits;
  }
};
typedef __half_raw __nv_half_raw;
typedef __half half;
typedef __half __nv_half;
typedef __half2 __nv_half2;
typedef __half2 half2;

SIMT_BOTH __half __ushort_as_half(unsigned short bits) {
  __half h;
  h.__x = bits;
  return h;
}
SIMT_BOTH unsigned short __half_as_ushort(__half h) { return h.__x; }
SIMT_BOTH __half __short_as_half(short bits) { return __ushort_as_half((unsigned short)bits); }
SIMT_BOTH short __half_as_short(__half h) { return (short)h.__x; }

// ---- Conversions.
SIMT_BOTH __half __float2half_rn(float f) {
#ifdef __CUDA_ARCH__
  __half h;
  asm("cvt.rn.f16.f32 %0, %1;" : "=h"(h.__x) : "f"(f));
  return h;
#else
  return __ushort_as_half(simt_half_of_float(f));
#endif
}
SIMT_BOTH float __half2float(__half h) {
#ifdef __CUDA_ARCH__
  float f;
  asm("cvt.f32.f16 %0, %1;" : "=f"(f) : "h"(h.__x));
  return f;
#else
  return simt_float_of_half(h.__x);
#endif
}
SIMT_BOTH __half __float2half(float f) { return __float2half_rn(f); }
SIMT_BOTH __half __double2half(double d) { return __half(d); }
#ifdef SIMT_DEVICE
#define SIMT_ROUNDED_HALF(mode, ptx)                                                               \
  SIMT_DEVICE __half __float2half_##mode(float f) {                                                \
    __half h;                                                                                      \
    asm("cvt." ptx ".f16.f32 %0, %1;" : "=h"(h.__x) : "f"(f));                                     \
    return h;                                                                                      \
  }
SIMT_ROUNDED_HALF(rz, "rz")
SIMT_ROUNDED_HALF(ru, "rp")
SIMT_ROUNDED_HALF(rd, "rm")
#undef SIMT_ROUNDED_HALF
#endif

#define SIMT_H __half
#define SIMT_H_WORD half
#define SIMT_H_TO_F(h) __half2float(h)
#define SIMT_F_TO_H(f) __float2half_rn(f)
#include "simt_cuda/half_integers.inc"
#undef SIMT_H
#undef SIMT_H_TO_F
#undef SIMT_F_TO_H

SIMT_BOTH __half2 __halves2half2(__half low, __half high) { return __half2(low, high); }
SIMT_BOTH __half2 make_half2(__half low, __half high) { return __half2(low, high); }
SIMT_BOTH __half2 __half2half2(__half h) { return __half2(h, h); }
SIMT_BOTH __half2 __float2half2_rn(float f) { return __half2half2(__float2half_rn(f)); }
SIMT_BOTH __half2 __floats2half2_rn(float low, float high) {
  return __half2(__float2half_rn(low), __float2half_rn(high));
}
SIMT_BOTH __half2 __float22half2_rn(float2 v) { return __floats2half2_rn(v.x, v.y); }
SIMT_BOTH float2 __half22float2(__half2 v) {
  return make_float2(__half2float(v.x), __half2float(v.y));
}
SIMT_BOTH __half2 __low2half2(__half2 v) { return __half2half2(v.x); }
SIMT_BOTH __half2 __high2half2(__half2 v) { return __half2half2(v.y); }
SIMT_BOTH __half __low2half(__half2 v) { return v.x; }
SIMT_BOTH __half __high2half(__half2 v) { return v.y; }
SIMT_BOTH __half2 __lows2half2(__half2 a, __half2 b) { return __half2(a.x, b.x); }
SIMT_BOTH __half2 __highs2half2(__half2 a, __half2 b) { return __half2(a.y, b.y); }

#define SIMT_H __half
#define SIMT_H2 __half2
#define SIMT_H_PTX "f16"
#define SIMT_H_CASES(f16, bf16) f16
#define SIMT_H_TO_F(h) __half2float(h)
#define SIMT_F_TO_H(f) __float2half_rn(f)
#define SIMT_H_OF_BITS(u) __ushort_as_half(u)
#include "simt_cuda/half_ops.inc"

#ifdef SIMT_DEVICE
// ---- Atomics.
SIMT_DEVICE __half atomicAdd(__half *address, __half value) {
  __half old;
  asm volatile("atom.add.noftz.f16 %0, [%1], %2;"
               : "=h"(old.__x)
               : "l"(address), "h"(value.__x)
               : "memory");
  return old;
}
SIMT_DEVICE __half2 atomicAdd(__half2 *address, __half2 value) {
  unsigned old;
  asm volatile("atom.add.noftz.f16x2 %0, [%1], %2;"
               : "=r"(old)
               : "l"(address), "r"(__builtin_bit_cast(unsigned, value))
               : "memory");
  return __builtin_bit_cast(__half2, old);
}
#endif
#endif
#endif
