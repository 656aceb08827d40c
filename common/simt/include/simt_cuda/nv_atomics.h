// SPDX-License-Identifier: MIT
// nv_atomics.h - the __nv_atomic functions, whose order and scope are arguments, in terms of
// atomicAdd and its relatives: arithmetic for types of 4 and 8 bytes, exchange for those of 4, 8
// and 16, compare-and-swap for these and 2, loads and stores for all up to 16.
//
// Orders are fences around a relaxed atomic, which is at least what was asked for.
#ifndef SIMT_CUDA_NV_ATOMICS_H
#define SIMT_CUDA_NV_ATOMICS_H

#include "atomics.h"

enum {
  __NV_ATOMIC_RELAXED,
  __NV_ATOMIC_CONSUME,
  __NV_ATOMIC_ACQUIRE,
  __NV_ATOMIC_RELEASE,
  __NV_ATOMIC_ACQ_REL,
  __NV_ATOMIC_SEQ_CST
};

enum {
  __NV_THREAD_SCOPE_THREAD,
  __NV_THREAD_SCOPE_BLOCK,
  __NV_THREAD_SCOPE_CLUSTER,
  __NV_THREAD_SCOPE_DEVICE,
  __NV_THREAD_SCOPE_SYSTEM
};

// The types that atomicAdd() and its relatives know: T's bits, and its number with its sign.
template <int bytes, bool is_signed> struct simt_nv_word;
template <> struct simt_nv_word<1, false> { typedef unsigned char type; };
template <> struct simt_nv_word<2, false> { typedef unsigned short type; };
template <> struct simt_nv_word<16, false> { typedef unsigned __int128 type; };
template <> struct simt_nv_word<4, false> { typedef unsigned type; };
template <> struct simt_nv_word<4, true> { typedef int type; };
template <> struct simt_nv_word<8, false> { typedef unsigned long long type; };
template <> struct simt_nv_word<8, true> { typedef long long type; };
template <class T> struct simt_nv {
  typedef T type;
  typedef typename simt_nv_word<sizeof(T), false>::type bits;
};
template <class T> using simt_nv_same = typename simt_nv<T>::type; // says nothing of T's type

SIMT_DEVICE void __nv_atomic_thread_fence(int order, int scope = __NV_THREAD_SCOPE_SYSTEM) {
  if (order == __NV_ATOMIC_RELAXED || scope == __NV_THREAD_SCOPE_THREAD) return;
  if (scope == __NV_THREAD_SCOPE_BLOCK) __threadfence_block();
  else if (scope == __NV_THREAD_SCOPE_SYSTEM) __threadfence_system();
  else __threadfence();
}
SIMT_DEVICE void simt_nv_before(int order, int scope) {
  if (order >= __NV_ATOMIC_RELEASE) __nv_atomic_thread_fence(order, scope);
}
SIMT_DEVICE void simt_nv_after(int order, int scope) {
  if (order != __NV_ATOMIC_RELEASE) __nv_atomic_thread_fence(order, scope);
}

// `old` becomes what `function`, in its form for the scope, answers; the order is around it.
#define SIMT_NV_DO(function, ...)                                                                  \
  simt_nv_before(order, scope);                                                                    \
  if (scope <= __NV_THREAD_SCOPE_BLOCK) old = function##_block(__VA_ARGS__);                       \
  else if (scope == __NV_THREAD_SCOPE_SYSTEM) old = function##_system(__VA_ARGS__);                \
  else old = function(__VA_ARGS__);                                                                \
  simt_nv_after(order, scope)

// The function that answers the value before, and the one that does not.
#define SIMT_NV_FETCH(name, word, function, value)                                                 \
  template <class T>                                                                               \
  SIMT_DEVICE T __nv_atomic_fetch_##name(T *at, simt_nv_same<T> x, int order,                      \
                                         int scope = __NV_THREAD_SCOPE_SYSTEM) {                   \
    typedef word number;                                                                           \
    number old;                                                                                    \
    SIMT_NV_DO(function, (number *)at, (number)(value));                                           \
    return (T)old;                                                                                 \
  }                                                                                                \
  template <class T>                                                                               \
  SIMT_DEVICE void __nv_atomic_##name(T *at, simt_nv_same<T> x, int order,                         \
                                      int scope = __NV_THREAD_SCOPE_SYSTEM) {                      \
    __nv_atomic_fetch_##name(at, x, order, scope);                                                 \
  }
