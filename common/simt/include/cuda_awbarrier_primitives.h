// SPDX-License-Identifier: MIT
// cuda_awbarrier_primitives.h - the C interface of barriers with arrive and wait, as in CUDA.
#ifndef SIMT_CUDA_AWBARRIER_PRIMITIVES_H
#define SIMT_CUDA_AWBARRIER_PRIMITIVES_H

#include "simt_cuda/async_copy.h"

#if defined(__CUDA__) && defined(__clang__)
typedef unsigned long long __mbarrier_t;
typedef unsigned long long __mbarrier_token_t;

SIMT_ASYNC unsigned __mbarrier_maximum_count() { return (1u << 20) - 1; }
SIMT_ASYNC void __mbarrier_init(__mbarrier_t *barrier, unsigned count) {
  simt_async::init(barrier, count);
}
SIMT_ASYNC void __mbarrier_inval(__mbarrier_t *barrier) { simt_async::inval(barrier); }
SIMT_ASYNC __mbarrier_token_t __mbarrier_arrive(__mbarrier_t *barrier) {
  return simt_async::arrive(barrier, 1);
}
SIMT_ASYNC __mbarrier_token_t __mbarrier_arrive_and_drop(__mbarrier_t *barrier) {
  return simt_async::arrive_drop(barrier, 1);
}
SIMT_ASYNC bool __mbarrier_test_wait(__mbarrier_t *barrier, __mbarrier_token_t token) {
  return simt_async::test(barrier, token);
}
SIMT_ASYNC bool __mbarrier_test_wait_parity(__mbarrier_t *barrier, bool parity) {
  return simt_async::test_parity(barrier, parity);
}
SIMT_ASYNC unsigned __mbarrier_token_pending_count(__mbarrier_token_t token) {
  unsigned count;
  asm("mbarrier.pending_count.b64 %0, %1;" : "=r"(count) : "l"(token));
  return count;
}
#endif

#endif
