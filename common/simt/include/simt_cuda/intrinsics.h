// SPDX-License-Identifier: MIT
// intrinsics.h - barriers, fences, warp functions, bit and rounding intrinsics of device code.
// Names and meaning as in the CUDA C++ programming guide; the PTX behind each is in its body.
//
// Not here: textures, surfaces, matrix instructions, asynchronous copies; clusters are in
// cluster.h.
#ifndef SIMT_CUDA_INTRINSICS_H
#define SIMT_CUDA_INTRINSICS_H

#include <time.h>

#include "device.h"
#include "math_core.h"

// ---- Barriers and fences.
// clang 14 believes that its barrier builtins cannot change a static __shared__ variable whose
// address is not taken, and moves loads of it across them. An empty asm that may touch all memory,
// before and after, makes it think again.
SIMT_DEVICE void __simt_order() { asm volatile("" ::: "memory"); }
SIMT_DEVICE_TOGETHER void __simt_syncthreads() {
  __simt_order();
  __syncthreads();
  __simt_order();
}
#define __syncthreads() __simt_syncthreads() // the name itself is a builtin of the compiler
SIMT_DEVICE_TOGETHER int __syncthreads_count(int predicate) {
  __simt_order();
  const int count = __nvvm_bar0_popc(predicate);
  __simt_order();
  return count;
}
SIMT_DEVICE_TOGETHER int __syncthreads_and(int predicate) {
  __simt_order();
  const int all = __nvvm_bar0_and(predicate);
  __simt_order();
  return all;
}
SIMT_DEVICE_TOGETHER int __syncthreads_or(int predicate) {
  __simt_order();
  const int any = __nvvm_bar0_or(predicate);
  __simt_order();
  return any;
}
SIMT_DEVICE_TOGETHER void __syncwarp(unsigned mask = 0xffffffffu) {
  __simt_order();
  __nvvm_bar_warp_sync(mask);
  __simt_order();
}
SIMT_DEVICE_TOGETHER void __barrier_sync(unsigned id) {
  __simt_order();
  __nvvm_barrier_sync(id);
  __simt_order();
}
SIMT_DEVICE_TOGETHER void __barrier_sync_count(unsigned id, unsigned threads) {
  __simt_order();
  __nvvm_barrier_sync_cnt(id, threads);
  __simt_order();
}
SIMT_DEVICE void __threadfence() {
  __simt_order();
  __nvvm_membar_gl();
  __simt_order();
}
SIMT_DEVICE void __threadfence_block() {
  __simt_order();
  __nvvm_membar_cta();
  __simt_order();
}
SIMT_DEVICE void __threadfence_system() {
  __simt_order();
  __nvvm_membar_sys();
  __simt_order();
}

// ---- Votes, matches, warp reductions.
SIMT_DEVICE_TOGETHER unsigned __activemask() {
  unsigned mask;
  asm volatile("activemask.b32 %0;" : "=r"(mask));
  return mask;
}
SIMT_DEVICE_TOGETHER int __all_sync(unsigned mask, int predicate) {
  return __nvvm_vote_all_sync(mask, predicate != 0);
}
SIMT_DEVICE_TOGETHER int __any_sync(unsigned mask, int predicate) {
  return __nvvm_vote_any_sync(mask, predicate != 0);
}
SIMT_DEVICE_TOGETHER int __uni_sync(unsigned mask, int predicate) {
  return __nvvm_vote_uni_sync(mask, predicate != 0);
}
SIMT_DEVICE_TOGETHER unsigned __ballot_sync(unsigned mask, int predicate) {
  return __nvvm_vote_ballot_sync(mask, predicate != 0);
}
SIMT_DEVICE_TOGETHER unsigned __simt_match_any(unsigned mask, unsigned value) {
  return __nvvm_match_any_sync_i32(mask, value);
}
// clang's builtins for 64 bits give the result a 64-bit register, which PTX does not allow.
SIMT_DEVICE_TOGETHER unsigned __simt_match_any64(unsigned mask, unsigned long long value) {
  unsigned lanes;
  asm volatile("match.any.sync.b64 %0, %1, %2;" : "=r"(lanes) : "l"(value), "r"(mask));
  return lanes;
}
SIMT_DEVICE_TOGETHER unsigned __simt_match_all(unsigned mask, unsigned value, int *same) {
  return __nvvm_match_all_sync_i32p(mask, value, same);
}
SIMT_DEVICE_TOGETHER unsigned __simt_match_all64(unsigned mask, unsigned long long value,
                                                 int *same) {
  unsigned lanes;
  int all;
  asm volatile("{.reg .pred p; match.all.sync.b64 %0|p, %2, %3; selp.s32 %1, 1, 0, p;}"
               : "=r"(lanes), "=r"(all)
               : "l"(value), "r"(mask));
  *same = all;
  return lanes;
}
#define SIMT_MATCH(type, bits, any, all)                                                           \
  SIMT_DEVICE_TOGETHER unsigned __match_any_sync(unsigned mask, type value) {                      \
    return any(mask, bits);                                                                        \
  }                                                                                                \
  SIMT_DEVICE_TOGETHER unsigned __match_all_sync(unsigned mask, type value, int *same) {           \
    return all(mask, bits, same);                                                                  \
  }
