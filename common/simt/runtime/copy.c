// SPDX-License-Identifier: MIT
// runtime/copy.c - cudaMemcpy… and cudaMemset… in all their forms.
//
// Every form becomes an rt_node (rows of bytes at a pitch); the node is carried out at once, or
// recorded when its stream is being captured. A pointer that the copy's kind calls a device pointer
// must be one, and a device range must lie inside one allocation: else cudaErrorInvalidValue, and a
// note that says what is wrong. A device pointer where the kind says host is taken for what it is,
// as CUDA does.
#include "runtime/driver.h"
#include "runtime/runtime.h"

#include <string.h>

// ---- One side of a copy.

typedef enum side { SIDE_HOST, SIDE_DEVICE, SIDE_BOTH } side; // BOTH: pinned or managed memory

static side side_of(const rt_context *context, const void *pointer) {
  const simt_allocation *a = simt_memory_find(context->memory, (uintptr_t)pointer, 1);
  if (!a) {
    // Device addresses are never host pointers, so a stale or overrun one can be recognised.
    uint64_t address = (uintptr_t)pointer;
    uint64_t end = sizeof(void *) < 8 ? SIMT_DEVICE_BASE + context->device->dram_bytes
                                      : UINT64_C(1) << 44; // pools have addresses to spare
    return address >= SIMT_DEVICE_BASE && address < end ? SIDE_DEVICE : SIDE_HOST;
  }
  bool both = a->kind == SIMT_ALLOCATION_PINNED || a->kind == SIMT_ALLOCATION_MANAGED ||
              a->kind == SIMT_ALLOCATION_REGISTERED;
  return both ? SIDE_BOTH : SIDE_DEVICE;
}

// Bytes from the first to the last byte of `height` rows.
static bool extent_of(const rt_node *n, size_t pitch, size_t *bytes) {
  if (n->height > 1 && pitch > (SIZE_MAX - n->width) / (n->height - 1)) return false;
  *bytes = n->height ? pitch * (n->height - 1) + n->width : 0;
  return true;
}

// Host address of one side; NULL and a note when the range is bad.
static uint8_t *open_side(const rt_context *context, const rt_node *n, const void *pointer,
                          size_t pitch, bool device, bool changes) {
  const char *what = changes ? "destination" : "source";
  side actual = side_of(context, pointer);
  size_t bytes;
  if (!extent_of(n, pitch, &bytes)) return NULL;
  if (actual == SIDE_HOST && device) {
    simt_rt_note(context, "the %s %p is a host pointer where the call wants a device pointer", what,
                 pointer);
    return NULL;
  }
  if (actual == SIDE_HOST) return (uint8_t *)(uintptr_t)pointer;
  const simt_allocation *a = simt_memory_find(context->memory, (uintptr_t)pointer, 1);
  if (a && a->kind == SIMT_ALLOCATION_HEAP && n->kind == RT_NODE_COPY) {
    simt_rt_note(context, "the %s %p is of malloc() in a kernel, which the host does not copy",
                 what, pointer);
    return NULL;
  }
  uint8_t *host = changes ? simt_memory_change(context->memory, (uintptr_t)pointer, bytes)
                          : simt_memory_host(context->memory, (uintptr_t)pointer, bytes);
  if (!host) {
    char why[256];
    uint64_t last = (uintptr_t)pointer + bytes - 1;
    simt_rt_note(context, "copy or set of %zu bytes: the %s %p … ends outside its allocation: %s",
                 bytes, what, pointer,
                 simt_memory_explain(context->memory, last, 1, why, sizeof why));
  }
  return host;
}

static void account(rt_context *context, rt_stream *stream, size_t bytes, simt_model_copy kind) {
  double ms = simt_model_copy_ms(context->device, bytes, kind);
  bool by_device = kind == SIMT_COPY_SET || kind == SIMT_COPY_DEVICE_TO_DEVICE;
  if (by_device) simt_rt_stream_launch(context, stream, ms);
  else simt_rt_stream_work(context, stream, ms);
}

static simt_model_copy model_kind(bool from_device, bool to_device) {
  if (from_device) return to_device ? SIMT_COPY_DEVICE_TO_DEVICE : SIMT_COPY_DEVICE_TO_HOST;
  return to_device ? SIMT_COPY_HOST_TO_DEVICE : SIMT_COPY_HOST_TO_HOST;
}

