// SPDX-License-Identifier: MIT
// runtime/driver_outside.c - what the driver API has for instructions that are not modelled.
#include "runtime/driver.h"
#include "runtime/runtime.h"

CUresult cuTensorMapEncodeTiled(CUtensorMap *map, CUtensorMapDataType type, cuuint32_t rank,
                                void *address, const cuuint64_t *extents, const cuuint64_t *strides,
                                const cuuint32_t *box, const cuuint32_t *element_strides,
                                CUtensorMapInterleave interleave, CUtensorMapSwizzle swizzle,
                                CUtensorMapL2promotion promotion, CUtensorMapFloatOOBfill fill) {
  (void)type, (void)rank, (void)address, (void)extents, (void)strides, (void)box;
  (void)element_strides, (void)interleave, (void)swizzle, (void)promotion, (void)fill;
  if (!map) return CUDA_ERROR_INVALID_VALUE;
  simt_rt_say("note: cuTensorMapEncodeTiled: bulk copies of tensors are not modelled; copy with "
              "cp.async, or in bulk without a tensor's shape");
  return CUDA_ERROR_NOT_SUPPORTED;
}
