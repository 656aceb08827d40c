// SPDX-License-Identifier: MIT
// runtime/driver_arrays.c - arrays, texture and surface objects of the driver API, in terms of the
// runtime's. What differs is how formats, flags and resources are written down.
#include "runtime/driver.h"

#include <string.h>

static void *pointer_of(CUdeviceptr address) { return (void *)(uintptr_t)address; }

// ---- Formats.

static unsigned bits_of(CUarray_format format) {
  switch (format) {
  case CU_AD_FORMAT_UNSIGNED_INT8:
  case CU_AD_FORMAT_SIGNED_INT8: return 8;
  case CU_AD_FORMAT_UNSIGNED_INT16:
  case CU_AD_FORMAT_SIGNED_INT16:
  case CU_AD_FORMAT_HALF: return 16;
  case CU_AD_FORMAT_UNSIGNED_INT32:
  case CU_AD_FORMAT_SIGNED_INT32:
  case CU_AD_FORMAT_FLOAT: return 32;
  default: return 0;
  }
}

static enum cudaChannelFormatKind kind_of(CUarray_format format) {
  switch (format) {
  case CU_AD_FORMAT_SIGNED_INT8:
  case CU_AD_FORMAT_SIGNED_INT16:
  case CU_AD_FORMAT_SIGNED_INT32: return cudaChannelFormatKindSigned;
  case CU_AD_FORMAT_HALF:
  case CU_AD_FORMAT_FLOAT: return cudaChannelFormatKindFloat;
  default: return cudaChannelFormatKindUnsigned;
  }
}

// False: there is no such format.
static bool describe(CUarray_format format, unsigned n_channels,
                     struct cudaChannelFormatDesc *out) {
  const int bits = (int)bits_of(format);
  if (!bits || (n_channels != 1 && n_channels != 2 && n_channels != 4)) return false;
  *out = (struct cudaChannelFormatDesc){.x = bits,
                                        .y = n_channels > 1 ? bits : 0,
                                        .z = n_channels > 2 ? bits : 0,
                                        .w = n_channels > 3 ? bits : 0,
                                        .f = kind_of(format)};
  return true;
}

static CUarray_format format_of(const struct cudaChannelFormatDesc *d) {
  const int size = d->x == 8 ? 0 : d->x == 16 ? 1 : 2;
  if (d->f == cudaChannelFormatKindFloat) return size == 1 ? CU_AD_FORMAT_HALF : CU_AD_FORMAT_FLOAT;
  const int first =
      d->f == cudaChannelFormatKindSigned ? CU_AD_FORMAT_SIGNED_INT8 : CU_AD_FORMAT_UNSIGNED_INT8;
  return (CUarray_format)(first + size);
}

static unsigned channels_of(const struct cudaChannelFormatDesc *d) {
  return d->w ? 4 : d->z ? 3 : d->y ? 2 : 1;
}

// ---- Arrays.

