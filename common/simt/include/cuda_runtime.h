// SPDX-License-Identifier: MIT
// cuda_runtime.h - CUDA C++ for the software GPU: the runtime API, and in CUDA files compiled by
// clang (see simtcc) everything device code expects without including anything.
//
// Three readers: clang's device pass, clang's host pass, and plain C11 or C++ files that only call
// the API. nvcc brings NVIDIA's own headers and never sees this one.
#ifndef SIMT_CUDA_RUNTIME_H
#define SIMT_CUDA_RUNTIME_H
#define __CUDA_RUNTIME_H__ // as in the toolkit: programs ask by it what was included

#include "simt_cuda/qualifiers.h"

#if defined(__CUDA__) && defined(__clang__)
#include "simt_cuda/device.h"
#include "simt_cuda/math_std.h" // declarations: before any header of the host
#endif

#include <assert.h>
#include <limits.h>
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cuda_runtime_api.h"
#include "library_types.h"
#include "vector_functions.h"

#if defined(__CUDA__) && defined(__clang__)
#include <cmath>
#include <initializer_list>
#include <limits>
#include <utility>
extern "C" { // before <new>, whose operators call them
__device__ void *malloc(size_t bytes);
__device__ void free(void *memory);
__device__ void *__cuda_syscall_aligned_malloc(size_t bytes, size_t alignment_bytes);
}
#include <new>
SIMT_DEVICE void *__nv_aligned_device_malloc(size_t bytes, size_t alignment_bytes) {
  return __cuda_syscall_aligned_malloc(bytes, alignment_bytes);
}
#ifdef __cpp_aligned_new // clang's <new> has the operators without an alignment
__device__ inline void *operator new(size_t bytes, std::align_val_t alignment) {
  return __cuda_syscall_aligned_malloc(bytes ? bytes : 1, (size_t)alignment);
}
__device__ inline void *operator new[](size_t bytes, std::align_val_t alignment) {
  return ::operator new(bytes, alignment);
}
__device__ inline void operator delete(void *memory, std::align_val_t) noexcept { ::free(memory); }
__device__ inline void operator delete[](void *memory, std::align_val_t) noexcept {
  ::free(memory);
}
__device__ inline void operator delete(void *memory, size_t, std::align_val_t) noexcept {
  ::free(memory);
}
__device__ inline void operator delete[](void *memory, size_t, std::align_val_t) noexcept {
  ::free(memory);
}
#endif

#pragma push_macro("dim3")
#include "__clang_cuda_builtin_vars.h" // threadIdx and its relatives: the compiler's own
#pragma pop_macro("dim3")
#define SIMT_INDEX(var)                                                                            \
  __device__ inline __cuda_builtin_##var##_t::operator dim3() const { return dim3(x, y, z); }      \
  __device__ inline __cuda_builtin_##var##_t::operator uint3() const { return make_uint3(x, y, z); }
SIMT_INDEX(threadIdx)
SIMT_INDEX(blockIdx)
SIMT_INDEX(blockDim)
SIMT_INDEX(gridDim)
#undef SIMT_INDEX

extern "C" {
// Host side of a <<<…>>> launch.
unsigned __cudaPushCallConfiguration(dim3 gridDim, dim3 blockDim, size_t sharedMem = 0,
                                     void *stream = 0)
#ifdef CUDA_API_PER_THREAD_DEFAULT_STREAM
    __asm__("simt_push_configuration_ptsz")
#endif
        ;
cudaError_t __cudaPopCallConfiguration(dim3 *gridDim, dim3 *blockDim, size_t *sharedMem,
                                       void *stream);
// Device side: provided by the software GPU. The compiler turns printf into vprintf.
__device__ int vprintf(const char *format, const char *arguments);
__device__ int printf(const char *format, ...);
__device__ void __assertfail(const char *message, const char *file, unsigned line,
                             const char *function, size_t char_bytes) __attribute__((noreturn));
SIMT_DEVICE void __assert_fail(const char *message, const char *file, unsigned line,
                               const char *function) {
  __assertfail(message, file, line, function, sizeof(char));
}
}
SIMT_DEVICE void *memcpy(void *to, const void *from, size_t bytes) {
  return __builtin_memcpy(to, from, bytes);
}
SIMT_DEVICE void *memset(void *to, int value, size_t bytes) {
  return __builtin_memset(to, value, bytes);
}

#include "simt_cuda/device_api.h"
#include "simt_cuda/intrinsics.h"
#include "simt_cuda/cluster.h"
#include "simt_cuda/simd.h"
#include "simt_cuda/atomics.h"
#include "simt_cuda/nv_atomics.h"
#include "simt_cuda/math.h"
#include "simt_cuda/math_more.h"
#include "simt_cuda/minmax.h"
#define SIMT_MATH_STD_DEFINE
#include "simt_cuda/math_std.h"
#undef SIMT_MATH_STD_DEFINE
#endif // clang in CUDA mode

#ifdef __cplusplus
#include "simt_cuda/api_templates.h"
#include "simt_cuda/textures.h"
#include "simt_cuda/old_names.h"
#endif

#endif
