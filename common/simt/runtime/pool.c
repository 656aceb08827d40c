// SPDX-License-Identifier: MIT
// runtime/pool.c - memory pools, each of one device.
//
// An allocation from a pool is like any other; the pool only counts it. Freed memory is gone at
// once. Not modelled: what a pool keeps in reserve: it holds what is in use, in pieces of 32 MiB as
// on an H200, and what its release threshold lets it keep until it is trimmed.
#include "runtime/runtime.h"

#include <stdlib.h>
#include <string.h>

static const uint64_t RESERVE_STEP = UINT64_C(32) << 20;

typedef struct pooled {
  struct pooled *next;
  uint64_t address, size_bytes;
} pooled;

struct CUmemPoolHandle_st {
  rt_pool *next;
  uint32_t device;
  uint32_t shared_with; // bit mask of other devices that may access its memory
  pooled *allocations;
  uint64_t threshold, used, used_high, reserved, reserved_high;
  int reuse[4]; // by attribute: 1 to 3
};

static rt_pool *new_pool(rt_context *context, uint32_t device) {
  rt_pool *p = calloc(1, sizeof *p);
  if (!p) return NULL;
  p->device = device;
  p->reuse[1] = p->reuse[2] = p->reuse[3] = 1;
  p->next = context->pools;
  context->pools = p;
  return p;
}

// The default pool of a device is the one that was created first: the last of its pools in the
// list.
static rt_pool *default_pool(rt_context *context, uint32_t device) {
  rt_pool *first = NULL;
  for (rt_pool *p = context->pools; p; p = p->next)
    if (p->device == device) first = p;
  return first ? first : new_pool(context, device);
}

static rt_pool *find_pool(rt_context *context, cudaMemPool_t handle) {
  default_pool(context, context->on->ordinal);
  for (rt_pool *p = context->pools; p; p = p->next)
    if (p == handle) return p;
  return NULL;
}

uint32_t simt_rt_pool_device(rt_context *context, cudaMemPool_t handle) {
  const rt_pool *p = find_pool(context, handle);
  return p ? p->device : context->on->ordinal;
}

bool simt_rt_pool_exists(rt_context *context, cudaMemPool_t handle) {
  return find_pool(context, handle) != NULL;
}

static rt_pool *current_pool(rt_context *context, uint32_t device) {
  rt_pool *p = default_pool(context, device), *set = context->devices[device].current_pool;
  return set ? set : p;
}

static uint64_t in_steps(uint64_t bytes) {
  return (bytes + RESERVE_STEP - 1) / RESERVE_STEP * RESERVE_STEP;
}

void simt_rt_pool_allocated(rt_context *context, cudaMemPool_t handle, const void *pointer,
                            size_t bytes) {
  rt_pool *p = handle ? handle : current_pool(context, context->on->ordinal);
  pooled *a = p && pointer ? calloc(1, sizeof *a) : NULL;
  if (!a) return;
  *a = (pooled){p->allocations, (uintptr_t)pointer, bytes};
  p->allocations = a;
  simt_memory_share(context->memory, a->address, p->shared_with);
  p->used += bytes;
  if (p->used > p->used_high) p->used_high = p->used;
  if (p->reserved < in_steps(p->used)) p->reserved = in_steps(p->used);
  if (p->reserved > p->reserved_high) p->reserved_high = p->reserved;
}

void simt_rt_pool_freed(rt_context *context, uint64_t address) {
  for (rt_pool *p = context->pools; p; p = p->next)
    for (pooled **link = &p->allocations; *link; link = &(*link)->next) {
      pooled *a = *link;
      if (a->address != address) continue;
      p->used -= a->size_bytes;
      *link = a->next;
      free(a);
      return;
    }
}

bool simt_rt_pool_holds(const rt_context *context, uint64_t address) {
  for (const rt_pool *p = context->pools; p; p = p->next)
    for (const pooled *a = p->allocations; a; a = a->next)
      if (address - a->address < a->size_bytes) return true;
  return false;
}

// The host has waited for the stream: pools give back what they may not keep.
static void release_reserve(rt_pool *p, uint64_t keep) {
  if (keep >= p->reserved) return;
  const uint64_t least = in_steps(p->used > keep ? p->used : keep);
  if (p->reserved > least) p->reserved = least;
}

