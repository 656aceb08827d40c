// SPDX-License-Identifier: MIT
// simt_cuda/libcu_atomic.h - cuda::atomic and cuda::atomic_ref of types of 4 and 8 bytes, for
// cuda/atomic and cuda/std/atomic; also of 1 and 2 bytes: an atomic of them is a whole word, as in
// libcu++, an atomic_ref a part of one.
//
// On the device every read-modify-write that is not relaxed is acq_rel, which is at least what was
// asked for; seq_cst has a fence before it. Not here: types of 16 bytes on the device.
#ifndef SIMT_CUDA_LIBCU_ATOMIC_H
#define SIMT_CUDA_LIBCU_ATOMIC_H

#include "libcu.h"

#if defined(__CUDA__) && defined(__clang__)
#pragma GCC system_header

namespace cuda {

enum memory_order {
  memory_order_relaxed,
  memory_order_consume,
  memory_order_acquire,
  memory_order_release,
  memory_order_acq_rel,
  memory_order_seq_cst
};

namespace simt_atomic {

#define SIMT_DEVICE_MEMBER __device__ __inline__ __attribute__((always_inline, nodebug))
#define SIMT_ATOMIC __host__ __device__ __inline__ __attribute__((always_inline, nodebug))

template <size_t bytes> struct bits_of;
template <> struct bits_of<1> { typedef unsigned char type; };
template <> struct bits_of<2> { typedef unsigned short type; };
template <> struct bits_of<4> { typedef unsigned type; };
template <> struct bits_of<8> { typedef unsigned long long type; };

// What an atomic keeps its value in.
template <class T, bool is_small = (sizeof(T) < 4)> struct storage {
  typedef T type;
  static __host__ __device__ constexpr type of(T x) { return x; }
};
template <class T> struct storage<T, true> {
  typedef unsigned type;
  static __host__ __device__ constexpr type of(T x) {
    return __builtin_bit_cast(typename bits_of<sizeof(T)>::type, x);
  }
};

template <class To, class From> SIMT_ATOMIC To same_bits(From from) {
  static_assert(sizeof(To) == sizeof(From), "as many bits");
  To to;
  __builtin_memcpy(&to, &from, sizeof to);
  return to;
}

#ifdef __CUDA_ARCH__
#define SIMT_BY_SCOPE(scope, instruction, width, ...)                                              \
  do {                                                                                             \
    if (scope == thread_scope_system) asm volatile(instruction(sys, width) __VA_ARGS__);           \
    else if (scope == thread_scope_device) asm volatile(instruction(gpu, width) __VA_ARGS__);      \
    else asm volatile(instruction(cta, width) __VA_ARGS__);                                        \
  } while (0)
#define SIMT_FENCE(scope, width) "fence.sc." #scope ";"
#define SIMT_FENCE_ACQ_REL(scope, width) "fence.acq_rel." #scope ";"
#define SIMT_LOAD_RELAXED(scope, width) "ld.relaxed." #scope ".b" #width " %0, [%1];"
#define SIMT_LOAD_ACQUIRE(scope, width) "ld.acquire." #scope ".b" #width " %0, [%1];"
#define SIMT_STORE_RELAXED(scope, width) "st.relaxed." #scope ".b" #width " [%0], %1;"
#define SIMT_STORE_RELEASE(scope, width) "st.release." #scope ".b" #width " [%0], %1;"
#define SIMT_EXCH(scope, width) "atom.acq_rel." #scope ".exch.b" #width " %0, [%1], %2;"
#define SIMT_EXCH_RELAXED(scope, width) "atom.relaxed." #scope ".exch.b" #width " %0, [%1], %2;"
#define SIMT_CAS(scope, width) "atom.acq_rel." #scope ".cas.b" #width " %0, [%1], %2, %3;"
#define SIMT_CAS_RELAXED(scope, width) "atom.relaxed." #scope ".cas.b" #width " %0, [%1], %2, %3;"

template <thread_scope Scope> SIMT_DEVICE void fence_if(memory_order order) {
  if (order == memory_order_seq_cst) SIMT_BY_SCOPE(Scope, SIMT_FENCE, 0, ::: "memory");
}

#define SIMT_ACCESSES(type, width, letter)                                                         \
  template <thread_scope Scope> SIMT_DEVICE type load(const type *at, memory_order order) {        \
    type x;                                                                                        \
    fence_if<Scope>(order);                                                                        \
    if (order == memory_order_relaxed)                                                             \
      SIMT_BY_SCOPE(Scope, SIMT_LOAD_RELAXED, width, : "=" letter(x) : "l"(at) : "memory");        \
    else SIMT_BY_SCOPE(Scope, SIMT_LOAD_ACQUIRE, width, : "=" letter(x) : "l"(at) : "memory");     \
    return x;                                                                                      \
  }                                                                                                \
  template <thread_scope Scope> SIMT_DEVICE void store(type *at, type x, memory_order order) {     \
    fence_if<Scope>(order);                                                                        \
    if (order == memory_order_relaxed)                                                             \
      SIMT_BY_SCOPE(Scope, SIMT_STORE_RELAXED, width, ::"l"(at), letter(x) : "memory");            \
    else SIMT_BY_SCOPE(Scope, SIMT_STORE_RELEASE, width, ::"l"(at), letter(x) : "memory");         \
  }                                                                                                \
  template <thread_scope Scope> SIMT_DEVICE type exchange(type *at, type x, memory_order order) {  \
    type old;                                                                                      \
    fence_if<Scope>(order);                                                                        \
    if (order == memory_order_relaxed)                                                             \
      SIMT_BY_SCOPE(Scope, SIMT_EXCH_RELAXED, width,                                               \
                    : "=" letter(old)                                                              \
                    : "l"(at), letter(x)                                                           \
                    : "memory");                                                                   \
    else                                                                                           \
      SIMT_BY_SCOPE(Scope, SIMT_EXCH, width, : "=" letter(old) : "l"(at), letter(x) : "memory");   \
    return old;                                                                                    \
  }                                                                                                \
  template <thread_scope Scope>                                                                    \
  SIMT_DEVICE type swap_if(type *at, type wanted, type x, memory_order order) {                    \
    type old;                                                                                      \
    fence_if<Scope>(order);                                                                        \
    if (order == memory_order_relaxed)                                                             \
      SIMT_BY_SCOPE(Scope, SIMT_CAS_RELAXED, width,                                                \
                    : "=" letter(old)                                                              \
                    : "l"(at), letter(wanted), letter(x)                                           \
                    : "memory");                                                                   \
    else                                                                                           \
      SIMT_BY_SCOPE(Scope, SIMT_CAS, width,                                                        \
                    : "=" letter(old)                                                              \
                    : "l"(at), letter(wanted), letter(x)                                           \
                    : "memory");                                                                   \
    return old;                                                                                    \
  }
SIMT_ACCESSES(unsigned, 32, "r")
SIMT_ACCESSES(unsigned long long, 64, "l")

// Sums and the like: the instruction where there is one, else a loop of compare-and-swap.
#define SIMT_ADD(scope, type) "atom.acq_rel." #scope ".add." #type " %0, [%1], %2;"
#define SIMT_ADD_RELAXED(scope, type) "atom.relaxed." #scope ".add." #type " %0, [%1], %2;"
#define SIMT_SUM(type, suffix, letter)                                                             \
  template <thread_scope Scope> SIMT_DEVICE type sum(type *at, type x, memory_order order) {       \
    type old;                                                                                      \
    fence_if<Scope>(order);                                                                        \
    if (order == memory_order_relaxed)                                                             \
      SIMT_BY_SCOPE(Scope, SIMT_ADD_RELAXED, suffix,                                               \
                    : "=" letter(old)                                                              \
                    : "l"(at), letter(x)                                                           \
                    : "memory");                                                                   \
    else                                                                                           \
      SIMT_BY_SCOPE(Scope, SIMT_ADD, suffix, : "=" letter(old) : "l"(at), letter(x) : "memory");   \
    return old;                                                                                    \
  }
SIMT_SUM(unsigned, u32, "r")
SIMT_SUM(unsigned long long, u64, "l")
SIMT_SUM(float, f32, "f")
SIMT_SUM(double, f64, "d")

// Types of 1 and 2 bytes are a part of an aligned word, which is changed as a whole.
template <class N> struct part_of_word {
  unsigned *word, shift;
  SIMT_DEVICE_MEMBER part_of_word(const N *at)
      : word((unsigned *)((size_t)at & ~(size_t)3)), shift(8 * (unsigned)((size_t)at & 3)) {}
  SIMT_DEVICE_MEMBER N of(unsigned whole) const { return (N)(whole >> shift); }
  SIMT_DEVICE_MEMBER unsigned with(unsigned whole, N x) const {
    return (whole & ~((unsigned)(N)~0u << shift)) | (unsigned)x << shift;
  }
};
template <thread_scope Scope, class N> SIMT_DEVICE N load(const N *at, memory_order order) {
  const part_of_word<N> part(at);
  return part.of(load<Scope>((const unsigned *)part.word, order));
}
template <thread_scope Scope, class N>
SIMT_DEVICE N swap_if(N *at, N wanted, N x, memory_order order) {
  const part_of_word<N> part(at);
  unsigned seen = load<Scope>((const unsigned *)part.word, memory_order_relaxed);
  while (part.of(seen) == wanted) {
    const unsigned old = swap_if<Scope>(part.word, seen, part.with(seen, x), order);
    if (old == seen) return wanted;
    seen = old;
  }
  return part.of(seen);
}
template <thread_scope Scope, class N> SIMT_DEVICE N exchange(N *at, N x, memory_order order) {
  N old = load<Scope>((const N *)at, memory_order_relaxed), seen;
  while ((seen = swap_if<Scope>(at, old, x, order)) != old) old = seen;
  return old;
}
template <thread_scope Scope, class N> SIMT_DEVICE void store(N *at, N x, memory_order order) {
  exchange<Scope>(at, x, order);
}
#endif // __CUDA_ARCH__

// What is added to a T: to a pointer, a number of its objects.
template <class T> struct step_of {
  typedef T type;
  static __host__ __device__ constexpr T minus(T x) { return (T)-x; }
};
template <class T> struct step_of<T *> {
  typedef ptrdiff_t type;
  static __host__ __device__ constexpr ptrdiff_t minus(ptrdiff_t x) { return -x; }
};

template <class T, thread_scope Scope> struct on {
  typedef typename bits_of<sizeof(T)>::type word;

  static SIMT_ATOMIC T load(const T *at, memory_order order) {
#ifdef __CUDA_ARCH__
    return same_bits<T>(simt_atomic::load<Scope>((const word *)at, order));
#else
    (void)order;
    return same_bits<T>(__atomic_load_n((const word *)at, __ATOMIC_SEQ_CST));
#endif
  }
  static SIMT_ATOMIC void store(T *at, T x, memory_order order) {
#ifdef __CUDA_ARCH__
    simt_atomic::store<Scope>((word *)at, same_bits<word>(x), order);
#else
    (void)order;
    __atomic_store_n((word *)at, same_bits<word>(x), __ATOMIC_SEQ_CST);
#endif
  }
  static SIMT_ATOMIC T exchange(T *at, T x, memory_order order) {
#ifdef __CUDA_ARCH__
    return same_bits<T>(simt_atomic::exchange<Scope>((word *)at, same_bits<word>(x), order));
#else
    (void)order;
    return same_bits<T>(__atomic_exchange_n((word *)at, same_bits<word>(x), __ATOMIC_SEQ_CST));
#endif
  }
  static SIMT_ATOMIC bool swap_if(T *at, T &wanted, T x, memory_order order) {
    word before = same_bits<word>(wanted);
#ifdef __CUDA_ARCH__
    word old = simt_atomic::swap_if<Scope>((word *)at, before, same_bits<word>(x), order);
#else
    (void)order;
    word old = before;
    __atomic_compare_exchange_n((word *)at, &old, same_bits<word>(x), false, __ATOMIC_SEQ_CST,
                                __ATOMIC_SEQ_CST);
#endif
    if (old == before) return true;
    wanted = same_bits<T>(old);
    return false;
  }
  template <class Change> static SIMT_ATOMIC T update(T *at, memory_order order, Change change) {
    T old = load(at, memory_order_relaxed);
    while (!swap_if(at, old, change(old), order)) {}
    return old;
  }
  static SIMT_ATOMIC T sum(T *at, typename step_of<T>::type x, memory_order order) {
#ifdef __CUDA_ARCH__
    if constexpr (sizeof(T) < 4 || __is_pointer(T)) {
      return update(at, order, [x](T old) { return (T)(old + x); });
    } else if constexpr (__is_integral(T)) {
      return same_bits<T>(simt_atomic::sum<Scope>((word *)at, same_bits<word>(x), order));
    } else {
      return simt_atomic::sum<Scope>(at, x, order);
    }
#else
    return update(at, order, [x](T old) { return (T)(old + x); });
#endif
  }
};

// What atomic and atomic_ref have in common; `at()` is where the value is.
template <class Self, class T, thread_scope Scope> struct operations {
  typedef T value_type;
  static constexpr bool is_always_lock_free = true;
  SIMT_ATOMIC bool is_lock_free() const volatile { return true; }

  SIMT_ATOMIC T load(memory_order order = memory_order_seq_cst) const volatile {
    return on<T, Scope>::load(at(), order);
  }
  SIMT_ATOMIC void store(T x, memory_order order = memory_order_seq_cst) const volatile {
    on<T, Scope>::store(at(), x, order);
  }
  SIMT_ATOMIC T exchange(T x, memory_order order = memory_order_seq_cst) const volatile {
    return on<T, Scope>::exchange(at(), x, order);
  }
  SIMT_ATOMIC bool compare_exchange_strong(T &wanted, T x,
                                           memory_order order = memory_order_seq_cst) const
      volatile {
    return on<T, Scope>::swap_if(at(), wanted, x, order);
  }
  SIMT_ATOMIC bool compare_exchange_strong(T &wanted, T x, memory_order order, memory_order) const
      volatile {
    return on<T, Scope>::swap_if(at(), wanted, x, order);
  }
  SIMT_ATOMIC bool compare_exchange_weak(T &wanted, T x,
                                         memory_order order = memory_order_seq_cst) const volatile {
    return on<T, Scope>::swap_if(at(), wanted, x, order);
  }
  SIMT_ATOMIC bool compare_exchange_weak(T &wanted, T x, memory_order order, memory_order) const
      volatile {
    return on<T, Scope>::swap_if(at(), wanted, x, order);
  }
  typedef typename step_of<T>::type difference_type;
  SIMT_ATOMIC T fetch_add(difference_type x, memory_order order = memory_order_seq_cst) const
      volatile {
    return on<T, Scope>::sum(at(), x, order);
  }
  SIMT_ATOMIC T fetch_sub(difference_type x, memory_order order = memory_order_seq_cst) const
      volatile {
    return on<T, Scope>::sum(at(), step_of<T>::minus(x), order);
  }
#define SIMT_FETCH(name, expression)                                                               \
  SIMT_ATOMIC T name(T x, memory_order order = memory_order_seq_cst) const volatile {              \
    return on<T, Scope>::update(at(), order, [x](T old) { return (T)(expression); });              \
  }
  SIMT_FETCH(fetch_and, old &x)
  SIMT_FETCH(fetch_or, old | x)
  SIMT_FETCH(fetch_xor, old ^ x)
  SIMT_FETCH(fetch_min, x < old ? x : old)
  SIMT_FETCH(fetch_max, old < x ? x : old)
#undef SIMT_FETCH
  SIMT_ATOMIC T operator=(T x) const volatile { return store(x), x; }
  SIMT_ATOMIC operator T() const volatile { return load(); }
  SIMT_ATOMIC T operator++() const volatile {
    return (T)(fetch_add((difference_type)1) + (difference_type)1);
  }
  SIMT_ATOMIC T operator++(int) const volatile { return fetch_add((difference_type)1); }
  SIMT_ATOMIC T operator--() const volatile {
    return (T)(fetch_sub((difference_type)1) - (difference_type)1);
  }
  SIMT_ATOMIC T operator--(int) const volatile { return fetch_sub((difference_type)1); }
  SIMT_ATOMIC T operator+=(difference_type x) const volatile { return (T)(fetch_add(x) + x); }
  SIMT_ATOMIC T operator-=(difference_type x) const volatile { return (T)(fetch_sub(x) - x); }
  SIMT_ATOMIC T operator&=(T x) const volatile { return (T)(fetch_and(x) & x); }
  SIMT_ATOMIC T operator|=(T x) const volatile { return (T)(fetch_or(x) | x); }
  SIMT_ATOMIC T operator^=(T x) const volatile { return (T)(fetch_xor(x) ^ x); }
  SIMT_ATOMIC void wait(T old, memory_order order = memory_order_seq_cst) const volatile {
    while (same_bits<typename bits_of<sizeof(T)>::type>(load(order)) ==
           same_bits<typename bits_of<sizeof(T)>::type>(old)) {}
  }
  SIMT_ATOMIC void notify_one() const volatile {} // who waits asks again and again
  SIMT_ATOMIC void notify_all() const volatile {}

private:
  SIMT_ATOMIC T *at() const volatile {
    return const_cast<const Self *>(static_cast<const volatile Self *>(this))->address();
  }
};

} // namespace simt_atomic

template <class T, thread_scope Scope = thread_scope_system>
struct atomic : simt_atomic::operations<atomic<T, Scope>, T, Scope> {
  typedef simt_atomic::operations<atomic<T, Scope>, T, Scope> base;
  atomic() = default;
  __host__ __device__ constexpr atomic(T x) : value(kept::of(x)) {}
  atomic(const atomic &) = delete;
  atomic &operator=(const atomic &) = delete;
  using base::operator=;
  SIMT_ATOMIC T operator=(T x) { return this->store(x), x; } // before a copy of atomic(x)
  SIMT_ATOMIC T *address() const { return (T *)&value; }     // of a small one: its low end

private:
  typedef simt_atomic::storage<T> kept;
  alignas(sizeof(typename kept::type)) typename kept::type value;
};

template <class T, thread_scope Scope = thread_scope_system>
struct atomic_ref : simt_atomic::operations<atomic_ref<T, Scope>, T, Scope> {
  typedef simt_atomic::operations<atomic_ref<T, Scope>, T, Scope> base;
  static constexpr size_t required_alignment = sizeof(T);
  SIMT_ATOMIC explicit atomic_ref(T &x) : to(&x) {}
  using base::operator=;
  SIMT_ATOMIC T *address() const { return to; }

private:
  T *to;
};

template <thread_scope Scope> struct atomic_flag_of {
  atomic<int, Scope> value;
  atomic_flag_of() = default; // in shared memory: clear() makes it ready
  __host__ __device__ constexpr atomic_flag_of(bool set) : value(set) {}
  SIMT_ATOMIC bool test_and_set(memory_order order = memory_order_seq_cst) volatile {
    return value.exchange(1, order) != 0;
  }
  SIMT_ATOMIC void clear(memory_order order = memory_order_seq_cst) volatile {
    value.store(0, order);
  }
  SIMT_ATOMIC bool test(memory_order order = memory_order_seq_cst) const volatile {
    return value.load(order) != 0;
  }
  SIMT_ATOMIC void wait(bool old, memory_order order = memory_order_seq_cst) const volatile {
    while (test(order) == old) {}
  }
  SIMT_ATOMIC void notify_one() volatile {}
  SIMT_ATOMIC void notify_all() volatile {}
};

SIMT_ATOMIC void atomic_thread_fence(memory_order order, thread_scope scope = thread_scope_system) {
#ifdef __CUDA_ARCH__
  if (order == memory_order_relaxed) return;
  if (order == memory_order_seq_cst) SIMT_BY_SCOPE(scope, SIMT_FENCE, 0, ::: "memory");
  else SIMT_BY_SCOPE(scope, SIMT_FENCE_ACQ_REL, 0, ::: "memory");
#else
  (void)order, (void)scope;
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
#endif
}

} // namespace cuda
#endif
#endif
