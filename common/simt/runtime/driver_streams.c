// SPDX-License-Identifier: MIT
// runtime/driver_streams.c - streams and events of the driver API beyond the plain calls, limits
// and flags of contexts, more of devices.
#include "runtime/driver.h"

#include <stdio.h>
#include <string.h>

#include "runtime/pool.h"
#include "runtime/runtime.h"

// ---- Streams.

CUresult cuStreamCreateWithPriority(CUstream *stream, unsigned int flags, int priority) {
  IN_CONTEXT(cudaStreamCreateWithPriority(stream, flags, priority));
}
CUresult cuStreamGetPriority(CUstream stream, int *priority) {
  IN_CONTEXT(cudaStreamGetPriority(stream, priority));
}
CUresult cuStreamGetFlags(CUstream stream, unsigned int *flags) {
  IN_CONTEXT(cudaStreamGetFlags(stream, flags));
}
CUresult cuStreamGetId(CUstream stream, unsigned long long *id) {
  IN_CONTEXT(cudaStreamGetId(stream, id));
}
CUresult cuStreamGetDevice(CUstream stream, CUdevice *device) {
  IN_CONTEXT(cudaStreamGetDevice(stream, device));
}
CUresult cuStreamGetCtx(CUstream stream, CUcontext *context) {
  int device = 0;
  const CUresult result = cuStreamGetDevice(stream, &device);
  return result ? result : simt_drv_primary(context, device);
}
CUresult cuStreamAddCallback(CUstream stream, CUstreamCallback callback, void *data,
                             unsigned int flags) {
  IN_CONTEXT(
      cudaStreamAddCallback(stream, (cudaStreamCallback_t)(void (*)(void))callback, data, flags));
}
CUresult cuStreamAttachMemAsync(CUstream stream, CUdeviceptr address, size_t bytes,
                                unsigned int flags) {
  IN_CONTEXT(cudaStreamAttachMemAsync(stream, (void *)(uintptr_t)address, bytes, flags));
}
CUresult cuStreamCopyAttributes(CUstream to, CUstream from) {
  IN_CONTEXT(cudaStreamCopyAttributes(to, from));
}
CUresult cuEventRecordWithFlags(CUevent event, CUstream stream, unsigned int flags) {
  IN_CONTEXT(cudaEventRecordWithFlags(event, stream, flags));
}
CUresult cuThreadExchangeStreamCaptureMode(CUstreamCaptureMode *mode) {
  CHECKED(cudaThreadExchangeStreamCaptureMode((enum cudaStreamCaptureMode *)(void *)mode));
}
CUresult cuStreamBeginCapture(CUstream stream, CUstreamCaptureMode mode) {
  IN_CONTEXT(cudaStreamBeginCapture(stream, (enum cudaStreamCaptureMode)mode));
}
CUresult cuStreamEndCapture(CUstream stream, CUgraph *graph) {
  IN_CONTEXT(cudaStreamEndCapture(stream, graph));
}
CUresult cuStreamIsCapturing(CUstream stream, CUstreamCaptureStatus *status) {
  IN_CONTEXT(cudaStreamIsCapturing(stream, (enum cudaStreamCaptureStatus *)(void *)status));
}

// Words that streams write and wait for. Work is carried out when it is submitted, so a value that
// a stream waits for has been written already, or never will be. Memory of a pool has no such
// words.
static CUresult word_of(CUstream stream, CUdeviceptr address, size_t bytes, void **word) {
  rt_context *context;
  if (!atomic_load(&simt_drv_is_initialised)) return CUDA_ERROR_NOT_INITIALIZED;
  cudaError_t error = INSIDE(simt_rt_enter(&context));
  if (!error && !simt_rt_stream_of(context, stream)) error = cudaErrorInvalidResourceHandle;
  if (!error) error = simt_rt_queue_wait(context, simt_rt_stream_of(context, stream));
  *word = error ? NULL : simt_memory_change(context->memory, address, bytes);
  if (!error && (!*word || address % bytes || simt_rt_pool_holds(context, address)))
    error = cudaErrorInvalidValue;
  return simt_drv_result(simt_rt_leave_unheard(context, error));
}

static bool holds(uint64_t got, uint64_t wanted, unsigned flags, unsigned bits) {
  const int64_t difference =
      bits == 32 ? (int32_t)(uint32_t)(got - wanted) : (int64_t)(got - wanted);
  switch (flags & 3) {
  case CU_STREAM_WAIT_VALUE_GEQ: return difference >= 0;
  case CU_STREAM_WAIT_VALUE_EQ: return got == wanted;
  case CU_STREAM_WAIT_VALUE_AND: return (got & wanted) != 0;
  default: return (~(got | wanted) & (bits == 32 ? UINT32_MAX : UINT64_MAX)) != 0;
  }
}

