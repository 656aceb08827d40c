// SPDX-License-Identifier: MIT
// runtime/properties.c - cudaDeviceProp: the modelled device's limits once more, in one structure.
#define SIMT_DEPRECATED(instead) // filled in for programs that still ask
#include "runtime/runtime.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

static int attribute_of(const simt_model_device *d, enum cudaDeviceAttr attribute) {
  int value = 0;
  simt_rt_read_attribute(d, attribute, &value);
  return value;
}

// Which fields of cudaDeviceProp repeat a limit of textures or surfaces.
typedef struct image_limit {
  size_t offset;
  enum cudaDeviceAttr attribute;
} image_limit;
static const image_limit image_limits[] = {
    {offsetof(struct cudaDeviceProp, maxTexture1D), cudaDevAttrMaxTexture1DWidth},
    {offsetof(struct cudaDeviceProp, maxTexture1DMipmap), cudaDevAttrMaxTexture1DMipmappedWidth},
    {offsetof(struct cudaDeviceProp, maxTexture2D), cudaDevAttrMaxTexture2DWidth},
    {offsetof(struct cudaDeviceProp, maxTexture2D) + 1 * sizeof(int),
     cudaDevAttrMaxTexture2DHeight},
    {offsetof(struct cudaDeviceProp, maxTexture2DMipmap), cudaDevAttrMaxTexture2DMipmappedWidth},
    {offsetof(struct cudaDeviceProp, maxTexture2DMipmap) + 1 * sizeof(int),
     cudaDevAttrMaxTexture2DMipmappedHeight},
    {offsetof(struct cudaDeviceProp, maxTexture2DLinear), cudaDevAttrMaxTexture2DLinearWidth},
    {offsetof(struct cudaDeviceProp, maxTexture2DLinear) + 1 * sizeof(int),
     cudaDevAttrMaxTexture2DLinearHeight},
    {offsetof(struct cudaDeviceProp, maxTexture2DLinear) + 2 * sizeof(int),
     cudaDevAttrMaxTexture2DLinearPitch},
    {offsetof(struct cudaDeviceProp, maxTexture2DGather), cudaDevAttrMaxTexture2DGatherWidth},
    {offsetof(struct cudaDeviceProp, maxTexture2DGather) + 1 * sizeof(int),
     cudaDevAttrMaxTexture2DGatherHeight},
    {offsetof(struct cudaDeviceProp, maxTexture3D), cudaDevAttrMaxTexture3DWidth},
    {offsetof(struct cudaDeviceProp, maxTexture3D) + 1 * sizeof(int),
     cudaDevAttrMaxTexture3DHeight},
    {offsetof(struct cudaDeviceProp, maxTexture3D) + 2 * sizeof(int), cudaDevAttrMaxTexture3DDepth},
    {offsetof(struct cudaDeviceProp, maxTexture3DAlt), cudaDevAttrMaxTexture3DWidthAlt},
    {offsetof(struct cudaDeviceProp, maxTexture3DAlt) + 1 * sizeof(int),
     cudaDevAttrMaxTexture3DHeightAlt},
    {offsetof(struct cudaDeviceProp, maxTexture3DAlt) + 2 * sizeof(int),
     cudaDevAttrMaxTexture3DDepthAlt},
    {offsetof(struct cudaDeviceProp, maxTextureCubemap), cudaDevAttrMaxTextureCubemapWidth},
    {offsetof(struct cudaDeviceProp, maxTexture1DLayered), cudaDevAttrMaxTexture1DLayeredWidth},
    {offsetof(struct cudaDeviceProp, maxTexture1DLayered) + 1 * sizeof(int),
     cudaDevAttrMaxTexture1DLayeredLayers},
    {offsetof(struct cudaDeviceProp, maxTexture2DLayered), cudaDevAttrMaxTexture2DLayeredWidth},
    {offsetof(struct cudaDeviceProp, maxTexture2DLayered) + 1 * sizeof(int),
     cudaDevAttrMaxTexture2DLayeredHeight},
    {offsetof(struct cudaDeviceProp, maxTexture2DLayered) + 2 * sizeof(int),
     cudaDevAttrMaxTexture2DLayeredLayers},
    {offsetof(struct cudaDeviceProp, maxTextureCubemapLayered),
     cudaDevAttrMaxTextureCubemapLayeredWidth},
    {offsetof(struct cudaDeviceProp, maxTextureCubemapLayered) + 1 * sizeof(int),
     cudaDevAttrMaxTextureCubemapLayeredLayers},
    {offsetof(struct cudaDeviceProp, maxSurface1D), cudaDevAttrMaxSurface1DWidth},
    {offsetof(struct cudaDeviceProp, maxSurface2D), cudaDevAttrMaxSurface2DWidth},
    {offsetof(struct cudaDeviceProp, maxSurface2D) + 1 * sizeof(int),
     cudaDevAttrMaxSurface2DHeight},
    {offsetof(struct cudaDeviceProp, maxSurface3D), cudaDevAttrMaxSurface3DWidth},
    {offsetof(struct cudaDeviceProp, maxSurface3D) + 1 * sizeof(int),
     cudaDevAttrMaxSurface3DHeight},
    {offsetof(struct cudaDeviceProp, maxSurface3D) + 2 * sizeof(int), cudaDevAttrMaxSurface3DDepth},
    {offsetof(struct cudaDeviceProp, maxSurface1DLayered), cudaDevAttrMaxSurface1DLayeredWidth},
    {offsetof(struct cudaDeviceProp, maxSurface1DLayered) + 1 * sizeof(int),
     cudaDevAttrMaxSurface1DLayeredLayers},
    {offsetof(struct cudaDeviceProp, maxSurface2DLayered), cudaDevAttrMaxSurface2DLayeredWidth},
    {offsetof(struct cudaDeviceProp, maxSurface2DLayered) + 1 * sizeof(int),
     cudaDevAttrMaxSurface2DLayeredHeight},
    {offsetof(struct cudaDeviceProp, maxSurface2DLayered) + 2 * sizeof(int),
     cudaDevAttrMaxSurface2DLayeredLayers},
    {offsetof(struct cudaDeviceProp, maxSurfaceCubemap), cudaDevAttrMaxSurfaceCubemapWidth},
    {offsetof(struct cudaDeviceProp, maxSurfaceCubemapLayered),
     cudaDevAttrMaxSurfaceCubemapLayeredWidth},
    {offsetof(struct cudaDeviceProp, maxSurfaceCubemapLayered) + 1 * sizeof(int),
     cudaDevAttrMaxSurfaceCubemapLayeredLayers},
};

