// SPDX-License-Identifier: MIT
// runtime/device.c - device queries (the modelled device's limits), limits and flags, versions.
//
// What the software GPU lacks is reported as absent: 0; but a modelled Hopper GPU answers as an
// H100 does, also about what calls then refuse with a sentence (sparse arrays, memory of other
// processes).
#include "runtime/children.h"

#include <stdio.h>
#include <string.h>

static cudaError_t check_device(const rt_context *context, int device) {
  bool is_one = device >= 0 && (uint32_t)device < context->options.n_devices;
  return is_one ? cudaSuccess : cudaErrorInvalidDevice;
}

// ---- Attributes and properties.

// The ratio of lanes for single precision to lanes for double precision, rounded.
static int single_to_double(const simt_model_device *d) {
  return d->lanes_fp64 > 0.0 ? (int)(d->lanes_fp32 / d->lanes_fp64 + 0.5) : 0;
}

// How much of the L2 may be set aside for persisting data: five eighths, as on an H200; nothing
// before compute capability 8.0.
static int persisting_l2(const simt_model_device *d) {
  return d->capability_major < 8 ? 0 : (int)(d->l2_bytes / 8 * 5);
}

typedef struct fixed_attribute {
  enum cudaDeviceAttr attribute;
  int value;
} fixed_attribute;

// The same on every modelled device.
static const fixed_attribute fixed_attributes[] = {
    {cudaDevAttrMaxThreadsPerBlock, 1024},
    {cudaDevAttrMaxBlockDimX, 1024},
    {cudaDevAttrMaxBlockDimY, 1024},
    {cudaDevAttrMaxBlockDimZ, 64},
    {cudaDevAttrMaxGridDimX, INT32_MAX},
    {cudaDevAttrMaxGridDimY, 65535},
    {cudaDevAttrMaxGridDimZ, 65535},
    {cudaDevAttrTotalConstantMemory, 65536},
    {cudaDevAttrWarpSize, SIMT_LANES},
    {cudaDevAttrMaxPitch, INT32_MAX},
    {cudaDevAttrMaxRegistersPerBlock, 65536},
    {cudaDevAttrTextureAlignment, 512},
    {cudaDevAttrGpuOverlap, 1},
    {cudaDevAttrCanMapHostMemory, 1},
    {cudaDevAttrComputeMode, cudaComputeModeDefault},
    {cudaDevAttrSurfaceAlignment, 512},
    {cudaDevAttrConcurrentKernels, 1},
    {cudaDevAttrAsyncEngineCount, 3},
    {cudaDevAttrUnifiedAddressing, 1},
    {cudaDevAttrTexturePitchAlignment, 32},
    {cudaDevAttrStreamPrioritiesSupported, 1},
    {cudaDevAttrGlobalL1CacheSupported, 1},
    {cudaDevAttrLocalL1CacheSupported, 1},
    {cudaDevAttrManagedMemory, 1},
    {cudaDevAttrConcurrentManagedAccess, 1},
    {cudaDevAttrCooperativeLaunch, 1},
    {cudaDevAttrMemoryPoolsSupported, 1},
    {cudaDevAttrComputePreemptionSupported, 1},
    {cudaDevAttrCanUseHostPointerForRegisteredMem, 1},
    {cudaDevAttrHostRegisterSupported, 1},
    {cudaDevAttrMaxAccessPolicyWindowSize, 134217728},
    {cudaDevAttrMemSyncDomainCount, 4},
    {cudaDevAttrHostRegisterReadOnlySupported, 1},
    {cudaDevAttrNumaId, -1},
    {cudaDevAttrHostNumaId, -1},
    // Of textures and surfaces: as an H200 has them, and every GPU since compute capability 6.0.
    {cudaDevAttrMaxTexture1DWidth, 131072},
    {cudaDevAttrMaxTexture2DWidth, 131072},
    {cudaDevAttrMaxTexture2DHeight, 65536},
    {cudaDevAttrMaxTexture3DWidth, 16384},
    {cudaDevAttrMaxTexture3DHeight, 16384},
    {cudaDevAttrMaxTexture3DDepth, 16384},
    {cudaDevAttrMaxTexture2DLayeredWidth, 32768},
    {cudaDevAttrMaxTexture2DLayeredHeight, 32768},
    {cudaDevAttrMaxTexture2DLayeredLayers, 2048},
    {cudaDevAttrMaxTexture1DLayeredWidth, 32768},
    {cudaDevAttrMaxTexture1DLayeredLayers, 2048},
    {cudaDevAttrMaxTexture2DGatherWidth, 32768},
    {cudaDevAttrMaxTexture2DGatherHeight, 32768},
    {cudaDevAttrMaxTexture3DWidthAlt, 8192},
    {cudaDevAttrMaxTexture3DHeightAlt, 8192},
    {cudaDevAttrMaxTexture3DDepthAlt, 32768},
    {cudaDevAttrMaxTextureCubemapWidth, 32768},
    {cudaDevAttrMaxTextureCubemapLayeredWidth, 32768},
    {cudaDevAttrMaxTextureCubemapLayeredLayers, 2046},
    {cudaDevAttrMaxSurface1DWidth, 32768},
    {cudaDevAttrMaxSurface2DWidth, 131072},
    {cudaDevAttrMaxSurface2DHeight, 65536},
    {cudaDevAttrMaxSurface3DWidth, 16384},
    {cudaDevAttrMaxSurface3DHeight, 16384},
    {cudaDevAttrMaxSurface3DDepth, 16384},
    {cudaDevAttrMaxSurface1DLayeredWidth, 32768},
    {cudaDevAttrMaxSurface1DLayeredLayers, 2048},
    {cudaDevAttrMaxSurface2DLayeredWidth, 32768},
    {cudaDevAttrMaxSurface2DLayeredHeight, 32768},
    {cudaDevAttrMaxSurface2DLayeredLayers, 2048},
    {cudaDevAttrMaxSurfaceCubemapWidth, 32768},
    {cudaDevAttrMaxSurfaceCubemapLayeredWidth, 32768},
    {cudaDevAttrMaxSurfaceCubemapLayeredLayers, 2046},
    {cudaDevAttrMaxTexture1DLinearWidth, 268435456},
    {cudaDevAttrMaxTexture2DLinearWidth, 131072},
    {cudaDevAttrMaxTexture2DLinearHeight, 65000},
    {cudaDevAttrMaxTexture2DLinearPitch, 2097120},
    {cudaDevAttrMaxTexture2DMipmappedWidth, 32768},
    {cudaDevAttrMaxTexture2DMipmappedHeight, 32768},
    {cudaDevAttrMaxTexture1DMipmappedWidth, 32768},
};