SIMT_MATCH(int, (unsigned)value, __simt_match_any, __simt_match_all)
SIMT_MATCH(unsigned, value, __simt_match_any, __simt_match_all)
SIMT_MATCH(long, (unsigned long long)value, __simt_match_any64, __simt_match_all64)
SIMT_MATCH(unsigned long, value, __simt_match_any64, __simt_match_all64)
SIMT_MATCH(long long, (unsigned long long)value, __simt_match_any64, __simt_match_all64)
SIMT_MATCH(unsigned long long, value, __simt_match_any64, __simt_match_all64)
SIMT_MATCH(float, (unsigned)__builtin_bit_cast(unsigned, value), __simt_match_any, __simt_match_all)
SIMT_MATCH(double, __builtin_bit_cast(unsigned long long, value), __simt_match_any64,
           __simt_match_all64)
#undef SIMT_MATCH

// redux.sync needs sm_80, simtcc's default target.
#define SIMT_REDUX(name, type, op, suffix)                                                         \
  SIMT_DEVICE_TOGETHER type name(unsigned mask, type value) {                                      \
    type result;                                                                                   \
    asm volatile("redux.sync." op "." suffix " %0, %1, %2;"                                        \
                 : "=r"(result)                                                                    \
                 : "r"(value), "r"(mask));                                                         \
    return result;                                                                                 \
  }
SIMT_REDUX(__reduce_add_sync, int, "add", "s32")
SIMT_REDUX(__reduce_min_sync, int, "min", "s32")
SIMT_REDUX(__reduce_max_sync, int, "max", "s32")
SIMT_REDUX(__reduce_add_sync, unsigned, "add", "u32")
SIMT_REDUX(__reduce_min_sync, unsigned, "min", "u32")
SIMT_REDUX(__reduce_max_sync, unsigned, "max", "u32")
SIMT_REDUX(__reduce_and_sync, unsigned, "and", "b32")
SIMT_REDUX(__reduce_or_sync, unsigned, "or", "b32")
SIMT_REDUX(__reduce_xor_sync, unsigned, "xor", "b32")
#undef SIMT_REDUX

