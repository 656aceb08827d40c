// SPDX-License-Identifier: MIT
// runtime/driver_code.c - libraries, kernels and functions of the driver API, its linker, launches
// with attributes, occupancy, and entry points by name. A module and a library are one thing here,
// as are a kernel and a function.
#include "runtime/driver.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/runtime.h"

static cudaLibrary_t library_of(const void *handle) { return (cudaLibrary_t)(uintptr_t)handle; }

// ---- Libraries.

CUresult cuLibraryLoadData(CUlibrary *library, const void *code, CUjit_option *jit_options,
                           void **jit_values, unsigned int n_jit, CUlibraryOption *options,
                           void **values, unsigned int n_options) {
  (void)jit_options, (void)jit_values, (void)n_jit, (void)options, (void)values, (void)n_options;
  CHECKED(
      cudaLibraryLoadData((cudaLibrary_t *)(void *)library, code, NULL, NULL, 0, NULL, NULL, 0));
}
CUresult cuLibraryLoadFromFile(CUlibrary *library, const char *file, CUjit_option *jit_options,
                               void **jit_values, unsigned int n_jit, CUlibraryOption *options,
                               void **values, unsigned int n_options) {
  (void)jit_options, (void)jit_values, (void)n_jit, (void)options, (void)values, (void)n_options;
  CHECKED(cudaLibraryLoadFromFile((cudaLibrary_t *)(void *)library, file, NULL, NULL, 0, NULL, NULL,
                                  0));
}
CUresult cuLibraryUnload(CUlibrary library) { CHECKED(cudaLibraryUnload(library_of(library))); }
CUresult cuLibraryGetKernel(CUkernel *kernel, CUlibrary library, const char *name) {
  CHECKED(cudaLibraryGetKernel((cudaKernel_t *)(void *)kernel, library_of(library), name));
}
CUresult cuLibraryGetModule(CUmodule *module, CUlibrary library) {
  if (!module || !library) return CUDA_ERROR_INVALID_VALUE;
  *module = (CUmodule)(void *)library;
  return CUDA_SUCCESS;
}
CUresult cuLibraryGetGlobal(CUdeviceptr *address, size_t *bytes, CUlibrary library,
                            const char *name) {
  return cuModuleGetGlobal(address, bytes, (CUmodule)(void *)library, name);
}
CUresult cuLibraryGetManaged(CUdeviceptr *address, size_t *bytes, CUlibrary library,
                             const char *name) {
  CHECKED(cudaLibraryGetManaged((void **)(void *)address, bytes, library_of(library), name));
}
CUresult cuLibraryGetKernelCount(unsigned int *n, CUlibrary library) {
  CHECKED(cudaLibraryGetKernelCount(n, library_of(library)));
}
CUresult cuLibraryEnumerateKernels(CUkernel *kernels, unsigned int n, CUlibrary library) {
  CHECKED(cudaLibraryEnumerateKernels((cudaKernel_t *)(void *)kernels, n, library_of(library)));
}
CUresult cuModuleGetFunctionCount(unsigned int *n, CUmodule module) {
  IN_CONTEXT(cudaLibraryGetKernelCount(n, library_of(module)));
}
CUresult cuModuleEnumerateFunctions(CUfunction *functions, unsigned int n, CUmodule module) {
  IN_CONTEXT(cudaLibraryEnumerateKernels((cudaKernel_t *)(void *)functions, n, library_of(module)));
}
CUresult cuModuleLoadFatBinary(CUmodule *module, const void *image) {
  return cuModuleLoadData(module, image);
}
CUresult cuModuleGetLoadingMode(CUmoduleLoadingMode *mode) {
  if (!mode) return CUDA_ERROR_INVALID_VALUE;
  *mode = CU_MODULE_LAZY_LOADING;
  return CUDA_SUCCESS;
}

// ---- Kernels and functions.

