// SPDX-License-Identifier: MIT
// runtime/arrays.h - what array.c and texture.c share.
#ifndef SIMT_RUNTIME_ARRAYS_H
#define SIMT_RUNTIME_ARRAYS_H

#include "runtime/runtime.h"

struct cudaArray { // what cudaArray_t points to
  struct cudaArray *next;
  uint32_t device;
  struct cudaChannelFormatDesc desc;
  struct cudaExtent extent; // as requested: 0 where there is no such dimension
  unsigned flags;
  uint64_t address, row_bytes, slice_bytes;
};

// NULL: not an array of this context.
struct cudaArray *simt_rt_array(rt_context *context, const struct cudaArray *handle);
uint32_t simt_rt_texel_bytes(const struct cudaChannelFormatDesc *desc);
void simt_rt_arrays_reset(rt_context *context);

#endif