// ---- Shuffles. The last operand of shfl packs the segment mask and the clamp lane.
#define SIMT_SHUFFLE(name, op, arg_type, clamp)                                                    \
  SIMT_DEVICE_TOGETHER int name(unsigned mask, int value, arg_type arg, int width = 32) {          \
    return __nvvm_shfl_sync_##op##_i32(mask, value, (int)arg, ((32 - width) << 8) | clamp);        \
  }                                                                                                \
  SIMT_DEVICE_TOGETHER float name(unsigned mask, float value, arg_type arg, int width = 32) {      \
    return __nvvm_shfl_sync_##op##_f32(mask, value, (int)arg, ((32 - width) << 8) | clamp);        \
  }                                                                                                \
  SIMT_DEVICE_TOGETHER unsigned name(unsigned mask, unsigned value, arg_type arg,                  \
                                     int width = 32) {                                             \
    return (unsigned)name(mask, (int)value, arg, width);                                           \
  }                                                                                                \
  SIMT_DEVICE_TOGETHER unsigned long long name(unsigned mask, unsigned long long value,            \
                                               arg_type arg, int width = 32) {                     \
    unsigned low = name(mask, (unsigned)value, arg, width);                                        \
    unsigned high = name(mask, (unsigned)(value >> 32), arg, width);                               \
    return ((unsigned long long)high << 32) | low;                                                 \
  }                                                                                                \
  SIMT_DEVICE_TOGETHER long long name(unsigned mask, long long value, arg_type arg,                \
                                      int width = 32) {                                            \
    return (long long)name(mask, (unsigned long long)value, arg, width);                           \
  }                                                                                                \
  SIMT_DEVICE_TOGETHER unsigned long name(unsigned mask, unsigned long value, arg_type arg,        \
                                          int width = 32) {                                        \
    return (unsigned long)name(mask, (unsigned long long)value, arg, width);                       \
  }                                                                                                \
  SIMT_DEVICE_TOGETHER long name(unsigned mask, long value, arg_type arg, int width = 32) {        \
    return (long)name(mask, (unsigned long long)value, arg, width);                                \
  }                                                                                                \
  SIMT_DEVICE_TOGETHER double name(unsigned mask, double value, arg_type arg, int width = 32) {    \
    return __builtin_bit_cast(                                                                     \
        double, name(mask, __builtin_bit_cast(unsigned long long, value), arg, width));            \
  }
SIMT_SHUFFLE(__shfl_sync, idx, int, 0x1f)
SIMT_SHUFFLE(__shfl_up_sync, up, unsigned, 0)
SIMT_SHUFFLE(__shfl_down_sync, down, unsigned, 0x1f)
SIMT_SHUFFLE(__shfl_xor_sync, bfly, int, 0x1f)
#undef SIMT_SHUFFLE

// ---- Bits.
SIMT_DEVICE int __popc(unsigned x) { return __builtin_popcount(x); }
SIMT_DEVICE int __popcll(unsigned long long x) { return __builtin_popcountll(x); }
SIMT_DEVICE int __clz(int x) {
  int n;
  asm("clz.b32 %0, %1;" : "=r"(n) : "r"(x));
  return n;
}
SIMT_DEVICE int __clzll(long long x) {
  int n;
  asm("clz.b64 %0, %1;" : "=r"(n) : "l"(x));
  return n;
}
SIMT_DEVICE unsigned __brev(unsigned x) { return __builtin_bitreverse32(x); }
SIMT_DEVICE unsigned long long __brevll(unsigned long long x) { return __builtin_bitreverse64(x); }
// 1 + index of the lowest set bit, 0 when there is none.
SIMT_DEVICE int __ffs(int x) { return x ? 32 - __clz(x & -x) : 0; }
SIMT_DEVICE int __ffsll(long long x) { return x ? 64 - __clzll(x & -x) : 0; }
SIMT_DEVICE unsigned __byte_perm(unsigned x, unsigned y, unsigned selector) {
  return (unsigned)__nvvm_prmt((int)x, (int)y, (int)(selector & 0x7777)); // prmt's would replicate
}
#define SIMT_FUNNEL(name, op)                                                                      \
  SIMT_DEVICE unsigned name(unsigned low, unsigned high, unsigned shift) {                         \
    unsigned result;                                                                               \
    asm("shf." op ".b32 %0, %1, %2, %3;" : "=r"(result) : "r"(low), "r"(high), "r"(shift));        \
    return result;                                                                                 \
  }
SIMT_FUNNEL(__funnelshift_l, "l.wrap")
SIMT_FUNNEL(__funnelshift_lc, "l.clamp")
SIMT_FUNNEL(__funnelshift_r, "r.wrap")
SIMT_FUNNEL(__funnelshift_rc, "r.clamp")
#undef SIMT_FUNNEL
// Position of the (offset)-th set bit counted from bit `base`, -1 when there is none.
SIMT_DEVICE unsigned __fns(unsigned mask, unsigned base, int offset) {
  int step = offset < 0 ? -1 : 1;
  int left = offset < 0 ? -offset : offset;
  for (int bit = (int)base; bit >= 0 && bit < 32; bit += step)
    if (mask >> bit & 1u && (offset == 0 || --left == 0)) return (unsigned)bit;
    else if (offset == 0) return 0xffffffffu;
  return 0xffffffffu;
}

