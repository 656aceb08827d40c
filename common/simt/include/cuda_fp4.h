// SPDX-License-Identifier: MIT
// cuda_fp4.h - __nv_fp4_e2m1: floating-point numbers of 4 bits, one in a byte, two in one, or four
// in two; names, layout and rounding as in CUDA. They are 0, 0.5, 1, 1.5, 2, 3, 4, 6 and their
// negatives.
#ifndef SIMT_CUDA_FP4_H
#define SIMT_CUDA_FP4_H
#define __CUDA_FP4_H__ // as in the toolkit: programs ask for it
#define __CUDA_FP4_TYPES_EXIST__

#include "cuda_fp6.h"

#ifdef __cplusplus
#pragma GCC system_header

typedef __nv_fp8_storage_t __nv_fp4_storage_t;
typedef __nv_fp8_storage_t __nv_fp4x2_storage_t;
typedef __nv_fp8x2_storage_t __nv_fp4x4_storage_t;
typedef enum __nv_fp4_interpretation_t { __NV_E2M1 } __nv_fp4_interpretation_t;

struct simt_e2m1 : simt_narrow_finite<1, 1, 4> {
  typedef __nv_fp4_storage_t one;
  typedef __nv_fp4x2_storage_t two;
  typedef __nv_fp4x4_storage_t four;
  enum { width = 4 };
};

#define SIMT_N fp4
#define SIMT_N_BITS(x, kind, rounding)                                                             \
  ((void)kind, simt_e2m1::rounded(x, rounding == cudaRoundZero))
#define SIMT_N_VALUE(x, kind) ((void)kind, simt_e2m1::to_float(x))
#define SIMT_N_WIDTH 4
#include "simt_cuda/narrow_finite.inc"

SIMT_NARROW_TYPES(simt_e2m1, __nv_fp4_e2m1, __nv_fp4x2_e2m1, __nv_fp4x4_e2m1)

#endif
#endif
