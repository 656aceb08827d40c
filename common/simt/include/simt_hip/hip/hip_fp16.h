// SPDX-License-Identifier: MIT
// hip_fp16.h - HIP's half precision: CUDA's, of cuda_fp16.h.
#include "hip_runtime.h"

#include <cuda_fp16.h>
