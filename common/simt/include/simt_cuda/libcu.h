// SPDX-License-Identifier: MIT
// simt_cuda/libcu.h - what the headers cuda/... have in common: scopes and sizes with an alignment.
#ifndef SIMT_CUDA_LIBCU_H
#define SIMT_CUDA_LIBCU_H

#include "cuda_runtime.h"

#if defined(__cplusplus) && __has_include(<cuda/std/__cccl/version.h>) // a toolkit's libcu++
#include <cuda/atomic>
#include <cuda/barrier>
#elif defined(__cplusplus)
namespace cuda {

enum thread_scope {
  thread_scope_system,
  thread_scope_device,
  thread_scope_block,
  thread_scope_thread
};

template <size_t Alignment> struct aligned_size_t {
  static constexpr size_t align = Alignment;
  size_t value;
  __host__ __device__ explicit constexpr aligned_size_t(size_t size) : value(size) {}
  __host__ __device__ constexpr operator size_t() const { return value; }
};

} // namespace cuda
#endif
#endif
