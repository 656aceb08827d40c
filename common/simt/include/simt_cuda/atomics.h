// SPDX-License-Identifier: MIT
// atomics.h - atomicAdd and its relatives for every type CUDA offers, in the three scopes.
// Half-precision types bring theirs in cuda_fp16.h and cuda_bf16.h.
//
// float and double min/max do not exist in CUDA and do not exist here: lesson 00's exercise.
#ifndef SIMT_CUDA_ATOMICS_H
#define SIMT_CUDA_ATOMICS_H

#include "device.h"

// One operation in its device, block and system form. gen, cta_gen, sys_gen are the infixes of
// clang's builtins.
#define SIMT_ATOMIC(name, op, suffix, type, builtin_type)                                          \
  SIMT_DEVICE type name(type *address, type value) {                                               \
    return (type)__nvvm_atom_##op##_gen_##suffix((builtin_type *)address, (builtin_type)value);    \
  }                                                                                                \
  SIMT_DEVICE type name##_block(type *address, type value) {                                       \
    return (type)__nvvm_atom_cta_##op##_gen_##suffix((builtin_type *)address,                      \
                                                     (builtin_type)value);                         \
  }                                                                                                \
  SIMT_DEVICE type name##_system(type *address, type value) {                                      \
    return (type)__nvvm_atom_sys_##op##_gen_##suffix((builtin_type *)address,                      \
                                                     (builtin_type)value);                         \
  }

SIMT_ATOMIC(atomicAdd, add, i, int, int)
SIMT_ATOMIC(atomicAdd, add, i, unsigned, int)
SIMT_ATOMIC(atomicAdd, add, ll, unsigned long long, long long)
SIMT_ATOMIC(atomicAdd, add, f, float, float)
SIMT_ATOMIC(atomicAdd, add, d, double, double)

// Every element by itself: two elements are not added as one, and were not in CUDA either.
#define SIMT_ATOMIC_ELEMENTS(name)                                                                 \
  SIMT_DEVICE float2 name(float2 *address, float2 value) {                                         \
    return make_float2(name(&address->x, value.x), name(&address->y, value.y));                    \
  }                                                                                                \
  SIMT_DEVICE float4 name(float4 *address, float4 value) {                                         \
    return make_float4(name(&address->x, value.x), name(&address->y, value.y),                     \
                       name(&address->z, value.z), name(&address->w, value.w));                    \
  }
SIMT_ATOMIC_ELEMENTS(atomicAdd)
SIMT_ATOMIC_ELEMENTS(atomicAdd_block)
SIMT_ATOMIC_ELEMENTS(atomicAdd_system)
#undef SIMT_ATOMIC_ELEMENTS

SIMT_ATOMIC(atomicExch, xchg, i, int, int)
SIMT_ATOMIC(atomicExch, xchg, i, unsigned, int)
SIMT_ATOMIC(atomicExch, xchg, ll, unsigned long long, long long)

SIMT_ATOMIC(atomicMin, min, i, int, int)
SIMT_ATOMIC(atomicMin, min, ll, long long, long long)
SIMT_ATOMIC(atomicMax, max, i, int, int)
SIMT_ATOMIC(atomicMax, max, ll, long long, long long)

// clang makes signed comparisons of its unsigned builtins that name a scope.
#define SIMT_ATOMIC_SCOPED(name, op, scope, type, word, register)                                  \
  SIMT_DEVICE type name(type *address, type value) {                                               \
    type old;                                                                                      \
    asm volatile("atom." #scope "." #op "." #word " %0, [%1], %2;"                                 \
                 : "=" register(old)                                                               \
                 : "l"(address), register(value)                                                   \
                 : "memory");                                                                      \
    return old;                                                                                    \
  }