void simt_rt_pools_synchronised(rt_context *context) {
  for (rt_pool *p = context->pools; p; p = p->next) release_reserve(p, p->threshold);
}

static void free_pool(rt_pool *p) {
  while (p->allocations) {
    pooled *a = p->allocations;
    p->allocations = a->next;
    free(a);
  }
  free(p);
}

void simt_rt_pools_reset(rt_context *context) {
  for (rt_pool **link = &context->pools; *link;) {
    rt_pool *p = *link;
    if (p->device != context->on->ordinal) {
      link = &p->next;
      continue;
    }
    *link = p->next;
    free_pool(p);
  }
  context->on->current_pool = NULL;
}

// ---- The calls.

static cudaError_t check_device(const rt_context *context, int device) {
  bool is_one = device >= 0 && (uint32_t)device < context->options.n_devices;
  return is_one ? cudaSuccess : cudaErrorInvalidDevice;
}

static cudaError_t give(cudaMemPool_t *pool, int device, bool current) {
  rt_context *context;
  cudaError_t error = simt_rt_enter(&context);
  if (!error) error = check_device(context, device);
  if (!error && !pool) error = cudaErrorInvalidValue;
  if (!error)
    *pool =
        current ? current_pool(context, (uint32_t)device) : default_pool(context, (uint32_t)device);
  return simt_rt_leave(context, error);
}

cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t *pool, int device) {
  return give(pool, device, false);
}
cudaError_t cudaDeviceGetMemPool(cudaMemPool_t *pool, int device) {
  return give(pool, device, true);
}

cudaError_t cudaDeviceSetMemPool(int device, cudaMemPool_t pool) {
  rt_context *context;
  cudaError_t error = simt_rt_enter(&context);
  if (!error) error = check_device(context, device);
  const rt_pool *p = error ? NULL : find_pool(context, pool);
  if (!error && (!p || p->device != (uint32_t)device)) error = cudaErrorInvalidValue;
  if (!error) context->devices[device].current_pool = pool;
  return simt_rt_leave(context, error);
}

cudaError_t cudaMemPoolCreate(cudaMemPool_t *pool, const struct cudaMemPoolProps *props) {
  rt_context *context;
  cudaError_t error = simt_rt_enter(&context);
  if (!error && (!pool || !props || props->allocType != cudaMemAllocationTypePinned ||
                 props->location.type != cudaMemLocationTypeDevice))
    error = cudaErrorInvalidValue;
  if (!error) error = check_device(context, props->location.id);
  const uint32_t device = error ? 0 : (uint32_t)props->location.id;
  if (!error && (!default_pool(context, device) || !(*pool = new_pool(context, device))))
    error = cudaErrorMemoryAllocation;
  return simt_rt_leave(context, error);
}

cudaError_t cudaMemPoolDestroy(cudaMemPool_t pool) {
  rt_context *context;
  cudaError_t error = simt_rt_enter(&context);
  rt_pool *p = error ? NULL : find_pool(context, pool);
  if (!error && (!p || p == default_pool(context, p->device))) error = cudaErrorInvalidValue;
  if (!error) {
    rt_pool **link = &context->pools;
    while (*link != p) link = &(*link)->next;
    *link = p->next;
    if (context->devices[p->device].current_pool == p)
      context->devices[p->device].current_pool = NULL;
    free_pool(p);
  }
  return simt_rt_leave(context, error);
}

static cudaError_t set_attribute(rt_pool *p, enum cudaMemPoolAttr attr, const void *value) {
  uint64_t wide = 0;
  int narrow = 0;
  if (attr >= cudaMemPoolReuseFollowEventDependencies &&
      attr <= cudaMemPoolReuseAllowInternalDependencies) {
    memcpy(&narrow, value, sizeof narrow);
    p->reuse[attr] = narrow != 0;
    return cudaSuccess;
  }
  memcpy(&wide, value, sizeof wide);
  if (attr == cudaMemPoolAttrReleaseThreshold) return p->threshold = wide, cudaSuccess;
  if (wide) return cudaErrorInvalidValue; // high-water marks can be set to zero only
  if (attr == cudaMemPoolAttrReservedMemHigh) p->reserved_high = p->reserved;
  else if (attr == cudaMemPoolAttrUsedMemHigh) p->used_high = p->used;
  else return cudaErrorInvalidValue;
  return cudaSuccess;
}

