// SPDX-License-Identifier: MIT
// runtime/driver.c - the driver API (include/cuda.h) in terms of the runtime's calls: the two share
// devices, contexts, streams and events. Error codes have the same numbers, except for the few that
// only one of the two has.
#include "runtime/driver.h"

#include <stdio.h>
#include <string.h>

#include "runtime/runtime.h"

atomic_bool simt_drv_is_initialised;

CUresult simt_drv_result(cudaError_t error) {
  switch ((int)error) {
  case cudaErrorInvalidConfiguration:
  case cudaErrorInvalidPitchValue:
  case cudaErrorInvalidHostPointer:
  case cudaErrorInvalidDevicePointer:
  case cudaErrorInvalidMemcpyDirection: return CUDA_ERROR_INVALID_VALUE;
  case cudaErrorInvalidDeviceFunction: return CUDA_ERROR_INVALID_HANDLE;
  case cudaErrorInvalidSymbol: return CUDA_ERROR_NOT_FOUND;
  default: return (CUresult)error;
  }
}

CUresult cuInit(unsigned int flags) {
  if (flags) return CUDA_ERROR_INVALID_VALUE;
  int count = 0;
  const cudaError_t error = cudaGetDeviceCount(&count);
  if (error == cudaSuccess) atomic_store(&simt_drv_is_initialised, true);
  return simt_drv_result(error);
}

CUresult cuDriverGetVersion(int *version) { return simt_drv_result(cudaDriverGetVersion(version)); }

