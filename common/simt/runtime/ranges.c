// SPDX-License-Identifier: MIT
// runtime/ranges.c - ranges of memory: what the program has advised of managed memory, and many
// copies in one call.
//
// Advice has no effect here; what was advised last of an allocation is kept, and given back.
// Not modelled: advice for a part of an allocation.
#include "runtime/runtime.h"

#include <stdlib.h>
#include <string.h>

typedef struct advice {
  struct advice *next;
  uint64_t serial; // of the allocation
  bool is_read_mostly;
  struct cudaMemLocation preferred, prefetched;
  uint32_t accessed_by; // devices, a bit for each; the highest bit: the host
} advice;

static advice *advices; // guarded by the context's lock
#define HOST_BIT (UINT32_C(1) << 31)

static advice *advice_of(const simt_allocation *a, bool make) {
  advice *found = advices;
  while (found && found->serial != a->serial) found = found->next;
  if (found || !make || !(found = calloc(1, sizeof *found))) return found;
  found->next = advices;
  found->serial = a->serial;
  found->preferred.id = found->prefetched.id = cudaInvalidDeviceId;
  return advices = found;
}

static uint32_t bit_of(struct cudaMemLocation location) {
  return location.type == cudaMemLocationTypeDevice ? UINT32_C(1) << (location.id & 15) : HOST_BIT;
}

static void take_advice(advice *a, enum cudaMemoryAdvise what, struct cudaMemLocation location) {
  switch (what) {
  case cudaMemAdviseSetReadMostly: a->is_read_mostly = true; break;
  case cudaMemAdviseUnsetReadMostly: a->is_read_mostly = false; break;
  case cudaMemAdviseSetPreferredLocation: a->preferred = location; break;
  case cudaMemAdviseUnsetPreferredLocation:
    a->preferred = (struct cudaMemLocation){cudaMemLocationTypeInvalid, cudaInvalidDeviceId};
    break;
  case cudaMemAdviseSetAccessedBy: a->accessed_by |= bit_of(location); break;
  case cudaMemAdviseUnsetAccessedBy: a->accessed_by &= ~bit_of(location); break;
  }
}

// The managed allocation that holds the range, or NULL.
static const simt_allocation *managed(const rt_context *context, const void *pointer,
                                      size_t bytes) {
  const simt_allocation *a =
      bytes ? simt_memory_find(context->memory, (uintptr_t)pointer, bytes) : NULL;
  return a && a->kind == SIMT_ALLOCATION_MANAGED ? a : NULL;
}

static bool is_place(const rt_context *context, struct cudaMemLocation location) {
  if (location.type == cudaMemLocationTypeDevice)
    return location.id >= 0 && (uint32_t)location.id < context->options.n_devices;
  return location.type >= cudaMemLocationTypeHost &&
         location.type <= cudaMemLocationTypeHostNumaCurrent;
}

cudaError_t cudaMemPrefetchAsync(const void *pointer, size_t bytes, struct cudaMemLocation location,
                                 unsigned int flags, cudaStream_t stream) {
  rt_context *context;
  cudaError_t error = simt_rt_enter(&context);
  const simt_allocation *a = error ? NULL : managed(context, pointer, bytes);
  const rt_stream *in = error ? NULL : simt_rt_stream_of(context, stream);
  if (in) error = simt_rt_capture_refuses(in);
  if (!error && (!a || flags || !in)) error = cudaErrorInvalidValue;
  if (!error && !is_place(context, location)) error = cudaErrorInvalidDevice;
  advice *kept = error ? NULL : advice_of(a, true);
  if (!error && !kept) error = cudaErrorMemoryAllocation;
  if (!error) kept->prefetched = location;
  return simt_rt_leave(context, error);
}

cudaError_t cudaMemAdvise(const void *pointer, size_t bytes, enum cudaMemoryAdvise what,
                          struct cudaMemLocation location) {
  rt_context *context;
  cudaError_t error = simt_rt_enter(&context);
  const bool needs_place = what == cudaMemAdviseSetPreferredLocation ||
                           what == cudaMemAdviseSetAccessedBy ||
                           what == cudaMemAdviseUnsetAccessedBy;
  const simt_allocation *a = error ? NULL : managed(context, pointer, bytes);
  if (!error && (!a || (unsigned)what - 1 > 5)) error = cudaErrorInvalidValue;
  if (!error && needs_place && !is_place(context, location))
    error =
        what == cudaMemAdviseSetPreferredLocation ? cudaErrorInvalidValue : cudaErrorInvalidDevice;
  advice *kept = error ? NULL : advice_of(a, true);
  if (!error && !kept) error = cudaErrorMemoryAllocation;
  if (!error) take_advice(kept, what, location);
  return simt_rt_leave(context, error);
}

