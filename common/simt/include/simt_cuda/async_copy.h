// SPDX-License-Identifier: MIT
// simt_cuda/async_copy.h - cp.async and mbarriers as functions: what cuda_pipeline.h, cuda/barrier,
// cuda/pipeline and cooperative_groups/memcpy_async.h are made of.
#ifndef SIMT_CUDA_ASYNC_COPY_H
#define SIMT_CUDA_ASYNC_COPY_H

#include "cuda_runtime.h"

#if defined(__CUDA__) && defined(__clang__)
#pragma GCC system_header

namespace simt_async {

#define SIMT_ASYNC __device__ __inline__ __attribute__((always_inline, nodebug))

SIMT_ASYNC bool is_shared(const void *p) { return __isShared(p); }
SIMT_ASYNC bool is_global(const void *p) { return __isGlobal(p); }

// One copy of 4, 8 or 16 bytes, of which the last `zeros` are zeros and not read.
template <int bytes> SIMT_ASYNC void copy(void *to, const void *from, unsigned zeros = 0) {
  unsigned long long shared = __cvta_generic_to_shared(to);
  asm volatile("cp.async.ca.shared.global [%0], [%1], %2, %3;" ::"l"(shared),
               "l"(__cvta_generic_to_global(from)), "n"(bytes), "r"(bytes - zeros)
               : "memory");
}
SIMT_ASYNC void commit() { asm volatile("cp.async.commit_group;" ::: "memory"); }
template <int n> SIMT_ASYNC void wait_for() {
  asm volatile("cp.async.wait_group %0;" ::"n"(n) : "memory");
}
// At most `n` groups stay under way; for more than 8 it waits for more than it must.
SIMT_ASYNC void wait(size_t n) {
  switch (n) {
  case 0: return wait_for<0>();
  case 1: return wait_for<1>();
  case 2: return wait_for<2>();
  case 3: return wait_for<3>();
  case 4: return wait_for<4>();
  case 5: return wait_for<5>();
  case 6: return wait_for<6>();
  case 7: return wait_for<7>();
  default: return wait_for<8>();
  }
}

template <int bytes>
SIMT_ASYNC void copy_strided(char *to, const char *from, size_t size, unsigned rank, unsigned n) {
  for (size_t at = (size_t)rank * bytes; at < size; at += (size_t)n * bytes)
    copy<bytes>(to + at, from + at);
}

// Thread `rank` of `n` copies its share; asynchronously where spaces and alignment allow that.
SIMT_ASYNC void copy_shared_out(void *to, const void *from, size_t size, unsigned rank,
                                unsigned n) {
  const unsigned long long bits = (unsigned long long)to | (unsigned long long)from | size;
  char *d = (char *)to;
  const char *s = (const char *)from;
  const bool can = is_shared(to) && is_global(from);
  if (can && bits % 16 == 0) return copy_strided<16>(d, s, size, rank, n);
  if (can && bits % 8 == 0) return copy_strided<8>(d, s, size, rank, n);
  if (can && bits % 4 == 0) return copy_strided<4>(d, s, size, rank, n);
  if (bits % 4 == 0)
    for (size_t i = rank; i < size / 4; i += n) ((unsigned *)to)[i] = ((const unsigned *)from)[i];
  else
    for (size_t i = rank; i < size; i += n) d[i] = s[i];
}

// ---- mbarriers, by generic address

typedef unsigned long long word;

SIMT_ASYNC void init(word *b, unsigned count) {
  asm volatile("mbarrier.init.b64 [%0], %1;" ::"l"(b), "r"(count) : "memory");
}
SIMT_ASYNC void inval(word *b) { asm volatile("mbarrier.inval.b64 [%0];" ::"l"(b) : "memory"); }
SIMT_ASYNC word arrive(word *b, unsigned count) {
  word token;
  asm volatile("mbarrier.arrive.b64 %0, [%1], %2;" : "=l"(token) : "l"(b), "r"(count) : "memory");
  return token;
}
SIMT_ASYNC word arrive_drop(word *b, unsigned count) {
  word token;
  asm volatile("mbarrier.arrive_drop.b64 %0, [%1], %2;"
               : "=l"(token)
               : "l"(b), "r"(count)
               : "memory");
  return token;
}
SIMT_ASYNC bool test(const word *b, word token) {
  unsigned passed;
  asm volatile("{ .reg .pred p; mbarrier.test_wait.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
               : "=r"(passed)
               : "l"(b), "l"(token)
               : "memory");
  return passed;
}
SIMT_ASYNC bool test_parity(const word *b, unsigned parity) {
  unsigned passed;
  asm volatile("{ .reg .pred p; mbarrier.test_wait.parity.b64 p, [%1], %2; "
               "selp.u32 %0, 1, 0, p; }"
               : "=r"(passed)
               : "l"(b), "r"(parity)
               : "memory");
  return passed;
}
SIMT_ASYNC void expect(word *b, unsigned bytes) {
  asm volatile("mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%0], %1;" ::"r"(
                   (unsigned)__cvta_generic_to_shared(b)),
               "r"(bytes)
               : "memory");
}
// The mbarrier's phase does not end before this thread's copies have arrived.
SIMT_ASYNC void arrive_after_copies(word *b) {
  asm volatile("cp.async.mbarrier.arrive.b64 [%0];" ::"l"(b) : "memory");
}

// ---- bulk copies, which one thread asks for

SIMT_ASYNC void bulk_to_shared(void *to, const void *from, unsigned bytes, word *b) {
  asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes "
               "[%0], [%1], %2, [%3];" ::"r"((unsigned)__cvta_generic_to_shared(to)),
               "l"(__cvta_generic_to_global(from)), "r"(bytes),
               "r"((unsigned)__cvta_generic_to_shared(b))
               : "memory");
}
SIMT_ASYNC void bulk_to_global(void *to, const void *from, unsigned bytes) {
  asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(
                   __cvta_generic_to_global(to)),
               "r"((unsigned)__cvta_generic_to_shared(from)), "r"(bytes)
               : "memory");
}

} // namespace simt_async
#endif
#endif
