// SPDX-License-Identifier: MIT
// runtime/texture.c - texture and surface objects: records in device memory (device/texture.h).
// Not supported: sRGB, views of block-compressed formats.
#include "device/texture.h"

#include <stdlib.h>
#include <string.h>

#include "runtime/arrays.h"

// The object, and what it was made from.
typedef struct record {
  simt_texture texture;
  struct cudaResourceDesc resource;
  struct cudaTextureDesc desc;
  struct cudaResourceViewDesc view;
} record;

static void set_format(simt_texture *t, const struct cudaChannelFormatDesc *d) {
  t->n_channels = (uint8_t)(1 + (d->y != 0) + (d->z != 0) + (d->w != 0));
  t->channel_bytes = (uint8_t)(d->x / 8);
  t->kind = d->f == cudaChannelFormatKindSigned     ? SIMT_TEXEL_SIGNED
            : d->f == cudaChannelFormatKindUnsigned ? SIMT_TEXEL_UNSIGNED
                                                    : SIMT_TEXEL_FLOAT;
}

static bool is_layered(const struct cudaArray *a) {
  return (a->flags & (cudaArrayLayered | cudaArrayCubemap)) != 0;
}

static simt_image image_of(const struct cudaArray *a) {
  const uint32_t depth = a->extent.depth ? (uint32_t)a->extent.depth : 1;
  return (simt_image){.address = a->address,
                      .row_bytes = a->row_bytes,
                      .slice_bytes = a->slice_bytes,
                      .width = (uint32_t)a->extent.width,
                      .height = a->extent.height ? (uint32_t)a->extent.height : 1,
                      .depth = is_layered(a) ? 1 : depth};
}

static void set_array(simt_texture *t, const struct cudaArray *a) {
  set_format(t, &a->desc);
  t->level[0] = image_of(a);
  t->n_layers = is_layered(a) && a->extent.depth ? (uint32_t)a->extent.depth : 1;
}

static cudaError_t set_mipmap(rt_context *context, simt_texture *t, cudaMipmappedArray_t handle) {
  const struct cudaMipmappedArray *m = simt_rt_mipmap(context, handle);
  if (!m) return cudaErrorInvalidResourceHandle;
  set_array(t, m->level[0]);
  t->n_levels = m->n_levels;
  for (uint32_t i = 0; i < m->n_levels; i++) t->level[i] = image_of(m->level[i]);
  return cudaSuccess;
}

enum { TEXTURE_ALIGNMENT = 512 }; // of memory that is read as a texture
enum { WIDEST_PITCHED = 131072, HIGHEST_PITCHED = 65000, LONGEST_PITCH = 2097120 };

static cudaError_t set_resource(rt_context *context, simt_texture *t,
                                const struct cudaResourceDesc *r) {
  simt_image *image = &t->level[0];
  image->height = image->depth = t->n_layers = t->n_levels = 1;
  if (r->resType == cudaResourceTypeArray) {
    const struct cudaArray *a = simt_rt_array(context, r->res.array.array);
    if (!a) return cudaErrorInvalidResourceHandle;
    set_array(t, a);
    return cudaSuccess;
  }
  if (r->resType == cudaResourceTypeLinear) {
    const uint32_t bytes = simt_rt_texel_bytes(&r->res.linear.desc);
    if (!bytes || !r->res.linear.devPtr || (uintptr_t)r->res.linear.devPtr % TEXTURE_ALIGNMENT)
      return cudaErrorInvalidValue;
    set_format(t, &r->res.linear.desc);
    image->address = (uintptr_t)r->res.linear.devPtr;
    image->width = (uint32_t)(r->res.linear.sizeInBytes / bytes);
    image->row_bytes = image->slice_bytes = r->res.linear.sizeInBytes;
    t->is_memory = true;
    return cudaSuccess;
  }
  if (r->resType == cudaResourceTypePitch2D) {
    const uint64_t pitch = r->res.pitch2D.pitchInBytes;
    if (!r->res.pitch2D.devPtr || !simt_rt_texel_bytes(&r->res.pitch2D.desc) || pitch % 32 ||
        (uintptr_t)r->res.pitch2D.devPtr % TEXTURE_ALIGNMENT || pitch > LONGEST_PITCH ||
        r->res.pitch2D.width > WIDEST_PITCHED || r->res.pitch2D.height > HIGHEST_PITCHED)
      return cudaErrorInvalidValue;
    set_format(t, &r->res.pitch2D.desc);
    image->address = (uintptr_t)r->res.pitch2D.devPtr;
    image->width = (uint32_t)r->res.pitch2D.width;
    image->height = (uint32_t)r->res.pitch2D.height;
    image->row_bytes = pitch;
    image->slice_bytes = pitch * r->res.pitch2D.height;
    return cudaSuccess;
  }
  if (r->resType == cudaResourceTypeMipmappedArray)
    return set_mipmap(context, t, r->res.mipmap.mipmap);
  return cudaErrorInvalidValue;
}