CUresult cuArray3DCreate(CUarray *array, const CUDA_ARRAY3D_DESCRIPTOR *d) {
  struct cudaChannelFormatDesc desc;
  if (!array || !d || !describe(d->Format, d->NumChannels, &desc)) return CUDA_ERROR_INVALID_VALUE;
  const struct cudaExtent extent = {d->Width, d->Height, d->Depth};
  IN_CONTEXT(cudaMalloc3DArray(array, &desc, extent, d->Flags));
}
CUresult cuArrayCreate(CUarray *array, const CUDA_ARRAY_DESCRIPTOR *d) {
  if (!d) return CUDA_ERROR_INVALID_VALUE;
  const CUDA_ARRAY3D_DESCRIPTOR whole = {d->Width, d->Height, 0, d->Format, d->NumChannels, 0};
  return cuArray3DCreate(array, &whole);
}
CUresult cuArrayDestroy(CUarray array) {
  if (!array) return CUDA_ERROR_INVALID_VALUE;
  IN_CONTEXT(cudaFreeArray(array));
}
CUresult cuArray3DGetDescriptor(CUDA_ARRAY3D_DESCRIPTOR *out, CUarray array) {
  struct cudaChannelFormatDesc desc;
  struct cudaExtent extent;
  unsigned int flags;
  if (!out) return CUDA_ERROR_INVALID_VALUE;
  if (simt_drv_needs_context()) return simt_drv_needs_context();
  const cudaError_t error = INSIDE(cudaArrayGetInfo(&desc, &extent, &flags, array));
  if (error) CHECKED(error);
  *out = (CUDA_ARRAY3D_DESCRIPTOR){.Width = extent.width,
                                   .Height = extent.height,
                                   .Depth = extent.depth,
                                   .Format = format_of(&desc),
                                   .NumChannels = channels_of(&desc),
                                   .Flags = flags};
  return CUDA_SUCCESS;
}
CUresult cuArrayGetDescriptor(CUDA_ARRAY_DESCRIPTOR *out, CUarray array) {
  CUDA_ARRAY3D_DESCRIPTOR whole = {0};
  if (!out) return CUDA_ERROR_INVALID_VALUE;
  const CUresult result = cuArray3DGetDescriptor(&whole, array);
  if (!result)
    *out = (CUDA_ARRAY_DESCRIPTOR){whole.Width, whole.Height, whole.Format, whole.NumChannels};
  return result;
}

CUresult cuMipmappedArrayCreate(CUmipmappedArray *mipmap, const CUDA_ARRAY3D_DESCRIPTOR *d,
                                unsigned int levels) {
  struct cudaChannelFormatDesc desc;
  if (!mipmap || !d || !describe(d->Format, d->NumChannels, &desc)) return CUDA_ERROR_INVALID_VALUE;
  const struct cudaExtent extent = {d->Width, d->Height, d->Depth};
  IN_CONTEXT(cudaMallocMipmappedArray(mipmap, &desc, extent, levels, d->Flags));
}
CUresult cuMipmappedArrayGetLevel(CUarray *array, CUmipmappedArray mipmap, unsigned int level) {
  IN_CONTEXT(cudaGetMipmappedArrayLevel(array, mipmap, level));
}
CUresult cuMipmappedArrayDestroy(CUmipmappedArray mipmap) {
  if (!mipmap) return CUDA_ERROR_INVALID_VALUE;
  IN_CONTEXT(cudaFreeMipmappedArray(mipmap));
}

// ---- Copies of one row.

CUresult cuMemcpyHtoA(CUarray to, size_t offset, const void *from, size_t bytes) {
  IN_CONTEXT(cudaMemcpy2DToArray(to, offset, 0, from, bytes, bytes, 1, cudaMemcpyHostToDevice));
}
CUresult cuMemcpyAtoH(void *to, CUarray from, size_t offset, size_t bytes) {
  IN_CONTEXT(cudaMemcpy2DFromArray(to, bytes, from, offset, 0, bytes, 1, cudaMemcpyDeviceToHost));
}
CUresult cuMemcpyDtoA(CUarray to, size_t offset, CUdeviceptr from, size_t bytes) {
  IN_CONTEXT(cudaMemcpy2DToArray(to, offset, 0, pointer_of(from), bytes, bytes, 1,
                                 cudaMemcpyDeviceToDevice));
}
CUresult cuMemcpyAtoD(CUdeviceptr to, CUarray from, size_t offset, size_t bytes) {
  IN_CONTEXT(cudaMemcpy2DFromArray(pointer_of(to), bytes, from, offset, 0, bytes, 1,
                                   cudaMemcpyDeviceToDevice));
}
CUresult cuMemcpyAtoA(CUarray to, size_t to_offset, CUarray from, size_t from_offset,
                      size_t bytes) {
  IN_CONTEXT(cudaMemcpy2DArrayToArray(to, to_offset, 0, from, from_offset, 0, bytes, 1,
                                      cudaMemcpyDeviceToDevice));
}
CUresult cuMemcpyHtoAAsync(CUarray to, size_t offset, const void *from, size_t bytes,
                           CUstream stream) {
  IN_CONTEXT(cudaMemcpy2DToArrayAsync(to, offset, 0, from, bytes, bytes, 1, cudaMemcpyHostToDevice,
                                      stream));
}
CUresult cuMemcpyAtoHAsync(void *to, CUarray from, size_t offset, size_t bytes, CUstream stream) {
  IN_CONTEXT(cudaMemcpy2DFromArrayAsync(to, bytes, from, offset, 0, bytes, 1,
                                        cudaMemcpyDeviceToHost, stream));
}

