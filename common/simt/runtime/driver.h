// SPDX-License-Identifier: MIT
// runtime/driver.h - what the files of the driver API share.
#ifndef SIMT_RUNTIME_DRIVER_H
#define SIMT_RUNTIME_DRIVER_H

#include "include/cuda.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "include/cuda_runtime_api.h"

struct CUctx_st { // what CUcontext points to
  int device;
  struct CUctx_st *next; // of those that cuCtxCreate has made
  atomic_uint flags;
  atomic_bool is_destroyed;
  atomic_int n_holders, n_lost; // primary: who has retained it, and who had when it was reset
};

extern atomic_bool simt_drv_is_initialised;
CUresult simt_drv_result(cudaError_t error);
CUcontext simt_drv_current(void);      // of the calling thread, or NULL
CUresult simt_drv_needs_context(void); // an error where it has none, or one that is gone
// The driver API calls the runtime between these two. The second one gives back `error`.
cudaError_t simt_rt_exchange_error(cudaError_t error); // the calling thread's last one: the old one
void simt_drv_begin(void);
cudaError_t simt_drv_end(cudaError_t error);
#define INSIDE(call) simt_drv_end((simt_drv_begin(), (call)))
bool simt_drv_is_context(CUcontext context);
CUresult simt_drv_primary(CUcontext *context, CUdevice device);

typedef struct simt_rt_entry {
  const char *name;
  void (*function)(void);
} simt_rt_entry;
extern const simt_rt_entry simt_rt_entries[]; // up to one without a name

// runtime/driver_link.c. A program's options for its code: it may ask for logs.
typedef struct simt_drv_options {
  unsigned n;
  CUjit_option *options; // [n]
  void **values;         // [n]
} simt_drv_options;
void simt_drv_logs(const simt_drv_options *o, const char *why); // NULL: all went well
// Whether a text is PTX that can be read; else `why` says what is wrong, as ptxas does.
bool simt_drv_reads(const char *text, size_t bytes, char *why, size_t why_bytes);

// Between the texts that cuLink... puts together.
#define SIMT_RT_NEXT_UNIT "\n// next unit of a link\n"

// runtime/copy.c and runtime/memory.c, for what only the driver API asks.
cudaError_t simt_rt_set_rows(const struct cudaMemsetParams *p, cudaStream_t stream, bool waits);
cudaError_t simt_rt_library_read(cudaLibrary_t library); // unloads what cannot be read
// The allocation that a pointer lies in.
cudaError_t simt_rt_range_of(const void *pointer, void **start, size_t *bytes);

// A copy of the driver API as one of the runtime; false: it names no memory or array.
bool simt_drv_copy_params(const CUDA_MEMCPY3D *copy, struct cudaMemcpy3DParms *out);
size_t simt_drv_texel_bytes(cudaArray_const_t array); // 0: not an array

// A call that needs cuInit.
#define CHECKED(call)                                                                              \
  do {                                                                                             \
    if (!atomic_load(&simt_drv_is_initialised)) return CUDA_ERROR_NOT_INITIALIZED;                 \
    const cudaError_t call_error = INSIDE(call);                                                   \
    return simt_drv_result(call_error);                                                            \
  } while (0)
// A call that also needs a current context.
#define IN_CONTEXT(call)                                                                           \
  do {                                                                                             \
    const CUresult missing =                                                                       \
        atomic_load(&simt_drv_is_initialised) ? simt_drv_needs_context() : CUDA_SUCCESS;           \
    if (missing) return missing;                                                                   \
    CHECKED(call);                                                                                 \
  } while (0)

#endif