static int id_of(struct cudaMemLocation location) {
  return location.type == cudaMemLocationTypeHost ? cudaCpuDeviceId : location.id;
}

static cudaError_t list_accessors(uint32_t mask, int *out, size_t bytes) {
  const size_t room = bytes / sizeof *out;
  size_t n = 0;
  for (uint32_t device = 0; device < 31 && n < room; device++)
    if (mask >> device & 1) out[n++] = (int)device;
  if (mask & HOST_BIT && n < room) out[n++] = cudaCpuDeviceId;
  while (n < room) out[n++] = cudaInvalidDeviceId;
  return cudaSuccess;
}

static cudaError_t answer(const advice *a, enum cudaMemRangeAttribute what, void *data,
                          size_t bytes) {
  static const advice nothing = {.preferred = {.id = cudaInvalidDeviceId},
                                 .prefetched = {.id = cudaInvalidDeviceId}};
  int *out = data;
  if (!a) a = &nothing;
  if (what == cudaMemRangeAttributeAccessedBy)
    return bytes % sizeof *out || !bytes ? cudaErrorInvalidValue
                                         : list_accessors(a->accessed_by, out, bytes);
  if (bytes != sizeof *out) return cudaErrorInvalidValue;
  switch (what) {
  case cudaMemRangeAttributeReadMostly: *out = a->is_read_mostly; break;
  case cudaMemRangeAttributePreferredLocation: *out = id_of(a->preferred); break;
  case cudaMemRangeAttributeLastPrefetchLocation: *out = id_of(a->prefetched); break;
  case cudaMemRangeAttributePreferredLocationType: *out = (int)a->preferred.type; break;
  case cudaMemRangeAttributePreferredLocationId: *out = a->preferred.id; break;
  case cudaMemRangeAttributeLastPrefetchLocationType: *out = (int)a->prefetched.type; break;
  case cudaMemRangeAttributeLastPrefetchLocationId: *out = a->prefetched.id; break;
  default: return cudaErrorInvalidValue;
  }
  return cudaSuccess;
}

cudaError_t cudaMemRangeGetAttribute(void *data, size_t bytes, enum cudaMemRangeAttribute what,
                                     const void *pointer, size_t count) {
  rt_context *context;
  cudaError_t error = simt_rt_enter(&context);
  const simt_allocation *a = error ? NULL : managed(context, pointer, count);
  if (!error && (!a || !data)) error = cudaErrorInvalidValue;
  if (!error) error = answer(advice_of(a, false), what, data, bytes);
  return simt_rt_leave(context, error);
}

cudaError_t cudaMemRangeGetAttributes(void **data, size_t *bytes, enum cudaMemRangeAttribute *what,
                                      size_t n, const void *pointer, size_t count) {
  cudaError_t error = data && bytes && what && n ? cudaSuccess : cudaErrorInvalidValue;
  for (size_t i = 0; !error && i < n; i++)
    error = cudaMemRangeGetAttribute(data[i], bytes[i], what[i], pointer, count);
  return error;
}

// ---- Many copies, in their order; what their attributes allow is not needed here.
cudaError_t cudaMemcpyBatchAsync(void *const *dsts, const void *const *srcs, const size_t *sizes,
                                 size_t count, struct cudaMemcpyAttributes *attributes,
                                 size_t *indexes, size_t n_attributes, cudaStream_t stream) {
  const bool complete = dsts && srcs && sizes && count && attributes && indexes && n_attributes &&
                        n_attributes <= count && indexes[0] == 0;
  cudaError_t error =
      complete && stream && stream != cudaStreamLegacy ? cudaSuccess : cudaErrorInvalidValue;
  for (size_t i = 0; !error && i < n_attributes; i++)
    if (attributes[i].srcAccessOrder < cudaMemcpySrcAccessOrderStream ||
        attributes[i].srcAccessOrder > cudaMemcpySrcAccessOrderAny)
      error = cudaErrorInvalidValue;
  if (error) return simt_rt_answer(error);
  for (size_t i = 0; !error && i < count; i++)
    error = cudaMemcpyAsync(dsts[i], srcs[i], sizes[i], cudaMemcpyDefault, stream);
  return error;
}
