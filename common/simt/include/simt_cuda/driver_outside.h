// SPDX-License-Identifier: MIT
// driver_outside.h - part of cuda.h: descriptions of tensors for bulk copies, which are refused
// when they are made. cuda.h includes it inside extern "C".
#ifndef SIMT_CUDA_DRIVER_OUTSIDE_H
#define SIMT_CUDA_DRIVER_OUTSIDE_H

#define CU_TENSOR_MAP_NUM_QWORDS 16
typedef struct CUtensorMap_st {
  __attribute__((aligned(128))) cuuint64_t opaque[CU_TENSOR_MAP_NUM_QWORDS];
} CUtensorMap;
CUresult cuTensorMapEncodeTiled(CUtensorMap *map, CUtensorMapDataType type, cuuint32_t rank,
                                void *address, const cuuint64_t *extents, const cuuint64_t *strides,
                                const cuuint32_t *box, const cuuint32_t *element_strides,
                                CUtensorMapInterleave interleave, CUtensorMapSwizzle swizzle,
                                CUtensorMapL2promotion promotion, CUtensorMapFloatOOBfill fill);

#endif