// ---- Integer arithmetic.
SIMT_DEVICE int __mulhi(int a, int b) { return (int)(((long long)a * b) >> 32); }
SIMT_DEVICE unsigned __umulhi(unsigned a, unsigned b) {
  return (unsigned)(((unsigned long long)a * b) >> 32);
}
SIMT_DEVICE long long __mul64hi(long long a, long long b) { return __nvvm_mulhi_ll(a, b); }
SIMT_DEVICE unsigned long long __umul64hi(unsigned long long a, unsigned long long b) {
  return __nvvm_mulhi_ull(a, b);
}
SIMT_DEVICE int __mul24(int a, int b) { return ((a << 8) >> 8) * ((b << 8) >> 8); }
SIMT_DEVICE unsigned __umul24(unsigned a, unsigned b) { return (a & 0xffffffu) * (b & 0xffffffu); }
SIMT_DEVICE unsigned __sad(int a, int b, unsigned c) {
  return c + (a > b ? (unsigned)a - (unsigned)b : (unsigned)b - (unsigned)a);
}
SIMT_DEVICE unsigned __usad(unsigned a, unsigned b, unsigned c) {
  return c + (a > b ? a - b : b - a);
}
SIMT_DEVICE int __hadd(int a, int b) { return (int)(((long long)a + b) >> 1); }
SIMT_DEVICE int __rhadd(int a, int b) { return (int)(((long long)a + b + 1) >> 1); }
SIMT_DEVICE unsigned __uhadd(unsigned a, unsigned b) {
  return (unsigned)(((unsigned long long)a + b) >> 1);
}
SIMT_DEVICE unsigned __urhadd(unsigned a, unsigned b) {
  return (unsigned)(((unsigned long long)a + b + 1) >> 1);
}

// ---- Floating point with the rounding in the name. Sums and products are written out: clang
// before 19 takes its own builtins for plain ones, and makes FMAs of them.
#define SIMT_ROUNDED_BINARY(name, type, op, reg)                                                   \
  SIMT_DEVICE type name(type a, type b) {                                                          \
    type result;                                                                                   \
    asm(op " %0, %1, %2;" : "=" reg(result) : reg(a), reg(b));                                     \
    return result;                                                                                 \
  }
