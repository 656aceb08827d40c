// SPDX-License-Identifier: MIT
// runtime/function.c - queries and settings of a kernel: attributes, occupancy, parameters.
//
// Occupancy comes from threads, blocks and shared memory. Registers do not count: their number is
// only estimated from the PTX, and an estimate must not make a launch fail.
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

cudaError_t cudaFuncGetAttributes(struct cudaFuncAttributes *out, const void *function) {
  rt_context *context;
  rt_kernel *kernel;
  simt_kernel_info info;
  cudaError_t error = enter_kernel(&context, &kernel, &info, function);
  if (!error && !out) error = cudaErrorInvalidValue;
  if (error) return simt_rt_leave(context, error);
  const simt_model_device *device = context->device;
  int capability = (int)(device->capability_major * 10 + device->capability_minor);
  *out = (struct cudaFuncAttributes){
      .sharedSizeBytes = (size_t)info.static_shared_bytes,
      .constSizeBytes = (size_t)info.const_bytes,
      .localSizeBytes = (size_t)info.local_bytes_per_thread,
      .maxThreadsPerBlock = (int)info.max_threads,
      .numRegs = (int)(info.registers_per_thread < 255 ? info.registers_per_thread : 255),
      .ptxVersion = architecture_of(info.module),
      .binaryVersion = capability,
      .maxDynamicSharedSizeBytes = max_dynamic_shared(context, kernel, &info),
      .preferredShmemCarveout = simt_rt_kernel_on(context, kernel)->carveout,
  };
  simt_rt_cluster_describe(context, kernel, out);
  return simt_rt_leave(context, cudaSuccess);
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
  if (device != 0) return simt_rt_leave(simt_rt_enter_quietly(), cudaErrorInvalidDevice);
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

int simt_rt_blocks_per_sm(const rt_context *context, rt_kernel *kernel, uint32_t block_threads,
                          size_t dynamic_shared_bytes) {
  simt_kernel_info info;
  simt_kernel_describe(simt_rt_kernel_on(context, kernel)->kernel, &info);
  uint64_t shared = info.static_shared_bytes + dynamic_shared_bytes;
  if (block_threads > info.max_threads || shared > context->device->shared_bytes_opt_in) return 0;
  return (int)simt_model_occupancy(context->device, block_threads, shared, 0);
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
    *blocks = simt_rt_blocks_per_sm(context, kernel, (uint32_t)block_size, dynamic_shared_bytes);
  return simt_rt_leave(context, error);
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, const void *function,
                                                          int block_size,
                                                          size_t dynamic_shared_bytes) {
  return cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
      blocks, function, block_size, dynamic_shared_bytes, cudaOccupancyDefault);
}

// The most dynamic shared memory with which `blocks` blocks still fit on a multiprocessor.
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
  size_t low = 0, high = (size_t)max_dynamic_shared(context, kernel, &info);
  while (low < high) { // the largest that fits, by bisection
    size_t middle = low + (high - low + 1) / 2;
    if (simt_rt_blocks_per_sm(context, kernel, (uint32_t)block_size, middle) >= blocks)
      low = middle;
    else high = middle - 1;
  }
  *bytes = low;
  return simt_rt_leave(context, cudaSuccess);
}