template <class T, bool is_integral = __is_integral(T)> struct simt_nv_sum { typedef T type; };
template <class T> struct simt_nv_sum<T, true> { typedef typename simt_nv<T>::bits type; };
#define SIMT_NV_SUM typename simt_nv_sum<T>::type
#define SIMT_NV_BITS typename simt_nv<T>::bits
#define SIMT_NV_ORDERED typename simt_nv_word<sizeof(T), ((T)-1 < (T)0)>::type
SIMT_NV_FETCH(add, SIMT_NV_SUM, atomicAdd, x)
SIMT_NV_FETCH(sub, SIMT_NV_SUM, atomicAdd, -(number)x)
SIMT_NV_FETCH(and, SIMT_NV_BITS, atomicAnd, x)
SIMT_NV_FETCH(or, SIMT_NV_BITS, atomicOr, x)
SIMT_NV_FETCH(xor, SIMT_NV_BITS, atomicXor, x)
SIMT_NV_FETCH(min, SIMT_NV_ORDERED, atomicMin, x)
SIMT_NV_FETCH(max, SIMT_NV_ORDERED, atomicMax, x)
#undef SIMT_NV_FETCH

template <class T>
SIMT_DEVICE T __nv_atomic_exchange_n(T *at, simt_nv_same<T> x, int order,
                                     int scope = __NV_THREAD_SCOPE_SYSTEM) {
  SIMT_NV_BITS old;
  SIMT_NV_DO(atomicExch, (SIMT_NV_BITS *)at, __builtin_bit_cast(SIMT_NV_BITS, x));
  return __builtin_bit_cast(T, old);
}
template <class T>
SIMT_DEVICE void __nv_atomic_exchange(T *at, T *x, T *result, int order,
                                      int scope = __NV_THREAD_SCOPE_SYSTEM) {
  *result = __nv_atomic_exchange_n(at, *x, order, scope);
}
template <class T>
SIMT_DEVICE bool __nv_atomic_compare_exchange_n(T *at, T *expected, simt_nv_same<T> x, bool weak,
                                                int order, int failure,
                                                int scope = __NV_THREAD_SCOPE_SYSTEM) {
  (void)weak, (void)failure; // the order of success is at least that of failure
  SIMT_NV_BITS wanted = __builtin_bit_cast(SIMT_NV_BITS, *expected), old;
  SIMT_NV_DO(atomicCAS, (SIMT_NV_BITS *)at, wanted, __builtin_bit_cast(SIMT_NV_BITS, x));
  if (old != wanted) *expected = __builtin_bit_cast(T, old);
  return old == wanted;
}
template <class T>
SIMT_DEVICE bool __nv_atomic_compare_exchange(T *at, T *expected, T *x, bool weak, int order,
                                              int failure, int scope = __NV_THREAD_SCOPE_SYSTEM) {
  return __nv_atomic_compare_exchange_n(at, expected, *x, weak, order, failure, scope);
}

#define SIMT_NV_ACCESS(type, word, width, letter)                                                  \
  SIMT_DEVICE type simt_nv_load(const type *at, int scope) {                                       \
    word x;                                                                                        \
    if (scope <= __NV_THREAD_SCOPE_BLOCK)                                                          \
      asm volatile("ld.relaxed.cta." width " %0, [%1];" : "=" letter(x) : "l"(at) : "memory");     \
    else if (scope == __NV_THREAD_SCOPE_SYSTEM)                                                    \
      asm volatile("ld.relaxed.sys." width " %0, [%1];" : "=" letter(x) : "l"(at) : "memory");     \
    else asm volatile("ld.relaxed.gpu." width " %0, [%1];" : "=" letter(x) : "l"(at) : "memory");  \
    return (type)x;                                                                                \
  }                                                                                                \
  SIMT_DEVICE void simt_nv_store(type *at, type value, int scope) {                                \
    const word x = value;                                                                          \
    if (scope <= __NV_THREAD_SCOPE_BLOCK)                                                          \
      asm volatile("st.relaxed.cta." width " [%0], %1;" ::"l"(at), letter(x) : "memory");          \
    else if (scope == __NV_THREAD_SCOPE_SYSTEM)                                                    \
      asm volatile("st.relaxed.sys." width " [%0], %1;" ::"l"(at), letter(x) : "memory");          \
    else asm volatile("st.relaxed.gpu." width " [%0], %1;" ::"l"(at), letter(x) : "memory");       \
  }