static cudaError_t set_sampling(rt_context *context, simt_texture *t,
                                const struct cudaTextureDesc *d) {
  const bool is_integer = t->kind != SIMT_TEXEL_FLOAT;
  t->gives_fractions = is_integer && d->readMode == cudaReadModeNormalizedFloat;
  t->is_linear_filter = d->filterMode == cudaFilterModeLinear;
  t->is_normalised = d->normalizedCoords != 0;
  for (int i = 0; i < 3; i++) t->address_mode[i] = (uint8_t)d->addressMode[i];
  memcpy(t->border, d->borderColor, sizeof t->border);
  const bool asks_fractions = d->readMode == cudaReadModeNormalizedFloat;
  const bool can_give = is_integer && t->channel_bytes <= 2;
  if (t->is_linear_filter && is_integer && !(asks_fractions && can_give))
    return cudaErrorInvalidFilterSetting;
  if (asks_fractions && !can_give) return cudaErrorInvalidNormSetting;
  t->is_linear_between_levels = d->mipmapFilterMode == cudaFilterModeLinear;
  t->level_bias = d->mipmapLevelBias;
  t->level_low = d->minMipmapLevelClamp;
  t->level_high = d->maxMipmapLevelClamp;
  if (t->n_levels > 1 && !t->is_normalised) return cudaErrorInvalidValue;
  if (!d->sRGB) return cudaSuccess;
  simt_rt_note(context, "sRGB textures are not supported");
  return cudaErrorNotSupported;
}

// What elements are read as, and which levels and layers of the resource.
static cudaError_t set_view(rt_context *context, simt_texture *t,
                            const struct cudaResourceViewDesc *v) {
  static const uint8_t kinds[] = {SIMT_TEXEL_UNSIGNED, SIMT_TEXEL_SIGNED,   SIMT_TEXEL_UNSIGNED,
                                  SIMT_TEXEL_SIGNED,   SIMT_TEXEL_UNSIGNED, SIMT_TEXEL_SIGNED,
                                  SIMT_TEXEL_FLOAT,    SIMT_TEXEL_FLOAT};
  static const uint8_t bytes[] = {1, 1, 2, 2, 4, 4, 2, 4}, channels[] = {1, 2, 4};
  if ((unsigned)v->format > cudaResViewFormatFloat4) {
    simt_rt_note(context, "cudaCreateTextureObject: views of block-compressed formats are not "
                          "supported");
    return cudaErrorNotSupported;
  }
  if (v->format != cudaResViewFormatNone) {
    const unsigned row = ((unsigned)v->format - 1) / 3, n = channels[((unsigned)v->format - 1) % 3];
    if (bytes[row] * n != (unsigned)t->channel_bytes * t->n_channels) return cudaErrorInvalidValue;
    t->kind = kinds[row], t->channel_bytes = bytes[row], t->n_channels = (uint8_t)n;
  }
  if (v->width != t->level[0].width || (v->height ? v->height : 1) != t->level[0].height)
    return cudaErrorInvalidValue; // formats that are not compressed keep the size
  if (v->firstMipmapLevel > v->lastMipmapLevel || v->lastMipmapLevel >= t->n_levels ||
      v->firstLayer > v->lastLayer || v->lastLayer >= t->n_layers)
    return cudaErrorInvalidValue;
  t->n_levels = v->lastMipmapLevel - v->firstMipmapLevel + 1;
  t->n_layers = v->lastLayer - v->firstLayer + 1;
  memmove(t->level, t->level + v->firstMipmapLevel, t->n_levels * sizeof *t->level);
  for (uint32_t i = 0; i < t->n_levels; i++)
    t->level[i].address += v->firstLayer * t->level[i].slice_bytes;
  return cudaSuccess;
}

