// SPDX-License-Identifier: MIT
// runtime/function.c - queries and settings of a kernel: attributes, occupancy, parameters.
//
// Occupancy comes from threads, blocks and shared memory. Registers do not count: their number is
// only estimated from the PTX, and an estimate must not make a launch fail.
#include "runtime/children.h"
#include "runtime/cluster.h"

#include <string.h>

enum { DEFAULT_SHARED = 48 * 1024 };

// Every call about one kernel starts here.
static cudaError_t enter_kernel(rt_context **context, rt_kernel **kernel, simt_kernel_info *info,
                                const void *function) {
  cudaError_t error = simt_rt_enter(context);
  if (!error) error = simt_rt_kernel_find(*context, function, kernel);
  if (!error) simt_kernel_describe(simt_rt_kernel_on(*context, *kernel)->kernel, info);
  return error;
}

// ---- Attributes.

// 90 of "sm_90a" and of "compute_90": CUB looks for it among the architectures it was compiled for.
static int architecture_of(const ptx_module *module) {
  int number = 0;
  for (size_t i = 0; i < module->target.size; i++) {
    const char c = module->target.at[i];
    if (c >= '0' && c <= '9') number = 10 * number + (c - '0');
  }
  return number;
}

// What a launch may ask for: the attribute where it was set, else what is left of 48 KiB.
static int max_dynamic_shared(const rt_context *context, rt_kernel *kernel,
                              const simt_kernel_info *info) {
  const int set = simt_rt_kernel_on(context, kernel)->max_dynamic_shared;
  const int left = DEFAULT_SHARED - (int)info->static_shared_bytes;
  return set >= 0 ? set : left > 0 ? left : 0;
}

void simt_rt_function_describe(const rt_context *context, rt_kernel *kernel,
                               struct cudaFuncAttributes *out) {
  const simt_model_device *device = context->device;
  simt_kernel_info info;
  simt_kernel_describe(simt_rt_kernel_on(context, kernel)->kernel, &info);
  *out = (struct cudaFuncAttributes){
      .sharedSizeBytes = (size_t)info.static_shared_bytes,
      .constSizeBytes = (size_t)info.const_bytes,
      .localSizeBytes = (size_t)info.local_bytes_per_thread,
      .maxThreadsPerBlock = (int)info.max_threads,
      .numRegs = (int)(info.registers_per_thread < 255 ? info.registers_per_thread : 255),
      .ptxVersion = architecture_of(info.module),
      .binaryVersion = (int)(device->capability_major * 10 + device->capability_minor),
      .maxDynamicSharedSizeBytes = max_dynamic_shared(context, kernel, &info),
      .preferredShmemCarveout = simt_rt_kernel_on(context, kernel)->carveout,
  };
  simt_rt_cluster_describe(context, kernel, out);
}

cudaError_t cudaFuncGetAttributes(struct cudaFuncAttributes *out, const void *function) {
  rt_context *context;
  rt_kernel *kernel;
  simt_kernel_info info;
  if (!out) return simt_rt_answer(cudaErrorInvalidValue);
  cudaError_t error = enter_kernel(&context, &kernel, &info, function);
  if (!error) simt_rt_function_describe(context, kernel, out);
  return simt_rt_leave(context, error);
}