// Further ones that an H100 has; by their numbers where CUDA has no name or a reserved one for
// them.
static const fixed_attribute hopper_attributes[] = {
    {cudaDevAttrEccEnabled, 1},
    {(enum cudaDeviceAttr)44, 1},
    {(enum cudaDeviceAttr)96, 1},
    {(enum cudaDeviceAttr)102, 1}, // virtual memory
    {(enum cudaDeviceAttr)103, 1}, // its handles as file descriptors
    {(enum cudaDeviceAttr)107, 1}, // compressible memory
    {(enum cudaDeviceAttr)110, 1}, // RDMA to virtual memory
    {cudaDevAttrSparseCudaArraySupported, 1},
    {cudaDevAttrTimelineSemaphoreInteropSupported, 1},
    {cudaDevAttrGPUDirectRDMASupported, 1},
    {cudaDevAttrMemoryPoolSupportedHandleTypes, 9},
    {cudaDevAttrDeferredMappingCudaArraySupported, 1},
    {cudaDevAttrGPUDirectRDMAFlushWritesOptions, 1},
    {cudaDevAttrGPUDirectRDMAWritesOrdering, 100},
    {(enum cudaDeviceAttr)141, 1},
    {(enum cudaDeviceAttr)142, 1},
    {(enum cudaDeviceAttr)122, 1}, // words of 64 bits that streams write and wait for
    {(enum cudaDeviceAttr)123, 1},
    {(enum cudaDeviceAttr)124, 1},
    {cudaDevAttrIpcEventSupport, 1},
    {(enum cudaDeviceAttr)127, 1}, // copies of tensors
    {(enum cudaDeviceAttr)128, 1}, // handles of a fabric
    {(enum cudaDeviceAttr)129, 1}, // functions with one address
    {(enum cudaDeviceAttr)144, 1},
    {(enum cudaDeviceAttr)145, 1},
};

