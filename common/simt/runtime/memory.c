// SPDX-License-Identifier: MIT
// runtime/memory.c - allocation and queries: device, pinned and managed memory.
//
// Freed memory is gone at once. Not modelled: page migration.
#include "runtime/driver.h"
#include "runtime/pool.h"
#include "runtime/runtime.h"

#include <stdio.h>
#include <string.h>

enum { PITCH_ALIGNMENT = 512 };

// Small allocations share blocks. For a new one a GPU waits for its kernels: what they have printed
// is seen. Not modelled: that freed memory is taken first.
static void take_of_block(rt_context *context, simt_allocation_kind kind, uint64_t bytes) {
  static const uint64_t BLOCK_BYTES = UINT64_C(2) << 20, GRAIN_BYTES = 512;
  const uint64_t taken = (bytes + GRAIN_BYTES - 1) / GRAIN_BYTES * GRAIN_BYTES;
  if (kind != SIMT_ALLOCATION_DEVICE || !bytes) return;
  if (taken > context->on->block_left) {
    simt_rt_flush_prints(context);
    if (taken >= BLOCK_BYTES) return; // a block of its own
    context->on->block_left = BLOCK_BYTES;
  }
  context->on->block_left -= taken;
}

static cudaError_t allocate(rt_context *context, void **pointer, size_t bytes,
                            simt_allocation_kind kind, const char *call) {
  if (!pointer) return cudaErrorInvalidValue;
  uint64_t address = 0;
  simt_diag diag = {.text = ""};
  simt_status status = simt_memory_alloc(context->memory, bytes, kind, NULL, &address, &diag);
  if (status != SIMT_OK) {
    simt_rt_note(context, "%s: %s", call, diag.text);
    return status == SIMT_OUT_OF_MEMORY ? cudaErrorMemoryAllocation : simt_rt_error_of(status);
  }
  take_of_block(context, kind, bytes);
  *pointer = (void *)(uintptr_t)address;
  simt_rt_tell_allocated(context, address);
  return cudaSuccess;
}

// A finding where memcheck is on, else a note.
static void refuse_free(rt_context *context, const char *text) {
  if (context->options.checkers & SIMT_CHECK_MEMCHECK) simt_rt_find_wrong_free(context, text);
  else simt_rt_note(context, "%s", text);
}

// Frees what `call` is for; `host` says which kinds those are.
// `in`: the stream of cudaFreeAsync(), or NULL: the host waits for all work first.
static cudaError_t release(rt_context *context, rt_stream *in, void *pointer, bool host,
                           const char *call) {
  if (!pointer) return cudaSuccess;
  uint64_t address = (uintptr_t)pointer;
  const simt_allocation *a = simt_memory_find(context->memory, address, 1);
  bool is_start = a && a->address == address;
  bool is_kind = a && (host ? a->kind == SIMT_ALLOCATION_PINNED
                            : (a->kind == SIMT_ALLOCATION_DEVICE && !a->is_borrowed) ||
                                  a->kind == SIMT_ALLOCATION_MANAGED);
  if (!is_start || !is_kind) {
    char why[256], text[400];
    if (is_start)
      snprintf(text, sizeof text, "%s: %p was allocated by another kind of call", call, pointer);
    else
      snprintf(text, sizeof text, "%s: %p is not the start of an allocation: %s", call, pointer,
               simt_memory_explain(context->memory, address, 1, why, sizeof why));
    refuse_free(context, text);
    return cudaErrorInvalidValue;
  }
  if (in && simt_rt_queue_is_behind(context, in))
    return simt_rt_queue_node(context, in, &(rt_node){.kind = RT_NODE_FREE, .dst = pointer});
  if (!in) simt_rt_synchronize(context); // which may move what `a` points to
  const cudaError_t fault = in ? cudaSuccess : simt_rt_notice_fault(context);
  if (fault) return fault;
  simt_rt_tell_freed(context, simt_memory_find(context->memory, address, 1));
  const bool is_pooled = simt_rt_pool_freed(context, address, in);
  if (is_pooled && !in) simt_rt_pools_synchronised(context, NULL);
  if (!is_pooled) simt_rt_graph_memory_freed(context, address);
  simt_diag diag;
  return simt_memory_free(context->memory, address, &diag) == SIMT_OK ? cudaSuccess
                                                                      : cudaErrorInvalidValue;
}

