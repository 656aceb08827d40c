// SPDX-License-Identifier: MIT
// runtime/driver_virtual.c - virtual memory: reserved addresses, physical memory mapped to them,
// and which devices may access it.
//
// A handle is physical memory: bytes of the host. The first device that is given access to a
// mapping becomes its owner; others share it.
#include "runtime/driver.h"

#include <stdlib.h>
#include <string.h>

#include "runtime/runtime.h"

enum { GRANULARITY = 2 << 20 };

typedef struct handle { // what CUmemGenericAllocationHandle is the address of
  struct handle *next;
  uint8_t *bytes;
  size_t size;
  CUmemAllocationProp properties;
  unsigned n_users; // references held by the program and by mappings
  bool was_seen;    // a device had access: it may hold values
} handle;

typedef struct mapping {
  struct mapping *next;
  uint64_t address;
  size_t size, offset;
  handle *of;
  uint32_t readers, writers; // devices, a bit for each
} mapping;

typedef struct reservation {
  struct reservation *next;
  uint64_t address;
  size_t size;
} reservation;

static handle *handles; // guarded by the context's lock
static mapping *mappings;
static reservation *reservations;

static handle *find_handle(CUmemGenericAllocationHandle h) {
  handle *at = handles;
  while (at && (uintptr_t)at != h) at = at->next;
  return at;
}

static mapping *find_mapping(uint64_t address) {
  mapping *m = mappings;
  while (m && address - m->address >= m->size) m = m->next;
  return m;
}

static bool is_reserved(uint64_t address, size_t size) {
  for (const reservation *r = reservations; r; r = r->next)
    if (address - r->address < r->size && size <= r->size - (address - r->address)) return true;
  return false;
}

static void unlink_handle(handle *h) {
  if (--h->n_users) return;
  handle **link = &handles;
  while (*link != h) link = &(*link)->next;
  *link = h->next;
  free(h->bytes);
  free(h);
}

static bool is_whole(size_t size) { return size && size % GRANULARITY == 0; }

#define BEGIN                                                                                      \
  rt_context *context;                                                                             \
  if (!atomic_load(&simt_drv_is_initialised)) return CUDA_ERROR_NOT_INITIALIZED;                   \
  CUresult result = simt_drv_result(INSIDE(simt_rt_enter(&context)))
#define END return simt_rt_leave_unheard(context, cudaSuccess), result

CUresult cuMemGetAllocationGranularity(size_t *bytes, const CUmemAllocationProp *properties,
                                       CUmemAllocationGranularity_flags option) {
  (void)option;
  if (!bytes || !properties || properties->type != CU_MEM_ALLOCATION_TYPE_PINNED)
    return CUDA_ERROR_INVALID_VALUE;
  *bytes = GRANULARITY;
  return CUDA_SUCCESS;
}

// ---- Addresses.

CUresult cuMemAddressReserve(CUdeviceptr *address, size_t size, size_t alignment, CUdeviceptr wish,
                             unsigned long long flags) {
  (void)wish;
  BEGIN;
  if (!result && (!address || !is_whole(size) || flags || (alignment & (alignment - 1))))
    result = CUDA_ERROR_INVALID_VALUE;
  reservation *r = result ? NULL : malloc(sizeof *r);
  if (!result && !r) result = CUDA_ERROR_OUT_OF_MEMORY;
  if (r) {
    if (alignment < GRANULARITY) alignment = GRANULARITY;
    *r = (reservation){reservations, simt_memory_reserve(context->memory, size, alignment), size};
    reservations = r;
    *address = r->address;
  }
  END;
}

CUresult cuMemAddressFree(CUdeviceptr address, size_t size) {
  BEGIN;
  reservation **link = &reservations;
  while (*link && ((*link)->address != address || (*link)->size != size)) link = &(*link)->next;
  if (!result && !*link) result = CUDA_ERROR_INVALID_VALUE;
  for (const mapping *m = mappings; !result && m; m = m->next)
    if (m->address - address < size) result = CUDA_ERROR_INVALID_VALUE;
  if (!result) {
    reservation *gone = *link;
    *link = gone->next;
    free(gone);
  }
  END;
}

// ---- Physical memory.

