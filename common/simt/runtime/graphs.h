// SPDX-License-Identifier: MIT
// runtime/graphs.h - what graph.c and graph_nodes.c share.
#ifndef SIMT_RUNTIME_GRAPHS_H
#define SIMT_RUNTIME_GRAPHS_H

#include "runtime/runtime.h"

typedef struct rt_edge {
  size_t from, to; // indexes of nodes
} rt_edge;

typedef struct rt_owned { // references to a user object
  cudaUserObject_t object;
  unsigned n;
} rt_owned;

typedef struct rt_capture { // a stream capture, which records into a graph
  bool is_on, is_invalid;
  bool is_own;        // the graph was created for it and is lost with it
  bool lost_a_stream; // one that had not joined was destroyed
  size_t first_node;  // the first node that it has recorded
  enum cudaStreamCaptureMode mode;
  pthread_t thread; // which began it
  unsigned long long id;
} rt_capture;

struct CUgraph_st {
  rt_graph *next;
  uint32_t device; // which was current when the graph was created
  rt_node *nodes;  // [n_nodes]; launch parameters and child graphs owned
  size_t n_nodes, capacity;
  rt_edge *edges; // [n_edges]; the nodes of an executable graph are in an order that they allow
  size_t n_edges, edge_capacity;
  const rt_graph
      *made_from;           // of an executable graph: what it was instantiated from, if still there
  bool is_exec;             // an instantiated copy: what cudaGraphExec_t points to
  bool is_part;             // owned by a node of another graph
  unsigned long long flags; // of an executable graph
  uint64_t memory_bytes;    // of its allocating nodes; 0 until it is launched
  rt_owned *objects;
  size_t n_objects;
  uint64_t *words; // [n_words]; of the handles of conditions that were made for it
  size_t n_words;
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
// A graph within a node: known to the program where the node's graph is, not in
// executable graphs.
rt_graph *simt_rt_graph_part(rt_context *context, bool is_exec);
rt_node *simt_rt_graph_node(const rt_context *context, cudaGraphNode_t handle); // NULL: none
rt_node *simt_rt_graph_exec_node(rt_context *context, cudaGraphExec_t exec, cudaGraphNode_t handle);
// A launch of an executable graph, and of a node.
cudaError_t simt_rt_graph_start(rt_context *context, rt_stream *stream, rt_graph *graph);
cudaError_t simt_rt_node_run(rt_context *context, rt_stream *stream, const rt_node *node);
cudaError_t simt_rt_graph_run(rt_context *context, rt_stream *stream, const rt_graph *graph);
// Frees what `node` owns.
void simt_rt_node_free(rt_context *context, rt_node *node);

// runtime/graph_nodes.c: what a node does, from the program's structures.
typedef struct rt_addition { // where a node is inserted
  cudaGraphNode_t *out;
  cudaGraph_t graph;
  const cudaGraphNode_t *dependencies; // [n]
  size_t n;
} rt_addition;
cudaError_t simt_rt_graph_insert(rt_context *context, const rt_addition *a, const rt_node *node);
cudaError_t simt_rt_node_from(rt_context *context, const struct cudaGraphNodeParams *p, rt_node *n);
cudaError_t simt_rt_kernel_node(rt_context *context, const struct cudaKernelNodeParams *p,
                                rt_node *n);
cudaError_t simt_rt_copy_node(void *dst, const void *src, size_t count, enum cudaMemcpyKind kind,
                              rt_node *n);
cudaError_t simt_rt_copy_3d_node(rt_context *context, const struct cudaMemcpy3DParms *p,
                                 rt_node *n);
cudaError_t simt_rt_set_node(const struct cudaMemsetParams *p, rt_node *n);
cudaError_t simt_rt_host_node(const struct cudaHostNodeParams *p, rt_node *n);
cudaError_t simt_rt_child_node(rt_context *context, cudaGraph_t child, rt_node *n);
cudaError_t simt_rt_symbol_node(rt_context *context, const void *symbol, const void *other,
                                size_t count, size_t offset, bool to_symbol, rt_node *n);

// runtime/graph_memory.c
cudaError_t simt_rt_node_allocate(rt_context *context, const rt_node *n, bool again);
cudaError_t simt_rt_node_release(rt_context *context, const rt_stream *stream, const rt_node *n);
bool simt_rt_graph_has_memory(const rt_graph *graph); // nodes that allocate or free
// Whether an executable graph has the memory of `graph`.
bool simt_rt_graph_is_taken(const rt_context *context, const rt_graph *graph);
void simt_rt_graph_memory_begins(rt_graph *graph);                       // at each launch of it
void simt_rt_graph_free_all(rt_context *context, const rt_graph *graph); // its allocations
cudaError_t simt_rt_memory_node(rt_context *context, struct cudaMemAllocNodeParams *p, rt_node *n);
// runtime/graph_condition.c
cudaError_t simt_rt_condition_node(rt_context *context, struct cudaConditionalNodeParams *p,
                                   rt_node *n);
cudaError_t simt_rt_condition_run(rt_context *context, rt_stream *stream, const rt_node *n);
// Whether every handle that was made for the graph has its conditional node.
bool simt_rt_conditions_complete(const rt_context *context, const rt_graph *graph);
// A launch begins: sets the graph's conditions to their default values.
void simt_rt_conditions_begin(rt_context *context, const rt_graph *graph);
cudaError_t simt_rt_objects_copy(rt_graph *to, const rt_graph *from);
void simt_rt_objects_release(rt_graph *graph);
// Whether the handle belongs to a node of that graph.
bool simt_rt_graph_owns(const rt_context *context, const rt_graph *graph, cudaGraphNode_t handle);
// The program's handle for a node; NULL: no memory.
cudaGraphNode_t simt_rt_graph_handle(rt_graph *graph, size_t index);
// Appends copies of the nodes of `from`, in an order that its dependencies allow.
cudaError_t simt_rt_graph_copy(rt_context *context, rt_graph *to, const rt_graph *from);

#endif