static cudaError_t allocate_call(void **pointer, size_t bytes, simt_allocation_kind kind,
                                 const char *call) {
  rt_context *context;
  cudaError_t error = simt_rt_enter(&context);
  if (!pointer) error = cudaErrorInvalidValue; // also where the device has failed
  if (!error && bytes) error = simt_rt_capture_forbids(context);
  if (!error) error = allocate(context, pointer, bytes, kind, call);
  return simt_rt_leave(context, error);
}

static cudaError_t release_call(void *pointer, bool host, const char *call) {
  rt_context *context;
  cudaError_t error = simt_rt_enter(&context);
  if (!error && (pointer || !host)) error = simt_rt_capture_forbids(context);
  if (!error) error = release(context, NULL, pointer, host, call);
  return simt_rt_leave(context, error);
}

cudaError_t cudaMalloc(void **pointer, size_t bytes) {
  return allocate_call(pointer, bytes, SIMT_ALLOCATION_DEVICE, "cudaMalloc");
}

cudaError_t cudaFree(void *pointer) { return release_call(pointer, false, "cudaFree"); }

cudaError_t cudaMallocHost(void **pointer, size_t bytes) {
  return allocate_call(pointer, bytes, SIMT_ALLOCATION_PINNED, "cudaMallocHost");
}

cudaError_t cudaHostAlloc(void **pointer, size_t bytes, unsigned int flags) {
  if (flags & ~(unsigned)(cudaHostAllocPortable | cudaHostAllocMapped | cudaHostAllocWriteCombined))
    return simt_rt_answer(cudaErrorInvalidValue);
  rt_context *context;
  cudaError_t error = simt_rt_enter(&context);
  if (!error) error = simt_rt_capture_forbids(context);
  if (!error) error = allocate(context, pointer, bytes, SIMT_ALLOCATION_PINNED, "cudaHostAlloc");
  if (!error) simt_memory_set_flags(context->memory, (uintptr_t)*pointer, (uint8_t)flags);
  return simt_rt_leave(context, error);
}

cudaError_t cudaFreeHost(void *pointer) { return release_call(pointer, true, "cudaFreeHost"); }

cudaError_t cudaMallocManaged(void **pointer, size_t bytes, unsigned int flags) {
  if (flags != cudaMemAttachGlobal && flags != cudaMemAttachHost)
    return simt_rt_answer(cudaErrorInvalidValue);
  return allocate_call(pointer, bytes, SIMT_ALLOCATION_MANAGED, "cudaMallocManaged");
}

static cudaError_t allocate_pooled(rt_context *context, void **pointer, size_t bytes,
                                   cudaMemPool_t pool, const rt_stream *stream) {
  uint64_t address = 0;
  simt_diag diag = {.text = ""};
  const simt_status status =
      bytes ? simt_rt_pool_allocate(context, pool, bytes, stream, &address, &diag) : SIMT_OK;
  if (status != SIMT_OK) {
    simt_rt_note(context, "cudaMallocAsync: %s", diag.text);
    return status == SIMT_OUT_OF_MEMORY ? cudaErrorMemoryAllocation : simt_rt_error_of(status);
  }
  *pointer = (void *)(uintptr_t)address;
  if (address) simt_rt_tell_allocated(context, address);
  return cudaSuccess;
}

cudaError_t cudaMallocFromPoolAsync(void **pointer, size_t bytes, cudaMemPool_t pool,
                                    cudaStream_t stream) {
  rt_context *context;
  cudaError_t error = simt_rt_enter(&context);
  if (!error && !simt_rt_stream_of(context, stream)) error = cudaErrorInvalidResourceHandle;
  if (!error && pool && !simt_rt_pool_exists(context, pool)) error = cudaErrorInvalidValue;
  rt_stream *in = error ? NULL : simt_rt_stream_of(context, stream);
  if (!error && in->capture) {
    error =
        pointer ? simt_rt_capture_allocation(context, in, bytes, pointer) : cudaErrorInvalidValue;
    return simt_rt_leave(context, error);
  }
  if (!error && !pointer) error = cudaErrorInvalidValue;
  if (!error) simt_rt_switch(context, simt_rt_pool_device(context, pool));
  if (!error) error = allocate_pooled(context, pointer, bytes, pool, in);
  return simt_rt_leave(context, error);
}

cudaError_t cudaMallocAsync(void **pointer, size_t bytes, cudaStream_t stream) {
  return cudaMallocFromPoolAsync(pointer, bytes, NULL, stream);
}