// ---- Texture and surface objects.

static bool resource_of(const CUDA_RESOURCE_DESC *d, struct cudaResourceDesc *out) {
  memset(out, 0, sizeof *out);
  if (!d || d->flags) return false;
  switch (d->resType) {
  case CU_RESOURCE_TYPE_ARRAY:
    out->resType = cudaResourceTypeArray;
    out->res.array.array = d->res.array.hArray;
    return true;
  case CU_RESOURCE_TYPE_MIPMAPPED_ARRAY:
    out->resType = cudaResourceTypeMipmappedArray;
    out->res.mipmap.mipmap = d->res.mipmap.hMipmappedArray;
    return true;
  case CU_RESOURCE_TYPE_LINEAR:
    out->resType = cudaResourceTypeLinear;
    out->res.linear.devPtr = pointer_of(d->res.linear.devPtr);
    out->res.linear.sizeInBytes = d->res.linear.sizeInBytes;
    return describe(d->res.linear.format, d->res.linear.numChannels, &out->res.linear.desc);
  case CU_RESOURCE_TYPE_PITCH2D:
    out->resType = cudaResourceTypePitch2D;
    out->res.pitch2D.devPtr = pointer_of(d->res.pitch2D.devPtr);
    out->res.pitch2D.width = d->res.pitch2D.width;
    out->res.pitch2D.height = d->res.pitch2D.height;
    out->res.pitch2D.pitchInBytes = d->res.pitch2D.pitchInBytes;
    return describe(d->res.pitch2D.format, d->res.pitch2D.numChannels, &out->res.pitch2D.desc);
  default: return false;
  }
}

static void write_resource(const struct cudaResourceDesc *d, CUDA_RESOURCE_DESC *out) {
  memset(out, 0, sizeof *out);
  out->resType = (CUresourcetype)d->resType;
  switch (d->resType) {
  case cudaResourceTypeArray: out->res.array.hArray = d->res.array.array; break;
  case cudaResourceTypeMipmappedArray:
    out->res.mipmap.hMipmappedArray = d->res.mipmap.mipmap;
    break;
  case cudaResourceTypeLinear:
    out->res.linear.devPtr = (uintptr_t)d->res.linear.devPtr;
    out->res.linear.format = format_of(&d->res.linear.desc);
    out->res.linear.numChannels = channels_of(&d->res.linear.desc);
    out->res.linear.sizeInBytes = d->res.linear.sizeInBytes;
    break;
  default:
    out->res.pitch2D.devPtr = (uintptr_t)d->res.pitch2D.devPtr;
    out->res.pitch2D.format = format_of(&d->res.pitch2D.desc);
    out->res.pitch2D.numChannels = channels_of(&d->res.pitch2D.desc);
    out->res.pitch2D.width = d->res.pitch2D.width;
    out->res.pitch2D.height = d->res.pitch2D.height;
    out->res.pitch2D.pitchInBytes = d->res.pitch2D.pitchInBytes;
  }
}