static void copy_row(rt_context *context, const rt_node *n, size_t row, uint8_t *dst,
                     const uint8_t *src) {
  size_t to = row * n->dst_pitch, from = row * n->src_pitch;
  simt_rt_tell_copied(context, (char *)n->dst + to, (const char *)n->src + from, n->width);
  memmove(dst + to, src + from, n->width);
}

// Whether the kind names a device pointer on the side that `one` does.
static bool says_device(enum cudaMemcpyKind kind, enum cudaMemcpyKind one) {
  return kind == one || kind == cudaMemcpyDeviceToDevice;
}

// Both sides as host addresses.
static cudaError_t open_copy(const rt_context *context, const rt_node *n, uint8_t **dst,
                             const uint8_t **src) {
  if (!n->dst || !n->src) return cudaErrorInvalidValue;
  const bool from_device = says_device(n->copy_kind, cudaMemcpyDeviceToHost);
  const bool to_device = says_device(n->copy_kind, cudaMemcpyHostToDevice);
  *src = open_side(context, n, n->src, n->src_pitch, from_device, false);
  if (!*src) return cudaErrorInvalidValue;
  *dst = open_side(context, n, n->dst, n->dst_pitch, to_device, true);
  return *dst ? cudaSuccess : cudaErrorInvalidValue;
}

static cudaError_t copy_piece(rt_context *context, rt_stream *stream, const rt_node *n) {
  const uint8_t *src = NULL;
  uint8_t *dst = NULL;
  if (!n->width || !n->height) return cudaSuccess;
  const cudaError_t error = open_copy(context, n, &dst, &src);
  if (error || simt_rt_has_fault(context)) return error;
  const bool from_device =
      says_device(n->copy_kind, cudaMemcpyDeviceToHost) || side_of(context, n->src) == SIDE_DEVICE;
  const bool to_device =
      says_device(n->copy_kind, cudaMemcpyHostToDevice) || side_of(context, n->dst) == SIDE_DEVICE;
  for (size_t row = 0; row < n->height; row++) copy_row(context, n, row, dst, src);
  const uint64_t bytes = (uint64_t)n->width * n->height;
  if (!from_device || !to_device || !simt_rt_link_copy(context, stream, n->dst, n->src, bytes))
    account(context, stream, bytes, model_kind(from_device, to_device));
  return cudaSuccess;
}

static void set_row(uint8_t *row, const rt_node *n) {
  if (n->element_bytes <= 1) {
    memset(row, n->value, n->width);
    return;
  }
  const uint32_t value = (uint32_t)n->value; // little-endian hosts only, as everywhere
  for (size_t at = 0; at < n->width; at += n->element_bytes)
    memcpy(row + at, &value, n->element_bytes);
}

static cudaError_t set_piece(rt_context *context, rt_stream *stream, const rt_node *n) {
  if (!n->width || !n->height) return cudaSuccess;
  if (!n->dst) return cudaErrorInvalidValue;
  uint8_t *dst = open_side(context, n, n->dst, n->dst_pitch, true, true);
  if (!dst) return cudaErrorInvalidValue;
  if (simt_rt_has_fault(context)) return cudaSuccess;
  for (size_t row = 0; row < n->height; row++) {
    simt_rt_tell_set(context, (char *)n->dst + row * n->dst_pitch, n->width);
    set_row(dst + row * n->dst_pitch, n);
  }
  account(context, stream, n->width * n->height, SIMT_COPY_SET);
  return cudaSuccess;
}

// Mappings of virtual memory that lie side by side are one range to the program: how much of a row
// of `bytes` lies in the one that `pointer` is in.
static size_t piece_of(const rt_context *context, const void *pointer, size_t bytes) {
  const simt_allocation *a = simt_memory_find(context->memory, (uintptr_t)pointer, 1);
  if (!a || !a->is_placed || !a->is_borrowed) return bytes;
  const uint64_t left = a->address + a->size_bytes - (uintptr_t)pointer;
  return left < bytes ? (size_t)left : bytes;
}