cudaError_t cudaFreeAsync(void *pointer, cudaStream_t stream) {
  rt_context *context;
  cudaError_t error = simt_rt_enter(&context);
  if (!error && !simt_rt_stream_of(context, stream)) error = cudaErrorInvalidResourceHandle;
  rt_stream *in = error ? NULL : simt_rt_stream_of(context, stream);
  if (!error && in->capture)
    return simt_rt_leave(context, simt_rt_capture_free(context, in, pointer));
  if (!error) error = release(context, in, pointer, false, "cudaFreeAsync");
  return simt_rt_leave(context, error);
}

cudaError_t cudaMallocPitch(void **pointer, size_t *pitch, size_t width, size_t height) {
  rt_context *context;
  cudaError_t error = simt_rt_enter(&context);
  if (!error && !pitch) error = cudaErrorInvalidValue;
  if (!error && width > SIZE_MAX - (PITCH_ALIGNMENT - 1)) error = cudaErrorInvalidValue;
  size_t row = (width + PITCH_ALIGNMENT - 1) / PITCH_ALIGNMENT * PITCH_ALIGNMENT;
  if (!error && height && row > SIZE_MAX / height) error = cudaErrorInvalidValue;
  if (!error)
    error = allocate(context, pointer, row * height, SIMT_ALLOCATION_DEVICE, "cudaMallocPitch");
  if (!error) *pitch = row;
  return simt_rt_leave(context, error);
}

// ---- Pinned memory.

static const simt_allocation *find(const rt_context *context, const void *pointer) {
  return simt_memory_find(context->memory, (uintptr_t)pointer, 1);
}

cudaError_t cudaHostGetDevicePointer(void **device, void *host, unsigned int flags) {
  rt_context *context;
  cudaError_t error = simt_rt_enter(&context);
  if (!error && (!device || !host || flags)) error = cudaErrorInvalidValue;
  if (!error) {
    const simt_allocation *a = find(context, host);
    bool shared = a && (a->kind == SIMT_ALLOCATION_PINNED || a->kind == SIMT_ALLOCATION_MANAGED ||
                        a->kind == SIMT_ALLOCATION_REGISTERED);
    if (shared) *device = host; // one address on both sides
    else error = cudaErrorInvalidValue;
  }
  return simt_rt_leave(context, error);
}

cudaError_t cudaHostGetFlags(unsigned int *flags, void *host) {
  rt_context *context;
  cudaError_t error = simt_rt_enter(&context);
  if (!error && !flags) error = cudaErrorInvalidValue;
  if (!error) {
    const simt_allocation *a = find(context, host);
    if (a && a->kind == SIMT_ALLOCATION_PINNED) *flags = cudaHostAllocMapped | a->host_flags;
    else if (a && a->kind == SIMT_ALLOCATION_REGISTERED)
      *flags = cudaHostRegisterMapped | (a->host_flags & cudaHostRegisterPortable);
    else error = cudaErrorInvalidValue;
  }
  return simt_rt_leave(context, error);
}

// The program's own memory, at its own address. It need not begin or end at a page.
cudaError_t cudaHostRegister(void *pointer, size_t bytes, unsigned int flags) {
  const unsigned known = cudaHostRegisterPortable | cudaHostRegisterMapped |
                         cudaHostRegisterIoMemory | cudaHostRegisterReadOnly;
  rt_context *context;
  cudaError_t error = simt_rt_enter(&context);
  if (!error && (!pointer || !bytes || flags & ~known)) error = cudaErrorInvalidValue;
  if (!error) error = simt_rt_capture_forbids(context);
  if (!error) {
    simt_diag diag;
    const simt_status status = simt_memory_adopt(context->memory, pointer, bytes, NULL, &diag);
    if (status == SIMT_OK)
      simt_memory_set_flags(context->memory, (uintptr_t)pointer, (uint8_t)flags);
    if (status == SIMT_OK) simt_rt_tell_allocated(context, (uintptr_t)pointer);
    else if (status == SIMT_OUT_OF_MEMORY) error = cudaErrorMemoryAllocation;
    else error = cudaErrorHostMemoryAlreadyRegistered;
  }
  return simt_rt_leave(context, error);
}

