// SPDX-License-Identifier: MIT
/// @file overlap.h
/// Launches that begin while the one before them in the stream is still at work (CUDA's name for it
/// is programmatic dependent launch): the device brings the blocks in ahead of time, and they wait
/// inside the kernel. It takes a GPU of compute capability 9.0 or higher, and a program compiled
/// for one; otherwise, and on the software GPU, one launch follows the other as always. It is
/// captured into graphs too. .cu only.
///
///     __global__ void kernel(const float *in, float *out) {
///       wb_join_stream(); // before anything is read or written that others can see
///       …
///     }
///     wb_launch_overlapped(kernel, grid, block, in, out);
///
/// Kernel and launch belong together: without the first line, a kernel launched like this reads
/// what the one before it has not yet written. The other way round there is no harm: launched
/// with <<<…>>>, the kernel has nothing to wait for.
#ifndef WB_OVERLAP_H
#define WB_OVERLAP_H

#include "cuda_check.h"

/// Lets the next launch bring its blocks in, as soon as all of this one have begun, then waits
/// until all launches before this one are done and what they wrote can be seen. Every thread calls
/// it, before it touches any memory but its registers and shared memory. CUDA promises only that
/// the one launch before is done; but that one has waited here, too, or began when all before it
/// had ended.
static __device__ inline void wb_join_stream(void) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  cudaTriggerProgrammaticLaunchCompletion();
  cudaGridDependencySynchronize();
#endif
}

/// Whether the program's kernels wait as they should: whether they are compiled for compute
/// capability 9.0 or higher (code made for an older one runs on a newer device too, and does not
/// wait). All kernels of a program are compiled alike, so the first one is asked.
static inline bool wb_can_overlap(const void *kernel) {
  static int compiled_for = -1;
  cudaFuncAttributes attributes;
  if (compiled_for < 0)
    compiled_for = WB_OK(cudaFuncGetAttributes(&attributes, kernel)) ? attributes.ptxVersion : 0;
  return compiled_for >= 90;
}

/// kernel<<<grid, block>>>(arguments…), without waiting for the launch before. The kernel begins
/// with wb_join_stream().
template <typename... parameters, typename... arguments>
static inline void wb_launch_overlapped(void (*kernel)(parameters...), unsigned grid,
                                        unsigned block, arguments... values) {
  cudaLaunchAttribute overlap = {};
  cudaLaunchConfig_t config = {};
  overlap.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  overlap.val.programmaticStreamSerializationAllowed = 1;
  config.gridDim = dim3(grid);
  config.blockDim = dim3(block);
  config.attrs = &overlap;
#ifdef WORKBOOK_SIMT
  config.numAttrs = 1; // only modelled times overlap
#else
  config.numAttrs = wb_can_overlap((const void *)kernel) ? 1 : 0;
#endif
  WB_OK(cudaLaunchKernelEx(&config, kernel, (parameters)values...));
}

#endif