#define SIMT_ATOMIC_UNSIGNED(name, op)                                                             \
  SIMT_DEVICE unsigned name(unsigned *address, unsigned value) {                                   \
    return __nvvm_atom_##op##_gen_ui(address, value);                                              \
  }                                                                                                \
  SIMT_DEVICE unsigned long long name(unsigned long long *address, unsigned long long value) {     \
    return __nvvm_atom_##op##_gen_ull(address, value);                                             \
  }                                                                                                \
  SIMT_ATOMIC_SCOPED(name##_block, op, cta, unsigned, u32, "r")                                    \
  SIMT_ATOMIC_SCOPED(name##_block, op, cta, unsigned long long, u64, "l")                          \
  SIMT_ATOMIC_SCOPED(name##_system, op, sys, unsigned, u32, "r")                                   \
  SIMT_ATOMIC_SCOPED(name##_system, op, sys, unsigned long long, u64, "l")
SIMT_ATOMIC_UNSIGNED(atomicMin, min)
SIMT_ATOMIC_UNSIGNED(atomicMax, max)
#undef SIMT_ATOMIC_UNSIGNED
#undef SIMT_ATOMIC_SCOPED

SIMT_ATOMIC(atomicAnd, and, i, int, int)
SIMT_ATOMIC(atomicAnd, and, i, unsigned, int)
SIMT_ATOMIC(atomicAnd, and, ll, unsigned long long, long long)
SIMT_ATOMIC(atomicOr, or, i, int, int)
SIMT_ATOMIC(atomicOr, or, i, unsigned, int)
SIMT_ATOMIC(atomicOr, or, ll, unsigned long long, long long)
SIMT_ATOMIC(atomicXor, xor, i, int, int)
SIMT_ATOMIC(atomicXor, xor, i, unsigned, int)
SIMT_ATOMIC(atomicXor, xor, ll, unsigned long long, long long)

// What CUDA does not have is refused in a sentence, not by a list of what else there is. A function
// of the program's own with such a name is always the better match: the value is of any type.
struct simt_any_number {
  template <class T> __device__ simt_any_number(T);
};
#define SIMT_NO_ATOMIC(name, type)                                                                 \
  __device__ type name(type *address, simt_any_number value)                                       \
      __attribute__((unavailable("CUDA has no " #name "() for " #type                              \
                                 "s: build it from atomicCAS(), which can build every atomic")));
SIMT_NO_ATOMIC(atomicMin, float)
SIMT_NO_ATOMIC(atomicMin, double)
SIMT_NO_ATOMIC(atomicMax, float)
SIMT_NO_ATOMIC(atomicMax, double)
#undef SIMT_NO_ATOMIC

SIMT_ATOMIC(atomicInc, inc, ui, unsigned, unsigned)
SIMT_ATOMIC(atomicDec, dec, ui, unsigned, unsigned)
#undef SIMT_ATOMIC

// Subtraction is the addition of the negative, as in PTX, which has no atom.sub.
#define SIMT_ATOMIC_SUB(scope)                                                                     \
  SIMT_DEVICE int atomicSub##scope(int *address, int value) {                                      \
    return (int)atomicAdd##scope((unsigned *)address, 0u - (unsigned)value);                       \
  }                                                                                                \
  SIMT_DEVICE unsigned atomicSub##scope(unsigned *address, unsigned value) {                       \
    return atomicAdd##scope(address, 0u - value);                                                  \
  }                                                                                                \
  SIMT_DEVICE float atomicExch##scope(float *address, float value) {                               \
    return __builtin_bit_cast(float,                                                               \
                              atomicExch##scope((int *)address, __builtin_bit_cast(int, value)));  \
  }
SIMT_ATOMIC_SUB()
SIMT_ATOMIC_SUB(_block)
SIMT_ATOMIC_SUB(_system)
#undef SIMT_ATOMIC_SUB

#define SIMT_ATOMIC_CAS(name, infix)                                                               \
  SIMT_DEVICE int name(int *address, int expected, int value) {                                    \
    return __nvvm_atom_##infix##cas_gen_i(address, expected, value);                               \
  }                                                                                                \
  SIMT_DEVICE unsigned name(unsigned *address, unsigned expected, unsigned value) {                \
    return (unsigned)__nvvm_atom_##infix##cas_gen_i((int *)address, (int)expected, (int)value);    \
  }                                                                                                \
  SIMT_DEVICE unsigned long long name(unsigned long long *address, unsigned long long expected,    \
                                      unsigned long long value) {                                  \
    return (unsigned long long)__nvvm_atom_##infix##cas_gen_ll(                                    \
        (long long *)address, (long long)expected, (long long)value);                              \
  }
SIMT_ATOMIC_CAS(atomicCAS, )
SIMT_ATOMIC_CAS(atomicCAS_block, cta_)
SIMT_ATOMIC_CAS(atomicCAS_system, sys_)
#undef SIMT_ATOMIC_CAS

#define SIMT_ATOMIC_CAS_SHORT(name, scope)                                                         \
  SIMT_DEVICE unsigned short name(unsigned short *address, unsigned short expected,                \
                                  unsigned short value) {                                          \
    unsigned short old;                                                                            \
    asm volatile("atom" scope ".cas.b16 %0, [%1], %2, %3;"                                         \
                 : "=h"(old)                                                                       \
                 : "l"(address), "h"(expected), "h"(value)                                         \
                 : "memory");                                                                      \
    return old;                                                                                    \
  }
SIMT_ATOMIC_CAS_SHORT(atomicCAS, "")
SIMT_ATOMIC_CAS_SHORT(atomicCAS_block, ".cta")
SIMT_ATOMIC_CAS_SHORT(atomicCAS_system, ".sys")
#undef SIMT_ATOMIC_CAS_SHORT

// Any type of 16 aligned bytes, as two halves.
struct alignas(16) simt_halves {
  unsigned long long low, high;
};
template <class T, bool is_wide = sizeof(T) == 16 && alignof(T) >= 16> struct simt_quad;
template <class T> struct simt_quad<T, true> { typedef T type; };
#define SIMT_ATOMIC_WIDE(scope_name, scope)                                                        \
  template <class T>                                                                               \
  SIMT_DEVICE typename simt_quad<T>::type atomicExch##scope_name(T *address, T value) {            \
    const simt_halves v = __builtin_bit_cast(simt_halves, value);                                  \
    simt_halves old;                                                                               \
    asm volatile("{ .reg .b128 v, o; mov.b128 v, {%3, %4};\n"                                      \
                 "atom" scope ".exch.b128 o, [%2], v; mov.b128 {%0, %1}, o; }"                     \
                 : "=l"(old.low), "=l"(old.high)                                                   \
                 : "l"(address), "l"(v.low), "l"(v.high)                                           \
                 : "memory");                                                                      \
    return __builtin_bit_cast(T, old);                                                             \
  }                                                                                                \
  template <class T>                                                                               \
  SIMT_DEVICE typename simt_quad<T>::type atomicCAS##scope_name(T *address, T expected, T value) { \
    const simt_halves e = __builtin_bit_cast(simt_halves, expected);                               \
    const simt_halves v = __builtin_bit_cast(simt_halves, value);                                  \
    simt_halves old;                                                                               \
    asm volatile("{ .reg .b128 e, v, o; mov.b128 e, {%3, %4}; mov.b128 v, {%5, %6};\n"             \
                 "atom" scope ".cas.b128 o, [%2], e, v; mov.b128 {%0, %1}, o; }"                   \
                 : "=l"(old.low), "=l"(old.high)                                                   \
                 : "l"(address), "l"(e.low), "l"(e.high), "l"(v.low), "l"(v.high)                  \
                 : "memory");                                                                      \
    return __builtin_bit_cast(T, old);                                                             \
  }
SIMT_ATOMIC_WIDE(, "")
SIMT_ATOMIC_WIDE(_block, ".cta")
SIMT_ATOMIC_WIDE(_system, ".sys")
#undef SIMT_ATOMIC_WIDE

#endif