cudaError_t cudaHostUnregister(void *pointer) {
  rt_context *context;
  cudaError_t error = simt_rt_enter(&context);
  if (!error && !pointer) error = cudaErrorInvalidValue;
  if (!error) error = simt_rt_capture_forbids(context);
  const simt_allocation *a = error ? NULL : find(context, pointer);
  const bool is_own =
      a && a->kind == SIMT_ALLOCATION_REGISTERED && !a->name && a->address == (uintptr_t)pointer;
  if (!error && !is_own)
    error = a && a->kind == SIMT_ALLOCATION_REGISTERED && !a->name
                ? cudaErrorInvalidValue
                : cudaErrorHostMemoryNotRegistered;
  if (!error) {
    simt_diag diag;
    simt_rt_synchronize(context); // which may move what `a` points to
    simt_rt_tell_freed(context, find(context, pointer));
    simt_memory_free(context->memory, (uintptr_t)pointer, &diag);
  }
  return simt_rt_leave(context, error);
}

// ---- Queries.

cudaError_t cudaMemGetInfo(size_t *free_bytes, size_t *total_bytes) {
  rt_context *context;
  cudaError_t error = simt_rt_enter(&context);
  uint64_t left = 0, total = 0;
  if (!error) simt_memory_info(context->memory, &left, &total);
  if (!error && free_bytes) *free_bytes = (size_t)left;
  if (!error && total_bytes) *total_bytes = (size_t)total;
  return simt_rt_leave(context, error);
}

cudaError_t cudaPointerGetAttributes(struct cudaPointerAttributes *out, const void *pointer) {
  rt_context *context;
  cudaError_t error = simt_rt_enter_faulted(&context);
  if (!error && !out) error = cudaErrorInvalidValue;
  if (error) return simt_rt_leave(context, error);
  memset(out, 0, sizeof *out);
  const simt_allocation *a = find(context, pointer);
  if (a && a->kind == SIMT_ALLOCATION_HEAP) a = NULL; // of malloc() in a kernel
  void *address = (void *)(uintptr_t)(uintptr_t)pointer;
  if (!a) {
    out->type = cudaMemoryTypeUnregistered;
    out->device = cudaInvalidDeviceId;
    out->hostPointer = address;
  } else {
    const bool is_own = a->kind == SIMT_ALLOCATION_REGISTERED && !a->name;
    bool both = a->kind == SIMT_ALLOCATION_PINNED || a->kind == SIMT_ALLOCATION_MANAGED ||
                a->kind == SIMT_ALLOCATION_REGISTERED;
    out->type = a->kind == SIMT_ALLOCATION_PINNED || is_own ? cudaMemoryTypeHost
                : a->kind == SIMT_ALLOCATION_REGISTERED     ? cudaMemoryTypeManaged
                : a->kind == SIMT_ALLOCATION_MANAGED        ? cudaMemoryTypeManaged
                                                            : cudaMemoryTypeDevice;
    out->device = a->device;
    out->devicePointer = address;
    out->hostPointer = both ? address : NULL;
  }
  return simt_rt_leave(context, cudaSuccess);
}

cudaError_t simt_rt_range_of(const void *pointer, void **start, size_t *bytes) {
  rt_context *context;
  cudaError_t error = simt_rt_enter(&context);
  const simt_allocation *a = error ? NULL : find(context, pointer);
  if (!error && !a) error = cudaErrorInvalidValue;
  if (!error) *start = (void *)(uintptr_t)a->address;
  if (!error) *bytes = (size_t)a->size_bytes;
  return simt_rt_leave_unheard(context, error);
}

// Hints about where managed memory should live: accepted for managed memory, without effect.
static cudaError_t advise(const void *pointer, size_t bytes) {
  rt_context *context;
  cudaError_t error = simt_rt_enter(&context);
  if (!error) {
    const simt_allocation *a =
        bytes ? simt_memory_find(context->memory, (uintptr_t)pointer, bytes) : NULL;
    if (!a || a->kind != SIMT_ALLOCATION_MANAGED) error = cudaErrorInvalidValue;
  }
  return simt_rt_leave(context, error);
}

// Host and device always share managed memory, whatever stream it is attached to. The default
// stream is not one stream.
cudaError_t cudaStreamAttachMemAsync(cudaStream_t stream, void *pointer, size_t bytes,
                                     unsigned int flags) {
  const bool is_one = stream && stream != cudaStreamLegacy;
  const bool known = flags == cudaMemAttachGlobal || flags == cudaMemAttachHost ||
                     (flags == cudaMemAttachSingle && is_one);
  void *start = NULL;
  size_t whole = 0;
  const bool is_whole =
      !bytes || (!simt_rt_range_of(pointer, &start, &whole) && start == pointer && bytes == whole);
  return advise(known && is_whole ? pointer : NULL, bytes ? bytes : 1);
}