// The format of what a texture reads.
static cudaError_t format_in(const struct cudaResourceDesc *r, struct cudaChannelFormatDesc *out) {
  cudaArray_t array = r->res.array.array;
  switch (r->resType) {
  case cudaResourceTypeLinear: return *out = r->res.linear.desc, cudaSuccess;
  case cudaResourceTypePitch2D: return *out = r->res.pitch2D.desc, cudaSuccess;
  case cudaResourceTypeMipmappedArray: {
    const cudaError_t error = INSIDE(cudaGetMipmappedArrayLevel(&array, r->res.mipmap.mipmap, 0));
    if (error) return error;
    break;
  }
  default: break;
  }
  return INSIDE(cudaGetChannelDesc(out, array));
}

// Integers of 8 and 16 bits are read as fractions unless the flag says otherwise; wider ones, and
// floats, as they are.
static void set_texture(const CUDA_TEXTURE_DESC *d, const struct cudaChannelFormatDesc *format,
                        struct cudaTextureDesc *out) {
  const bool is_narrow = format->x < 32 && format->f != cudaChannelFormatKindFloat;
  *out = (struct cudaTextureDesc){
      .filterMode = (enum cudaTextureFilterMode)d->filterMode,
      .readMode = is_narrow && !(d->flags & CU_TRSF_READ_AS_INTEGER) ? cudaReadModeNormalizedFloat
                                                                     : cudaReadModeElementType,
      .sRGB = (d->flags & CU_TRSF_SRGB) != 0,
      .normalizedCoords = (d->flags & CU_TRSF_NORMALIZED_COORDINATES) != 0,
      .maxAnisotropy = d->maxAnisotropy,
      .mipmapFilterMode = (enum cudaTextureFilterMode)d->mipmapFilterMode,
      .mipmapLevelBias = d->mipmapLevelBias,
      .minMipmapLevelClamp = d->minMipmapLevelClamp,
      .maxMipmapLevelClamp = d->maxMipmapLevelClamp,
      .disableTrilinearOptimization = (d->flags & CU_TRSF_DISABLE_TRILINEAR_OPTIMIZATION) != 0,
      .seamlessCubemap = (d->flags & CU_TRSF_SEAMLESS_CUBEMAP) != 0};
  for (int i = 0; i < 3; i++) out->addressMode[i] = (enum cudaTextureAddressMode)d->addressMode[i];
  memcpy(out->borderColor, d->borderColor, sizeof out->borderColor);
}

static void write_sampling(const struct cudaTextureDesc *t, CUDA_TEXTURE_DESC *out) {
  *out = (CUDA_TEXTURE_DESC){
      .filterMode = (CUfilter_mode)t->filterMode,
      .flags = (t->readMode == cudaReadModeElementType ? CU_TRSF_READ_AS_INTEGER : 0U) |
               (t->normalizedCoords ? CU_TRSF_NORMALIZED_COORDINATES : 0U) |
               (t->sRGB ? CU_TRSF_SRGB : 0U),
      .maxAnisotropy = t->maxAnisotropy,
      .mipmapFilterMode = (CUfilter_mode)t->mipmapFilterMode,
      .mipmapLevelBias = t->mipmapLevelBias,
      .minMipmapLevelClamp = t->minMipmapLevelClamp,
      .maxMipmapLevelClamp = t->maxMipmapLevelClamp};
  for (int i = 0; i < 3; i++) out->addressMode[i] = (CUaddress_mode)t->addressMode[i];
  memcpy(out->borderColor, t->borderColor, sizeof out->borderColor);
}