CUresult cuKernelGetFunction(CUfunction *function, CUkernel kernel) {
  if (!function || !kernel) return CUDA_ERROR_INVALID_VALUE;
  *function = (CUfunction)(void *)kernel;
  return simt_drv_needs_context();
}
CUresult cuKernelGetLibrary(CUlibrary *library, CUkernel kernel) {
  if (!library || !kernel) return CUDA_ERROR_INVALID_VALUE;
  const rt_kernel *k = (const rt_kernel *)(const void *)kernel;
  *library = (CUlibrary)(void *)((char *)k->module - offsetof(rt_library, module));
  return CUDA_SUCCESS;
}
CUresult cuFuncGetModule(CUmodule *module, CUfunction function) {
  return cuKernelGetLibrary((CUlibrary *)(void *)module, (CUkernel)(void *)function);
}
CUresult cuKernelGetName(const char **name, CUkernel kernel) {
  CHECKED(cudaFuncGetName(name, kernel));
}
CUresult cuFuncGetName(const char **name, CUfunction function) {
  CHECKED(cudaFuncGetName(name, function));
}
CUresult cuKernelGetParamInfo(CUkernel kernel, size_t index, size_t *offset, size_t *bytes) {
  CHECKED(cudaFuncGetParamInfo(kernel, index, offset, bytes));
}
CUresult cuFuncGetParamInfo(CUfunction function, size_t index, size_t *offset, size_t *bytes) {
  CHECKED(cudaFuncGetParamInfo(function, index, offset, bytes));
}
CUresult cuKernelGetAttribute(int *value, CUfunction_attribute attribute, CUkernel kernel,
                              CUdevice device) {
  (void)device;
  return cuFuncGetAttribute(value, attribute, (CUfunction)(void *)kernel);
}
CUresult cuKernelSetAttribute(CUfunction_attribute attribute, int value, CUkernel kernel,
                              CUdevice device) {
  (void)device;
  CHECKED(cudaFuncSetAttribute(kernel, (enum cudaFuncAttribute)attribute, value));
}
CUresult cuKernelSetCacheConfig(CUkernel kernel, CUfunc_cache config, CUdevice device) {
  (void)device;
  CHECKED(cudaFuncSetCacheConfig(kernel, (enum cudaFuncCache)config));
}
CUresult cuFuncSetCacheConfig(CUfunction function, CUfunc_cache config) {
  IN_CONTEXT(cudaFuncSetCacheConfig(function, (enum cudaFuncCache)config));
}
CUresult cuFuncIsLoaded(CUfunctionLoadingState *state, CUfunction function) {
  if (!state || !function) return CUDA_ERROR_INVALID_VALUE;
  *state = CU_FUNCTION_LOADING_STATE_LOADED;
  return CUDA_SUCCESS;
}
CUresult cuFuncLoad(CUfunction function) {
  return function ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

static cudaLaunchConfig_t configuration(const CUlaunchConfig *config) {
  return (cudaLaunchConfig_t){.gridDim = {config->gridDimX, config->gridDimY, config->gridDimZ},
                              .blockDim = {config->blockDimX, config->blockDimY, config->blockDimZ},
                              .dynamicSmemBytes = config->sharedMemBytes,
                              .stream = config->hStream,
                              .attrs = (cudaLaunchAttribute *)(void *)config->attrs,
                              .numAttrs = config->numAttrs};
}

CUresult cuLaunchKernelEx(const CUlaunchConfig *config, CUfunction function, void **parameters,
                          void **extra) {
  if (!config) return CUDA_ERROR_INVALID_VALUE;
  if (extra)
    return cuLaunchKernel(function, config->gridDimX, config->gridDimY, config->gridDimZ,
                          config->blockDimX, config->blockDimY, config->blockDimZ,
                          config->sharedMemBytes, config->hStream, parameters, extra);
  const cudaLaunchConfig_t c = configuration(config);
  IN_CONTEXT(cudaLaunchKernelExC(&c, function, parameters));
}

// ---- Occupancy.

CUresult cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *blocks, CUfunction function,
                                                              int block_size, size_t shared_bytes,
                                                              unsigned int flags) {
  IN_CONTEXT(cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, function, block_size,
                                                                    shared_bytes, flags));
}
CUresult cuOccupancyAvailableDynamicSMemPerBlock(size_t *bytes, CUfunction function, int blocks,
                                                 int block_size) {
  IN_CONTEXT(cudaOccupancyAvailableDynamicSMemPerBlock(bytes, function, blocks, block_size));
}

