// SPDX-License-Identifier: MIT
// runtime/texture.c - texture and surface objects: records in device memory (device/texture.h).
// Not supported: mipmapped arrays, sRGB, views in another format.
#include "device/texture.h"

#include <stdlib.h>
#include <string.h>

#include "runtime/arrays.h"

// The object, and what it was made from.
typedef struct record {
  simt_texture texture;
  struct cudaResourceDesc resource;
  struct cudaTextureDesc desc;
} record;

static void set_format(simt_texture *t, const struct cudaChannelFormatDesc *d) {
  t->n_channels = (uint8_t)(1 + (d->y != 0) + (d->z != 0) + (d->w != 0));
  t->channel_bytes = (uint8_t)(d->x / 8);
  t->kind = d->f == cudaChannelFormatKindSigned     ? SIMT_TEXEL_SIGNED
            : d->f == cudaChannelFormatKindUnsigned ? SIMT_TEXEL_UNSIGNED
                                                    : SIMT_TEXEL_FLOAT;
}

static void set_array(simt_texture *t, const struct cudaArray *a) {
  const bool is_layered = (a->flags & (cudaArrayLayered | cudaArrayCubemap)) != 0;
  const uint32_t depth = a->extent.depth ? (uint32_t)a->extent.depth : 1;
  set_format(t, &a->desc);
  t->address = a->address;
  t->row_bytes = a->row_bytes;
  t->slice_bytes = a->slice_bytes;
  t->width = (uint32_t)a->extent.width;
  t->height = a->extent.height ? (uint32_t)a->extent.height : 1;
  t->depth = is_layered ? 1 : depth;
  t->n_layers = is_layered ? depth : 1;
}

static cudaError_t set_resource(rt_context *context, simt_texture *t,
                                const struct cudaResourceDesc *r) {
  t->height = t->depth = t->n_layers = 1;
  if (r->resType == cudaResourceTypeArray) {
    const struct cudaArray *a = simt_rt_array(context, r->res.array.array);
    if (!a) return cudaErrorInvalidResourceHandle;
    set_array(t, a);
    return cudaSuccess;
  }
  if (r->resType == cudaResourceTypeLinear) {
    const uint32_t bytes = simt_rt_texel_bytes(&r->res.linear.desc);
    if (!bytes || !r->res.linear.devPtr) return cudaErrorInvalidValue;
    set_format(t, &r->res.linear.desc);
    t->address = (uintptr_t)r->res.linear.devPtr;
    t->width = (uint32_t)(r->res.linear.sizeInBytes / bytes);
    t->row_bytes = t->slice_bytes = r->res.linear.sizeInBytes;
    t->is_memory = true;
    return cudaSuccess;
  }
  if (r->resType == cudaResourceTypePitch2D) {
    const uint64_t pitch = r->res.pitch2D.pitchInBytes;
    if (!r->res.pitch2D.devPtr || !simt_rt_texel_bytes(&r->res.pitch2D.desc) || pitch % 32)
      return cudaErrorInvalidValue;
    set_format(t, &r->res.pitch2D.desc);
    t->address = (uintptr_t)r->res.pitch2D.devPtr;
    t->width = (uint32_t)r->res.pitch2D.width;
    t->height = (uint32_t)r->res.pitch2D.height;
    t->row_bytes = pitch;
    t->slice_bytes = pitch * r->res.pitch2D.height;
    return cudaSuccess;
  }
  simt_rt_note(context, "mipmapped arrays are not supported");
  return cudaErrorNotSupported;
}

static cudaError_t set_sampling(rt_context *context, simt_texture *t,
                                const struct cudaTextureDesc *d) {
  const bool is_integer = t->kind != SIMT_TEXEL_FLOAT;
  t->gives_fractions = is_integer && d->readMode == cudaReadModeNormalizedFloat;
  t->is_linear_filter = d->filterMode == cudaFilterModeLinear;
  t->is_normalised = d->normalizedCoords != 0;
  for (int i = 0; i < 3; i++) t->address_mode[i] = (uint8_t)d->addressMode[i];
  memcpy(t->border, d->borderColor, sizeof t->border);
  if (t->gives_fractions && t->channel_bytes > 2) return cudaErrorInvalidValue;
  if (t->is_linear_filter && is_integer && !t->gives_fractions) return cudaErrorInvalidValue;
  if (!d->sRGB) return cudaSuccess;
  simt_rt_note(context, "sRGB textures are not supported");
  return cudaErrorNotSupported;
}