static cudaError_t set_attribute(rt_context *context, rt_kernel *kernel,
                                 const simt_kernel_info *info, enum cudaFuncAttribute attribute,
                                 int value) {
  switch (attribute) {
  case cudaFuncAttributeMaxDynamicSharedMemorySize: {
    uint64_t most = context->device->shared_bytes_opt_in;
    if (value >= 0 && (uint64_t)value + info->static_shared_bytes <= most) {
      simt_rt_kernel_on(context, kernel)->max_dynamic_shared = value;
      return cudaSuccess;
    }
    simt_rt_note(context, "cudaFuncSetAttribute(%s, MaxDynamicSharedMemorySize, %d): at most %llu",
                 info->name, value,
                 (unsigned long long)(most > info->static_shared_bytes
                                          ? most - info->static_shared_bytes
                                          : 0));
    return cudaErrorInvalidValue;
  }
  case cudaFuncAttributePreferredSharedMemoryCarveout:
    if (value < -1 || value > 100) return cudaErrorInvalidValue;
    simt_rt_kernel_on(context, kernel)->carveout = value;
    return cudaSuccess;
  case cudaFuncAttributeClusterDimMustBeSet:
  case cudaFuncAttributeRequiredClusterWidth:
  case cudaFuncAttributeRequiredClusterHeight:
  case cudaFuncAttributeRequiredClusterDepth:
  case cudaFuncAttributeNonPortableClusterSizeAllowed:
  case cudaFuncAttributeClusterSchedulingPolicyPreference:
    return simt_rt_cluster_set(context, kernel, attribute, value);
  case cudaFuncAttributeMax: break;
  }
  return cudaErrorInvalidValue;
}

cudaError_t cudaFuncSetAttribute(const void *function, enum cudaFuncAttribute attribute,
                                 int value) {
  rt_context *context;
  rt_kernel *kernel;
  simt_kernel_info info;
  cudaError_t error = enter_kernel(&context, &kernel, &info, function);
  if (!error) error = set_attribute(context, kernel, &info, attribute, value);
  return simt_rt_leave(context, error);
}

cudaError_t cudaKernelSetAttributeForDevice(cudaKernel_t kernel, enum cudaFuncAttribute attribute,
                                            int value, int device) {
  if (device != 0) return simt_rt_answer(cudaErrorInvalidDevice);
  return cudaFuncSetAttribute((const void *)kernel, attribute, value);
}

// Preferences about caches and banks have no effect here; the function must exist.
static cudaError_t prefer(const void *function, bool valid) {
  rt_context *context;
  rt_kernel *kernel;
  simt_kernel_info info;
  cudaError_t error = enter_kernel(&context, &kernel, &info, function);
  if (!error && !valid) error = cudaErrorInvalidValue;
  return simt_rt_leave(context, error);
}

cudaError_t cudaFuncSetCacheConfig(const void *function, enum cudaFuncCache config) {
  return prefer(function, (unsigned)config <= cudaFuncCachePreferEqual);
}

cudaError_t cudaFuncSetSharedMemConfig(const void *function, enum cudaSharedMemConfig config) {
  return prefer(function, (unsigned)config <= cudaSharedMemBankSizeEightByte);
}

cudaError_t cudaFuncGetName(const char **name, const void *function) {
  rt_context *context;
  rt_kernel *kernel;
  simt_kernel_info info;
  cudaError_t error = enter_kernel(&context, &kernel, &info, function);
  if (!error && !name) error = cudaErrorInvalidValue;
  if (!error) *name = kernel->name;
  return simt_rt_leave(context, error);
}

cudaError_t cudaFuncGetParamInfo(const void *function, size_t index, size_t *offset, size_t *size) {
  rt_context *context;
  rt_kernel *kernel;
  simt_kernel_info info;
  cudaError_t error = enter_kernel(&context, &kernel, &info, function);
  if (!error && (!offset || index >= info.n_params)) error = cudaErrorInvalidValue;
  if (!error) *offset = info.params[index].offset_bytes;
  if (!error && size) *size = info.params[index].size_bytes;
  return simt_rt_leave(context, error);
}

// ---- Occupancy.

// Shared memory of a multiprocessor under a kernel's carveout, in per cent of the most there can be
// (-1: no preference): the next larger size that the L1 leaves (CUDA C++ Programming Guide, per
// compute capability), or one in which `least_bytes` fit.
static uint32_t carved_bytes(const simt_model_device *d, int carveout, uint64_t least_bytes) {
  static const uint16_t volta[] = {8, 16, 32, 64, 96}, turing[] = {32, 64},
                        later[] = {8, 16, 32, 64, 100, 132, 164, 196, 228};
  const bool is_turing = d->capability_major == 7 && d->capability_minor == 5;
  const uint16_t *sizes = d->capability_major >= 8 ? later : is_turing ? turing : volta;
  const uint64_t wanted = carveout < 0
                              ? d->shared_bytes_per_sm
                              : (uint64_t)d->shared_bytes_per_sm * (unsigned)carveout / 100;
  for (uint32_t bytes; (bytes = (uint32_t)*sizes << 10) < d->shared_bytes_per_sm; sizes++)
    if (bytes >= wanted && bytes >= least_bytes) return bytes;
  return d->shared_bytes_per_sm;
}

