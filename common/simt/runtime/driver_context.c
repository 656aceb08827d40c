// SPDX-License-Identifier: MIT
// runtime/driver_context.c - devices and contexts of the driver API. Every device has a primary
// context, and those that cuCtxCreate makes are further names of it: memory, modules and streams
// belong to the device. Each thread's stack of contexts is here; the device of the context on top
// is the runtime's current device.
#include "runtime/driver.h"

#include <stdlib.h>
#include <string.h>

// The primary contexts, one for each device, and the others, which are kept when they have been
// destroyed: threads may still hold them. A thread's stack of contexts; the last is current.
enum { MOST_DEVICES = 16, DEEPEST = 64 };
static struct CUctx_st contexts[MOST_DEVICES];
static struct CUctx_st *_Atomic created;
static _Thread_local CUcontext stack[DEEPEST];
static _Thread_local int depth;

static _Thread_local int n_inside; // calls of the runtime that the driver API makes
static _Thread_local bool uses_runtime;
static atomic_bool runtime_holds[MOST_DEVICES]; // the runtime keeps the primary context alive

static _Thread_local cudaError_t error_outside;

void simt_drv_begin(void) {
  if (!n_inside++) error_outside = simt_rt_exchange_error(cudaSuccess);
}
// What the program's next cudaGetLastError() returns is no business of the driver API's.
cudaError_t simt_drv_end(cudaError_t error) {
  if (!--n_inside) simt_rt_exchange_error(error_outside);
  return error;
}

void simt_drv_note_runtime(void) {
  if (n_inside) return;
  if (!depth) uses_runtime = true; // else it works in the context that is current
  atomic_store(&simt_drv_is_initialised, true);
}

void simt_drv_note_device(uint32_t device, bool in_use) {
  if (!n_inside || !in_use) atomic_store(&runtime_holds[device], in_use);
  if (in_use) return;
  atomic_store(&contexts[device].n_holders, 0);
  atomic_store(&contexts[device].flags, 0);
}

CUcontext simt_drv_current(void) {
  int device = 0;
  if (depth) return stack[depth - 1];
  if (!uses_runtime || INSIDE(cudaGetDevice(&device)) != cudaSuccess) return NULL;
  contexts[device].device = device;
  return &contexts[device];
}

static bool is_active(CUdevice device) {
  return atomic_load(&contexts[device].n_holders) > 0 || atomic_load(&runtime_holds[device]);
}

CUresult simt_drv_needs_context(void) {
  CUcontext current = simt_drv_current();
  if (!current) return CUDA_ERROR_INVALID_CONTEXT;
  const bool is_primary = current == &contexts[current->device];
  const bool is_gone =
      is_primary ? depth && !is_active(current->device) : atomic_load(&current->is_destroyed);
  return is_gone ? CUDA_ERROR_CONTEXT_IS_DESTROYED : CUDA_SUCCESS;
}

// ---- Devices.

CUresult cuDeviceGetCount(int *count) { CHECKED(cudaGetDeviceCount(count)); }

CUresult cuDeviceGet(CUdevice *device, int ordinal) {
  int count = 0;
  if (!atomic_load(&simt_drv_is_initialised)) return CUDA_ERROR_NOT_INITIALIZED;
  if (!device) return CUDA_ERROR_INVALID_VALUE;
  if (cudaGetDeviceCount(&count) != cudaSuccess || ordinal < 0 || ordinal >= count)
    return CUDA_ERROR_INVALID_DEVICE;
  *device = ordinal;
  return CUDA_SUCCESS;
}

static cudaError_t properties_of(CUdevice device, struct cudaDeviceProp *properties) {
  memset(properties, 0, sizeof *properties);
  return cudaGetDeviceProperties(properties, device);
}

CUresult cuDeviceGetName(char *name, int bytes, CUdevice device) {
  struct cudaDeviceProp p;
  if (!atomic_load(&simt_drv_is_initialised)) return CUDA_ERROR_NOT_INITIALIZED;
  if (!name || bytes <= 0) return CUDA_ERROR_INVALID_VALUE;
  const cudaError_t error = properties_of(device, &p);
  if (error == cudaSuccess) {
    strncpy(name, p.name, (size_t)bytes - 1);
    name[bytes - 1] = '\0';
  }
  return simt_drv_result(error);
}

CUresult cuDeviceTotalMem(size_t *bytes, CUdevice device) {
  struct cudaDeviceProp p;
  if (!atomic_load(&simt_drv_is_initialised)) return CUDA_ERROR_NOT_INITIALIZED;
  if (!bytes) return CUDA_ERROR_INVALID_VALUE;
  const cudaError_t error = properties_of(device, &p);
  if (error == cudaSuccess) *bytes = p.totalGlobalMem;
  return simt_drv_result(error);
}

