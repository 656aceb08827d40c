// SPDX-License-Identifier: MIT
// runtime/graphs.h - what graph.c and graph_nodes.c share.
#ifndef SIMT_RUNTIME_GRAPHS_H
#define SIMT_RUNTIME_GRAPHS_H

#include "runtime/runtime.h"

typedef struct rt_edge {
  size_t from, to; // indexes of nodes
} rt_edge;

typedef struct rt_capture { // that records into a graph
  bool is_on, is_invalid;
  bool is_own;       // the graph is new, and lost with the capture
  size_t first_node; // the first that it has recorded
  enum cudaStreamCaptureMode mode;
  pthread_t thread; // that began it
  unsigned long long id;
} rt_capture;

struct CUgraph_st {
  rt_graph *next;
  uint32_t device; // that was current when it was made
  rt_node *nodes;  // [n_nodes]; launch parameters and child graphs owned
  size_t n_nodes, capacity;
  rt_edge *edges; // [n_edges]; of an executable graph none: its nodes are in order
  size_t n_edges, edge_capacity;
  bool is_exec; // an instantiated copy: what cudaGraphExec_t points to
  rt_capture capture;
};

struct CUgraphNode_st { // what cudaGraphNode_t points to
  rt_graph *graph;
  size_t index;
};

rt_graph *simt_rt_graph_new(rt_context *context);
rt_graph *simt_rt_graph_find(const rt_context *context, const void *handle, bool is_exec);
cudaError_t simt_rt_graph_edge(rt_graph *graph, size_t from, size_t to);
void simt_rt_graph_drop(rt_context *context, rt_graph *graph);
// Whether the handle is of a node of that graph.
bool simt_rt_graph_owns(const rt_context *context, const rt_graph *graph, cudaGraphNode_t handle);
// What the program knows a node by; NULL: no memory.
cudaGraphNode_t simt_rt_graph_handle(rt_graph *graph, size_t index);
// Appends copies of the nodes of `from`, in an order that its dependencies allow.
cudaError_t simt_rt_graph_copy(rt_context *context, rt_graph *to, const rt_graph *from);

#endif
