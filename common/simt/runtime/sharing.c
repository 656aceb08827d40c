// SPDX-License-Identifier: MIT
// runtime/sharing.c - what one process gives to another one. Handles can be had, and are refused
// where they are opened: by the process itself as on a GPU, by another one because a software GPU
// belongs to its process.
#include "runtime/runtime.h"

#include <string.h>
#include <unistd.h>

cudaError_t simt_rt_refuse_sharing(const char *call) {
  rt_context *context = simt_rt_enter_quietly();
  simt_rt_note(context,
               "%s: a software GPU belongs to its process; use threads, SIMT_DEVICES, or MPI",
               call);
  return simt_rt_leave(context, cudaErrorNotSupported);
}

typedef struct origin { // what a handle holds
  uint64_t process, address;
} origin;

static cudaError_t give(void *handle, size_t bytes, uint64_t address) {
  const origin o = {(uint64_t)getpid(), address};
  memset(handle, 0, bytes);
  memcpy(handle, &o, sizeof o);
  return cudaSuccess;
}

static cudaError_t refuse_opening(const void *handle, const char *call) {
  origin o;
  memcpy(&o, handle, sizeof o);
  if (o.process != (uint64_t)getpid()) return simt_rt_refuse_sharing(call);
  return simt_rt_answer(cudaErrorDeviceUninitialized);
}

cudaError_t cudaIpcGetMemHandle(cudaIpcMemHandle_t *handle, void *pointer) {
  rt_context *context;
  cudaError_t error = simt_rt_enter(&context);
  const simt_allocation *a =
      error ? NULL : simt_memory_find(context->memory, (uintptr_t)pointer, 1);
  if (!error && (!handle || !a || a->kind != SIMT_ALLOCATION_DEVICE || a->is_placed))
    error = cudaErrorInvalidValue;
  if (!error) error = give(handle, sizeof *handle, a->address);
  return simt_rt_leave(context, error);
}

cudaError_t cudaIpcOpenMemHandle(void **pointer, cudaIpcMemHandle_t handle, unsigned int flags) {
  if (!pointer || flags != cudaIpcMemLazyEnablePeerAccess)
    return simt_rt_answer(cudaErrorInvalidValue);
  return refuse_opening(&handle, "cudaIpcOpenMemHandle");
}

cudaError_t cudaIpcCloseMemHandle(void *pointer) {
  (void)pointer; // none has been opened
  return simt_rt_answer(cudaErrorInvalidValue);
}

cudaError_t cudaIpcGetEventHandle(cudaIpcEventHandle_t *handle, cudaEvent_t event) {
  rt_context *context;
  cudaError_t error = simt_rt_enter(&context);
  const rt_event *e = error ? NULL : context->events;
  while (e && e != event) e = e->next;
  if (!error && (!e || !(e->flags & cudaEventInterprocess))) error = cudaErrorInvalidResourceHandle;
  if (!error && !handle) error = cudaErrorInvalidValue;
  if (!error) error = give(handle, sizeof *handle, (uintptr_t)event);
  return simt_rt_leave(context, error);
}

cudaError_t cudaIpcOpenEventHandle(cudaEvent_t *event, cudaIpcEventHandle_t handle) {
  if (!event) return simt_rt_answer(cudaErrorInvalidValue);
  return refuse_opening(&handle, "cudaIpcOpenEventHandle");
}

cudaError_t cudaMemPoolExportToShareableHandle(void *handle, cudaMemPool_t pool,
                                               enum cudaMemAllocationHandleType type,
                                               unsigned int flags) {
  (void)handle, (void)pool, (void)type, (void)flags;
  return simt_rt_refuse_sharing("cudaMemPoolExportToShareableHandle");
}
cudaError_t cudaMemPoolImportFromShareableHandle(cudaMemPool_t *pool, void *handle,
                                                 enum cudaMemAllocationHandleType type,
                                                 unsigned int flags) {
  (void)pool, (void)handle, (void)type, (void)flags;
  return simt_rt_refuse_sharing("cudaMemPoolImportFromShareableHandle");
}
cudaError_t cudaMemPoolExportPointer(struct cudaMemPoolPtrExportData *data, void *pointer) {
  (void)data, (void)pointer;
  return simt_rt_refuse_sharing("cudaMemPoolExportPointer");
}
cudaError_t cudaMemPoolImportPointer(void **pointer, cudaMemPool_t pool,
                                     struct cudaMemPoolPtrExportData *data) {
  (void)pointer, (void)pool, (void)data;
  return simt_rt_refuse_sharing("cudaMemPoolImportPointer");
}