CUresult cuGetErrorName(CUresult error, const char **name) {
  if (!name) return CUDA_ERROR_INVALID_VALUE;
  *name = NULL;
  switch ((int)error) {
#define CUDRV_ERROR(code, value)                                                                   \
  case value:                                                                                      \
    *name = #code;                                                                                 \
    break;
#include "include/simt_cuda/driver_errors.def"
#undef CUDRV_ERROR
  default: break;
  }
  return *name ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuGetErrorString(CUresult error, const char **text) {
  const CUresult known = cuGetErrorName(error, text);
  if (known == CUDA_SUCCESS) *text = cudaGetErrorString((cudaError_t)error);
  if (error == CUDA_ERROR_CONTEXT_ALREADY_CURRENT) *text = "context already current";
  if (error == CUDA_ERROR_KEY_ROTATION)
    *text = "an error happened during the key rotation sequence";
  return known;
}

// ---- Modules.

static cudaError_t read_now(const CUmodule *module, cudaError_t error) {
  return error ? error : simt_rt_library_read((cudaLibrary_t)(void *)*module);
}
CUresult cuModuleLoad(CUmodule *module, const char *file) {
  IN_CONTEXT(read_now(module, cudaLibraryLoadFromFile((cudaLibrary_t *)(void *)module, file, NULL,
                                                      NULL, 0, NULL, NULL, 0)));
}
CUresult cuModuleLoadData(CUmodule *module, const void *image) {
  IN_CONTEXT(read_now(module, cudaLibraryLoadData((cudaLibrary_t *)(void *)module, image, NULL,
                                                  NULL, 0, NULL, NULL, 0)));
}

// The options say how to compile. Of what they ask for, the logs are written.
CUresult cuModuleLoadDataEx(CUmodule *module, const void *image, unsigned int n_options,
                            CUjit_option *options, void **values) {
  const CUresult result = cuModuleLoadData(module, image);
  const simt_drv_options o = {n_options, options, values};
  char why[512] = "error   : the reason is on standard error";
  if (result == CUDA_ERROR_INVALID_PTX) simt_drv_reads(image, strlen(image), why, sizeof why);
  simt_drv_logs(&o, result ? why : NULL);
  return result;
}
CUresult cuModuleUnload(CUmodule module) {
  IN_CONTEXT(cudaLibraryUnload((cudaLibrary_t)(void *)module));
}
CUresult cuModuleGetFunction(CUfunction *function, CUmodule module, const char *name) {
  IN_CONTEXT(
      cudaLibraryGetKernel((cudaKernel_t *)(void *)function, (cudaLibrary_t)(void *)module, name));
}
CUresult cuModuleGetGlobal(CUdeviceptr *address, size_t *bytes, CUmodule module, const char *name) {
  void *at = NULL;
  if (!atomic_load(&simt_drv_is_initialised)) return CUDA_ERROR_NOT_INITIALIZED;
  const cudaError_t error =
      INSIDE(cudaLibraryGetGlobal(&at, bytes, (cudaLibrary_t)(void *)module, name));
  if (error == cudaSuccess && address) *address = (CUdeviceptr)(uintptr_t)at;
  return simt_drv_result(error);
}

CUresult cuFuncGetAttribute(int *value, CUfunction_attribute attribute, CUfunction function) {
  struct cudaFuncAttributes a;
  if (!value) return CUDA_ERROR_INVALID_VALUE;
  const cudaError_t error = INSIDE(cudaFuncGetAttributes(&a, function));
  if (error != cudaSuccess) return simt_drv_result(error);
  switch (attribute) {
  case CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK: *value = a.maxThreadsPerBlock; break;
  case CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES: *value = (int)a.sharedSizeBytes; break;
  case CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES: *value = (int)a.constSizeBytes; break;
  case CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES: *value = (int)a.localSizeBytes; break;
  case CU_FUNC_ATTRIBUTE_NUM_REGS: *value = a.numRegs; break;
  case CU_FUNC_ATTRIBUTE_PTX_VERSION: *value = a.ptxVersion; break;
  case CU_FUNC_ATTRIBUTE_BINARY_VERSION: *value = a.binaryVersion; break;
  case CU_FUNC_ATTRIBUTE_CACHE_MODE_CA: *value = 0; break;
  case CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES: *value = a.maxDynamicSharedSizeBytes; break;
  case CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT: *value = a.preferredShmemCarveout; break;
  case CU_FUNC_ATTRIBUTE_CLUSTER_SIZE_MUST_BE_SET: *value = a.clusterDimMustBeSet; break;
  case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH: *value = a.requiredClusterWidth; break;
  case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_HEIGHT: *value = a.requiredClusterHeight; break;
  case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_DEPTH: *value = a.requiredClusterDepth; break;
  case CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED:
    *value = a.nonPortableClusterSizeAllowed;
    break;
  case CU_FUNC_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE:
    *value = a.clusterSchedulingPolicyPreference;
    break;
  default: return CUDA_ERROR_INVALID_VALUE;
  }
  return CUDA_SUCCESS;
}

CUresult cuFuncSetAttribute(CUfunction function, CUfunction_attribute attribute, int value) {
  IN_CONTEXT(cudaFuncSetAttribute(function, (enum cudaFuncAttribute)attribute, value));
}

// ---- Memory.

static void *pointer_of(CUdeviceptr address) { return (void *)(uintptr_t)address; }

CUresult cuMemGetInfo(size_t *free_bytes, size_t *total_bytes) {
  IN_CONTEXT(cudaMemGetInfo(free_bytes, total_bytes));
}

// The driver refuses an allocation of 0 bytes; the runtime does not.
CUresult cuMemAlloc(CUdeviceptr *address, size_t bytes) {
  void *at = NULL;
  if (!address) return CUDA_ERROR_INVALID_VALUE;
  if (!bytes) return *address = 0, CUDA_ERROR_INVALID_VALUE;
  if (atomic_load(&simt_drv_is_initialised) && simt_drv_needs_context())
    return simt_drv_needs_context();
  const cudaError_t error = atomic_load(&simt_drv_is_initialised) ? INSIDE(cudaMalloc(&at, bytes))
                                                                  : cudaErrorInitializationError;
  if (error == cudaSuccess) *address = (CUdeviceptr)(uintptr_t)at;
  return simt_drv_result(error);
}
CUresult cuMemAllocManaged(CUdeviceptr *address, size_t bytes, unsigned int flags) {
  void *at = NULL;
  if (!address) return CUDA_ERROR_INVALID_VALUE;
  *address = 0;
  if (!bytes) return CUDA_ERROR_INVALID_VALUE;
  const cudaError_t error = atomic_load(&simt_drv_is_initialised)
                                ? INSIDE(cudaMallocManaged(&at, bytes, flags))
                                : cudaErrorInitializationError;
  if (error == cudaSuccess) *address = (CUdeviceptr)(uintptr_t)at;
  return simt_drv_result(error);
}
CUresult cuMemFree(CUdeviceptr address) { IN_CONTEXT(cudaFree(pointer_of(address))); }
CUresult cuMemAllocHost(void **pointer, size_t bytes) {
  IN_CONTEXT(cudaMallocHost(pointer, bytes));
}
CUresult cuMemFreeHost(void *pointer) { IN_CONTEXT(cudaFreeHost(pointer)); }
CUresult cuMemcpy(CUdeviceptr to, CUdeviceptr from, size_t bytes) {
  IN_CONTEXT(cudaMemcpy(pointer_of(to), pointer_of(from), bytes, cudaMemcpyDefault));
}
CUresult cuMemcpyPeer(CUdeviceptr to, CUcontext to_context, CUdeviceptr from,
                      CUcontext from_context, size_t bytes) {
  if (!simt_drv_is_context(to_context) || !simt_drv_is_context(from_context))
    return CUDA_ERROR_INVALID_CONTEXT;
  IN_CONTEXT(cudaMemcpyPeer(pointer_of(to), to_context->device, pointer_of(from),
                            from_context->device, bytes));
}
CUresult cuMemcpyHtoD(CUdeviceptr to, const void *from, size_t bytes) {
  IN_CONTEXT(cudaMemcpy(pointer_of(to), from, bytes, cudaMemcpyHostToDevice));
}
CUresult cuMemcpyDtoH(void *to, CUdeviceptr from, size_t bytes) {
  IN_CONTEXT(cudaMemcpy(to, pointer_of(from), bytes, cudaMemcpyDeviceToHost));
}
CUresult cuMemcpyDtoD(CUdeviceptr to, CUdeviceptr from, size_t bytes) {
  IN_CONTEXT(cudaMemcpy(pointer_of(to), pointer_of(from), bytes, cudaMemcpyDeviceToDevice));
}
CUresult cuMemcpyHtoDAsync(CUdeviceptr to, const void *from, size_t bytes, CUstream stream) {
  IN_CONTEXT(cudaMemcpyAsync(pointer_of(to), from, bytes, cudaMemcpyHostToDevice, stream));
}
CUresult cuMemcpyDtoHAsync(void *to, CUdeviceptr from, size_t bytes, CUstream stream) {
  IN_CONTEXT(cudaMemcpyAsync(to, pointer_of(from), bytes, cudaMemcpyDeviceToHost, stream));
}
CUresult cuMemcpyDtoDAsync(CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream) {
  IN_CONTEXT(
      cudaMemcpyAsync(pointer_of(to), pointer_of(from), bytes, cudaMemcpyDeviceToDevice, stream));
}
CUresult cuMemsetD8(CUdeviceptr to, unsigned char value, size_t n) {
  IN_CONTEXT(cudaMemset(pointer_of(to), value, n));
}

// Elements wider than a byte: writes the first, then doubles the filled part.
static CUresult fill(CUdeviceptr to, const void *value, size_t bytes, size_t n) {
  if (to % bytes || n > SIZE_MAX / bytes) return CUDA_ERROR_INVALID_VALUE;
  CUresult result = n ? cuMemcpyHtoD(to, value, bytes) : CUDA_SUCCESS;
  for (size_t done = 1; done < n && result == CUDA_SUCCESS;) {
    const size_t more = done < n - done ? done : n - done;
    result = cuMemcpyDtoD(to + done * bytes, to, more * bytes);
    done += more;
  }
  return result;
}
CUresult cuMemsetD16(CUdeviceptr to, unsigned short value, size_t n) {
  return fill(to, &value, sizeof value, n);
}
CUresult cuMemsetD32(CUdeviceptr to, unsigned int value, size_t n) {
  return fill(to, &value, sizeof value, n);
}

// ---- Launches, streams, events.

enum { MOST_PARAMETERS = 1024, MOST_PARAMETER_BYTES = 32764 };

// A block that is too short: as on an H100 the launch takes what is there.
static char *lengthened(const char *packed, size_t bytes) {
  static _Thread_local char block[MOST_PARAMETER_BYTES];
  if (bytes > sizeof block) bytes = sizeof block;
  memcpy(block, packed, bytes);
  memset(block + bytes, 0, sizeof block - bytes);
  rt_context *context = simt_rt_enter_quietly();
  simt_rt_note(context, "cuLaunchKernel: the block of %zu bytes is shorter than the parameters",
               bytes);
  simt_rt_leave_unheard(context, cudaSuccess);
  return block;
}

// Pointers to the arguments in the block that `extra` names. A block that is longer than the
// arguments, for instance by the padding at a structure's end, is too many of them.
static CUresult unpack(CUfunction function, void **extra, void **pointers) {
  char *packed = NULL, *longer = NULL;
  const size_t *bytes = NULL;
  for (size_t i = 0; extra[i] != CU_LAUNCH_PARAM_END; i += 2) {
    if (extra[i] == CU_LAUNCH_PARAM_BUFFER_POINTER) packed = extra[i + 1];
    else if (extra[i] == CU_LAUNCH_PARAM_BUFFER_SIZE) bytes = extra[i + 1];
    else return CUDA_ERROR_INVALID_VALUE;
  }
  if (!packed || !bytes) return CUDA_ERROR_INVALID_VALUE;
  size_t offset = 0, size = 0;
  for (size_t i = 0; i < MOST_PARAMETERS; i++) {
    if (INSIDE(cudaFuncGetParamInfo(function, i, &offset, &size)) != cudaSuccess) {
      cudaGetLastError();
      return *bytes > offset + size ? CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES : CUDA_SUCCESS;
    }
    if (offset + size > MOST_PARAMETER_BYTES) break;
    if (offset + size > *bytes && !longer) longer = lengthened(packed, *bytes);
    pointers[i] = (longer ? longer : packed) + offset;
  }
  return CUDA_ERROR_INVALID_VALUE;
}

CUresult cuLaunchKernel(CUfunction function, unsigned int grid_x, unsigned int grid_y,
                        unsigned int grid_z, unsigned int block_x, unsigned int block_y,
                        unsigned int block_z, unsigned int shared_bytes, CUstream stream,
                        void **parameters, void **extra) {
  const dim3 grid = {grid_x, grid_y, grid_z}, block = {block_x, block_y, block_z};
  void *pointers[MOST_PARAMETERS];
  if (extra && parameters) return CUDA_ERROR_INVALID_VALUE;
  const CUresult unpacked = extra ? unpack(function, extra, pointers) : CUDA_SUCCESS;
  if (unpacked) return unpacked;
  if (extra) parameters = pointers;
  IN_CONTEXT(cudaLaunchKernel(function, grid, block, parameters, shared_bytes, stream));
}
CUresult cuLaunchCooperativeKernel(CUfunction function, unsigned int grid_x, unsigned int grid_y,
                                   unsigned int grid_z, unsigned int block_x, unsigned int block_y,
                                   unsigned int block_z, unsigned int shared_bytes, CUstream stream,
                                   void **parameters) {
  const dim3 grid = {grid_x, grid_y, grid_z}, block = {block_x, block_y, block_z};
  IN_CONTEXT(cudaLaunchCooperativeKernel(function, grid, block, parameters, shared_bytes, stream));
}
CUresult cuLaunchHostFunc(CUstream stream, CUhostFn function, void *data) {
  IN_CONTEXT(cudaLaunchHostFunc(stream, function, data));
}
CUresult cuOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, CUfunction function,
                                                     int block_size, size_t shared_bytes) {
  IN_CONTEXT(
      cudaOccupancyMaxActiveBlocksPerMultiprocessor(blocks, function, block_size, shared_bytes));
}
CUresult cuStreamCreate(CUstream *stream, unsigned int flags) {
  IN_CONTEXT(cudaStreamCreateWithFlags(stream, flags));
}
CUresult cuStreamDestroy(CUstream stream) { IN_CONTEXT(cudaStreamDestroy(stream)); }
CUresult cuStreamSynchronize(CUstream stream) { IN_CONTEXT(cudaStreamSynchronize(stream)); }
CUresult cuStreamQuery(CUstream stream) { IN_CONTEXT(cudaStreamQuery(stream)); }
CUresult cuStreamWaitEvent(CUstream stream, CUevent event, unsigned int flags) {
  IN_CONTEXT(cudaStreamWaitEvent(stream, event, flags));
}
CUresult cuEventCreate(CUevent *event, unsigned int flags) {
  IN_CONTEXT(cudaEventCreateWithFlags(event, flags));
}
CUresult cuEventDestroy(CUevent event) { IN_CONTEXT(cudaEventDestroy(event)); }
CUresult cuEventRecord(CUevent event, CUstream stream) {
  IN_CONTEXT(cudaEventRecord(event, stream));
}
CUresult cuEventSynchronize(CUevent event) { IN_CONTEXT(cudaEventSynchronize(event)); }
CUresult cuEventQuery(CUevent event) { IN_CONTEXT(cudaEventQuery(event)); }
CUresult cuEventElapsedTime(float *ms, CUevent start, CUevent end) {
  IN_CONTEXT(cudaEventElapsedTime(ms, start, end));
}