static void describe_images(const simt_model_device *d, struct cudaDeviceProp *p) {
  for (size_t i = 0; i < sizeof image_limits / sizeof *image_limits; i++) {
    const int value = attribute_of(d, image_limits[i].attribute);
    memcpy((char *)p + image_limits[i].offset, &value, sizeof value);
  }
}

static struct cudaDeviceProp describe(const simt_model_device *d) {
  return (struct cudaDeviceProp){
      .uuid = {"software GPU"},
      .totalGlobalMem = (size_t)d->dram_bytes,
      .sharedMemPerBlock = d->shared_bytes_per_block,
      .regsPerBlock = 65536,
      .warpSize = SIMT_LANES,
      .memPitch = INT32_MAX,
      .maxThreadsPerBlock = 1024,
      .maxThreadsDim = {1024, 1024, 64},
      .maxGridSize = {INT32_MAX, 65535, 65535},
      .totalConstMem = 65536,
      .major = (int)d->capability_major,
      .minor = (int)d->capability_minor,
      .textureAlignment = 512,
      .texturePitchAlignment = 32,
      .multiProcessorCount = (int)d->n_sms,
      .canMapHostMemory = 1,
      .surfaceAlignment = 512,
      .concurrentKernels = 1,
      .asyncEngineCount = 3,
      .unifiedAddressing = 1,
      .memoryBusWidth = (int)d->memory_bus_bits,
      .l2CacheSize = (int)d->l2_bytes,
      .maxThreadsPerMultiProcessor = (int)d->max_threads_per_sm,
      .streamPrioritiesSupported = 1,
      .globalL1CacheSupported = 1,
      .localL1CacheSupported = 1,
      .sharedMemPerMultiprocessor = d->shared_bytes_per_sm,
      .regsPerMultiprocessor = (int)d->registers_per_sm,
      .managedMemory = 1,
      .concurrentManagedAccess = 1,
      .cooperativeLaunch = 1,
      .clusterLaunch = d->capability_major >= 9,
      .memoryPoolsSupported = 1,
      .sharedMemPerBlockOptin = d->shared_bytes_opt_in,
      .persistingL2CacheMaxSize = attribute_of(d, cudaDevAttrMaxPersistingL2CacheSize),
      .computePreemptionSupported = 1,
      .canUseHostPointerForRegisteredMem = 1,
      .accessPolicyMaxWindowSize = 128 << 20,
      .hostRegisterSupported = 1,
      .hostRegisterReadOnlySupported = 1,
      .maxBlocksPerMultiProcessor = (int)d->max_blocks_per_sm,
      .reservedSharedMemPerBlock = d->shared_bytes_reserved,
      .hostNumaId = -1,
      .clockRate = (int)(d->clock_hz / 1000),
      .memoryClockRate = (int)(d->memory_clock_hz / 1000),
      .deviceOverlap = 1,
      .computeMode = cudaComputeModeDefault,
      .singleToDoublePrecisionPerfRatio =
          attribute_of(d, cudaDevAttrSingleToDoublePrecisionPerfRatio),
  };
}