#ifdef SIMT_FTZ // -ftz=true: what simtcc does to other instructions it cannot do to these
#define SIMT_F32 ".ftz.f32"
#else
#define SIMT_F32 ".f32"
#endif
#define SIMT_ROUNDED(mode, ptx)                                                                    \
  SIMT_ROUNDED_BINARY(__fadd_##mode, float, "add." #ptx SIMT_F32, "f")                             \
  SIMT_ROUNDED_BINARY(__fsub_##mode, float, "sub." #ptx SIMT_F32, "f")                             \
  SIMT_ROUNDED_BINARY(__fmul_##mode, float, "mul." #ptx SIMT_F32, "f")                             \
  SIMT_ROUNDED_BINARY(__dadd_##mode, double, "add." #ptx ".f64", "d")                              \
  SIMT_ROUNDED_BINARY(__dsub_##mode, double, "sub." #ptx ".f64", "d")                              \
  SIMT_ROUNDED_BINARY(__dmul_##mode, double, "mul." #ptx ".f64", "d")                              \
  SIMT_DEVICE float __fmaf_##mode(float a, float b, float c) {                                     \
    return __nvvm_fma_##ptx##_f(a, b, c);                                                          \
  }                                                                                                \
  SIMT_DEVICE float __fdiv_##mode(float a, float b) { return __nvvm_div_##ptx##_f(a, b); }         \
  SIMT_DEVICE float __frcp_##mode(float a) { return __nvvm_rcp_##ptx##_f(a); }                     \
  SIMT_DEVICE float __fsqrt_##mode(float a) { return __nvvm_sqrt_##ptx##_f(a); }                   \
  SIMT_DEVICE double __fma_##mode(double a, double b, double c) {                                  \
    return __nvvm_fma_##ptx##_d(a, b, c);                                                          \
  }                                                                                                \
  SIMT_DEVICE double __ddiv_##mode(double a, double b) { return __nvvm_div_##ptx##_d(a, b); }      \
  SIMT_DEVICE double __drcp_##mode(double a) { return __nvvm_rcp_##ptx##_d(a); }                   \
  SIMT_DEVICE double __dsqrt_##mode(double a) { return __nvvm_sqrt_##ptx##_d(a); }
SIMT_ROUNDED(rn, rn)
SIMT_ROUNDED(rz, rz)
SIMT_ROUNDED(ru, rp)
SIMT_ROUNDED(rd, rm)
#undef SIMT_ROUNDED
#undef SIMT_ROUNDED_BINARY
#undef SIMT_F32

// By way of double: right for every float, as trying all of them shows.
SIMT_DEVICE float __frsqrt_rn(float x) {
  return simt_m_single(__nvvm_div_rn_d(1.0, __nvvm_sqrt_rn_d((double)x)));
}

// Conversions, written out: the compiler takes its builtins for C's conversions, which know
// neither the rounding nor what becomes of values out of range.
#define SIMT_CONVERT(name, to, to_ptx, to_reg, from, from_ptx, from_reg)                           \
  SIMT_DEVICE to name(from x) {                                                                    \
    to result;                                                                                     \
    asm("cvt." to_ptx "." from_ptx " %0, %1;" : "=" to_reg(result) : from_reg(x));                 \
    return result;                                                                                 \
  }
#ifdef SIMT_FTZ // a float on either side
#define SIMT_FLUSHED ".ftz"
#else
#define SIMT_FLUSHED ""
#endif
#define SIMT_CONVERSIONS(mode, to_integer, to_float)                                               \
  SIMT_CONVERT(__float2int_##mode, int, to_integer SIMT_FLUSHED ".s32", "r", float, "f32", "f")    \
  SIMT_CONVERT(__float2uint_##mode, unsigned, to_integer SIMT_FLUSHED ".u32", "r", float, "f32",   \
               "f")                                                                                \
  SIMT_CONVERT(__float2ll_##mode, long long, to_integer SIMT_FLUSHED ".s64", "l", float, "f32",    \
               "f")                                                                                \
  SIMT_CONVERT(__float2ull_##mode, unsigned long long, to_integer SIMT_FLUSHED ".u64", "l", float, \
               "f32", "f")                                                                         \
  SIMT_CONVERT(__double2int_##mode, int, to_integer ".s32", "r", double, "f64", "d")               \
  SIMT_CONVERT(__double2uint_##mode, unsigned, to_integer ".u32", "r", double, "f64", "d")         \
  SIMT_CONVERT(__double2ll_##mode, long long, to_integer ".s64", "l", double, "f64", "d")          \
  SIMT_CONVERT(__double2ull_##mode, unsigned long long, to_integer ".u64", "l", double, "f64",     \
               "d")                                                                                \
  SIMT_CONVERT(__double2float_##mode, float, to_float SIMT_FLUSHED ".f32", "f", double, "f64",     \
               "d")                                                                                \
  SIMT_CONVERT(__int2float_##mode, float, to_float ".f32", "f", int, "s32", "r")                   \
  SIMT_CONVERT(__uint2float_##mode, float, to_float ".f32", "f", unsigned, "u32", "r")             \
  SIMT_CONVERT(__ll2float_##mode, float, to_float ".f32", "f", long long, "s64", "l")              \
  SIMT_CONVERT(__ull2float_##mode, float, to_float ".f32", "f", unsigned long long, "u64", "l")    \
  SIMT_CONVERT(__ll2double_##mode, double, to_float ".f64", "d", long long, "s64", "l")            \
  SIMT_CONVERT(__ull2double_##mode, double, to_float ".f64", "d", unsigned long long, "u64", "l")
SIMT_CONVERSIONS(rn, "rni", "rn")
SIMT_CONVERSIONS(rz, "rzi", "rz")
SIMT_CONVERSIONS(ru, "rpi", "rp")
SIMT_CONVERSIONS(rd, "rmi", "rm")
#undef SIMT_CONVERSIONS
#undef SIMT_CONVERT
#undef SIMT_FLUSHED
SIMT_DEVICE double __int2double_rn(int a) { return (double)a; }
SIMT_DEVICE double __uint2double_rn(unsigned a) { return (double)a; }
#ifdef SIMT_FTZ
SIMT_DEVICE float __saturatef(float x) { return __nvvm_saturate_ftz_f(x); }
#else
SIMT_DEVICE float __saturatef(float x) { return __nvvm_saturate_f(x); }
#endif

// ---- Bits of floating-point values.
SIMT_DEVICE int __float_as_int(float x) { return __builtin_bit_cast(int, x); }
SIMT_DEVICE unsigned __float_as_uint(float x) { return __builtin_bit_cast(unsigned, x); }
SIMT_DEVICE float __int_as_float(int x) { return __builtin_bit_cast(float, x); }
SIMT_DEVICE float __uint_as_float(unsigned x) { return __builtin_bit_cast(float, x); }
SIMT_DEVICE long long __double_as_longlong(double x) { return __builtin_bit_cast(long long, x); }
SIMT_DEVICE double __longlong_as_double(long long x) { return __builtin_bit_cast(double, x); }
SIMT_DEVICE int __double2hiint(double x) { return (int)(__double_as_longlong(x) >> 32); }
SIMT_DEVICE int __double2loint(double x) { return (int)__double_as_longlong(x); }
SIMT_DEVICE double __hiloint2double(int high, int low) {
  return __longlong_as_double(((long long)high << 32) | (unsigned)low);
}

// ---- The fast approximations.
SIMT_DEVICE float __fdividef(float a, float b) { return __nvvm_div_approx_f(a, b); }
SIMT_DEVICE float __exp2f(float x) { return __nvvm_ex2_approx_f(x); }
SIMT_DEVICE float __expf(float x) { return __nvvm_ex2_approx_f(x * 1.4426950408889634f); }
SIMT_DEVICE float __exp10f(float x) { return __nvvm_ex2_approx_f(x * 3.3219280948873623f); }
SIMT_DEVICE float __log2f(float x) { return __nvvm_lg2_approx_f(x); }
SIMT_DEVICE float __logf(float x) { return __nvvm_lg2_approx_f(x) * 0.6931471805599453f; }
SIMT_DEVICE float __log10f(float x) { return __nvvm_lg2_approx_f(x) * 0.3010299956639812f; }
SIMT_DEVICE float __sinf(float x) { return __nvvm_sin_approx_f(x); }
SIMT_DEVICE float __cosf(float x) { return __nvvm_cos_approx_f(x); }
SIMT_DEVICE float __tanf(float x) { return __fdividef(__sinf(x), __cosf(x)); }
SIMT_DEVICE void __sincosf(float x, float *sine, float *cosine) {
  *sine = __sinf(x);
  *cosine = __cosf(x);
}
SIMT_DEVICE float __tanhf(float x) {
#if __CUDA_ARCH__ >= 750
  float y;
  asm("tanh.approx.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y;
#else
  return (float)simt_m_tanh((double)x); // such a GPU has no instruction for it
#endif
}
SIMT_DEVICE float __powf(float x, float y) { return __exp2f(y * __log2f(x)); }

// ---- Loads and stores with a cache hint. The hints change nothing here; the volatile ones
// (cg, cv, wt) are not merged or moved.
#define SIMT_LOAD_HINT(name, qualifier)                                                            \
  template <typename T> SIMT_DEVICE T name(const T *address) { return *(qualifier T *)address; }
#define SIMT_STORE_HINT(name, qualifier)                                                           \
  template <typename T> SIMT_DEVICE void name(T *address, T value) {                               \
    *(qualifier T *)address = value;                                                               \
  }
SIMT_LOAD_HINT(__ldg, const)
SIMT_LOAD_HINT(__ldca, const)
SIMT_LOAD_HINT(__ldcs, const)
SIMT_LOAD_HINT(__ldlu, const)
SIMT_STORE_HINT(__stwb, )
SIMT_STORE_HINT(__stcs, )
SIMT_STORE_HINT(__stcg, )
#undef SIMT_LOAD_HINT
#undef SIMT_STORE_HINT
// Read now, not earlier: the clobber keeps the compiler from moving the access.
template <typename T> SIMT_DEVICE T __ldcg(const T *address) {
  asm volatile("" ::: "memory");
  return *address;
}
template <typename T> SIMT_DEVICE T __ldcv(const T *address) {
  asm volatile("" ::: "memory");
  return *address;
}
template <typename T> SIMT_DEVICE void __stwt(T *address, T value) {
  *address = value;
  asm volatile("" ::: "memory");
}

// ---- Clocks (instructions issued, in the software GPU: never seconds), addresses, the rest.
SIMT_DEVICE long long clock64() {
  long long ticks;
  asm volatile("mov.u64 %0, %%clock64;" : "=l"(ticks)::"memory");
  return ticks;
}
SIMT_DEVICE clock_t clock() {
  int ticks;
  asm volatile("mov.u32 %0, %%clock;" : "=r"(ticks)::"memory");
  return (clock_t)ticks;
}
SIMT_DEVICE void __nanosleep(unsigned nanoseconds) {
  asm volatile("nanosleep.u32 %0;" ::"r"(nanoseconds) : "memory");
}
// Programmatic dependent launch, which the software GPU accepts and does not use.
SIMT_DEVICE void cudaTriggerProgrammaticLaunchCompletion() {
  asm volatile("griddepcontrol.launch_dependents;");
}
SIMT_DEVICE void cudaGridDependencySynchronize() {
  asm volatile("griddepcontrol.wait;" ::: "memory");
}
// The handle of a condition is the address of a word here.
SIMT_DEVICE void cudaGraphSetConditional(unsigned long long handle, unsigned value) {
  asm volatile("st.global.u32 [%0], %1;" ::"l"(handle), "r"(value) : "memory");
}
SIMT_DEVICE void __trap() { asm volatile("trap;"); }
SIMT_DEVICE void __brkpt() { asm volatile("brkpt;"); }
#define __prof_trigger(event) asm volatile("pmevent %0;" ::"n"(event))
SIMT_DEVICE unsigned __simt_laneid() {
  unsigned lane;
  asm("mov.u32 %0, %%laneid;" : "=r"(lane));
  return lane;
}
SIMT_DEVICE unsigned __isGlobal(const void *p) { return __nvvm_isspacep_global(p); }
SIMT_DEVICE unsigned __isShared(const void *p) { return __nvvm_isspacep_shared(p); }
SIMT_DEVICE unsigned __isConstant(const void *p) { return __nvvm_isspacep_const(p); }
SIMT_DEVICE unsigned __isLocal(const void *p) { return __nvvm_isspacep_local(p); }
SIMT_DEVICE unsigned __isGridConstant(const void *p) {
  unsigned is;
  asm("{ .reg .pred p; isspacep.param p, %1; selp.u32 %0, 1, 0, p; }" : "=r"(is) : "l"(p));
  return is;
}
SIMT_DEVICE size_t __cvta_generic_to_grid_constant(const void *p) {
  size_t address;
  asm("cvta.to.param.u64 %0, %1;" : "=l"(address) : "l"(p));
  return address;
}
SIMT_DEVICE void *__cvta_grid_constant_to_generic(size_t address) {
  void *p;
  asm("cvta.param.u64 %0, %1;" : "=l"(p) : "l"(address));
  return p;
}
SIMT_DEVICE size_t __cvta_generic_to_shared(const void *p) {
  return (size_t)(__attribute__((address_space(3))) const void *)p;
}
SIMT_DEVICE size_t __cvta_generic_to_global(const void *p) { return (size_t)p; }
SIMT_DEVICE size_t __cvta_generic_to_constant(const void *p) {
  return (size_t)(__attribute__((address_space(4))) const void *)p;
}
SIMT_DEVICE size_t __cvta_generic_to_local(const void *p) {
  return (size_t)(__attribute__((address_space(5))) const void *)p;
}
SIMT_DEVICE void *__cvta_shared_to_generic(size_t p) {
  return (void *)(__attribute__((address_space(3))) void *)p;
}
SIMT_DEVICE void *__cvta_global_to_generic(size_t p) { return (void *)p; }
SIMT_DEVICE void *__cvta_constant_to_generic(size_t p) {
  return (void *)(__attribute__((address_space(4))) void *)p;
}
SIMT_DEVICE void *__cvta_local_to_generic(size_t p) {
  return (void *)(__attribute__((address_space(5))) void *)p;
}

#endif