static cudaError_t by_pieces(rt_context *context, rt_stream *stream, const rt_node *n,
                             cudaError_t (*make)(rt_context *, rt_stream *, const rt_node *)) {
  rt_node piece = *n;
  cudaError_t error = cudaSuccess;
  size_t left = n->width;
  if (n->height != 1 || !n->width) return make(context, stream, n);
  do {
    piece.width = piece_of(context, piece.dst, left);
    if (n->kind == RT_NODE_COPY) piece.width = piece_of(context, piece.src, piece.width);
    error = make(context, stream, &piece);
    piece.dst = (char *)piece.dst + piece.width;
    if (piece.src) piece.src = (const char *)piece.src + piece.width;
    left -= piece.width;
  } while (!error && left);
  return error;
}

cudaError_t simt_rt_copy(rt_context *context, rt_stream *stream, const rt_node *n) {
  return by_pieces(context, stream, n, copy_piece);
}

cudaError_t simt_rt_set(rt_context *context, rt_stream *stream, const rt_node *n) {
  return by_pieces(context, stream, n, set_piece);
}

// ---- The calls.

static cudaError_t check_node(const rt_node *n) {
  if (n->kind == RT_NODE_COPY && (unsigned)n->copy_kind > cudaMemcpyDefault)
    return cudaErrorInvalidMemcpyDirection;
  if (n->kind == RT_NODE_SET)
    return n->height > 1 && n->dst_pitch < n->width ? cudaErrorInvalidValue : cudaSuccess;
  bool narrow = n->dst_pitch < n->width || n->src_pitch < n->width;
  if (n->height > 1) return narrow ? cudaErrorInvalidPitchValue : cudaSuccess;
  // A single row: even so, a pitch that is given must not be too small.
  bool given =
      (n->dst_pitch && n->dst_pitch < n->width) || (n->src_pitch && n->src_pitch < n->width);
  return n->height == 1 && given ? cudaErrorInvalidValue : cudaSuccess;
}

static cudaError_t check_piece(rt_context *context, rt_stream *stream, const rt_node *n) {
  const uint8_t *src;
  uint8_t *dst;
  (void)stream;
  if (!n->width || !n->height) return cudaSuccess;
  if (n->kind == RT_NODE_COPY) return open_copy(context, n, &dst, &src);
  return n->dst && open_side(context, n, n->dst, n->dst_pitch, true, true) ? cudaSuccess
                                                                           : cudaErrorInvalidValue;
}

// Behind a host function: whether the node can be queued. The host waits for copies from and to its
// ordinary memory; pinned memory is the program's to keep as it is until the copy is carried out.
static bool can_queue(const rt_context *context, const rt_node *n, bool waits) {
  if (n->kind == RT_NODE_SET) return true;
  return !waits && side_of(context, n->src) != SIDE_HOST && side_of(context, n->dst) != SIDE_HOST;
}

// The host waits for a copy that has a side in its memory, whatever the call's name where that is
// ordinary memory that is written; for a set only where it shares the memory. Copies within a
// device and sets are submitted like launches.
static bool is_waited_for(const rt_context *context, const rt_node *n, bool waits) {
  if (!n->width || !n->height) return waits && n->kind == RT_NODE_COPY;
  const side to = side_of(context, n->dst);
  if (n->kind == RT_NODE_SET) return waits && to == SIDE_BOTH;
  const side from = side_of(context, n->src);
  if (to == SIDE_HOST && from != SIDE_HOST) return true;
  return waits && (to != SIDE_DEVICE || from != SIDE_DEVICE);
}

// Carries a node out in a stream or records it. `waits`: the call returns when it is done.
static cudaError_t perform(rt_context *context, const rt_node *n, cudaStream_t handle, bool waits) {
  rt_stream *stream = simt_rt_stream_of(context, handle);
  if (!stream) return cudaErrorInvalidResourceHandle;
  cudaError_t error = check_node(n);
  if (error) return error;
  const bool is_null = !n->dst || (n->kind == RT_NODE_COPY && !n->src);
  if (stream->capture && is_null && n->width && n->height) return cudaErrorInvalidValue;
  if (stream->capture) return simt_rt_capture_add(stream, n);
  error = simt_rt_capture_forbids_legacy(context, stream);
  if (error) return error;
  if (simt_rt_queue_is_behind(context, stream)) {
    error = by_pieces(context, stream, n, check_piece);
    if (error) return error;
    if (can_queue(context, n, waits)) return simt_rt_queue_node(context, stream, n);
    error = simt_rt_queue_wait(context, stream);
    if (error) return error;
  }
  error =
      n->kind == RT_NODE_COPY ? simt_rt_copy(context, stream, n) : simt_rt_set(context, stream, n);
  if (!error && waits) simt_rt_stream_wait(context, stream);
  if (error || !is_waited_for(context, n, waits)) return error;
  if (waits) simt_rt_flush_prints(context); // not by a copy whose name says that it does not wait
  return simt_rt_notice_fault(context);
}