// What the driver API alone has: cuMemMap() and words of 64 bits that streams write and wait for.
static bool is_of_driver(CUdevice_attribute attribute) {
  return attribute == CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED ||
         attribute == CU_DEVICE_ATTRIBUTE_CAN_USE_64_BIT_STREAM_MEM_OPS ||
         attribute == CU_DEVICE_ATTRIBUTE_CAN_USE_STREAM_WAIT_VALUE_NOR;
}

static cudaError_t get_attribute(int *value, CUdevice_attribute attribute, CUdevice device) {
  const cudaError_t error = cudaDeviceGetAttribute(value, (enum cudaDeviceAttr)attribute, device);
  if (!error && is_of_driver(attribute)) *value = 1;
  return error;
}

CUresult cuDeviceGetAttribute(int *value, CUdevice_attribute attribute, CUdevice device) {
  CHECKED(get_attribute(value, attribute, device));
}

CUresult cuDeviceComputeCapability(int *major, int *minor, CUdevice device) {
  const CUresult first =
      cuDeviceGetAttribute(major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, device);
  return first ? first
               : cuDeviceGetAttribute(minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, device);
}

// ---- Contexts.

CUresult simt_drv_primary(CUcontext *context, CUdevice device) {
  int count = 0;
  if (!atomic_load(&simt_drv_is_initialised)) return CUDA_ERROR_NOT_INITIALIZED;
  if (!context) return CUDA_ERROR_INVALID_VALUE;
  if (cudaGetDeviceCount(&count) != cudaSuccess || device < 0 || device >= count)
    return CUDA_ERROR_INVALID_DEVICE;
  contexts[device].device = device;
  *context = &contexts[device];
  return CUDA_SUCCESS;
}

bool simt_drv_is_context(CUcontext context) {
  for (int d = 0; d < MOST_DEVICES; d++)
    if (context == &contexts[d]) return true;
  for (CUcontext c = atomic_load(&created); c; c = c->next)
    if (context == c) return true;
  return false;
}

// The top of the stack has changed: its device becomes the runtime's current one.
static CUresult follow(void) {
  return simt_drv_current() ? simt_drv_result(INSIDE(cudaSetDevice(simt_drv_current()->device)))
                            : CUDA_SUCCESS;
}

CUresult cuDevicePrimaryCtxRetain(CUcontext *context, CUdevice device) {
  const CUresult result = simt_drv_primary(context, device);
  if (result == CUDA_SUCCESS) atomic_fetch_add(&(*context)->n_holders, 1);
  return result; // not current yet: cuCtxSetCurrent makes it so
}

static bool drop(atomic_int *holders) {
  int n = atomic_load(holders);
  while (n > 0 && !atomic_compare_exchange_weak(holders, &n, n - 1)) {}
  return n > 0;
}

CUresult cuDevicePrimaryCtxRelease(CUdevice device) {
  CUcontext context;
  const CUresult result = simt_drv_primary(&context, device);
  if (result) return result;
  return drop(&context->n_lost) || drop(&context->n_holders) ? CUDA_SUCCESS
                                                             : CUDA_ERROR_INVALID_CONTEXT;
}

CUresult cuDevicePrimaryCtxGetState(CUdevice device, unsigned int *flags, int *is_in_use) {
  CUcontext context;
  if (!flags || !is_in_use) return CUDA_ERROR_INVALID_VALUE;
  const CUresult result = simt_drv_primary(&context, device);
  if (result) return result;
  *flags = atomic_load(&context->flags);
  *is_in_use = is_active(device);
  return CUDA_SUCCESS;
}

CUresult cuDevicePrimaryCtxSetFlags(CUdevice device, unsigned int flags) {
  CUcontext context;
  if (flags > 0xff) return CUDA_ERROR_INVALID_VALUE;
  const CUresult result = simt_drv_primary(&context, device);
  if (result == CUDA_SUCCESS) atomic_store(&context->flags, flags);
  return result;
}

// The context is gone, and those who have retained it still release it.
CUresult cuDevicePrimaryCtxReset(CUdevice device) {
  int current = 0;
  CUcontext context;
  const CUresult result = simt_drv_primary(&context, device);
  if (result) return result;
  const int n = is_active(device) ? atomic_load(&context->n_holders) : 0;
  cudaError_t error = INSIDE(cudaGetDevice(&current));
  if (error == cudaSuccess) error = INSIDE(cudaSetDevice(device));
  if (error == cudaSuccess) error = INSIDE(cudaDeviceReset());
  INSIDE(cudaSetDevice(current));
  if (error == cudaSuccess) atomic_store(&context->n_lost, n);
  return simt_drv_result(error);
}

