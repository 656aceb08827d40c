// SPDX-License-Identifier: MIT
// runtime/array_copies.c - copies of arrays and of three-dimensional memory.
//
// A copy is carried out as copies of rows, slice by slice (runtime/copy.c), and that is what
// streams, captures and checkers see.
#include "runtime/arrays.h"

// One side of a copy: where its first byte is, and how far rows and slices lie apart.
typedef struct place {
  char *at;
  size_t row, slice;
} place;

static bool is_inside(const struct cudaArray *a, struct cudaPos pos, struct cudaExtent e) {
  const size_t height = a->extent.height ? a->extent.height : 1;
  const size_t depth = a->extent.depth ? a->extent.depth : 1;
  return pos.x <= a->extent.width && e.width <= a->extent.width - pos.x && pos.y <= height &&
         e.height <= height - pos.y && pos.z <= depth && e.depth <= depth - pos.z;
}

static bool is_nothing(struct cudaExtent e) { return !e.width || !e.height || !e.depth; }

// Whether rows and slices lie apart as far as the extent asks; one row needs no pitch.
static cudaError_t check_layout(struct cudaPitchedPtr p, struct cudaExtent bytes) {
  const bool wide = p.pitch >= bytes.width, high = p.ysize >= bytes.height;
  if (bytes.depth > 1) return wide && high ? cudaSuccess : cudaErrorInvalidPitchValue;
  if (bytes.height > 1 && !wide) return cudaErrorInvalidPitchValue;
  return bytes.height > 1 && !high ? cudaErrorInvalidValue : cudaSuccess;
}

static place place_in_array(const struct cudaArray *a, struct cudaPos pos) {
  const uint64_t at = a->address + pos.z * a->slice_bytes + pos.y * a->row_bytes +
                      pos.x * simt_rt_texel_bytes(&a->desc);
  return (place){(char *)(uintptr_t)at, (size_t)a->row_bytes, (size_t)a->slice_bytes};
}

static place place_in_memory(struct cudaPitchedPtr p, struct cudaPos pos, size_t element_bytes) {
  const size_t slice = p.pitch * p.ysize, x = pos.x * element_bytes;
  return (place){(char *)p.ptr + pos.z * slice + pos.y * p.pitch + x, p.pitch, slice};
}

static cudaError_t copy_slices(const place *to, const place *from, struct cudaExtent bytes,
                               enum cudaMemcpyKind kind, cudaStream_t stream, bool waits) {
  cudaError_t error = cudaSuccess;
  for (size_t z = 0; !error && z < bytes.depth; z++) {
    void *dst = to->at + z * to->slice;
    const void *src = from->at + z * from->slice;
    error = waits ? cudaMemcpy2D(dst, to->row, src, from->row, bytes.width, bytes.height, kind)
                  : cudaMemcpy2DAsync(dst, to->row, src, from->row, bytes.width, bytes.height, kind,
                                      stream);
  }
  return error;
}

// Both sides of a copy, and its extent in bytes.
static cudaError_t find_places(rt_context *context, const struct cudaMemcpy3DParms *p, place *to,
                               place *from, struct cudaExtent *bytes) {
  if (!p || !p->srcArray == !p->srcPtr.ptr || !p->dstArray == !p->dstPtr.ptr)
    return cudaErrorInvalidValue;
  const struct cudaArray *src = simt_rt_array(context, p->srcArray);
  const struct cudaArray *dst = simt_rt_array(context, p->dstArray);
  *bytes = p->extent; // in elements where an array takes part, as are places in memory
  if ((p->srcArray && (!src || !is_inside(src, p->srcPos, *bytes))) ||
      (p->dstArray && (!dst || !is_inside(dst, p->dstPos, *bytes))))
    return cudaErrorInvalidValue;
  const size_t unit = src || dst ? simt_rt_texel_bytes(src ? &src->desc : &dst->desc) : 1;
  bytes->width *= unit;
  *from = src ? place_in_array(src, p->srcPos) : place_in_memory(p->srcPtr, p->srcPos, unit);
  *to = dst ? place_in_array(dst, p->dstPos) : place_in_memory(p->dstPtr, p->dstPos, unit);
  if ((unsigned)p->kind > cudaMemcpyDefault) return cudaErrorInvalidMemcpyDirection;
  const cudaError_t error = src ? cudaSuccess : check_layout(p->srcPtr, *bytes);
  return error || dst ? error : check_layout(p->dstPtr, *bytes);
}

cudaError_t simt_rt_slice_node(rt_context *context, const struct cudaMemcpy3DParms *p, rt_node *n) {
  place to = {0}, from = {0};
  struct cudaExtent bytes = {0, 0, 0};
  cudaError_t error = find_places(context, p, &to, &from, &bytes);
  *n = (rt_node){.kind = RT_NODE_COPY,
                 .dst = to.at,
                 .src = from.at,
                 .dst_pitch = to.row,
                 .src_pitch = from.row,
                 .width = bytes.width,
                 .height = bytes.height,
                 .copy_kind = error ? cudaMemcpyDefault : p->kind};
  return error;
}

