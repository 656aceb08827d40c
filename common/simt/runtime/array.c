// SPDX-License-Identifier: MIT
// runtime/array.c - arrays: allocation, what they are.
//
// An array is device memory in row-major order. Not modelled: the element order that hardware uses
// for arrays, sparse arrays.
#include <stdlib.h>
#include <string.h>

#include "runtime/arrays.h"

static bool is_format(const struct cudaChannelFormatDesc *d) {
  const bool even =
      (d->y == 0 || d->y == d->x) && (d->z == 0 || d->z == d->x) && (d->w == 0 || d->w == d->x);
  const bool in_order = (d->y || (!d->z && !d->w)) && (d->z != 0) == (d->w != 0);
  const bool wide = d->x == 8 || d->x == 16 || d->x == 32;
  return even && in_order && wide && (unsigned)d->f <= cudaChannelFormatKindFloat &&
         !(d->f == cudaChannelFormatKindFloat && d->x == 8);
}

uint32_t simt_rt_texel_bytes(const struct cudaChannelFormatDesc *d) {
  return (uint32_t)(d->x + d->y + d->z + d->w) / 8;
}

struct cudaArray *simt_rt_array(rt_context *context, const struct cudaArray *handle) {
  for (struct cudaArray *a = context->arrays; a; a = a->next)
    if (a == handle) return a;
  return NULL;
}

static cudaError_t make_array(rt_context *context, struct cudaArray *a) {
  const struct cudaExtent *e = &a->extent;
  const uint64_t rows = e->height ? e->height : 1, slices = e->depth ? e->depth : 1;
  a->row_bytes = e->width * simt_rt_texel_bytes(&a->desc);
  a->slice_bytes = a->row_bytes * rows;
  simt_diag diag;
  simt_status status = simt_memory_alloc(context->memory, a->slice_bytes * slices,
                                         SIMT_ALLOCATION_VARIABLE, "array", &a->address, &diag);
  return status == SIMT_OK ? cudaSuccess : simt_rt_error_of(status);
}

static bool exceeds(const rt_context *context, size_t size, enum cudaDeviceAttr limit) {
  int most = 0;
  simt_rt_read_attribute(context->device, limit, &most);
  return size > (size_t)most;
}

// A cubemap is six square slices; a layered one any number of these.
static bool is_shape(const rt_context *context, struct cudaExtent e, unsigned flags) {
  const bool layered = (flags & cudaArrayLayered) != 0, deep = e.depth && !layered;
  const enum cudaDeviceAttr width = layered && e.height ? cudaDevAttrMaxTexture2DLayeredWidth
                                    : layered           ? cudaDevAttrMaxTexture1DLayeredWidth
                                    : deep              ? cudaDevAttrMaxTexture3DWidth
                                    : e.height          ? cudaDevAttrMaxTexture2DWidth
                                                        : cudaDevAttrMaxTexture1DWidth;
  const enum cudaDeviceAttr height = layered ? cudaDevAttrMaxTexture2DLayeredHeight
                                     : deep  ? cudaDevAttrMaxTexture3DHeight
                                             : cudaDevAttrMaxTexture2DHeight;
  const enum cudaDeviceAttr depth =
      layered ? cudaDevAttrMaxTexture2DLayeredLayers : cudaDevAttrMaxTexture3DDepth;
  if (!e.width || exceeds(context, e.width, width) || exceeds(context, e.height, height) ||
      exceeds(context, e.depth, depth))
    return false;
  if (deep && !e.height) return false;
  if (!(flags & cudaArrayCubemap)) return true;
  return e.width == e.height && e.depth && e.depth % 6 == 0 &&
         (e.depth == 6 || flags & cudaArrayLayered);
}

cudaError_t cudaMalloc3DArray(cudaArray_t *array, const struct cudaChannelFormatDesc *desc,
                              struct cudaExtent extent, unsigned int flags) {
  rt_context *context;
  cudaError_t error = simt_rt_enter(&context);
  const unsigned known =
      cudaArrayLayered | cudaArraySurfaceLoadStore | cudaArrayTextureGather | cudaArrayCubemap;
  if (!error && (!array || !desc)) error = cudaErrorInvalidValue;
  if (!error && !is_format(desc)) error = cudaErrorInvalidChannelDescriptor;
  if (!error && !is_shape(context, extent, flags)) error = cudaErrorInvalidValue;
  if (!error && flags & ~known) {
    simt_rt_note(context,
                 "cudaMalloc3DArray: only plain, layered and cubemap arrays are supported");
    error = cudaErrorNotSupported;
  }
  struct cudaArray *a = error ? NULL : calloc(1, sizeof *a);
  if (!error && !a) error = cudaErrorMemoryAllocation;
  if (!error) {
    *a = (struct cudaArray){
        .device = context->on->ordinal, .desc = *desc, .extent = extent, .flags = flags};
    error = make_array(context, a);
    if (error) {
      free(a);
    } else {
      a->next = context->arrays;
      *array = context->arrays = a;
    }
  }
  return simt_rt_leave(context, error);
}

cudaError_t cudaMallocArray(cudaArray_t *array, const struct cudaChannelFormatDesc *desc,
                            size_t width, size_t height, unsigned int flags) {
  return cudaMalloc3DArray(array, desc, (struct cudaExtent){width, height, 0}, flags);
}

static void drop(rt_context *context, struct cudaArray *a) {
  struct cudaArray **link = &context->arrays;
  while (*link != a) link = &(*link)->next;
  *link = a->next;
  simt_memory_free(context->memory, a->address, NULL);
  free(a);
}

void simt_rt_arrays_reset(rt_context *context) {
  simt_rt_mipmaps_reset(context);
  for (struct cudaArray *a = context->arrays, *next; a; a = next) {
    next = a->next;
    if (a->device == context->on->ordinal) drop(context, a);
  }
}

cudaError_t cudaFreeArray(cudaArray_t array) {
  rt_context *context;
  cudaError_t error = simt_rt_enter(&context);
  struct cudaArray *a = error || !array ? NULL : simt_rt_array(context, array);
  if (!error && array && !a) error = cudaErrorContextIsDestroyed;
  if (!error && a) drop(context, a);
  return simt_rt_leave(context, error);
}

cudaError_t cudaArrayGetInfo(struct cudaChannelFormatDesc *desc, struct cudaExtent *extent,
                             unsigned int *flags, cudaArray_t array) {
  rt_context *context;
  cudaError_t error = simt_rt_enter(&context);
  const struct cudaArray *a = error ? NULL : simt_rt_array(context, array);
  if (!error && !a) error = cudaErrorInvalidResourceHandle;
  if (!error && desc) *desc = a->desc;
  if (!error && extent) *extent = a->extent;
  if (!error && flags) *flags = a->flags;
  return simt_rt_leave(context, error);
}

cudaError_t cudaGetChannelDesc(struct cudaChannelFormatDesc *desc, cudaArray_const_t array) {
  if (!desc) return cudaErrorInvalidValue;
  return cudaArrayGetInfo(desc, NULL, NULL, (cudaArray_t)(uintptr_t)array);
}

struct cudaChannelFormatDesc cudaCreateChannelDesc(int x, int y, int z, int w,
                                                   enum cudaChannelFormatKind f) {
  return (struct cudaChannelFormatDesc){x, y, z, w, f};
}
