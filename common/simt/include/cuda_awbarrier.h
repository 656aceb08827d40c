// SPDX-License-Identifier: MIT
// cuda_awbarrier.h - barriers with arrive and wait, as in CUDA.
#ifndef SIMT_CUDA_AWBARRIER_H
#define SIMT_CUDA_AWBARRIER_H

#include "cuda_awbarrier_primitives.h"
#ifdef __cplusplus
#include "cuda/barrier"
#endif

#endif
