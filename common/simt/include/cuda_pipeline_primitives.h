// SPDX-License-Identifier: MIT
// cuda_pipeline_primitives.h - the C interface of asynchronous copies, as in CUDA.
#ifndef SIMT_CUDA_PIPELINE_PRIMITIVES_H
#define SIMT_CUDA_PIPELINE_PRIMITIVES_H

#include "simt_cuda/async_copy.h"

#if defined(__CUDA__) && defined(__clang__)
// `size` is 4, 8 or 16; the last `zfill` bytes become zeros and are not read.
SIMT_ASYNC void __pipeline_memcpy_async(void *to, const void *from, size_t size, size_t zfill = 0) {
  if (size == 4) simt_async::copy<4>(to, from, (unsigned)zfill);
  else if (size == 8) simt_async::copy<8>(to, from, (unsigned)zfill);
  else simt_async::copy<16>(to, from, (unsigned)zfill);
}
SIMT_ASYNC void __pipeline_commit() { simt_async::commit(); }
SIMT_ASYNC void __pipeline_wait_prior(size_t n) { simt_async::wait(n); }
SIMT_ASYNC void __pipeline_arrive_on(unsigned long long *barrier) {
  asm volatile("cp.async.mbarrier.arrive.noinc.b64 [%0];" ::"l"(barrier) : "memory");
}
#endif

#endif
