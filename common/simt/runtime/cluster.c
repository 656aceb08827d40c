// SPDX-License-Identifier: MIT
// runtime/cluster.c - the size of a launch's clusters: from the kernel (__cluster_dims__), from its
// attributes or from the launch; its checks with CUDA's error codes; how many clusters fit.
//
// A cluster runs within one of the device's groups of multiprocessors (GPC), which differ from card
// to card. The groups for 132 multiprocessors reproduce what cudaOccupancyMaxActiveClusters returns
// on an H200; any other number is divided evenly.
// Source of the error codes: an H200 with CUDA 13.
#include "runtime/cluster.h"

#include <string.h>

enum { PORTABLE_BLOCKS = 8, MOST_PER_SM = 8, GROUP_SMS = 18, MOST_GROUPS = 16, H200_SMS = 132 };

static uint32_t product(const uint32_t size[3]) {
  uint64_t blocks = 1;
  for (int i = 0; i < 3; i++) blocks *= size[i] < UINT16_MAX ? size[i] : UINT16_MAX;
  return blocks < UINT32_MAX ? (uint32_t)blocks : UINT32_MAX;
}

static bool is_same(const uint32_t a[3], const uint32_t b[3]) {
  return memcmp(a, b, 3 * sizeof *a) == 0;
}

// The cluster size that the kernel requires: at compile time, else by its attributes; [0] == 0:
// none.
static void demanded(const rt_context *context, rt_kernel *kernel, uint32_t out[3]) {
  const rt_kernel_on *on = simt_rt_kernel_on(context, kernel);
  simt_kernel_info info;
  simt_kernel_describe(on->kernel, &info);
  memcpy(out, info.required_cluster, sizeof info.required_cluster);
  if (!out[0]) memcpy(out, on->cluster.required, sizeof on->cluster.required);
}

static bool is_given(const uint32_t size[3]) { return size[0] || size[1] || size[2]; }

void simt_rt_cluster_of(const rt_context *context, const rt_launch *l, uint32_t out[3]) {
  demanded(context, l->kernel, out);
  if (!is_given(out)) memcpy(out, l->cluster, sizeof l->cluster);
}

// ---- checks ------------------------------------------------------------------------------------

static cudaError_t refuse(const rt_context *context, const rt_launch *l, const uint32_t size[3],
                          const char *why) {
  simt_rt_note(context, "launch of %s with grid (%u,%u,%u) and clusters of (%u,%u,%u) blocks: %s",
               l->kernel->name, l->grid.x, l->grid.y, l->grid.z, size[0], size[1], size[2], why);
  return cudaErrorInvalidClusterSize;
}

static bool must_be_set(const rt_context *context, const rt_launch *l) {
  simt_kernel_info info;
  simt_kernel_describe(simt_rt_kernel_on(context, l->kernel)->kernel, &info);
  return info.is_cluster_explicit;
}

static uint32_t most_blocks(const rt_context *context, rt_kernel *kernel) {
  return simt_rt_kernel_on(context, kernel)->cluster.non_portable ? SIMT_MAX_CLUSTER_BLOCKS
                                                                  : PORTABLE_BLOCKS;
}

static cudaError_t check_size(const rt_context *context, const rt_launch *l,
                              const uint32_t size[3]) {
  simt_kernel_info info;
  simt_kernel_describe(simt_rt_kernel_on(context, l->kernel)->kernel, &info);
  const uint32_t blocks = product(size), grid[3] = {l->grid.x, l->grid.y, l->grid.z};
  if (!blocks) return refuse(context, l, size, "a dimension is zero");
  if (blocks > SIMT_MAX_CLUSTER_BLOCKS)
    return refuse(context, l, size, "a cluster has at most 16 blocks");
  if (blocks > most_blocks(context, l->kernel))
    return refuse(context, l, size,
                  "more than 8 blocks are not portable; allow them with cudaFuncSetAttribute("
                  "kernel, cudaFuncAttributeNonPortableClusterSizeAllowed, 1)");
  if (info.max_cluster_blocks && blocks > info.max_cluster_blocks)
    return refuse(context, l, size, "__launch_bounds__ promises smaller clusters");
  for (int i = 0; i < 3; i++)
    if (grid[i] % size[i])
      return refuse(context, l, size, "the grid is not a multiple of the cluster size");
  return cudaSuccess;
}

