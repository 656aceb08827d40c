// SPDX-License-Identifier: MIT
// cluster.h - thread block clusters: where a block is in its cluster, the cluster's barrier, and
// pointers into the shared memory of its other blocks. Names as in CUDA's sm_90_rt.h. A launch that
// asks for no clusters has them too: of one block each.
#ifndef SIMT_CUDA_CLUSTER_H
#define SIMT_CUDA_CLUSTER_H

#include "device.h"

#define SIMT_SPECIAL(function, name)                                                               \
  SIMT_DEVICE unsigned function() {                                                                \
    unsigned value;                                                                                \
    asm("mov.u32 %0, %%" name ";" : "=r"(value));                                                  \
    return value;                                                                                  \
  }
#define SIMT_SPECIAL_3(function, name)                                                             \
  SIMT_SPECIAL(function##_x, name ".x")                                                            \
  SIMT_SPECIAL(function##_y, name ".y")                                                            \
  SIMT_SPECIAL(function##_z, name ".z")                                                            \
  SIMT_DEVICE dim3 function() { return dim3(function##_x(), function##_y(), function##_z()); }

SIMT_SPECIAL_3(__clusterIdx, "clusterid")
SIMT_SPECIAL_3(__clusterGridDimInClusters, "nclusterid")
SIMT_SPECIAL_3(__clusterRelativeBlockIdx, "cluster_ctaid")
SIMT_SPECIAL_3(__clusterDim, "cluster_nctaid")
SIMT_SPECIAL(__clusterRelativeBlockRank, "cluster_ctarank")
SIMT_SPECIAL(__clusterSizeInBlocks, "cluster_nctarank")
#undef SIMT_SPECIAL_3
#undef SIMT_SPECIAL

SIMT_DEVICE unsigned __clusterDimIsSpecified() {
  unsigned yes;
  asm("{.reg .pred %%is; mov.pred %%is, %%is_explicit_cluster; selp.u32 %0, 1, 0, %%is;}"
      : "=r"(yes));
  return yes;
}

// ---- The barrier.
SIMT_DEVICE_TOGETHER void __cluster_barrier_arrive() {
  asm volatile("barrier.cluster.arrive;" ::: "memory");
}
SIMT_DEVICE_TOGETHER void __cluster_barrier_arrive_relaxed() {
  asm volatile("barrier.cluster.arrive.relaxed;" ::: "memory");
}
SIMT_DEVICE_TOGETHER void __cluster_barrier_wait() {
  asm volatile("barrier.cluster.wait;" ::: "memory");
}
SIMT_DEVICE void __threadfence_cluster() { asm volatile("fence.acq_rel.cluster;" ::: "memory"); }

// ---- Distributed shared memory.
SIMT_DEVICE void *__cluster_map_shared_rank(const void *pointer, unsigned rank) {
  void *there;
  asm("mapa.u64 %0, %1, %2;" : "=l"(there) : "l"(pointer), "r"(rank));
  return there;
}
SIMT_DEVICE unsigned __cluster_query_shared_rank(const void *pointer) {
  unsigned rank;
  asm("getctarank.u64 %0, %1;" : "=r"(rank) : "l"(pointer));
  return rank;
}
SIMT_DEVICE unsigned __isCtaShared(const void *pointer) { return __isShared(pointer); }
SIMT_DEVICE unsigned __isClusterShared(const void *pointer) {
  unsigned yes;
  asm("{.reg .pred %%is; isspacep.shared::cluster %%is, %1; selp.u32 %0, 1, 0, %%is;}"
      : "=r"(yes)
      : "l"(pointer));
  return yes;
}

#endif
