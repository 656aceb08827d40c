// SPDX-License-Identifier: MIT
// runtime/pool.c - memory pools, each of one device: what they count, and their attributes. Where
// allocations lie is runtime/pool_blocks.c's.
//
// An allocation is memory of its own at an address of the pool's, so that checkers see a new one
// begin where one that was freed had been. With memcheck there is room behind every allocation, as
// large as itself: all else stays the same.
#include "runtime/pool.h"
#include "runtime/pools.h"

#include <stdlib.h>
#include <string.h>

// Addresses of a pool: what a pointer can hold.
static const uint64_t POOL_SPAN = sizeof(void *) < 8 ? UINT64_C(1) << 26 : UINT64_C(1) << 37;

typedef struct pooled {
  struct pooled *next;
  uint64_t address, size_bytes, at;
} pooled;

struct CUmemPoolHandle_st {
  rt_pool *next;
  uint32_t device;
  uint32_t shared_with; // bit mask of other devices that may access its memory
  uint64_t base;        // its first address; 0: none yet
  unsigned spread;      // how far apart its allocations lie: 1, or 2 with room between
  rt_blocks blocks;
  pooled *allocations;
  uint64_t most; // that it may reserve; 0: no limit
  uint64_t threshold, used, used_high, reserved_high;
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

static void count_reserved(rt_pool *p) {
  if (p->reserved_high < p->blocks.reserved) p->reserved_high = p->blocks.reserved;
}

static simt_status place(rt_context *context, rt_pool *p, uint64_t bytes, const rt_stream *stream,
                         pooled *a, simt_diag *diag) {
  if (!p->base) {
    p->spread = context->options.checkers & SIMT_CHECK_MEMCHECK ? 2 : 1;
    p->base = simt_memory_reserve(context->memory, POOL_SPAN, RT_POOL_STEP);
  }
  if (bytes >= POOL_SPAN / 2 || !simt_rt_blocks_take(&p->blocks, bytes, stream, &a->at))
    return simt_fail(diag, SIMT_OUT_OF_MEMORY, "%llu bytes asked for of a pool",
                     (unsigned long long)bytes);
  if (p->most && p->blocks.reserved > p->most) {
    simt_rt_blocks_give(&p->blocks, a->at, 0, 0);
    return simt_fail(diag, SIMT_OUT_OF_MEMORY, "%llu bytes asked for of a pool of at most %llu",
                     (unsigned long long)bytes, (unsigned long long)p->most);
  }
  a->address = p->base + a->at * p->spread;
  const simt_status status = simt_memory_map(context->memory, a->address, bytes, NULL, diag);
  if (status != SIMT_OK) simt_rt_blocks_give(&p->blocks, a->at, 0, 0);
  return status;
}

simt_status simt_rt_pool_allocate(rt_context *context, cudaMemPool_t handle, uint64_t bytes,
                                  const rt_stream *stream, uint64_t *address, simt_diag *diag) {
  rt_pool *p = handle ? handle : current_pool(context, context->on->ordinal);
  pooled *a = p ? calloc(1, sizeof *a) : NULL;
  if (!a) return simt_fail(diag, SIMT_OUT_OF_MEMORY, "the host has no memory to spare");
  const uint64_t before = p->blocks.reserved;
  const simt_status status = place(context, p, bytes, stream, a, diag);
  if (status != SIMT_OK) {
    free(a);
    simt_rt_blocks_release(&p->blocks, before);
    return status;
  }
  a->size_bytes = bytes;
  a->next = p->allocations;
  p->allocations = a;
  simt_memory_share(context->memory, a->address, p->shared_with);
  p->used += bytes;
  if (p->used > p->used_high) p->used_high = p->used;
  count_reserved(p);
  *address = a->address;
  return SIMT_OK;
}

// cudaFree() gives the memory back, but an H100 counts it as used from then on.
bool simt_rt_pool_freed(rt_context *context, uint64_t address, const rt_stream *stream) {
  for (rt_pool *p = context->pools; p; p = p->next)
    for (pooled **link = &p->allocations; *link; link = &(*link)->next) {
      pooled *a = *link;
      if (a->address != address) continue;
      if (stream) p->used -= a->size_bytes;
      simt_rt_blocks_give(&p->blocks, a->at, stream ? stream->id : 0, ++context->n_freed);
      *link = a->next;
      free(a);
      return true;
    }
  return false;
}

bool simt_rt_pool_holds(const rt_context *context, uint64_t address) {
  for (const rt_pool *p = context->pools; p; p = p->next)
    for (const pooled *a = p->allocations; a; a = a->next)
      if (address - a->address < a->size_bytes) return true;
  return false;
}

void simt_rt_pools_settle(rt_context *context, const rt_stream *stream) {
  for (rt_pool *p = context->pools; p; p = p->next)
    if (p->device == (stream ? stream->device : context->on->ordinal))
      simt_rt_blocks_settle(&p->blocks, stream && !simt_rt_is_legacy(stream) ? stream->id : 0);
}

// The host has waited: pools give back what they may not keep.
void simt_rt_pools_synchronised(rt_context *context, const rt_stream *stream) {
  simt_rt_pools_settle(context, stream);
  for (rt_pool *p = context->pools; p; p = p->next)
    simt_rt_blocks_release(&p->blocks, p->threshold);
}

static void empty_pool(rt_pool *p) {
  while (p->allocations) {
    pooled *a = p->allocations;
    p->allocations = a->next;
    free(a);
  }
  free(p->blocks.items);
  p->blocks = (rt_blocks){.items = NULL};
  p->base = p->used = p->used_high = p->reserved_high = 0;
}

static void free_pool(rt_pool *p) {
  empty_pool(p);
  free(p);
}

// The default pool stays, with its attributes, as on an H100.
void simt_rt_pools_reset(rt_context *context) {
  const rt_pool *kept = default_pool(context, context->on->ordinal);
  for (rt_pool **link = &context->pools; *link;) {
    rt_pool *p = *link;
    if (p->device != context->on->ordinal || p == kept) {
      if (p == kept) empty_pool(p);
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
  cudaError_t error = simt_rt_enter_faulted(&context);
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

// The pools of a device by its place: its memory is of one type.
static cudaError_t of_place(const struct cudaMemLocation *place, enum cudaMemAllocationType type) {
  const bool is_one =
      place && place->type == cudaMemLocationTypeDevice && type == cudaMemAllocationTypePinned;
  return is_one ? cudaSuccess : simt_rt_answer(cudaErrorInvalidValue);
}
cudaError_t cudaMemGetDefaultMemPool(cudaMemPool_t *pool, struct cudaMemLocation *place,
                                     enum cudaMemAllocationType type) {
  const cudaError_t wrong = of_place(place, type);
  return wrong ? wrong : cudaDeviceGetDefaultMemPool(pool, place->id);
}
cudaError_t cudaMemGetMemPool(cudaMemPool_t *pool, struct cudaMemLocation *place,
                              enum cudaMemAllocationType type) {
  const cudaError_t wrong = of_place(place, type);
  return wrong ? wrong : cudaDeviceGetMemPool(pool, place->id);
}
cudaError_t cudaMemSetMemPool(struct cudaMemLocation *place, enum cudaMemAllocationType type,
                              cudaMemPool_t pool) {
  const cudaError_t wrong = of_place(place, type);
  return wrong ? wrong : cudaDeviceSetMemPool(place->id, pool);
}

cudaError_t cudaMemPoolCreate(cudaMemPool_t *pool, const struct cudaMemPoolProps *props) {
  rt_context *context;
  cudaError_t error = simt_rt_enter(&context);
  if (!error && (!pool || !props || props->allocType != cudaMemAllocationTypePinned ||
                 props->location.type != cudaMemLocationTypeDevice))
    error = cudaErrorInvalidValue;
  if (!error && check_device(context, props->location.id)) error = cudaErrorInvalidValue;
  const uint32_t device = error ? 0 : (uint32_t)props->location.id;
  if (!error && (!default_pool(context, device) || !(*pool = new_pool(context, device))))
    error = cudaErrorMemoryAllocation;
  if (!error && props->maxSize)
    (*pool)->most = (props->maxSize + RT_POOL_STEP - 1) / RT_POOL_STEP * RT_POOL_STEP;
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
  if (attr == cudaMemPoolAttrReservedMemHigh) p->reserved_high = p->blocks.reserved;
  else if (attr == cudaMemPoolAttrUsedMemHigh) p->used_high = p->used;
  else return cudaErrorInvalidValue;
  return cudaSuccess;
}

static cudaError_t get_attribute(const rt_pool *p, enum cudaMemPoolAttr attr, void *value) {
  const uint64_t wide[] = {[cudaMemPoolAttrReleaseThreshold] = p->threshold,
                           [cudaMemPoolAttrReservedMemCurrent] = p->blocks.reserved,
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
  cudaError_t error = simt_rt_enter_faulted(&context);
  const rt_pool *p = error ? NULL : find_pool(context, pool);
  if (!error) error = p && value ? get_attribute(p, attr, value) : cudaErrorInvalidValue;
  return simt_rt_leave(context, error);
}

cudaError_t cudaMemPoolTrimTo(cudaMemPool_t pool, size_t keep) {
  rt_context *context;
  cudaError_t error = simt_rt_enter(&context);
  rt_pool *p = error ? NULL : find_pool(context, pool);
  if (!error && !p) error = cudaErrorInvalidValue;
  if (!error) simt_rt_blocks_release(&p->blocks, keep);
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
      error = cudaErrorInvalidDevice;
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
