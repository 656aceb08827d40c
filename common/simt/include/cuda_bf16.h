// SPDX-License-Identifier: MIT
// cuda_bf16.h - __nv_bfloat16 and __nv_bfloat162: the upper half of a float. The part of CUDA's
// header that reductions and their neighbours need; names, layout and rounding as there. What it
// shares with cuda_fp16.h is in simt_cuda/half_host.h; the class is spelled out in both, as in
// CUDA, so that errors and debuggers show the type's own name.
#ifndef SIMT_CUDA_BF16_H
#define SIMT_CUDA_BF16_H
#define __CUDA_BF16_H__ // as in the toolkit: programs ask for it

#include "cuda_runtime.h"

#ifdef __cplusplus
#pragma GCC system_header
#include "simt_cuda/half_host.h"

struct __nv_bfloat16;
SIMT_BOTH __nv_bfloat16 __float2bfloat16_rn(float f);
SIMT_BOTH float __bfloat162float(__nv_bfloat16 h);
SIMT_BOTH __nv_bfloat16 __ll2bfloat16_rn(long long i);
SIMT_BOTH __nv_bfloat16 __ull2bfloat16_rn(unsigned long long i);

// The bits alone.
struct __attribute__((aligned(2))) __nv_bfloat16_raw {
  unsigned short x;
};
struct __attribute__((aligned(4))) __nv_bfloat162_raw {
  unsigned short x, y;
};

struct __attribute__((aligned(2))) __nv_bfloat16 {
  unsigned short __x;
  __nv_bfloat16() = default;
  SIMT_BOTH_MEMBER __nv_bfloat16(float f) : __x(__float2bfloat16_rn(f).__x) {}
  SIMT_BOTH_MEMBER __nv_bfloat16(double d) : __x(__float2bfloat16_rn(simt_round_to_odd(d)).__x) {}
  SIMT_BOTH_MEMBER __nv_bfloat16(int i)
      : __x(__float2bfloat16_rn(simt_round_to_odd((double)i)).__x) {}
  SIMT_BOTH_MEMBER __nv_bfloat16(unsigned i)
      : __x(__float2bfloat16_rn(simt_round_to_odd((double)i)).__x) {}
  SIMT_BOTH_MEMBER __nv_bfloat16(short i) : __nv_bfloat16((int)i) {}
  SIMT_BOTH_MEMBER __nv_bfloat16(unsigned short i) : __nv_bfloat16((int)i) {}
  SIMT_BOTH_MEMBER __nv_bfloat16(long i) : __x(__ll2bfloat16_rn(i).__x) {}
  SIMT_BOTH_MEMBER __nv_bfloat16(unsigned long i) : __x(__ull2bfloat16_rn(i).__x) {}
  SIMT_BOTH_MEMBER __nv_bfloat16(long long i) : __x(__ll2bfloat16_rn(i).__x) {}
  SIMT_BOTH_MEMBER __nv_bfloat16(unsigned long long i) : __x(__ull2bfloat16_rn(i).__x) {}
  SIMT_BOTH_MEMBER constexpr __nv_bfloat16(const __nv_bfloat16_raw &bits) : __x(bits.x) {}
  SIMT_BOTH_MEMBER operator __nv_bfloat16_raw() const {
    __nv_bfloat16_raw bits = {__x};
    return bits;
  }
  SIMT_BOTH_MEMBER operator float() const { return __bfloat162float(*this); }
};
struct __attribute__((aligned(4))) __nv_bfloat162 {
  __nv_bfloat16 x, y;
  __nv_bfloat162() = default;
  SIMT_BOTH_MEMBER __nv_bfloat162(__nv_bfloat16 low, __nv_bfloat16 high) : x(low), y(high) {}
  SIMT_BOTH_MEMBER __nv_bfloat162(const __nv_bfloat162_raw &bits)
      : __nv_bfloat162(__nv_bfloat16_raw{bits.x}, __nv_bfloat16_raw{bits.y}) {}
  SIMT_BOTH_MEMBER operator __nv_bfloat162_raw() const {
    __nv_bfloat162_raw bits = {x.__x, y.__x};
    return bits;
  }
};
typedef __nv_bfloat16_raw nv_bfloat16_raw;
typedef __nv_bfloat16 nv_bfloat16;
typedef __nv_bfloat162 nv_bfloat162;

SIMT_BOTH __nv_bfloat16 __ushort_as_bfloat16(unsigned short bits) {
  __nv_bfloat16 h;
  h.__x = bits;
  return h;
}
SIMT_BOTH unsigned short __bfloat16_as_ushort(__nv_bfloat16 h) { return h.__x; }
SIMT_BOTH __nv_bfloat16 __short_as_bfloat16(short bits) {
  return __ushort_as_bfloat16((unsigned short)bits);
}
SIMT_BOTH short __bfloat16_as_short(__nv_bfloat16 h) { return (short)h.__x; }