enum { N_HOPPER = sizeof hopper_attributes / sizeof *hopper_attributes };
enum { N_FIXED = sizeof fixed_attributes / sizeof *fixed_attributes, LAST_ATTRIBUTE = 147 };

// The attributes that depend on the device; false: the attribute is not one of these.
static bool read_modelled(const simt_model_device *d, enum cudaDeviceAttr attribute, int *value) {
  switch (attribute) {
  case cudaDevAttrMaxSharedMemoryPerBlock: *value = (int)d->shared_bytes_per_block; return true;
  case cudaDevAttrClockRate: *value = (int)(d->clock_hz / 1000); return true;
  case cudaDevAttrMultiProcessorCount: *value = (int)d->n_sms; return true;
  case cudaDevAttrMemoryClockRate: *value = (int)(d->memory_clock_hz / 1000); return true;
  case cudaDevAttrGlobalMemoryBusWidth: *value = (int)d->memory_bus_bits; return true;
  case cudaDevAttrL2CacheSize: *value = (int)d->l2_bytes; return true;
  case cudaDevAttrMaxThreadsPerMultiProcessor: *value = (int)d->max_threads_per_sm; return true;
  case cudaDevAttrComputeCapabilityMajor: *value = (int)d->capability_major; return true;
  case cudaDevAttrComputeCapabilityMinor: *value = (int)d->capability_minor; return true;
  case cudaDevAttrMaxSharedMemoryPerMultiprocessor:
    *value = (int)d->shared_bytes_per_sm;
    return true;
  case cudaDevAttrMaxRegistersPerMultiprocessor: *value = (int)d->registers_per_sm; return true;
  case cudaDevAttrSingleToDoublePrecisionPerfRatio: *value = single_to_double(d); return true;
  case cudaDevAttrMaxSharedMemoryPerBlockOptin: *value = (int)d->shared_bytes_opt_in; return true;
  case cudaDevAttrMaxBlocksPerMultiprocessor: *value = (int)d->max_blocks_per_sm; return true;
  case cudaDevAttrClusterLaunch: *value = d->capability_major >= 9; return true;
  case cudaDevAttrReservedSharedMemoryPerBlock: *value = (int)d->shared_bytes_reserved; return true;
  case cudaDevAttrMaxPersistingL2CacheSize: *value = persisting_l2(d); return true;
  default: return false;
  }
}

cudaError_t simt_rt_read_attribute(const simt_model_device *d, enum cudaDeviceAttr attribute,
                                   int *value) {
  if ((int)attribute < 1 || (int)attribute > LAST_ATTRIBUTE) return cudaErrorInvalidValue;
  if (read_modelled(d, attribute, value)) return cudaSuccess;
  *value = 0;
  for (size_t i = 0; i < N_FIXED; i++)
    if (fixed_attributes[i].attribute == attribute) *value = fixed_attributes[i].value;
  for (size_t i = 0; i < N_HOPPER && d->capability_major >= 9; i++)
    if (hopper_attributes[i].attribute == attribute) *value = hopper_attributes[i].value;
  return cudaSuccess;
}

cudaError_t cudaDeviceGetAttribute(int *value, enum cudaDeviceAttr attribute, int device) {
  rt_context *context;
  cudaError_t error = simt_rt_enter_faulted(&context);
  if (!error && !value) error = cudaErrorInvalidValue;
  if (!error) error = check_device(context, device);
  if (!error) error = simt_rt_read_attribute(context->device, attribute, value);
  if (!error && attribute == cudaDevAttrPciBusId) *value = device;
  return simt_rt_leave(context, error);
}

cudaError_t cudaDeviceGetPCIBusId(char *id, int bytes, int device) {
  rt_context *context;
  cudaError_t error = simt_rt_enter_faulted(&context);
  if (!error && (!id || bytes < 13)) error = cudaErrorInvalidValue;
  if (!error) error = check_device(context, device);
  if (!error) snprintf(id, (size_t)bytes, "0000:%02x:00.0", (unsigned)device);
  return simt_rt_leave(context, error);
}

