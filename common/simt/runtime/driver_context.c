// SPDX-License-Identifier: MIT
// runtime/driver_context.c - devices and contexts of the driver API. Every device has one context,
// the primary one, which cuCtxCreate returns as well. Each thread's stack of contexts is here; the
// device of the context on top is the runtime's current device.
#include "runtime/driver.h"

#include <string.h>

// The contexts' handles, one for each device, and a thread's stack of them; the last is current.
enum { MOST_DEVICES = 16, DEEPEST = 64 };
static struct CUctx_st contexts[MOST_DEVICES];
static _Thread_local CUcontext stack[DEEPEST];
static _Thread_local int depth;

static _Thread_local int n_inside; // calls of the runtime that the driver API makes
static _Thread_local bool uses_runtime;

void simt_drv_begin(void) { n_inside++; }
cudaError_t simt_drv_end(cudaError_t error) {
  n_inside--;
  return error;
}

void simt_drv_note_runtime(void) {
  if (n_inside) return;
  uses_runtime = true;
  atomic_store(&simt_drv_is_initialised, true);
}

CUcontext simt_drv_current(void) {
  int device = 0;
  if (depth) return stack[depth - 1];
  if (!uses_runtime || INSIDE(cudaGetDevice(&device)) != cudaSuccess) return NULL;
  contexts[device].device = device;
  return &contexts[device];
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

static CUresult context_of(CUcontext *context, CUdevice device) {
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
  return false;
}

// The top of the stack has changed: its device becomes the runtime's current one.
static CUresult follow(void) {
  return simt_drv_current() ? simt_drv_result(INSIDE(cudaSetDevice(simt_drv_current()->device)))
                            : CUDA_SUCCESS;
}

CUresult cuDevicePrimaryCtxRetain(CUcontext *context, CUdevice device) {
  return context_of(context, device); // not current yet: cuCtxSetCurrent makes it so
}

CUresult cuDevicePrimaryCtxRelease(CUdevice device) {
  CUcontext context;
  return context_of(&context, device);
}

CUresult cuCtxPushCurrent(CUcontext context) {
  if (!atomic_load(&simt_drv_is_initialised)) return CUDA_ERROR_NOT_INITIALIZED;
  if (!simt_drv_is_context(context) || depth == DEEPEST) return CUDA_ERROR_INVALID_CONTEXT;
  stack[depth++] = context;
  return follow();
}

CUresult cuCtxCreate(CUcontext *context, CUctxCreateParams *parameters, unsigned int flags,
                     CUdevice device) {
  (void)flags;
  if (parameters && (parameters->execAffinityParams || parameters->cigParams))
    return CUDA_ERROR_NOT_SUPPORTED;
  const CUresult result = context_of(context, device);
  return result == CUDA_SUCCESS ? cuCtxPushCurrent(*context) : result;
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
  if (!simt_drv_is_context(context)) return CUDA_ERROR_INVALID_CONTEXT;
  return context == simt_drv_current() ? cuCtxPopCurrent(NULL) : CUDA_SUCCESS;
}

CUresult cuCtxGetCurrent(CUcontext *context) {
  if (!context) return CUDA_ERROR_INVALID_VALUE;
  *context = simt_drv_current();
  return atomic_load(&simt_drv_is_initialised) ? CUDA_SUCCESS : CUDA_ERROR_NOT_INITIALIZED;
}

CUresult cuCtxGetDevice(CUdevice *device) { IN_CONTEXT(cudaGetDevice(device)); }
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