static CUresult wait_for(CUstream stream, CUdeviceptr address, uint64_t wanted, unsigned flags,
                         unsigned bits) {
  void *word;
  uint64_t got = 0;
  const CUresult result = word_of(stream, address, bits / 8, &word);
  if (result) return result;
  memcpy(&got, word, bits / 8);
  if (holds(got, wanted, flags, bits)) return CUDA_SUCCESS;
  rt_context *context = simt_rt_enter_quietly();
  simt_rt_note(context,
               "cuStreamWaitValue: the value has not been written yet, and the software GPU "
               "carries work out when it is submitted: write it before the wait");
  simt_rt_leave_unheard(context, cudaSuccess);
  return CUDA_ERROR_NOT_SUPPORTED;
}
CUresult cuStreamWaitValue32(CUstream stream, CUdeviceptr address, cuuint32_t value,
                             unsigned int flags) {
  return wait_for(stream, address, value, flags, 32);
}
CUresult cuStreamWaitValue64(CUstream stream, CUdeviceptr address, cuuint64_t value,
                             unsigned int flags) {
  return wait_for(stream, address, value, flags, 64);
}
static CUresult write_to(CUstream stream, CUdeviceptr address, const void *value, size_t bytes) {
  void *word;
  const CUresult result = word_of(stream, address, bytes, &word);
  if (result) return result;
  IN_CONTEXT(cudaMemcpyAsync((void *)(uintptr_t)address, value, bytes, cudaMemcpyDefault, stream));
}
CUresult cuStreamWriteValue32(CUstream stream, CUdeviceptr address, cuuint32_t value,
                              unsigned int flags) {
  (void)flags;
  return write_to(stream, address, &value, sizeof value);
}
CUresult cuStreamWriteValue64(CUstream stream, CUdeviceptr address, cuuint64_t value,
                              unsigned int flags) {
  (void)flags;
  return write_to(stream, address, &value, sizeof value);
}

// ---- Contexts.

CUresult cuCtxGetLimit(size_t *value, CUlimit limit) {
  IN_CONTEXT(cudaDeviceGetLimit(value, (enum cudaLimit)limit));
}
CUresult cuCtxSetLimit(CUlimit limit, size_t value) {
  IN_CONTEXT(cudaDeviceSetLimit((enum cudaLimit)limit, value));
}
CUresult cuCtxGetCacheConfig(CUfunc_cache *config) {
  IN_CONTEXT(cudaDeviceGetCacheConfig((enum cudaFuncCache *)(void *)config));
}
CUresult cuCtxSetCacheConfig(CUfunc_cache config) {
  IN_CONTEXT(cudaDeviceSetCacheConfig((enum cudaFuncCache)config));
}
CUresult cuCtxGetStreamPriorityRange(int *least, int *greatest) {
  IN_CONTEXT(cudaDeviceGetStreamPriorityRange(least, greatest));
}
CUresult cuCtxResetPersistingL2Cache(void) { IN_CONTEXT(cudaCtxResetPersistingL2Cache()); }
CUresult cuCtxGetApiVersion(CUcontext context, unsigned int *version) {
  if (!version) return CUDA_ERROR_INVALID_VALUE;
  if (context ? !simt_drv_is_context(context) : !simt_drv_current())
    return CUDA_ERROR_INVALID_CONTEXT;
  *version = 3020;
  return CUDA_SUCCESS;
}
CUresult cuCtxGetId(CUcontext context, unsigned long long *id) {
  if (!context) context = simt_drv_current();
  if (!id) return CUDA_ERROR_INVALID_VALUE;
  if (!context || !simt_drv_is_context(context)) return CUDA_ERROR_INVALID_CONTEXT;
  *id = (unsigned long long)context->device + 1;
  return CUDA_SUCCESS;
}
// ---- Devices.

CUresult cuDeviceGetUuid(CUuuid *uuid, CUdevice device) {
  struct cudaDeviceProp p;
  if (!atomic_load(&simt_drv_is_initialised)) return CUDA_ERROR_NOT_INITIALIZED;
  if (!uuid) return CUDA_ERROR_INVALID_VALUE;
  const cudaError_t error = INSIDE(cudaGetDeviceProperties(&p, device));
  if (error == cudaSuccess) memcpy(uuid, &p.uuid, sizeof p.uuid);
  return simt_drv_result(error);
}
CUresult cuDeviceGetPCIBusId(char *id, int bytes, CUdevice device) {
  CHECKED(cudaDeviceGetPCIBusId(id, bytes, device));
}
CUresult cuDeviceGetByPCIBusId(CUdevice *device, const char *id) {
  CHECKED(cudaDeviceGetByPCIBusId(device, id));
}
CUresult cuDeviceGetP2PAttribute(int *value, CUdevice_P2PAttribute attribute, CUdevice from,
                                 CUdevice to) {
  CHECKED(cudaDeviceGetP2PAttribute(value, (enum cudaDeviceP2PAttr)attribute, from, to));
}