static void describe_equipment(const simt_model_device *d, struct cudaDeviceProp *p) {
  p->ECCEnabled = attribute_of(d, cudaDevAttrEccEnabled);
  p->ipcEventSupported = attribute_of(d, cudaDevAttrIpcEventSupport);
  p->gpuDirectRDMASupported = attribute_of(d, cudaDevAttrGPUDirectRDMASupported);
  p->gpuDirectRDMAFlushWritesOptions =
      (unsigned)attribute_of(d, cudaDevAttrGPUDirectRDMAFlushWritesOptions);
  p->gpuDirectRDMAWritesOrdering = attribute_of(d, cudaDevAttrGPUDirectRDMAWritesOrdering);
  p->memoryPoolSupportedHandleTypes =
      (unsigned)attribute_of(d, cudaDevAttrMemoryPoolSupportedHandleTypes);
  p->sparseCudaArraySupported = attribute_of(d, cudaDevAttrSparseCudaArraySupported);
  p->timelineSemaphoreInteropSupported =
      attribute_of(d, cudaDevAttrTimelineSemaphoreInteropSupported);
  p->deferredMappingCudaArraySupported =
      attribute_of(d, cudaDevAttrDeferredMappingCudaArraySupported);
  p->unifiedFunctionPointers = d->capability_major >= 9; // attribute 129
}

cudaError_t cudaGetDeviceProperties(struct cudaDeviceProp *p, int device) {
  rt_context *context;
  cudaError_t error = simt_rt_enter_faulted(&context);
  if (!error && !p) error = cudaErrorInvalidValue;
  if (!error && (device < 0 || (uint32_t)device >= context->options.n_devices))
    error = cudaErrorInvalidDevice;
  if (error) return simt_rt_leave(context, error);
  *p = describe(context->device);
  describe_images(context->device, p);
  describe_equipment(context->device, p);
  p->uuid.bytes[sizeof p->uuid.bytes - 1] = (char)device;
  p->pciBusID = device;
  snprintf(p->name, sizeof p->name, "%s", context->device->name);
  return simt_rt_leave(context, cudaSuccess);
}
