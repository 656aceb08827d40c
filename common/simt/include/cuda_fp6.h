// SPDX-License-Identifier: MIT
// cuda_fp6.h - __nv_fp6_e2m3 and __nv_fp6_e3m2: floating-point numbers of 6 bits, each in the lower
// bits of a byte, one, two or four together; names, layout and rounding as in CUDA. They have no
// infinity and no NaN.
#ifndef SIMT_CUDA_FP6_H
#define SIMT_CUDA_FP6_H
#define __CUDA_FP6_H__ // as in the toolkit: programs ask for it
#define __CUDA_FP6_TYPES_EXIST__

#include "cuda_fp8.h"

#ifdef __cplusplus
#pragma GCC system_header

typedef __nv_fp8_storage_t __nv_fp6_storage_t;
typedef __nv_fp8x2_storage_t __nv_fp6x2_storage_t;
typedef __nv_fp8x4_storage_t __nv_fp6x4_storage_t;
typedef enum __nv_fp6_interpretation_t { __NV_E2M3, __NV_E3M2 } __nv_fp6_interpretation_t;

struct simt_e2m3 : simt_narrow_finite<3, 1, 6> {
  typedef __nv_fp6_storage_t one;
  typedef __nv_fp6x2_storage_t two;
  typedef __nv_fp6x4_storage_t four;
  enum { width = 8 };
};
struct simt_e3m2 : simt_narrow_finite<2, 3, 6> {
  typedef __nv_fp6_storage_t one;
  typedef __nv_fp6x2_storage_t two;
  typedef __nv_fp6x4_storage_t four;
  enum { width = 8 };
};

#define SIMT_N fp6
#define SIMT_N_BITS(x, kind, rounding)                                                             \
  (kind == __NV_E2M3 ? simt_e2m3::rounded(x, rounding == cudaRoundZero)                            \
                     : simt_e3m2::rounded(x, rounding == cudaRoundZero))
#define SIMT_N_VALUE(x, kind) (kind == __NV_E2M3 ? simt_e2m3::to_float(x) : simt_e3m2::to_float(x))
#define SIMT_N_WIDTH 8
#include "simt_cuda/narrow_finite.inc"

SIMT_NARROW_TYPES(simt_e2m3, __nv_fp6_e2m3, __nv_fp6x2_e2m3, __nv_fp6x4_e2m3)
SIMT_NARROW_TYPES(simt_e3m2, __nv_fp6_e3m2, __nv_fp6x2_e3m2, __nv_fp6x4_e3m2)

#endif
#endif
