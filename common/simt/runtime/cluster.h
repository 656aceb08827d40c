// SPDX-License-Identifier: MIT
// runtime/cluster.h - clusters of blocks as the runtime sees them: the size that a launch gives
// them, what a kernel says of it, and how many fit.
#ifndef SIMT_RUNTIME_CLUSTER_H
#define SIMT_RUNTIME_CLUSTER_H

#include "runtime/runtime.h"

// The size of the launch's clusters in blocks; all 0: it has none.
void simt_rt_cluster_of(const rt_context *context, const rt_launch *launch, uint32_t out[3]);
cudaError_t simt_rt_cluster_check(const rt_context *context, const rt_launch *launch);
// How many of them fit on the device at a time.
uint32_t simt_rt_clusters_fit(const rt_context *context, const rt_launch *launch);
// The part of a kernel's attributes that is about clusters.
cudaError_t simt_rt_cluster_set(const rt_context *context, rt_kernel *kernel,
                                enum cudaFuncAttribute attribute, int value);
void simt_rt_cluster_describe(const rt_context *context, rt_kernel *kernel,
                              struct cudaFuncAttributes *out);

#endif