static cudaError_t perform_call(const rt_node *n, cudaStream_t stream, bool waits) {
  rt_context *context;
  cudaError_t error = simt_rt_enter(&context);
  if (!error) error = perform(context, n, stream, waits);
  return simt_rt_leave(context, error);
}

static rt_node copy_node(void *dst, size_t dst_pitch, const void *src, size_t src_pitch,
                         size_t width, size_t height, enum cudaMemcpyKind kind) {
  return (rt_node){.kind = RT_NODE_COPY,
                   .dst = dst,
                   .src = src,
                   .dst_pitch = dst_pitch,
                   .src_pitch = src_pitch,
                   .width = width,
                   .height = height,
                   .copy_kind = kind};
}

static rt_node set_node(void *dst, size_t pitch, int value, size_t width, size_t height) {
  return (rt_node){.kind = RT_NODE_SET,
                   .dst = dst,
                   .dst_pitch = pitch,
                   .width = width,
                   .height = height,
                   .value = value};
}

cudaError_t simt_rt_copy_bytes(rt_context *context, void *dst, const void *src, size_t bytes,
                               enum cudaMemcpyKind kind, cudaStream_t stream, bool waits) {
  const rt_node n = copy_node(dst, bytes, src, bytes, bytes, 1, kind);
  return perform(context, &n, stream, waits);
}

cudaError_t cudaMemcpy(void *dst, const void *src, size_t bytes, enum cudaMemcpyKind kind) {
  rt_node n = copy_node(dst, bytes, src, bytes, bytes, 1, kind);
  return perform_call(&n, 0, true);
}

cudaError_t cudaMemcpyAsync(void *dst, const void *src, size_t bytes, enum cudaMemcpyKind kind,
                            cudaStream_t stream) {
  rt_node n = copy_node(dst, bytes, src, bytes, bytes, 1, kind);
  return perform_call(&n, stream, false);
}

cudaError_t cudaMemcpy2D(void *dst, size_t dst_pitch, const void *src, size_t src_pitch,
                         size_t width, size_t height, enum cudaMemcpyKind kind) {
  rt_node n = copy_node(dst, dst_pitch, src, src_pitch, width, height, kind);
  return perform_call(&n, 0, true);
}

cudaError_t cudaMemcpy2DAsync(void *dst, size_t dst_pitch, const void *src, size_t src_pitch,
                              size_t width, size_t height, enum cudaMemcpyKind kind,
                              cudaStream_t stream) {
  rt_node n = copy_node(dst, dst_pitch, src, src_pitch, width, height, kind);
  return perform_call(&n, stream, false);
}

cudaError_t cudaMemset(void *dst, int value, size_t bytes) {
  rt_node n = set_node(dst, bytes, value, bytes, 1);
  return perform_call(&n, 0, true);
}

cudaError_t cudaMemsetAsync(void *dst, int value, size_t bytes, cudaStream_t stream) {
  rt_node n = set_node(dst, bytes, value, bytes, 1);
  return perform_call(&n, stream, false);
}

cudaError_t cudaMemset2D(void *dst, size_t pitch, int value, size_t width, size_t height) {
  rt_node n = set_node(dst, pitch, value, width, height);
  return perform_call(&n, 0, true);
}

cudaError_t cudaMemset2DAsync(void *dst, size_t pitch, int value, size_t width, size_t height,
                              cudaStream_t stream) {
  rt_node n = set_node(dst, pitch, value, width, height);
  return perform_call(&n, stream, false);
}

cudaError_t simt_rt_set_rows(const struct cudaMemsetParams *p, cudaStream_t stream, bool waits) {
  rt_node n = set_node(p->dst, p->pitch, (int)p->value, p->width * p->elementSize, p->height);
  n.element_bytes = p->elementSize;
  return perform_call(&n, stream, waits);
}
