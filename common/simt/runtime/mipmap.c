// SPDX-License-Identifier: MIT
// runtime/mipmap.c - mipmapped arrays: one array for each level, half as long at every edge as the
// one before it.
#include <stdlib.h>

#include "runtime/arrays.h"

struct cudaMipmappedArray *simt_rt_mipmap(rt_context *context,
                                          const struct cudaMipmappedArray *handle) {
  for (struct cudaMipmappedArray *m = context->mipmaps; m; m = m->next)
    if (m == handle) return m;
  return NULL;
}

static size_t halved(size_t edge, uint32_t times) {
  return edge && edge >> times == 0 ? 1 : edge >> times;
}

// Every level has as many layers and faces of a cube as level 0.
static struct cudaExtent extent_of(struct cudaExtent e, unsigned flags, uint32_t level) {
  const bool keeps_depth = flags & (cudaArrayLayered | cudaArrayCubemap);
  return (struct cudaExtent){halved(e.width, level), halved(e.height, level),
                             keeps_depth ? e.depth : halved(e.depth, level)};
}

// Levels down to a single element; a program may ask for more.
static uint32_t most_levels(struct cudaExtent e, unsigned flags) {
  uint32_t n = 1;
  for (; n < SIMT_MAX_LEVELS; n++) {
    const struct cudaExtent before = extent_of(e, flags, n - 1);
    const bool deep = !(flags & (cudaArrayLayered | cudaArrayCubemap)) && before.depth > 1;
    if (before.width <= 1 && before.height <= 1 && !deep) break;
  }
  return n;
}

static void drop(rt_context *context, struct cudaMipmappedArray *m) {
  struct cudaMipmappedArray **link = &context->mipmaps;
  while (*link && *link != m) link = &(*link)->next;
  if (*link) *link = m->next;
  free(m);
}

void simt_rt_mipmaps_reset(rt_context *context) {
  for (struct cudaMipmappedArray *m = context->mipmaps, *next; m; m = next) {
    next = m->next;
    if (m->device == context->on->ordinal) drop(context, m);
  }
}

static void free_levels(const struct cudaMipmappedArray *m) {
  for (uint32_t i = 0; i < m->n_levels; i++) cudaFreeArray(m->level[i]);
}

cudaError_t cudaMallocMipmappedArray(cudaMipmappedArray_t *mipmap,
                                     const struct cudaChannelFormatDesc *desc,
                                     struct cudaExtent extent, unsigned int n_levels,
                                     unsigned int flags) {
  if (!mipmap || !desc) return cudaErrorInvalidValue;
  if (!n_levels) n_levels = 1; // as on an H100
  const uint32_t most = most_levels(extent, flags), n = n_levels < most ? n_levels : most;
  struct cudaMipmappedArray *m = calloc(1, sizeof *m);
  if (!m) return cudaErrorMemoryAllocation;
  cudaError_t error = cudaSuccess;
  while (!error && m->n_levels < n) {
    const struct cudaExtent e = extent_of(extent, flags, m->n_levels);
    error = cudaMalloc3DArray(&m->level[m->n_levels], desc, e, flags);
    m->n_levels += !error;
  }
  rt_context *context = NULL;
  if (!error) error = simt_rt_enter(&context);
  if (!error) {
    m->device = context->on->ordinal;
    m->next = context->mipmaps;
    *mipmap = context->mipmaps = m;
    return simt_rt_leave(context, cudaSuccess);
  }
  free_levels(m);
  free(m);
  return error;
}

cudaError_t cudaGetMipmappedArrayLevel(cudaArray_t *array, cudaMipmappedArray_const_t mipmap,
                                       unsigned int level) {
  rt_context *context;
  cudaError_t error = simt_rt_enter(&context);
  const struct cudaMipmappedArray *m = error ? NULL : simt_rt_mipmap(context, mipmap);
  if (!error && (!m || !array || level >= m->n_levels)) error = cudaErrorInvalidValue;
  if (!error) *array = m->level[level];
  return simt_rt_leave(context, error);
}

cudaError_t cudaFreeMipmappedArray(cudaMipmappedArray_t mipmap) {
  rt_context *context;
  cudaError_t error = simt_rt_enter(&context);
  struct cudaMipmappedArray *m = error || !mipmap ? NULL : simt_rt_mipmap(context, mipmap);
  if (!error && mipmap && !m) error = cudaErrorContextIsDestroyed;
  struct cudaMipmappedArray levels = {0};
  if (!error && m) {
    levels = *m;
    drop(context, m);
  }
  error = simt_rt_leave(context, error);
  free_levels(&levels);
  return error;
}
