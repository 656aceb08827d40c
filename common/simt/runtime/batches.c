// SPDX-License-Identifier: MIT
// runtime/batches.c - many ranges or boxes in one call: prefetched, discarded, copied. Each is
// carried out as the call for one would be.
#include "runtime/runtime.h"

// Batches are for streams that a program has made, or the calling thread's.
static bool is_own(cudaStream_t stream) { return stream && stream != cudaStreamLegacy; }

// The places are in the order of the ranges, each from its index on.
static bool are_in_order(const size_t *indexes, size_t n, size_t count) {
  if (!indexes || !n || n > count || indexes[0] != 0) return false;
  for (size_t i = 1; i < n; i++)
    if (indexes[i] <= indexes[i - 1] || indexes[i] >= count) return false;
  return true;
}

cudaError_t cudaMemPrefetchBatchAsync(void **pointers, size_t *sizes, size_t count,
                                      struct cudaMemLocation *places, size_t *indexes,
                                      size_t n_places, unsigned long long flags,
                                      cudaStream_t stream) {
  if (!pointers || !sizes || !count || !places || flags || !is_own(stream) ||
      !are_in_order(indexes, n_places, count))
    return simt_rt_answer(cudaErrorInvalidValue);
  cudaError_t error = cudaSuccess;
  for (size_t i = 0, place = 0; !error && i < count; i++) {
    while (place + 1 < n_places && indexes[place + 1] <= i) place++;
    error = cudaMemPrefetchAsync(pointers[i], sizes[i], places[place], 0, stream);
  }
  return error;
}

// What is discarded may be lost: here it stays, and only the ranges are looked at.
cudaError_t cudaMemDiscardBatchAsync(void **pointers, size_t *sizes, size_t count,
                                     unsigned long long flags, cudaStream_t stream) {
  if (!pointers || !sizes || !count || flags || !is_own(stream))
    return simt_rt_answer(cudaErrorInvalidValue);
  cudaError_t error = cudaSuccess;
  for (size_t i = 0; !error && i < count; i++) {
    int is_read_mostly = 0; // any question about managed memory
    error = cudaMemRangeGetAttribute(&is_read_mostly, sizeof is_read_mostly,
                                     cudaMemRangeAttributeReadMostly, pointers[i], sizes[i]);
  }
  return error;
}

cudaError_t cudaMemDiscardAndPrefetchBatchAsync(void **pointers, size_t *sizes, size_t count,
                                                struct cudaMemLocation *places, size_t *indexes,
                                                size_t n_places, unsigned long long flags,
                                                cudaStream_t stream) {
  return cudaMemPrefetchBatchAsync(pointers, sizes, count, places, indexes, n_places, flags,
                                   stream);
}

// ---- Boxes.

static size_t element_bytes(const struct cudaMemcpy3DOperand *o) {
  struct cudaChannelFormatDesc d;
  if (o->type != cudaMemcpyOperandTypeArray || cudaGetChannelDesc(&d, o->op.array.array)) return 1;
  return (size_t)(d.x + d.y + d.z + d.w) / 8;
}

static struct cudaPitchedPtr pitched(const struct cudaMemcpy3DOperand *o, struct cudaExtent extent,
                                     size_t bytes) {
  const size_t row = o->op.ptr.rowLength ? o->op.ptr.rowLength : extent.width;
  const size_t rows = o->op.ptr.layerHeight ? o->op.ptr.layerHeight : extent.height;
  return (struct cudaPitchedPtr){o->op.ptr.ptr, row * bytes, row, rows};
}

static bool one_box(const struct cudaMemcpy3DBatchOp *op, struct cudaMemcpy3DParms *out) {
  const bool from_array = op->src.type == cudaMemcpyOperandTypeArray;
  const bool to_array = op->dst.type == cudaMemcpyOperandTypeArray;
  if ((!from_array && op->src.type != cudaMemcpyOperandTypePointer) ||
      (!to_array && op->dst.type != cudaMemcpyOperandTypePointer) ||
      op->srcAccessOrder < cudaMemcpySrcAccessOrderStream ||
      op->srcAccessOrder > cudaMemcpySrcAccessOrderAny || op->flags > 1)
    return false;
  const size_t bytes = from_array ? element_bytes(&op->src) : element_bytes(&op->dst);
  *out = (struct cudaMemcpy3DParms){.extent = op->extent, .kind = cudaMemcpyDefault};
  if (from_array) {
    const struct cudaOffset3D at = op->src.op.array.offset;
    out->srcArray = op->src.op.array.array;
    out->srcPos = (struct cudaPos){at.x, at.y, at.z};
  } else {
    out->srcPtr = pitched(&op->src, op->extent, bytes);
  }
  if (to_array) {
    const struct cudaOffset3D at = op->dst.op.array.offset;
    out->dstArray = op->dst.op.array.array;
    out->dstPos = (struct cudaPos){at.x, at.y, at.z};
  } else {
    out->dstPtr = pitched(&op->dst, op->extent, bytes);
  }
  return true;
}

cudaError_t cudaMemcpy3DBatchAsync(size_t n, struct cudaMemcpy3DBatchOp *list,
                                   unsigned long long flags, cudaStream_t stream) {
  struct cudaMemcpy3DParms box;
  if (!n || !list || flags || !is_own(stream)) return simt_rt_answer(cudaErrorInvalidValue);
  for (size_t i = 0; i < n; i++)
    if (!one_box(&list[i], &box)) return simt_rt_answer(cudaErrorInvalidValue);
  cudaError_t error = cudaSuccess;
  for (size_t i = 0; !error && i < n; i++)
    if (one_box(&list[i], &box)) error = cudaMemcpy3DAsync(&box, stream);
  return error;
}