static cudaError_t store(rt_context *context, const record *r, unsigned long long *object) {
  uint64_t address;
  simt_diag diag;
  simt_status status = simt_memory_alloc(context->memory, sizeof *r, SIMT_ALLOCATION_VARIABLE,
                                         "texture or surface object", &address, &diag);
  if (status != SIMT_OK) return simt_rt_error_of(status);
  memcpy(simt_memory_host(context->memory, address, sizeof *r), r, sizeof *r);
  *object = address;
  return cudaSuccess;
}

cudaError_t cudaCreateTextureObject(cudaTextureObject_t *texture,
                                    const struct cudaResourceDesc *resource,
                                    const struct cudaTextureDesc *desc,
                                    const struct cudaResourceViewDesc *view) {
  rt_context *context;
  cudaError_t error = simt_rt_enter(&context);
  if (!error && (!texture || !resource || !desc)) error = cudaErrorInvalidValue;
  if (!error && view) {
    simt_rt_note(context, "cudaCreateTextureObject: views in another format are not supported");
    error = cudaErrorNotSupported;
  }
  if (!error) {
    record r = {.texture = {.magic = SIMT_TEXTURE_MAGIC}, .resource = *resource, .desc = *desc};
    error = set_resource(context, &r.texture, resource);
    if (!error) error = set_sampling(context, &r.texture, desc);
    if (!error) error = store(context, &r, texture);
  }
  return simt_rt_leave(context, error);
}

cudaError_t cudaCreateSurfaceObject(cudaSurfaceObject_t *surface,
                                    const struct cudaResourceDesc *resource) {
  rt_context *context;
  cudaError_t error = simt_rt_enter(&context);
  if (!error && (!surface || !resource || resource->resType != cudaResourceTypeArray))
    error = cudaErrorInvalidValue;
  const struct cudaArray *a = error ? NULL : simt_rt_array(context, resource->res.array.array);
  if (!error && (!a || !(a->flags & cudaArraySurfaceLoadStore))) error = cudaErrorInvalidValue;
  if (!error) {
    record r = {.texture = {.magic = SIMT_TEXTURE_MAGIC, .is_surface = true},
                .resource = *resource};
    set_array(&r.texture, a);
    error = store(context, &r, surface);
  }
  return simt_rt_leave(context, error);
}

static const record *find(const rt_context *context, unsigned long long object, bool is_surface) {
  const record *r =
      (const record *)(const void *)simt_memory_host(context->memory, object, sizeof(record));
  bool fits = r && object % 8 == 0 && r->texture.magic == SIMT_TEXTURE_MAGIC &&
              r->texture.is_surface == is_surface;
  return fits ? r : NULL;
}

static cudaError_t destroy(unsigned long long object, bool is_surface) {
  rt_context *context;
  cudaError_t error = simt_rt_enter(&context);
  if (!error && object && !find(context, object, is_surface)) error = cudaErrorInvalidValue;
  if (!error && object) simt_memory_free(context->memory, object, NULL);
  return simt_rt_leave(context, error);
}

cudaError_t cudaDestroyTextureObject(cudaTextureObject_t texture) {
  return destroy(texture, false);
}
cudaError_t cudaDestroySurfaceObject(cudaSurfaceObject_t surface) { return destroy(surface, true); }

cudaError_t cudaGetSurfaceObjectResourceDesc(struct cudaResourceDesc *resource,
                                             cudaSurfaceObject_t surface) {
  rt_context *context;
  cudaError_t error = simt_rt_enter(&context);
  const record *r = error ? NULL : find(context, surface, true);
  if (!error && (!r || !resource)) error = cudaErrorInvalidValue;
  if (!error) *resource = r->resource;
  return simt_rt_leave(context, error);
}
// No object has a view in another format.
cudaError_t cudaGetTextureObjectResourceViewDesc(struct cudaResourceViewDesc *view,
                                                 cudaTextureObject_t texture) {
  (void)view, (void)texture;
  return cudaErrorInvalidValue;
}

static cudaError_t describe(cudaTextureObject_t texture, struct cudaResourceDesc *resource,
                            struct cudaTextureDesc *desc) {
  rt_context *context;
  cudaError_t error = simt_rt_enter(&context);
  const record *r = error ? NULL : find(context, texture, false);
  if (!error && (!r || (!resource && !desc))) error = cudaErrorInvalidValue;
  if (!error && resource) *resource = r->resource;
  if (!error && desc) *desc = r->desc;
  return simt_rt_leave(context, error);
}

cudaError_t cudaGetTextureObjectResourceDesc(struct cudaResourceDesc *resource,
                                             cudaTextureObject_t texture) {
  return describe(texture, resource, NULL);
}
cudaError_t cudaGetTextureObjectTextureDesc(struct cudaTextureDesc *desc,
                                            cudaTextureObject_t texture) {
  return describe(texture, NULL, desc);
}