static cudaError_t copy_3d(const struct cudaMemcpy3DParms *p, cudaStream_t stream, bool waits) {
  rt_context *context;
  place to = {0}, from = {0};
  struct cudaExtent bytes = {0, 0, 0};
  cudaError_t error = simt_rt_enter(&context);
  const bool nothing = !error && p && is_nothing(p->extent);
  if (!error && !nothing) error = find_places(context, p, &to, &from, &bytes);
  error = simt_rt_leave(context, error);
  if (error || nothing) return error;
  return copy_slices(&to, &from, bytes, p->kind, stream, waits);
}

cudaError_t cudaMemcpy3D(const struct cudaMemcpy3DParms *parms) { return copy_3d(parms, 0, true); }
cudaError_t cudaMemcpy3DAsync(const struct cudaMemcpy3DParms *parms, cudaStream_t stream) {
  return copy_3d(parms, stream, false);
}

// All addresses are of one space, so a copy between devices needs no others.
static struct cudaMemcpy3DParms of_peers(const struct cudaMemcpy3DPeerParms *p) {
  return (struct cudaMemcpy3DParms){.srcArray = p->srcArray,
                                    .srcPos = p->srcPos,
                                    .srcPtr = p->srcPtr,
                                    .dstArray = p->dstArray,
                                    .dstPos = p->dstPos,
                                    .dstPtr = p->dstPtr,
                                    .extent = p->extent,
                                    .kind = cudaMemcpyDefault};
}
static cudaError_t copy_peers(const struct cudaMemcpy3DPeerParms *p, cudaStream_t stream,
                              bool waits) {
  int n = 0;
  const cudaError_t error = cudaGetDeviceCount(&n);
  if (error) return error;
  if (!p) return cudaErrorInvalidValue;
  if (p->srcDevice < 0 || p->srcDevice >= n || p->dstDevice < 0 || p->dstDevice >= n)
    return cudaErrorInvalidDevice;
  const struct cudaMemcpy3DParms parms = of_peers(p);
  return copy_3d(&parms, stream, waits);
}
cudaError_t cudaMemcpy3DPeer(const struct cudaMemcpy3DPeerParms *parms) {
  return copy_peers(parms, 0, true);
}
cudaError_t cudaMemcpy3DPeerAsync(const struct cudaMemcpy3DPeerParms *parms, cudaStream_t stream) {
  return copy_peers(parms, stream, false);
}

// `x` and `width` count bytes here.
typedef struct plane {
  const struct cudaArray *array;
  size_t x, y;
  void *memory;
  size_t pitch, width, height;
  enum cudaMemcpyKind kind;
  bool to_array, waits;
  cudaStream_t stream;
} plane;

static cudaError_t copy_plane(const plane *p) {
  rt_context *context;
  place in_array = {0}, in_memory = {.at = p->memory, .row = p->pitch};
  cudaError_t error = simt_rt_enter(&context);
  const struct cudaArray *a = error ? NULL : simt_rt_array(context, p->array);
  if (!error && !a) error = cudaErrorInvalidResourceHandle;
  if (!error) {
    const size_t height = a->extent.height ? a->extent.height : 1;
    if (p->x > a->row_bytes || p->width > a->row_bytes - p->x || p->y > height ||
        p->height > height - p->y)
      error = cudaErrorInvalidValue;
    in_array = place_in_array(a, (struct cudaPos){0, p->y, 0});
    in_array.at += p->x;
  }
  error = simt_rt_leave(context, error);
  const struct cudaExtent bytes = {p->width, p->height, 1};
  return error ? error
               : copy_slices(p->to_array ? &in_array : &in_memory,
                             p->to_array ? &in_memory : &in_array, bytes, p->kind, p->stream,
                             p->waits);
}

cudaError_t cudaMemcpy2DToArray(cudaArray_t array, size_t x, size_t y, const void *src,
                                size_t pitch, size_t width, size_t height,
                                enum cudaMemcpyKind kind) {
  return copy_plane(
      &(plane){array, x, y, (void *)(uintptr_t)src, pitch, width, height, kind, true, true, 0});
}
cudaError_t cudaMemcpy2DToArrayAsync(cudaArray_t array, size_t x, size_t y, const void *src,
                                     size_t pitch, size_t width, size_t height,
                                     enum cudaMemcpyKind kind, cudaStream_t stream) {
  return copy_plane(&(plane){array, x, y, (void *)(uintptr_t)src, pitch, width, height, kind, true,
                             false, stream});
}
cudaError_t cudaMemcpy2DFromArray(void *dst, size_t pitch, cudaArray_const_t array, size_t x,
                                  size_t y, size_t width, size_t height, enum cudaMemcpyKind kind) {
  return copy_plane(&(plane){array, x, y, dst, pitch, width, height, kind, false, true, 0});
}
cudaError_t cudaMemcpy2DFromArrayAsync(void *dst, size_t pitch, cudaArray_const_t array, size_t x,
                                       size_t y, size_t width, size_t height,
                                       enum cudaMemcpyKind kind, cudaStream_t stream) {
  return copy_plane(&(plane){array, x, y, dst, pitch, width, height, kind, false, false, stream});
}