static cudaError_t store(rt_context *context, const record *r, unsigned long long *object) {
  uint64_t address;
  simt_diag diag;
  simt_status status = simt_memory_alloc(context->memory, sizeof *r, SIMT_ALLOCATION_VARIABLE,
                                         "texture or surface object", &address, &diag);
  if (status != SIMT_OK) return simt_rt_error_of(status);
  memcpy(simt_memory_change(context->memory, address, sizeof *r), r, sizeof *r);
  *object = address;
  return cudaSuccess;
}

cudaError_t cudaCreateTextureObject(cudaTextureObject_t *texture,
                                    const struct cudaResourceDesc *resource,
                                    const struct cudaTextureDesc *desc,
                                    const struct cudaResourceViewDesc *view) {
  rt_context *context;
  cudaError_t error = simt_rt_enter(&context);
  if (!error && (!resource || !desc)) error = cudaErrorInvalidValue;
  if (!error) {
    record r = {.texture = {.magic = SIMT_TEXTURE_MAGIC}, .resource = *resource, .desc = *desc};
    error = set_resource(context, &r.texture, resource);
    if (!error && view) error = set_view(context, &r.texture, view);
    if (!error) error = set_sampling(context, &r.texture, desc);
    if (view) r.view = *view;
    if (!error && !texture) error = cudaErrorInvalidValue;
    if (!error) error = store(context, &r, texture);
  }
  return simt_rt_leave(context, error);
}

cudaError_t cudaCreateSurfaceObject(cudaSurfaceObject_t *surface,
                                    const struct cudaResourceDesc *resource) {
  rt_context *context;
  cudaError_t error = simt_rt_enter(&context);
  if (!error && (!surface || !resource)) error = cudaErrorInvalidValue;
  if (!error && resource->resType == cudaResourceTypeLinear)
    error = cudaErrorInvalidChannelDescriptor;
  if (!error && resource->resType != cudaResourceTypeArray) error = cudaErrorInvalidValue;
  const struct cudaArray *a = error ? NULL : simt_rt_array(context, resource->res.array.array);
  if (!error && !a) error = cudaErrorInvalidValue;
  if (!error) {
    record r = {.texture = {.magic = SIMT_TEXTURE_MAGIC, .is_surface = true},
                .resource = *resource};
    set_array(&r.texture, a);
    r.texture.n_levels = 1;
    error = store(context, &r, surface);
  }
  return simt_rt_leave(context, error);
}

static const record *find(const rt_context *context, unsigned long long object, bool is_surface) {
  const record *r =
      (const record *)(const void *)simt_memory_change(context->memory, object, sizeof(record));
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
cudaError_t cudaGetTextureObjectResourceViewDesc(struct cudaResourceViewDesc *view,
                                                 cudaTextureObject_t texture) {
  rt_context *context;
  cudaError_t error = simt_rt_enter(&context);
  const record *r = error ? NULL : find(context, texture, false);
  if (!error && (!r || !view)) error = cudaErrorInvalidValue;
  if (!error) *view = r->view; // zeros where the object was made without one
  return simt_rt_leave(context, error);
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
