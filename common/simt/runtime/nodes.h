// SPDX-License-Identifier: MIT
// runtime/nodes.h - one operation of a stream or a graph as a record: launches, copies, sets and
// the rest (runtime/graph.c carries them out).
#ifndef SIMT_RUNTIME_NODES_H
#define SIMT_RUNTIME_NODES_H

#include <stdbool.h>
#include <stdint.h>

#include "include/cuda_runtime_api.h"

typedef struct CUkern_st rt_kernel;
typedef struct CUgraph_st rt_graph;

// What a kernel's attributes say of clusters.
typedef struct rt_cluster_settings {
  uint32_t required[3]; // blocks in each direction; [0] == 0: none set
  int non_portable;     // not 0: more than 8 blocks are allowed
  int policy;
} rt_cluster_settings;

typedef struct rt_launch {
  rt_kernel *kernel;
  uint32_t device;
  dim3 grid, block;
  size_t shared_bytes;
  bool has_cluster; // the launch gives the size of its clusters
  uint32_t cluster[3];
  bool cooperative;
  bool overlaps; // it may be brought in while the launch before it is still at work
  void *params;  // packed
} rt_launch;
typedef enum rt_node_kind {
  RT_NODE_LAUNCH,
  RT_NODE_COPY,
  RT_NODE_SET,
  RT_NODE_HOST,
  RT_NODE_EMPTY,
  RT_NODE_GRAPH,
  RT_NODE_RECORD, // of an event
  RT_NODE_WAIT,
  RT_NODE_ALLOCATE, // `width` bytes at `dst`
  RT_NODE_FREE,
  RT_NODE_CONDITION
} rt_node_kind;
// A node whose bodies run as a word of device memory says, which kernels may write.
typedef struct rt_condition {
  uint64_t word; // its address: what the program knows as the handle
  enum cudaGraphConditionalNodeType type;
  unsigned n_bodies;
  rt_graph **bodies; // [n_bodies]; owned
} rt_condition;
typedef struct rt_node {
  rt_node_kind kind;
  rt_launch launch; // params owned by the node
  void *dst;
  const void *src;
  size_t dst_pitch, src_pitch, width, height; // copies and sets; 1-D: height 1
  enum cudaMemcpyKind copy_kind;
  int value;
  unsigned element_bytes; // of a set: 0 and 1: bytes, 2, 4
  cudaHostFn_t host_function;
  void *host_data;
  rt_graph *child; // RT_NODE_GRAPH: a copy of its own
  cudaEvent_t event;
  struct rt_attributes *attributes; // of a launch that is in no executable graph; owned
  rt_condition condition;
  bool is_disabled;
  const void *function; // of a launch, as the program names it
  void **arguments;     // pointers into launch.params, made when the program asks; owned
  // What the program knows it by; of an executable graph: the node it is from.
  cudaGraphNode_t handle;
  cudaGraphNode_t original; // of a clone: the node it was made from
} rt_node;

#endif