// Of blocks of any size, also of one that the kernel's launch bounds exclude.
int simt_rt_occupancy(const rt_context *context, rt_kernel *kernel, uint32_t block_threads,
                      size_t dynamic_shared_bytes) {
  simt_kernel_info info;
  simt_kernel_describe(simt_rt_kernel_on(context, kernel)->kernel, &info);
  const uint64_t shared = info.static_shared_bytes + dynamic_shared_bytes;
  simt_model_device carved = *context->device;
  if (dynamic_shared_bytes > (size_t)max_dynamic_shared(context, kernel, &info)) return 0;
  if (shared > carved.shared_bytes_opt_in) return 0;
  carved.shared_bytes_per_sm =
      carved_bytes(context->device, simt_rt_kernel_on(context, kernel)->carveout,
                   shared + carved.shared_bytes_reserved);
  return (int)simt_model_occupancy(&carved, block_threads, shared, 0);
}

int simt_rt_blocks_per_sm(const rt_context *context, rt_kernel *kernel, uint32_t block_threads,
                          size_t dynamic_shared_bytes) {
  simt_kernel_info info;
  simt_kernel_describe(simt_rt_kernel_on(context, kernel)->kernel, &info);
  if (block_threads > info.max_threads) return 0;
  return simt_rt_occupancy(context, kernel, block_threads, dynamic_shared_bytes);
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *blocks,
                                                                   const void *function,
                                                                   int block_size,
                                                                   size_t dynamic_shared_bytes,
                                                                   unsigned int flags) {
  rt_context *context;
  rt_kernel *kernel;
  simt_kernel_info info;
  cudaError_t error = enter_kernel(&context, &kernel, &info, function);
  if (!error &&
      (!blocks || block_size <= 0 || flags & ~(unsigned)cudaOccupancyDisableCachingOverride))
    error = cudaErrorInvalidValue;
  if (!error)
    *blocks = simt_rt_occupancy(context, kernel, (uint32_t)block_size, dynamic_shared_bytes);
  return simt_rt_leave(context, error);
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, const void *function,
                                                          int block_size,
                                                          size_t dynamic_shared_bytes) {
  return cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
      blocks, function, block_size, dynamic_shared_bytes, cudaOccupancyDefault);
}

// An equal part of the multiprocessor's shared memory for each of `blocks` blocks. What is reserved
// of each is not taken off, as on an H100: so many blocks of this size need not fit.
cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(size_t *bytes, const void *function,
                                                      int blocks, int block_size) {
  rt_context *context;
  rt_kernel *kernel;
  simt_kernel_info info;
  cudaError_t error = enter_kernel(&context, &kernel, &info, function);
  if (!error && (!bytes || blocks <= 0 || block_size <= 0)) error = cudaErrorInvalidValue;
  if (!error && simt_rt_blocks_per_sm(context, kernel, (uint32_t)block_size, 0) < blocks)
    error = cudaErrorInvalidValue;
  if (error) return simt_rt_leave(context, error);
  // No more than a launch may ask for; the kernel's attribute raises it.
  *bytes = (size_t)max_dynamic_shared(context, kernel, &info);
  const uint32_t carved = carved_bytes(
      context->device, simt_rt_kernel_on(context, kernel)->carveout, info.static_shared_bytes);
  const uint64_t each = carved / (unsigned)blocks - info.static_shared_bytes;
  if (blocks > 1 && each < *bytes) *bytes = (size_t)each;
  return simt_rt_leave(context, cudaSuccess);
}
