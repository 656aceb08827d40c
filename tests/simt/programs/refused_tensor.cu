// SPDX-License-Identifier: MIT
// flags: -lcuda
// hardware: an H100 makes the description
// stderr: cuTensorMapEncodeTiled: bulk copies of tensors are not modelled
//
// A tensor's description for bulk copies is refused, with a sentence, when it is made.
#include <cuda.h>
#include <cuda_runtime.h>

#include <cstdio>

int main() {
  void *memory;
  cudaMalloc(&memory, 16384);
  CUtensorMap map;
  const cuuint64_t extents[2] = {64, 64}, strides[1] = {256};
  const cuuint32_t box[2] = {16, 16}, steps[2] = {1, 1};
  const CUresult result =
      cuTensorMapEncodeTiled(&map, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 2, memory, extents, strides,
                             box, steps, CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE,
                             CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
  printf("%d %zu %zu\n", result, sizeof map, alignof(CUtensorMap));
  cudaFree(memory);
  return 0;
}