static cudaError_t get_attribute(const rt_pool *p, enum cudaMemPoolAttr attr, void *value) {
  const uint64_t wide[] = {[cudaMemPoolAttrReleaseThreshold] = p->threshold,
                           [cudaMemPoolAttrReservedMemCurrent] = p->reserved,
                           [cudaMemPoolAttrReservedMemHigh] = p->reserved_high,
                           [cudaMemPoolAttrUsedMemCurrent] = p->used,
                           [cudaMemPoolAttrUsedMemHigh] = p->used_high};
  if (attr < cudaMemPoolReuseFollowEventDependencies || attr > cudaMemPoolAttrUsedMemHigh)
    return cudaErrorInvalidValue;
  if (attr <= cudaMemPoolReuseAllowInternalDependencies)
    memcpy(value, &p->reuse[attr], sizeof p->reuse[attr]);
  else memcpy(value, &wide[attr], sizeof wide[attr]);
  return cudaSuccess;
}

cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t pool, enum cudaMemPoolAttr attr, void *value) {
  rt_context *context;
  cudaError_t error = simt_rt_enter(&context);
  rt_pool *p = error ? NULL : find_pool(context, pool);
  if (!error) error = p && value ? set_attribute(p, attr, value) : cudaErrorInvalidValue;
  return simt_rt_leave(context, error);
}

cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t pool, enum cudaMemPoolAttr attr, void *value) {
  rt_context *context;
  cudaError_t error = simt_rt_enter(&context);
  const rt_pool *p = error ? NULL : find_pool(context, pool);
  if (!error) error = p && value ? get_attribute(p, attr, value) : cudaErrorInvalidValue;
  return simt_rt_leave(context, error);
}

cudaError_t cudaMemPoolTrimTo(cudaMemPool_t pool, size_t keep) {
  rt_context *context;
  cudaError_t error = simt_rt_enter(&context);
  rt_pool *p = error ? NULL : find_pool(context, pool);
  if (!error && !p) error = cudaErrorInvalidValue;
  if (!error) release_reserve(p, keep);
  return simt_rt_leave(context, error);
}

static void share(rt_context *context, rt_pool *p, uint32_t device, bool with) {
  p->shared_with = with ? p->shared_with | 1u << device : p->shared_with & ~(1u << device);
  for (const pooled *a = p->allocations; a; a = a->next)
    simt_memory_share(context->memory, a->address, p->shared_with);
}

// The pool's own device always has access.
cudaError_t cudaMemPoolSetAccess(cudaMemPool_t pool, const struct cudaMemAccessDesc *list,
                                 size_t count) {
  rt_context *context;
  cudaError_t error = simt_rt_enter(&context);
  rt_pool *p = error ? NULL : find_pool(context, pool);
  if (!error && (!p || (count && !list))) error = cudaErrorInvalidValue;
  for (size_t i = 0; !error && i < count; i++) {
    error = check_device(context, list[i].location.id);
    const bool with = list[i].flags == cudaMemAccessFlagsProtReadWrite;
    if (!error && (uint32_t)list[i].location.id == p->device && !with)
      error = cudaErrorInvalidValue;
    if (!error) share(context, p, (uint32_t)list[i].location.id, with);
  }
  return simt_rt_leave(context, error);
}

cudaError_t cudaMemPoolGetAccess(enum cudaMemAccessFlags *flags, cudaMemPool_t pool,
                                 struct cudaMemLocation *location) {
  rt_context *context;
  cudaError_t error = simt_rt_enter(&context);
  const rt_pool *p = error ? NULL : find_pool(context, pool);
  if (!error && (!p || !flags || !location)) error = cudaErrorInvalidValue;
  if (!error) error = check_device(context, location->id);
  if (!error) {
    const bool may =
        (uint32_t)location->id == p->device || p->shared_with >> (uint32_t)location->id & 1;
    *flags = may ? cudaMemAccessFlagsProtReadWrite : cudaMemAccessFlagsProtNone;
  }
  return simt_rt_leave(context, error);
}