// ---- Conversions.
SIMT_BOTH __nv_bfloat16 __float2bfloat16_rn(float f) {
#ifdef __CUDA_ARCH__
  __nv_bfloat16 h;
  asm("cvt.rn.bf16.f32 %0, %1;" : "=h"(h.__x) : "f"(f));
  return h;
#else
  return __ushort_as_bfloat16(simt_bfloat_of_float(f));
#endif
}
SIMT_BOTH float __bfloat162float(__nv_bfloat16 h) {
  return __builtin_bit_cast(float, (unsigned)h.__x << 16);
}
SIMT_BOTH __nv_bfloat16 __float2bfloat16(float f) { return __float2bfloat16_rn(f); }
SIMT_BOTH __nv_bfloat16 __double2bfloat16(double d) { return __nv_bfloat16(d); }
#ifdef SIMT_DEVICE
SIMT_DEVICE __nv_bfloat16 __float2bfloat16_rz(float f) {
  __nv_bfloat16 h;
  asm("cvt.rz.bf16.f32 %0, %1;" : "=h"(h.__x) : "f"(f));
  return h;
}
#endif
// Cut off, and one unit further from zero where that is the direction: PTX has no such conversion.
SIMT_BOTH __nv_bfloat16 simt_bfloat_away(float f, bool from_negative) {
  const unsigned bits = __builtin_bit_cast(unsigned, f);
  if (f != f) return __ushort_as_bfloat16(0x7fff);
  const bool further = (bits & 0xffffu) && (bits >> 31 != 0) == from_negative;
  return __ushort_as_bfloat16((unsigned short)((bits >> 16) + further));
}
SIMT_BOTH __nv_bfloat16 __float2bfloat16_ru(float f) { return simt_bfloat_away(f, false); }
SIMT_BOTH __nv_bfloat16 __float2bfloat16_rd(float f) { return simt_bfloat_away(f, true); }

#define SIMT_H __nv_bfloat16
#define SIMT_H_WORD bfloat16
#define SIMT_H_TO_F(h) __bfloat162float(h)
#define SIMT_F_TO_H(f) __float2bfloat16_rn(f)
#include "simt_cuda/half_integers.inc"
#undef SIMT_H
#undef SIMT_H_TO_F
#undef SIMT_F_TO_H

SIMT_BOTH __nv_bfloat162 __halves2bfloat162(__nv_bfloat16 low, __nv_bfloat16 high) {
  return __nv_bfloat162(low, high);
}
SIMT_BOTH __nv_bfloat162 make_bfloat162(__nv_bfloat16 low, __nv_bfloat16 high) {
  return __nv_bfloat162(low, high);
}
SIMT_BOTH __nv_bfloat162 __bfloat162bfloat162(__nv_bfloat16 h) { return __nv_bfloat162(h, h); }
SIMT_BOTH __nv_bfloat162 __float2bfloat162_rn(float f) {
  return __bfloat162bfloat162(__float2bfloat16_rn(f));
}
SIMT_BOTH __nv_bfloat162 __floats2bfloat162_rn(float low, float high) {
  return __nv_bfloat162(__float2bfloat16_rn(low), __float2bfloat16_rn(high));
}
SIMT_BOTH __nv_bfloat162 __float22bfloat162_rn(float2 v) { return __floats2bfloat162_rn(v.x, v.y); }
SIMT_BOTH float2 __bfloat1622float2(__nv_bfloat162 v) {
  return make_float2(__bfloat162float(v.x), __bfloat162float(v.y));
}
SIMT_BOTH __nv_bfloat162 __low2bfloat162(__nv_bfloat162 v) { return __bfloat162bfloat162(v.x); }
SIMT_BOTH __nv_bfloat162 __high2bfloat162(__nv_bfloat162 v) { return __bfloat162bfloat162(v.y); }
SIMT_BOTH __nv_bfloat16 __low2bfloat16(__nv_bfloat162 v) { return v.x; }
SIMT_BOTH __nv_bfloat16 __high2bfloat16(__nv_bfloat162 v) { return v.y; }
SIMT_BOTH __nv_bfloat162 __lows2bfloat162(__nv_bfloat162 a, __nv_bfloat162 b) {
  return __nv_bfloat162(a.x, b.x);
}
SIMT_BOTH __nv_bfloat162 __highs2bfloat162(__nv_bfloat162 a, __nv_bfloat162 b) {
  return __nv_bfloat162(a.y, b.y);
}

#define SIMT_H __nv_bfloat16
#define SIMT_H2 __nv_bfloat162
#define SIMT_H_PTX "bf16"
#define SIMT_H_CASES(f16, bf16) bf16
#define SIMT_H_TO_F(h) __bfloat162float(h)
#define SIMT_F_TO_H(f) __float2bfloat16_rn(f)
#define SIMT_H_OF_BITS(u) __ushort_as_bfloat16(u)
#include "simt_cuda/half_ops.inc"

#ifdef SIMT_DEVICE
// ---- Atomics: by compare and swap, as NVIDIA's compiler does below sm_90.
SIMT_DEVICE __nv_bfloat16 atomicAdd(__nv_bfloat16 *address, __nv_bfloat16 value) {
  unsigned short *bits = (unsigned short *)address, seen = *(volatile unsigned short *)bits, old;
  do {
    old = seen;
    seen = atomicCAS(bits, old, (__ushort_as_bfloat16(old) + value).__x);
  } while (seen != old);
  return __ushort_as_bfloat16(old);
}
SIMT_DEVICE __nv_bfloat162 atomicAdd(__nv_bfloat162 *address, __nv_bfloat162 value) {
  unsigned *bits = (unsigned *)address, seen = *(volatile unsigned *)bits, old;
  do {
    old = seen;
    seen = atomicCAS(bits, old,
                     __builtin_bit_cast(unsigned, __builtin_bit_cast(__nv_bfloat162, old) + value));
  } while (seen != old);
  return __builtin_bit_cast(__nv_bfloat162, old);
}
#endif
#endif
#endif
