// SPDX-License-Identifier: MIT
// cuda_pipeline.h - asynchronous copies from global to shared memory, as in CUDA.
#ifndef SIMT_CUDA_PIPELINE_H
#define SIMT_CUDA_PIPELINE_H

#include "cuda_pipeline_primitives.h"
#ifdef __cplusplus
#include "cuda/pipeline"
#endif

#endif