cudaError_t cudaDeviceGetByPCIBusId(int *device, const char *id) {
  rt_context *context;
  cudaError_t error = simt_rt_enter_faulted(&context);
  if (!error && (!device || !id)) error = cudaErrorInvalidValue;
  unsigned domain = 0, bus = 0, slot = 0;
  if (!error && sscanf(id, "%x:%x:%x", &domain, &bus, &slot) != 3) error = cudaErrorInvalidValue;
  if (!error && (domain || slot || bus >= context->options.n_devices))
    error = cudaErrorInvalidDevice;
  if (!error) *device = (int)bus;
  return simt_rt_leave(context, error);
}

cudaError_t cudaDeviceGetStreamPriorityRange(int *least, int *greatest) {
  rt_context *context;
  cudaError_t error = simt_rt_enter(&context);
  if (!error && least) *least = 0;
  if (!error && greatest) *greatest = -5;
  return simt_rt_leave(context, error);
}

// ---- Limits, flags, preferences: stored and returned; the stack and the printf buffer here grow
// as needed.

enum { MAX_STACK_BYTES = 512 << 10 }; // local memory of a thread (CUDA programming guide)
enum { LIMIT_SHARED_BYTES = 7 };      // of a block; not among CUDA's names

// Since compute capability 9.0 a kernel cannot wait for kernels that it has launched.
static cudaError_t check_limit(const rt_context *context, enum cudaLimit limit) {
  if ((unsigned)limit > cudaLimitPersistingL2CacheSize) return cudaErrorInvalidValue;
  const bool is_old = limit == cudaLimitDevRuntimeSyncDepth;
  return is_old && context->device->capability_major >= 9 ? cudaErrorUnsupportedLimit : cudaSuccess;
}

cudaError_t simt_rt_read_limit(const rt_context *context, enum cudaLimit limit, size_t *value) {
  if (limit == (enum cudaLimit)LIMIT_SHARED_BYTES)
    return *value = context->device->shared_bytes_opt_in, cudaSuccess;
  const cudaError_t error = check_limit(context, limit);
  if (!error) *value = context->on->limits[limit];
  return error;
}

cudaError_t cudaDeviceGetLimit(size_t *value, enum cudaLimit limit) {
  rt_context *context;
  cudaError_t error = simt_rt_enter(&context);
  if (!error && !value) error = cudaErrorInvalidValue;
  if (!error) error = simt_rt_read_limit(context, limit, value);
  return simt_rt_leave(context, error);
}

// As on an H100: steps, and least and greatest values.
typedef struct limit_range {
  size_t step, least, most;
} limit_range;
static limit_range range_of(const simt_model_device *d, enum cudaLimit limit) {
  const size_t l2_part = (size_t)(d->l2_bytes / 16);
  switch (limit) {
  case cudaLimitStackSize: return (limit_range){16, 0, SIZE_MAX};
  case cudaLimitMallocHeapSize: return (limit_range){65536, 4 << 20, SIZE_MAX};
  case cudaLimitPrintfFifoSize: return (limit_range){256, 512 << 10, (size_t)1 << 31};
  case cudaLimitPersistingL2CacheSize: return (limit_range){l2_part, 0, SIZE_MAX};
  default: return (limit_range){1, 0, SIZE_MAX};
  }
}

static size_t in_range(limit_range r, size_t value) {
  if (value > SIZE_MAX - r.step) return value;
  value = (value + r.step - 1) / r.step * r.step;
  return value < r.least ? r.least : value > r.most ? r.most : value;
}

// Every thread that can be resident has a stack.
static cudaError_t check_stack(const rt_context *context, size_t value) {
  const simt_model_device *d = context->device;
  uint64_t left = 0, total = 0;
  if (value >= MAX_STACK_BYTES) return cudaErrorInvalidValue;
  simt_memory_info(context->memory, &left, &total);
  const uint64_t threads = (uint64_t)d->n_sms * d->max_threads_per_sm;
  return value * threads > left ? cudaErrorMemoryAllocation : cudaSuccess;
}