cudaError_t simt_rt_cluster_check(const rt_context *context, const rt_launch *l) {
  uint32_t size[3], kernels[3];
  simt_rt_cluster_of(context, l, size);
  if (!is_given(size) && !l->has_cluster)
    return must_be_set(context, l)
               ? refuse(context, l, size, "the kernel requires the launch to give a cluster size")
               : cudaSuccess;
  if (context->device->capability_major < 9) {
    simt_rt_note(context,
                 "launch of %s: the %s has no thread block clusters, which need compute "
                 "capability 9.0",
                 l->kernel->name, context->device->name);
    return cudaErrorNotSupported;
  }
  demanded(context, l->kernel, kernels);
  if (is_given(kernels) && l->has_cluster && !is_same(kernels, l->cluster))
    return refuse(context, l, l->cluster, "the kernel was compiled for another cluster size");
  cudaError_t error = check_size(context, l, size);
  if (error || simt_rt_clusters_fit(context, l)) return error;
  return refuse(context, l, size, "not even one cluster fits on the device");
}

// ---- attributes of a kernel --------------------------------------------------------------------

cudaError_t simt_rt_cluster_set(const rt_context *context, rt_kernel *kernel,
                                enum cudaFuncAttribute attribute, int value) {
  rt_kernel_on *on = simt_rt_kernel_on(context, kernel);
  simt_kernel_info info;
  simt_kernel_describe(on->kernel, &info);
  if (value < 0) return cudaErrorInvalidValue;
  switch (attribute) {
  case cudaFuncAttributeNonPortableClusterSizeAllowed:
    on->cluster.non_portable = value;
    return cudaSuccess;
  case cudaFuncAttributeClusterSchedulingPolicyPreference: // affects only where blocks run
    if (value > cudaClusterSchedulingPolicyLoadBalancing) return cudaErrorInvalidValue;
    on->cluster.policy = value;
    return cudaSuccess;
  case cudaFuncAttributeRequiredClusterWidth:
  case cudaFuncAttributeRequiredClusterHeight:
  case cudaFuncAttributeRequiredClusterDepth: {
    if (info.required_cluster[0]) {
      simt_rt_note(context, "cudaFuncSetAttribute(%s): __cluster_dims__ has fixed the cluster size",
                   info.name);
      return cudaErrorInvalidValue;
    }
    on->cluster.required[attribute - cudaFuncAttributeRequiredClusterWidth] = (uint32_t)value;
    return cudaSuccess;
  }
  default: return cudaErrorInvalidValue; // only the compiler sets ClusterDimMustBeSet
  }
}

void simt_rt_cluster_describe(const rt_context *context, rt_kernel *kernel,
                              struct cudaFuncAttributes *out) {
  const rt_kernel_on *on = simt_rt_kernel_on(context, kernel);
  simt_kernel_info info;
  uint32_t size[3];
  simt_kernel_describe(on->kernel, &info);
  demanded(context, kernel, size);
  out->clusterDimMustBeSet = info.is_cluster_explicit;
  out->requiredClusterWidth = (int)size[0]; // as they were set, zeros too
  out->requiredClusterHeight = (int)size[1];
  out->requiredClusterDepth = (int)size[2];
  out->clusterSchedulingPolicyPreference = on->cluster.policy;
  out->nonPortableClusterSizeAllowed = on->cluster.non_portable;
}

// ---- occupancy ---------------------------------------------------------------------------------