// Bytes in the array's own order, from (x, y) on: part of a row, or whole rows.
typedef struct list {
  const struct cudaArray *array;
  size_t x, y;
  void *memory;
  size_t count;
  enum cudaMemcpyKind kind;
  bool to_array, waits;
  cudaStream_t stream;
} list;

static cudaError_t find_list(const struct cudaArray *array, size_t x, size_t y, size_t count,
                             void **inside) {
  rt_context *context;
  cudaError_t error = simt_rt_enter(&context);
  const struct cudaArray *a = error ? NULL : simt_rt_array(context, array);
  if (!error && !a) error = cudaErrorInvalidResourceHandle;
  uint64_t at = a ? y * a->row_bytes + x : 0;
  if (!error && (at > a->slice_bytes || count > a->slice_bytes - at)) error = cudaErrorInvalidValue;
  if (!error) at += a->address;
  *inside = (void *)(uintptr_t)at;
  return simt_rt_leave(context, error);
}

static cudaError_t copy_list(const list *l) {
  void *inside = NULL;
  const cudaError_t error = find_list(l->array, l->x, l->y, l->count, &inside);
  void *to = l->to_array ? inside : l->memory;
  const void *from = l->to_array ? l->memory : inside;
  if (error) return error;
  return l->waits ? cudaMemcpy(to, from, l->count, l->kind)
                  : cudaMemcpyAsync(to, from, l->count, l->kind, l->stream);
}

cudaError_t cudaMemcpyToArray(cudaArray_t array, size_t x, size_t y, const void *src, size_t count,
                              enum cudaMemcpyKind kind) {
  return copy_list(&(list){array, x, y, (void *)(uintptr_t)src, count, kind, true, true, 0});
}
cudaError_t cudaMemcpyToArrayAsync(cudaArray_t array, size_t x, size_t y, const void *src,
                                   size_t count, enum cudaMemcpyKind kind, cudaStream_t stream) {
  return copy_list(&(list){array, x, y, (void *)(uintptr_t)src, count, kind, true, false, stream});
}
cudaError_t cudaMemcpyFromArray(void *dst, cudaArray_const_t array, size_t x, size_t y,
                                size_t count, enum cudaMemcpyKind kind) {
  return copy_list(&(list){array, x, y, dst, count, kind, false, true, 0});
}
cudaError_t cudaMemcpyFromArrayAsync(void *dst, cudaArray_const_t array, size_t x, size_t y,
                                     size_t count, enum cudaMemcpyKind kind, cudaStream_t stream) {
  return copy_list(&(list){array, x, y, dst, count, kind, false, false, stream});
}
cudaError_t cudaMemcpyArrayToArray(cudaArray_t dst, size_t x, size_t y, cudaArray_const_t src,
                                   size_t from_x, size_t from_y, size_t count,
                                   enum cudaMemcpyKind kind) {
  void *from = NULL;
  const cudaError_t error = find_list(src, from_x, from_y, count, &from);
  return error ? error : copy_list(&(list){dst, x, y, from, count, kind, true, true, 0});
}
cudaError_t cudaMemcpy2DArrayToArray(cudaArray_t dst, size_t x, size_t y, cudaArray_const_t src,
                                     size_t from_x, size_t from_y, size_t width, size_t height,
                                     enum cudaMemcpyKind kind) {
  rt_context *context;
  cudaError_t error = simt_rt_enter(&context);
  const struct cudaArray *a = error ? NULL : simt_rt_array(context, src);
  if (!error && !a) error = cudaErrorInvalidResourceHandle;
  if (!error && (from_x > a->row_bytes || width > a->row_bytes - from_x ||
                 from_y * a->row_bytes > a->slice_bytes ||
                 height * a->row_bytes > a->slice_bytes - from_y * a->row_bytes))
    error = cudaErrorInvalidValue;
  void *from = a ? (void *)(uintptr_t)(a->address + from_y * a->row_bytes + from_x) : NULL;
  const size_t pitch = a ? (size_t)a->row_bytes : 0;
  error = simt_rt_leave(context, error);
  return error ? error
               : copy_plane(&(plane){dst, x, y, from, pitch, width, height, kind, true, true, 0});
}
