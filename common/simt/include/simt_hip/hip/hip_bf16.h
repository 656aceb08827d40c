// SPDX-License-Identifier: MIT
// hip_bf16.h - HIP's bfloat16: CUDA's, of cuda_bf16.h, under HIP's names.
#ifndef SIMT_HIP_BF16_H
#define SIMT_HIP_BF16_H
#include "hip_runtime.h"

#include <cuda_bf16.h>
#define __hip_bfloat16 __nv_bfloat16
#define __hip_bfloat162 __nv_bfloat162
#endif
