// SPDX-License-Identifier: MIT
// runtime/pool.h - memory pools, for the files that allocate, free and wait.
#ifndef SIMT_RUNTIME_POOL_H
#define SIMT_RUNTIME_POOL_H

#include "runtime/runtime.h"

// An allocation in stream order, from the pool `handle` or the current one, and its release
// (stream NULL: when all work has been done). False: it is of no pool.
simt_status simt_rt_pool_allocate(rt_context *context, cudaMemPool_t handle, uint64_t bytes,
                                  const rt_stream *stream, uint64_t *address, simt_diag *diag);
bool simt_rt_pool_freed(rt_context *context, uint64_t address, const rt_stream *stream);
uint32_t simt_rt_pool_device(rt_context *context, cudaMemPool_t handle);
bool simt_rt_pool_exists(rt_context *context, cudaMemPool_t handle);
bool simt_rt_pool_holds(const rt_context *context, uint64_t address);
// The host knows that the work of the stream (NULL: of the device) has been done; has waited for
// it.
void simt_rt_pools_settle(rt_context *context, const rt_stream *stream);
void simt_rt_pools_synchronised(rt_context *context, const rt_stream *stream);
void simt_rt_pools_reset(rt_context *context);

#endif