CUresult cuMemCreate(CUmemGenericAllocationHandle *out, size_t size,
                     const CUmemAllocationProp *properties, unsigned long long flags) {
  BEGIN;
  handle *h = NULL;
  if (!result && (!out || !properties || flags || !is_whole(size) ||
                  properties->type != CU_MEM_ALLOCATION_TYPE_PINNED))
    result = CUDA_ERROR_INVALID_VALUE;
  if (!result && properties->location.type == CU_MEM_LOCATION_TYPE_DEVICE &&
      (uint32_t)properties->location.id >= context->options.n_devices)
    result = CUDA_ERROR_INVALID_DEVICE;
  if (!result && size > context->device->dram_bytes) result = CUDA_ERROR_OUT_OF_MEMORY;
  if (!result && !(h = calloc(1, sizeof *h))) result = CUDA_ERROR_OUT_OF_MEMORY;
  if (!result && !(h->bytes = calloc(1, size))) {
    free(h);
    result = CUDA_ERROR_OUT_OF_MEMORY;
  }
  if (!result) {
    h->next = handles;
    h->size = size;
    h->properties = *properties;
    h->n_users = 1;
    handles = h;
    *out = (uintptr_t)h;
  }
  END;
}

CUresult cuMemRelease(CUmemGenericAllocationHandle h) {
  BEGIN;
  handle *found = find_handle(h);
  if (!result && !found) result = CUDA_ERROR_INVALID_VALUE;
  if (!result) unlink_handle(found);
  END;
}

CUresult cuMemRetainAllocationHandle(CUmemGenericAllocationHandle *out, void *address) {
  BEGIN;
  const mapping *m = find_mapping((uintptr_t)address);
  if (!result && (!out || !m)) result = CUDA_ERROR_INVALID_VALUE;
  if (!result) {
    m->of->n_users++;
    *out = (uintptr_t)m->of;
  }
  END;
}

CUresult cuMemGetAllocationPropertiesFromHandle(CUmemAllocationProp *properties,
                                                CUmemGenericAllocationHandle h) {
  BEGIN;
  const handle *found = find_handle(h);
  if (!result && (!properties || !found)) result = CUDA_ERROR_INVALID_VALUE;
  if (!result) *properties = found->properties;
  END;
}

// ---- Mappings.

CUresult cuMemMap(CUdeviceptr address, size_t size, size_t offset, CUmemGenericAllocationHandle h,
                  unsigned long long flags) {
  BEGIN;
  handle *of = find_handle(h);
  mapping *m = NULL;
  if (!result && of && (offset || size != of->size)) result = CUDA_ERROR_NOT_SUPPORTED;
  if (!result && (!of || flags || !is_whole(size) || !is_reserved(address, size)))
    result = CUDA_ERROR_INVALID_VALUE;
  for (const mapping *other = mappings; !result && other; other = other->next)
    if (other->address - address < size || address - other->address < other->size)
      result = CUDA_ERROR_INVALID_VALUE;
  if (!result && !(m = malloc(sizeof *m))) result = CUDA_ERROR_OUT_OF_MEMORY;
  if (!result) {
    *m = (mapping){mappings, address, size, offset, of, 0, 0};
    mappings = m;
    of->n_users++;
  }
  END;
}

static void hide(rt_context *context, const mapping *m) {
  simt_diag diag;
  const simt_allocation *a = simt_memory_find(context->memory, m->address, 1);
  if (!a || a->address != m->address) return;
  simt_rt_tell_freed(context, a);
  simt_memory_free(context->memory, m->address, &diag);
}

// Whether no mapping reaches across an end of [address, address + size).
static bool divides(uint64_t address, size_t size) {
  for (const mapping *m = mappings; m; m = m->next) {
    const uint64_t from = m->address, to = m->address + m->size, end = address + size;
    if ((from < address && to > address) || (from < end && to > end)) return false;
  }
  return true;
}

// Whether [address, address + size) is made of whole mappings.
static bool covers(uint64_t address, size_t size) {
  for (uint64_t at = address; at < address + size;) {
    const mapping *m = find_mapping(at);
    if (!m || m->address != at || m->size > address + size - at) return false;
    at += m->size;
  }
  return true;
}

CUresult cuMemUnmap(CUdeviceptr address, size_t size) {
  BEGIN;
  if (!result && (!is_whole(size) || !is_reserved(address, size) || !divides(address, size)))
    result = CUDA_ERROR_INVALID_VALUE; // there need be no mapping
  for (mapping **link = &mappings; !result && *link;) {
    mapping *m = *link;
    if (m->address - address >= size) {
      link = &m->next;
      continue;
    }
    simt_rt_synchronize(context);
    hide(context, m);
    *link = m->next;
    unlink_handle(m->of);
    free(m);
  }
  END;
}

// ---- Access.