// The largest of the block sizes, in warps, that keep most threads resident.
CUresult cuOccupancyMaxPotentialBlockSizeWithFlags(int *grid_size, int *block_size,
                                                   CUfunction function,
                                                   CUoccupancyB2DSize shared_bytes_of,
                                                   size_t shared_bytes, int limit,
                                                   unsigned int flags) {
  int most = 0, n_sms = 0, best = 0, best_blocks = 0, device = 0;
  CUresult result = cuFuncGetAttribute(&most, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, function);
  if (!grid_size || !block_size) return CUDA_ERROR_INVALID_VALUE;
  if (limit > 0 && limit < most) most = limit;
  if (!result) result = cuCtxGetDevice(&device);
  if (!result)
    result = cuDeviceGetAttribute(&n_sms, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, device);
  for (int size = most; !result && size > 0; size = (size - 1) / 32 * 32) {
    int blocks = 0;
    const size_t bytes = shared_bytes_of ? shared_bytes_of(size) : shared_bytes;
    result =
        cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(&blocks, function, size, bytes, flags);
    if (blocks * size > best * best_blocks) best = size, best_blocks = blocks;
  }
  *block_size = best;
  *grid_size = best_blocks * n_sms;
  return result;
}
CUresult cuOccupancyMaxPotentialBlockSize(int *grid_size, int *block_size, CUfunction function,
                                          CUoccupancyB2DSize shared_bytes_of, size_t shared_bytes,
                                          int limit) {
  return cuOccupancyMaxPotentialBlockSizeWithFlags(grid_size, block_size, function, shared_bytes_of,
                                                   shared_bytes, limit, 0);
}

CUresult cuOccupancyMaxActiveClusters(int *clusters, CUfunction function,
                                      const CUlaunchConfig *config) {
  if (!config) return CUDA_ERROR_INVALID_VALUE;
  const cudaLaunchConfig_t c = configuration(config);
  IN_CONTEXT(cudaOccupancyMaxActiveClusters(clusters, function, &c));
}
CUresult cuOccupancyMaxPotentialClusterSize(int *cluster_size, CUfunction function,
                                            const CUlaunchConfig *config) {
  if (!config) return CUDA_ERROR_INVALID_VALUE;
  const cudaLaunchConfig_t c = configuration(config);
  IN_CONTEXT(cudaOccupancyMaxPotentialClusterSize(cluster_size, function, &c));
}

// ---- Entry points by name: of those with a version in their names the newest.

static void *entry_point(const char *name) {
  static const char *const versions[] = {"_v4", "_v3", "_v2", ""};
  char full[128];
  for (size_t i = 0; i < sizeof versions / sizeof *versions; i++) {
    snprintf(full, sizeof full, "%s%s", name, versions[i]);
    for (const simt_rt_entry *e = simt_rt_entries; e->name; e++)
      if (!strcmp(e->name, full)) return (void *)(uintptr_t)e->function;
  }
  return NULL;
}

CUresult cuGetProcAddress(const char *name, void **function, int version, cuuint64_t flags,
                          CUdriverProcAddressQueryResult *status) {
  (void)flags;
  if (!name || !function) return CUDA_ERROR_INVALID_VALUE;
  *function = entry_point(name);
  if (status)
    *status = *function ? CU_GET_PROC_ADDRESS_SUCCESS : CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND;
  (void)version;
  return *function ? CUDA_SUCCESS : CUDA_ERROR_NOT_FOUND;
}

cudaError_t cudaGetDriverEntryPointByVersion(const char *name, void **function,
                                             unsigned int version, unsigned long long flags,
                                             enum cudaDriverEntryPointQueryResult *status) {
  (void)version;
  if (!name || !function || flags > 2) return simt_rt_answer(cudaErrorInvalidValue);
  *function = entry_point(name);
  if (status)
    *status = *function ? cudaDriverEntryPointSuccess : cudaDriverEntryPointSymbolNotFound;
  cuInit(0);
  return cudaSuccess;
}

cudaError_t cudaGetDriverEntryPoint(const char *name, void **function, unsigned long long flags,
                                    enum cudaDriverEntryPointQueryResult *status) {
  return cudaGetDriverEntryPointByVersion(name, function, CUDART_VERSION, flags, status);
}