CUresult cuTexObjectCreate(CUtexObject *texture, const CUDA_RESOURCE_DESC *resource,
                           const CUDA_TEXTURE_DESC *desc, const CUDA_RESOURCE_VIEW_DESC *view) {
  struct cudaResourceDesc r;
  struct cudaTextureDesc t;
  struct cudaResourceViewDesc v;
  struct cudaChannelFormatDesc format;
  if (!texture || !desc || !resource_of(resource, &r)) return CUDA_ERROR_INVALID_VALUE;
  if (simt_drv_needs_context()) return simt_drv_needs_context();
  const cudaError_t error = format_in(&r, &format);
  if (error) CHECKED(error);
  set_texture(desc, &format, &t);
  if (view) {
    memset(&v, 0, sizeof v);
    v.format = (enum cudaResourceViewFormat)view->format;
    v.width = view->width, v.height = view->height, v.depth = view->depth;
    v.firstMipmapLevel = view->firstMipmapLevel, v.lastMipmapLevel = view->lastMipmapLevel;
    v.firstLayer = view->firstLayer, v.lastLayer = view->lastLayer;
  }
  IN_CONTEXT(cudaCreateTextureObject(texture, &r, &t, view ? &v : NULL));
}
CUresult cuTexObjectDestroy(CUtexObject texture) { IN_CONTEXT(cudaDestroyTextureObject(texture)); }
CUresult cuTexObjectGetResourceDesc(CUDA_RESOURCE_DESC *out, CUtexObject texture) {
  struct cudaResourceDesc r;
  if (!out) return CUDA_ERROR_INVALID_VALUE;
  const cudaError_t error = INSIDE(cudaGetTextureObjectResourceDesc(&r, texture));
  if (!error) write_resource(&r, out);
  CHECKED(error);
}
CUresult cuTexObjectGetTextureDesc(CUDA_TEXTURE_DESC *out, CUtexObject texture) {
  struct cudaTextureDesc t;
  if (!out) return CUDA_ERROR_INVALID_VALUE;
  const cudaError_t error = INSIDE(cudaGetTextureObjectTextureDesc(&t, texture));
  if (!error) write_sampling(&t, out);
  struct cudaResourceDesc r;
  struct cudaChannelFormatDesc format = {0};
  if (!error && !INSIDE(cudaGetTextureObjectResourceDesc(&r, texture)) && !format_in(&r, &format) &&
      format.f == cudaChannelFormatKindFloat)
    out->flags &= ~(unsigned)CU_TRSF_READ_AS_INTEGER;
  CHECKED(error);
}
CUresult cuTexObjectGetResourceViewDesc(CUDA_RESOURCE_VIEW_DESC *out, CUtexObject texture) {
  struct cudaResourceViewDesc v;
  if (!out) return CUDA_ERROR_INVALID_VALUE;
  const cudaError_t error = INSIDE(cudaGetTextureObjectResourceViewDesc(&v, texture));
  if (!error)
    *out = (CUDA_RESOURCE_VIEW_DESC){.format = (int)v.format,
                                     .width = v.width,
                                     .height = v.height,
                                     .depth = v.depth,
                                     .firstMipmapLevel = v.firstMipmapLevel,
                                     .lastMipmapLevel = v.lastMipmapLevel,
                                     .firstLayer = v.firstLayer,
                                     .lastLayer = v.lastLayer};
  CHECKED(error);
}
CUresult cuSurfObjectCreate(CUsurfObject *surface, const CUDA_RESOURCE_DESC *resource) {
  struct cudaResourceDesc r;
  if (!surface || !resource_of(resource, &r)) return CUDA_ERROR_INVALID_VALUE;
  IN_CONTEXT(cudaCreateSurfaceObject(surface, &r));
}
CUresult cuSurfObjectDestroy(CUsurfObject surface) {
  IN_CONTEXT(cudaDestroySurfaceObject(surface));
}
CUresult cuSurfObjectGetResourceDesc(CUDA_RESOURCE_DESC *out, CUsurfObject surface) {
  struct cudaResourceDesc r;
  if (!out) return CUDA_ERROR_INVALID_VALUE;
  const cudaError_t error = INSIDE(cudaGetSurfaceObjectResourceDesc(&r, surface));
  if (!error) write_resource(&r, out);
  CHECKED(error);
}