SIMT_NV_ACCESS(unsigned char, unsigned short, "b8", "h")
SIMT_NV_ACCESS(unsigned short, unsigned short, "b16", "h")
SIMT_NV_ACCESS(unsigned, unsigned, "b32", "r")
SIMT_NV_ACCESS(unsigned long long, unsigned long long, "b64", "l")
#undef SIMT_NV_ACCESS
#define SIMT_NV_LOAD_WIDE(scope)                                                                   \
  asm volatile("{ .reg .b128 x; ld.relaxed." scope ".b128 x, [%2]; mov.b128 {%0, %1}, x; }"        \
               : "=l"(x.low), "=l"(x.high)                                                         \
               : "l"(at)                                                                           \
               : "memory")
#define SIMT_NV_STORE_WIDE(scope)                                                                  \
  asm volatile("{ .reg .b128 x; mov.b128 x, {%1, %2}; st.relaxed." scope                           \
               ".b128 [%0], x; }" ::"l"(at),                                                       \
               "l"(x.low), "l"(x.high)                                                             \
               : "memory")
SIMT_DEVICE unsigned __int128 simt_nv_load(const unsigned __int128 *at, int scope) {
  simt_halves x;
  if (scope <= __NV_THREAD_SCOPE_BLOCK) SIMT_NV_LOAD_WIDE("cta");
  else if (scope == __NV_THREAD_SCOPE_SYSTEM) SIMT_NV_LOAD_WIDE("sys");
  else SIMT_NV_LOAD_WIDE("gpu");
  return __builtin_bit_cast(unsigned __int128, x);
}
SIMT_DEVICE void simt_nv_store(unsigned __int128 *at, unsigned __int128 value, int scope) {
  const simt_halves x = __builtin_bit_cast(simt_halves, value);
  if (scope <= __NV_THREAD_SCOPE_BLOCK) SIMT_NV_STORE_WIDE("cta");
  else if (scope == __NV_THREAD_SCOPE_SYSTEM) SIMT_NV_STORE_WIDE("sys");
  else SIMT_NV_STORE_WIDE("gpu");
}
#undef SIMT_NV_LOAD_WIDE
#undef SIMT_NV_STORE_WIDE

template <class T>
SIMT_DEVICE T __nv_atomic_load_n(T *at, int order, int scope = __NV_THREAD_SCOPE_SYSTEM) {
  if (order == __NV_ATOMIC_SEQ_CST) __nv_atomic_thread_fence(order, scope);
  SIMT_NV_BITS x = simt_nv_load((const SIMT_NV_BITS *)at, scope);
  __nv_atomic_thread_fence(order, scope);
  return __builtin_bit_cast(T, x);
}
template <class T>
SIMT_DEVICE void __nv_atomic_load(T *at, T *result, int order,
                                  int scope = __NV_THREAD_SCOPE_SYSTEM) {
  *result = __nv_atomic_load_n(at, order, scope);
}
template <class T>
SIMT_DEVICE void __nv_atomic_store_n(T *at, simt_nv_same<T> x, int order,
                                     int scope = __NV_THREAD_SCOPE_SYSTEM) {
  __nv_atomic_thread_fence(order, scope);
  simt_nv_store((SIMT_NV_BITS *)at, __builtin_bit_cast(SIMT_NV_BITS, x), scope);
}
template <class T>
SIMT_DEVICE void __nv_atomic_store(T *at, T *x, int order, int scope = __NV_THREAD_SCOPE_SYSTEM) {
  __nv_atomic_store_n(at, *x, order, scope);
}
#undef SIMT_NV_DO
#undef SIMT_NV_SUM
#undef SIMT_NV_BITS
#undef SIMT_NV_ORDERED

#endif
