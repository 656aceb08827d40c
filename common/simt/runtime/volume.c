// SPDX-License-Identifier: MIT
// runtime/volume.c - three-dimensional linear memory, allocated and set as rows of one pitch.
// Copies of it are runtime/array.c's.
#include "runtime/driver.h"
#include "runtime/runtime.h"

cudaError_t cudaMalloc3D(struct cudaPitchedPtr *pitched, struct cudaExtent extent) {
  if (!pitched) return cudaErrorInvalidValue;
  const size_t rows = (extent.height ? extent.height : 1) * (extent.depth ? extent.depth : 1);
  void *memory = NULL;
  size_t pitch = 0;
  cudaError_t error = cudaMallocPitch(&memory, &pitch, extent.width, rows);
  if (!error) *pitched = (struct cudaPitchedPtr){memory, pitch, extent.width, extent.height};
  return error;
}

// Nothing is set where the last slice does not lie in the memory of the first.
static cudaError_t check_end(struct cudaPitchedPtr p, struct cudaExtent e) {
  void *start = NULL;
  size_t bytes = 0;
  if (!e.width || !e.height || !e.depth) return cudaSuccess;
  const size_t end = (e.depth - 1) * p.pitch * p.ysize + (e.height - 1) * p.pitch + e.width;
  if (simt_rt_range_of(p.ptr, &start, &bytes)) return cudaSuccess; // said by the first slice
  if (end <= bytes - (size_t)((char *)p.ptr - (char *)start)) return cudaSuccess;
  return simt_rt_answer(cudaErrorInvalidValue);
}

static cudaError_t set_3d(struct cudaPitchedPtr p, int value, struct cudaExtent e,
                          cudaStream_t stream, bool waits) {
  if (e.depth > 1 && e.height > p.ysize) // slices lie apart
    return simt_rt_answer(cudaErrorInvalidValue);
  cudaError_t error = check_end(p, e);
  for (size_t z = 0; !error && z < e.depth; z++) {
    char *at = (char *)p.ptr + z * p.pitch * p.ysize;
    error = waits ? cudaMemset2D(at, p.pitch, value, e.width, e.height)
                  : cudaMemset2DAsync(at, p.pitch, value, e.width, e.height, stream);
  }
  return error;
}

cudaError_t cudaMemset3D(struct cudaPitchedPtr pitched, int value, struct cudaExtent extent) {
  return set_3d(pitched, value, extent, 0, true);
}
cudaError_t cudaMemset3DAsync(struct cudaPitchedPtr pitched, int value, struct cudaExtent extent,
                              cudaStream_t stream) {
  return set_3d(pitched, value, extent, stream, false);
}
