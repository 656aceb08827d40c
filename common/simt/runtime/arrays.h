// SPDX-License-Identifier: MIT
// runtime/arrays.h - what array.c and texture.c share.
#ifndef SIMT_RUNTIME_ARRAYS_H
#define SIMT_RUNTIME_ARRAYS_H

#include "device/texture.h"
#include "runtime/runtime.h"

struct cudaArray { // what cudaArray_t points to
  struct cudaArray *next;
  uint32_t device;
  struct cudaChannelFormatDesc desc;
  struct cudaExtent extent; // as requested: 0 where there is no such dimension
  unsigned flags;
  uint64_t address, row_bytes, slice_bytes;
};

struct cudaMipmappedArray { // what cudaMipmappedArray_t points to
  struct cudaMipmappedArray *next;
  uint32_t device, n_levels;
  struct cudaArray *level[SIMT_MAX_LEVELS]; // arrays of the context, freed with it
};

// NULL: not an array of this context.
struct cudaMipmappedArray *simt_rt_mipmap(rt_context *context,
                                          const struct cudaMipmappedArray *handle);
struct cudaArray *simt_rt_array(rt_context *context, const struct cudaArray *handle);
uint32_t simt_rt_texel_bytes(const struct cudaChannelFormatDesc *desc);
void simt_rt_arrays_reset(rt_context *context); // and the mipmaps
void simt_rt_mipmaps_reset(rt_context *context);

#endif
