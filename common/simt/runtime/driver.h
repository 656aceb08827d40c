// SPDX-License-Identifier: MIT
// runtime/driver.h - what driver.c and driver_context.c share.
#ifndef SIMT_RUNTIME_DRIVER_H
#define SIMT_RUNTIME_DRIVER_H

#include "include/cuda.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "include/cuda_runtime_api.h"

struct CUctx_st { // what CUcontext points to
  int device;
};

extern atomic_bool simt_drv_is_initialised;
CUresult simt_drv_result(cudaError_t error);
CUcontext simt_drv_current(void); // of the calling thread, or NULL
bool simt_drv_is_context(CUcontext context);

// A call that needs cuInit; the runtime's own last error is not its business.
#define CHECKED(call)                                                                              \
  do {                                                                                             \
    if (!atomic_load(&simt_drv_is_initialised)) return CUDA_ERROR_NOT_INITIALIZED;                 \
    const cudaError_t call_error = (call);                                                         \
    if (call_error != cudaSuccess) cudaGetLastError();                                             \
    return simt_drv_result(call_error);                                                            \
  } while (0)
// One that needs a current context as well.
#define IN_CONTEXT(call)                                                                           \
  do {                                                                                             \
    if (atomic_load(&simt_drv_is_initialised) && !simt_drv_current())                              \
      return CUDA_ERROR_INVALID_CONTEXT;                                                           \
    CHECKED(call);                                                                                 \
  } while (0)

#endif