static CUresult show(rt_context *context, mapping *m) {
  simt_diag diag;
  const uint32_t current = context->on->ordinal;
  hide(context, m);
  if (!m->readers) return CUDA_SUCCESS;
  simt_rt_switch(context, (uint32_t)__builtin_ctz(m->readers));
  simt_status status =
      simt_memory_map(context->memory, m->address, m->size, m->of->bytes + m->offset, &diag);
  if (status == SIMT_OK) {
    simt_memory_share(context->memory, m->address, m->readers);
    simt_rt_tell_allocated(context, m->address);
    if (m->of->was_seen) simt_rt_tell_set(context, (void *)(uintptr_t)m->address, m->size);
    m->of->was_seen = true;
  }
  simt_rt_switch(context, current);
  return simt_drv_result(simt_rt_error_of(status));
}

static CUresult grant(rt_context *context, mapping *m, const CUmemAccessDesc *desc) {
  if (desc->location.type != CU_MEM_LOCATION_TYPE_DEVICE ||
      (uint32_t)desc->location.id >= context->options.n_devices)
    return CUDA_ERROR_INVALID_VALUE;
  const uint32_t bit = UINT32_C(1) << desc->location.id;
  m->readers = desc->flags != CU_MEM_ACCESS_FLAGS_PROT_NONE ? m->readers | bit : m->readers & ~bit;
  m->writers =
      desc->flags == CU_MEM_ACCESS_FLAGS_PROT_READWRITE ? m->writers | bit : m->writers & ~bit;
  return CUDA_SUCCESS;
}

CUresult cuMemSetAccess(CUdeviceptr address, size_t size, const CUmemAccessDesc *desc,
                        size_t count) {
  BEGIN;
  if (!result && (!desc || !count || !is_whole(size) || !covers(address, size)))
    result = CUDA_ERROR_INVALID_VALUE;
  for (mapping *m = mappings; !result && m; m = m->next) {
    if (m->address - address >= size) continue;
    for (size_t i = 0; !result && i < count; i++) result = grant(context, m, &desc[i]);
    if (!result) result = show(context, m);
  }
  END;
}

CUresult cuMemGetAccess(unsigned long long *flags, const CUmemLocation *location,
                        CUdeviceptr address) {
  BEGIN;
  const mapping *m = find_mapping(address);
  if (!result && (!flags || !location || !m || location->type != CU_MEM_LOCATION_TYPE_DEVICE))
    result = CUDA_ERROR_INVALID_VALUE;
  if (!result) {
    const bool reads = m->readers >> location->id & 1, writes = m->writers >> location->id & 1;
    *flags = writes  ? CU_MEM_ACCESS_FLAGS_PROT_READWRITE
             : reads ? CU_MEM_ACCESS_FLAGS_PROT_READ
                     : CU_MEM_ACCESS_FLAGS_PROT_NONE;
  }
  END;
}

// ---- What one process gives to another one.
static CUresult refuse_sharing(const char *call) {
  simt_rt_refuse_sharing(call);
  return CUDA_ERROR_NOT_SUPPORTED;
}
CUresult cuIpcGetMemHandle(CUipcMemHandle *out, CUdeviceptr address) {
  IN_CONTEXT(cudaIpcGetMemHandle((cudaIpcMemHandle_t *)(void *)out, (void *)(uintptr_t)address));
}
CUresult cuIpcOpenMemHandle(CUdeviceptr *address, CUipcMemHandle memory, unsigned int flags) {
  cudaIpcMemHandle_t from;
  memcpy(&from, &memory, sizeof from);
  IN_CONTEXT(cudaIpcOpenMemHandle((void **)(void *)address, from, flags));
}
CUresult cuIpcCloseMemHandle(CUdeviceptr address) {
  IN_CONTEXT(cudaIpcCloseMemHandle((void *)(uintptr_t)address));
}
CUresult cuIpcGetEventHandle(CUipcEventHandle *out, CUevent event) {
  IN_CONTEXT(cudaIpcGetEventHandle((cudaIpcEventHandle_t *)(void *)out, event));
}
CUresult cuIpcOpenEventHandle(CUevent *event, CUipcEventHandle from) {
  cudaIpcEventHandle_t shared;
  memcpy(&shared, &from, sizeof shared);
  IN_CONTEXT(cudaIpcOpenEventHandle(event, shared));
}
CUresult cuMemExportToShareableHandle(void *shareable, CUmemGenericAllocationHandle h,
                                      CUmemAllocationHandleType type, unsigned long long flags) {
  if (!shareable || !type || flags || !find_handle(h)) return CUDA_ERROR_INVALID_VALUE;
  return refuse_sharing("cuMemExportToShareableHandle");
}
CUresult cuMemImportFromShareableHandle(CUmemGenericAllocationHandle *h, void *shareable,
                                        CUmemAllocationHandleType type) {
  (void)h, (void)shareable, (void)type;
  return refuse_sharing("cuMemImportFromShareableHandle");
}