static cudaError_t check_value(const rt_context *context, enum cudaLimit limit, size_t value) {
  const rt_device *on = context->on;
  switch (limit) {
  case cudaLimitStackSize: return check_stack(context, value);
  case cudaLimitMallocHeapSize: return on->has_used_heap ? cudaErrorInvalidValue : cudaSuccess;
  case cudaLimitPrintfFifoSize: return on->has_printed ? cudaErrorInvalidValue : cudaSuccess;
  case cudaLimitMaxL2FetchGranularity: return value > 128 ? cudaErrorInvalidValue : cudaSuccess;
  case cudaLimitPersistingL2CacheSize:
    return value > (size_t)persisting_l2(context->device) ? cudaErrorInvalidValue : cudaSuccess;
  default: return cudaSuccess;
  }
}

cudaError_t cudaDeviceSetLimit(enum cudaLimit limit, size_t value) {
  rt_context *context;
  cudaError_t error = simt_rt_enter(&context);
  if (!error) error = check_limit(context, limit);
  if (!error) error = simt_rt_capture_forbids(context);
  if (!error) error = check_value(context, limit, value);
  if (!error) simt_rt_flush_prints(context); // the host waits for all work first
  if (!error) context->on->limits[limit] = in_range(range_of(context->device, limit), value);
  return simt_rt_leave(context, error);
}

cudaError_t cudaSetDeviceFlags(unsigned int flags) {
  rt_context *context;
  cudaError_t error = simt_rt_enter_faulted(&context);
  if (!error && flags & ~(unsigned)cudaDeviceMask) error = cudaErrorInvalidValue;
  if (!error) context->on->flags = flags;
  return simt_rt_leave(context, error);
}

cudaError_t cudaGetDeviceFlags(unsigned int *flags) {
  rt_context *context;
  cudaError_t error = simt_rt_enter_faulted(&context);
  if (!error && !flags) error = cudaErrorInvalidValue;
  if (!error) *flags = context->on->flags | cudaDeviceMapHost;
  return simt_rt_leave(context, error);
}

cudaError_t cudaDeviceGetCacheConfig(enum cudaFuncCache *config) {
  rt_context *context;
  cudaError_t error = simt_rt_enter(&context);
  if (!error && !config) error = cudaErrorInvalidValue;
  if (!error) *config = context->on->cache_config;
  return simt_rt_leave(context, error);
}

cudaError_t cudaDeviceSetCacheConfig(enum cudaFuncCache config) {
  rt_context *context;
  cudaError_t error = simt_rt_enter(&context);
  if (!error && (unsigned)config > cudaFuncCachePreferEqual) error = cudaErrorInvalidValue;
  if (!error) context->on->cache_config = config;
  return simt_rt_leave(context, error);
}

cudaError_t cudaDeviceGetSharedMemConfig(enum cudaSharedMemConfig *config) {
  rt_context *context;
  cudaError_t error = simt_rt_enter(&context);
  if (!error && !config) error = cudaErrorInvalidValue;
  if (!error) *config = cudaSharedMemBankSizeFourByte;
  return simt_rt_leave(context, error);
}

cudaError_t cudaDeviceSetSharedMemConfig(enum cudaSharedMemConfig config) {
  rt_context *context;
  cudaError_t error = simt_rt_enter(&context);
  if (!error && (unsigned)config > cudaSharedMemBankSizeEightByte) error = cudaErrorInvalidValue;
  return simt_rt_leave(context, error);
}

// ---- Versions, profiler.

static cudaError_t version(int *out) {
  rt_context *context = simt_rt_enter_quietly();
  if (!out) return simt_rt_leave(context, cudaErrorInvalidValue);
  *out = CUDART_VERSION;
  return simt_rt_leave(context, cudaSuccess);
}

cudaError_t cudaDriverGetVersion(int *out) { return version(out); }
cudaError_t cudaRuntimeGetVersion(int *out) { return version(out); }

// There is no profiler to start; the counters always run.
cudaError_t cudaProfilerStart(void) { return simt_rt_answer(cudaSuccess); }
cudaError_t cudaProfilerStop(void) { return simt_rt_answer(cudaSuccess); }