CUresult cuCtxPushCurrent(CUcontext context) {
  if (!atomic_load(&simt_drv_is_initialised)) return CUDA_ERROR_NOT_INITIALIZED;
  if (!simt_drv_is_context(context) || depth == DEEPEST) return CUDA_ERROR_INVALID_CONTEXT;
  stack[depth++] = context;
  return follow();
}

CUresult cuCtxCreate(CUcontext *context, CUctxCreateParams *parameters, unsigned int flags,
                     CUdevice device) {
  CUcontext primary;
  if (parameters && (parameters->execAffinityParams || parameters->cigParams))
    return CUDA_ERROR_NOT_SUPPORTED;
  const CUresult result = simt_drv_primary(context ? &primary : NULL, device);
  if (result) return result;
  CUcontext made = calloc(1, sizeof *made);
  if (!made) return CUDA_ERROR_OUT_OF_MEMORY;
  made->device = device;
  atomic_store(&made->flags, flags);
  made->next = atomic_load(&created);
  while (!atomic_compare_exchange_weak(&created, &made->next, made)) {}
  *context = made;
  return cuCtxPushCurrent(made);
}

// NULL pops the top; otherwise the top is replaced.
CUresult cuCtxSetCurrent(CUcontext context) {
  if (!atomic_load(&simt_drv_is_initialised)) return CUDA_ERROR_NOT_INITIALIZED;
  if (context && !simt_drv_is_context(context)) return CUDA_ERROR_INVALID_CONTEXT;
  if (depth) depth--;
  return context ? cuCtxPushCurrent(context) : follow();
}

CUresult cuCtxPopCurrent(CUcontext *context) {
  if (!depth) return CUDA_ERROR_INVALID_CONTEXT;
  if (context) *context = simt_drv_current();
  depth--;
  return follow();
}

CUresult cuCtxDestroy(CUcontext context) {
  if (!context) return CUDA_ERROR_INVALID_VALUE;
  if (!simt_drv_is_context(context) || context == &contexts[context->device] ||
      atomic_exchange(&context->is_destroyed, true))
    return CUDA_ERROR_INVALID_CONTEXT;
  return depth && context == stack[depth - 1] ? cuCtxPopCurrent(NULL) : CUDA_SUCCESS;
}

CUresult cuCtxGetFlags(unsigned int *flags) {
  if (!atomic_load(&simt_drv_is_initialised)) return CUDA_ERROR_NOT_INITIALIZED;
  const CUresult result = simt_drv_needs_context();
  if (result) return result;
  CUcontext current = simt_drv_current();
  const bool is_primary = current == &contexts[current->device];
  unsigned of_runtime = 0;
  if (!flags) return CUDA_ERROR_INVALID_VALUE;
  INSIDE(cudaGetDeviceFlags(&of_runtime));
  *flags = atomic_load(&current->flags) | (is_primary ? of_runtime : 0);
  return CUDA_SUCCESS;
}

CUresult cuCtxGetCurrent(CUcontext *context) {
  if (!context) return CUDA_ERROR_INVALID_VALUE;
  *context = simt_drv_current();
  return atomic_load(&simt_drv_is_initialised) ? CUDA_SUCCESS : CUDA_ERROR_NOT_INITIALIZED;
}

CUresult cuCtxGetDevice(CUdevice *device) { // of a destroyed context, too
  if (atomic_load(&simt_drv_is_initialised) && !simt_drv_current())
    return CUDA_ERROR_INVALID_CONTEXT;
  CHECKED(cudaGetDevice(device));
}
CUresult cuDeviceCanAccessPeer(int *can, CUdevice device, CUdevice peer) {
  CHECKED(cudaDeviceCanAccessPeer(can, device, peer));
}
CUresult cuCtxEnablePeerAccess(CUcontext peer, unsigned int flags) {
  if (!simt_drv_is_context(peer)) return CUDA_ERROR_INVALID_CONTEXT;
  if (peer == simt_drv_current()) return CUDA_ERROR_PEER_ACCESS_UNSUPPORTED;
  IN_CONTEXT(cudaDeviceEnablePeerAccess(peer->device, flags));
}
CUresult cuCtxDisablePeerAccess(CUcontext peer) {
  if (!simt_drv_is_context(peer)) return CUDA_ERROR_INVALID_CONTEXT;
  IN_CONTEXT(cudaDeviceDisablePeerAccess(peer->device));
}
CUresult cuCtxSynchronize(void) { IN_CONTEXT(cudaDeviceSynchronize()); }