// The multiprocessors of each group; returns the number of groups.
static uint32_t share_out(uint32_t n_sms, uint32_t groups[MOST_GROUPS]) {
  static const uint32_t h200[] = {18, 18, 16, 16, 16, 16, 16, 8, 2, 2, 2, 2};
  uint32_t n = (n_sms + GROUP_SMS - 1) / GROUP_SMS;
  if (n_sms == H200_SMS) return memcpy(groups, h200, sizeof h200), sizeof h200 / sizeof *h200;
  if (n > MOST_GROUPS) n = MOST_GROUPS;
  for (uint32_t i = 0; i < n; i++) groups[i] = n_sms / n + (i < n_sms % n);
  return n;
}

// A group takes part only where each block of a cluster could have a multiprocessor to itself, and
// a multiprocessor with at most eight blocks of clusters, however small they are.
uint32_t simt_rt_clusters_fit(const rt_context *context, const rt_launch *l) {
  uint32_t size[3], groups[MOST_GROUPS], n = 0;
  simt_rt_cluster_of(context, l, size);
  const uint32_t blocks = is_given(size) ? product(size) : 1;
  const uint32_t threads = l->block.x * l->block.y * l->block.z;
  int per_sm = simt_rt_blocks_per_sm(context, l->kernel, threads, l->shared_bytes);
  if (per_sm <= 0 || !blocks) return 0;
  if (blocks == 1) return (uint32_t)per_sm * context->device->n_sms;
  if (per_sm > MOST_PER_SM) per_sm = MOST_PER_SM;
  const uint32_t n_groups = share_out(context->device->n_sms, groups);
  for (uint32_t i = 0; i < n_groups; i++)
    if (groups[i] >= blocks) n += groups[i] * (uint32_t)per_sm / blocks;
  return n;
}

static cudaError_t enter(rt_context **context, const void *function,
                         const cudaLaunchConfig_t *config, rt_launch *l) {
  cudaError_t error = simt_rt_enter(context);
  *l = (rt_launch){0};
  if (!error && !config) error = cudaErrorInvalidValue;
  if (!error) error = simt_rt_launch_configure(*context, config, l);
  if (!error) error = simt_rt_kernel_find(*context, function, &l->kernel);
  if (!error && (!l->block.x || !l->block.y || !l->block.z)) error = cudaErrorInvalidValue;
  return error ? error : simt_rt_cluster_check(*context, l);
}

// 0 when neither the kernel nor the configuration asks for clusters.
cudaError_t cudaOccupancyMaxActiveClusters(int *clusters, const void *function,
                                           const cudaLaunchConfig_t *config) {
  rt_context *context;
  rt_launch l;
  uint32_t size[3] = {0};
  cudaError_t error = enter(&context, function, config, &l);
  if (!error && !clusters) error = cudaErrorInvalidValue;
  if (!error) simt_rt_cluster_of(context, &l, size);
  if (!error) *clusters = is_given(size) ? (int)simt_rt_clusters_fit(context, &l) : 0;
  return simt_rt_leave(context, error);
}

// The largest of 16 (if the kernel allows it), 8, 4, 2 and 1 blocks of which a cluster fits; the
// size that kernel and configuration name is ignored.
cudaError_t cudaOccupancyMaxPotentialClusterSize(int *cluster_size, const void *function,
                                                 const cudaLaunchConfig_t *config) {
  rt_context *context;
  rt_launch l;
  cudaError_t error = enter(&context, function, config, &l);
  if (!error && !cluster_size) error = cudaErrorInvalidValue;
  if (error) return simt_rt_leave(context, error);
  uint32_t groups[MOST_GROUPS], blocks = most_blocks(context, l.kernel);
  const uint32_t threads = l.block.x * l.block.y * l.block.z;
  const bool fits = simt_rt_blocks_per_sm(context, l.kernel, threads, l.shared_bytes) > 0;
  share_out(context->device->n_sms, groups); // the first is the largest
  while (blocks > 1 && (groups[0] < blocks || context->device->capability_major < 9)) blocks /= 2;
  *cluster_size = fits ? (int)blocks : 0;
  return simt_rt_leave(context, cudaSuccess);
}
