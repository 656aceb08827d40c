// SPDX-License-Identifier: MIT
// runtime/graph_questions.c - queries of a graph's nodes and edges, and changes of its edges.
#include "runtime/graphs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- Lists. With NULL in place of a list, only its length is returned.

typedef struct list {
  cudaGraphNode_t *nodes;
  size_t room, found;
} list;

static void put(list *l, rt_graph *g, size_t index) {
  if (l->nodes && l->found < l->room) l->nodes[l->found] = simt_rt_graph_handle(g, index);
  l->found++;
}

static void end_list(const list *l, size_t *n) {
  for (size_t i = l->found; l->nodes && i < l->room; i++) l->nodes[i] = NULL;
  if (!l->nodes || l->found < l->room) *n = l->found;
}

static bool is_root(const rt_graph *g, size_t index) {
  for (size_t e = 0; e < g->n_edges; e++)
    if (g->edges[e].to == index) return false;
  return true;
}

static cudaError_t list_nodes(cudaGraph_t graph, cudaGraphNode_t *nodes, size_t *n, bool roots) {
  rt_context *context;
  cudaError_t error = simt_rt_enter(&context);
  rt_graph *g = error ? NULL : simt_rt_graph_find(context, graph, false);
  if (!error && (!n || !g)) error = cudaErrorInvalidValue;
  if (!error) {
    list l = {nodes, *n, 0};
    for (size_t i = 0; i < g->n_nodes; i++)
      if (!roots || is_root(g, i)) put(&l, g, i);
    end_list(&l, n);
  }
  return simt_rt_leave(context, error);
}

cudaError_t cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t *nodes, size_t *n_nodes) {
  return list_nodes(graph, nodes, n_nodes, false);
}
cudaError_t cudaGraphGetRootNodes(cudaGraph_t graph, cudaGraphNode_t *nodes, size_t *n_nodes) {
  return list_nodes(graph, nodes, n_nodes, true);
}

static cudaError_t list_neighbours(cudaGraphNode_t node, cudaGraphNode_t *nodes,
                                   cudaGraphEdgeData *data, size_t *n, bool before) {
  rt_context *context;
  cudaError_t error = simt_rt_enter(&context);
  if (!error && (!n || !simt_rt_graph_node(context, node))) error = cudaErrorInvalidValue;
  if (!error) {
    list l = {nodes, *n, 0};
    const rt_graph *g = node->graph;
    for (size_t e = 0; e < g->n_edges; e++) {
      const rt_edge *edge = &g->edges[e];
      if ((before ? edge->to : edge->from) == node->index)
        put(&l, node->graph, before ? edge->from : edge->to);
    }
    if (data && nodes) memset(data, 0, (l.found < *n ? l.found : *n) * sizeof *data);
    end_list(&l, n);
  }
  return simt_rt_leave(context, error);
}

cudaError_t cudaGraphNodeGetDependencies(cudaGraphNode_t node, cudaGraphNode_t *nodes,
                                         cudaGraphEdgeData *data, size_t *n) {
  return list_neighbours(node, nodes, data, n, true);
}
cudaError_t cudaGraphNodeGetDependentNodes(cudaGraphNode_t node, cudaGraphNode_t *nodes,
                                           cudaGraphEdgeData *data, size_t *n) {
  return list_neighbours(node, nodes, data, n, false);
}

cudaError_t cudaGraphGetEdges(cudaGraph_t graph, cudaGraphNode_t *from, cudaGraphNode_t *to,
                              cudaGraphEdgeData *data, size_t *n_edges) {
  rt_context *context;
  cudaError_t error = simt_rt_enter(&context);
  rt_graph *g = error ? NULL : simt_rt_graph_find(context, graph, false);
  if (!error && (!n_edges || !g || !from != !to)) error = cudaErrorInvalidValue;
  for (size_t i = 0; !error && from && i < g->n_edges && i < *n_edges; i++) {
    from[i] = simt_rt_graph_handle(g, g->edges[i].from);
    to[i] = simt_rt_graph_handle(g, g->edges[i].to);
    if (data) memset(&data[i], 0, sizeof *data);
  }
  if (!error && (!from || g->n_edges < *n_edges)) *n_edges = g->n_edges;
  return simt_rt_leave(context, error);
}

static const enum cudaGraphNodeType types[] = {
    [RT_NODE_LAUNCH] = cudaGraphNodeTypeKernel,        [RT_NODE_COPY] = cudaGraphNodeTypeMemcpy,
    [RT_NODE_SET] = cudaGraphNodeTypeMemset,           [RT_NODE_HOST] = cudaGraphNodeTypeHost,
    [RT_NODE_EMPTY] = cudaGraphNodeTypeEmpty,          [RT_NODE_GRAPH] = cudaGraphNodeTypeGraph,
    [RT_NODE_RECORD] = cudaGraphNodeTypeEventRecord,   [RT_NODE_WAIT] = cudaGraphNodeTypeWaitEvent,
    [RT_NODE_ALLOCATE] = cudaGraphNodeTypeMemAlloc,    [RT_NODE_FREE] = cudaGraphNodeTypeMemFree,
    [RT_NODE_CONDITION] = cudaGraphNodeTypeConditional};

cudaError_t cudaGraphNodeGetType(cudaGraphNode_t node, enum cudaGraphNodeType *type) {
  rt_context *context;
  cudaError_t error = simt_rt_enter(&context);
  const rt_node *n = error ? NULL : simt_rt_graph_node(context, node);
  if (!error && (!n || !type)) error = cudaErrorInvalidValue;
  if (!error) *type = types[n->kind];
  return simt_rt_leave(context, error);
}

// ---- Clones.

cudaError_t cudaGraphClone(cudaGraph_t *clone, cudaGraph_t original) {
  rt_context *context;
  cudaError_t error = simt_rt_enter(&context);
  const rt_graph *from = error ? NULL : simt_rt_graph_find(context, original, false);
  if (!error && (!from || !clone)) error = cudaErrorInvalidValue;
  if (!error && simt_rt_graph_has_memory(from)) error = cudaErrorNotSupported;
  rt_graph *to = error ? NULL : simt_rt_graph_new(context);
  if (!error && !to) error = cudaErrorMemoryAllocation;
  if (!error) error = simt_rt_graph_copy(context, to, from);
  if (!error) *clone = to;
  return simt_rt_leave(context, error);
}

cudaError_t cudaGraphNodeFindInClone(cudaGraphNode_t *node, cudaGraphNode_t original,
                                     cudaGraph_t clone) {
  rt_context *context;
  cudaError_t error = simt_rt_enter(&context);
  rt_graph *g = error ? NULL : simt_rt_graph_find(context, clone, false);
  if (!error && (!node || !original || !g)) error = cudaErrorInvalidValue;
  size_t i = 0;
  while (!error && i < g->n_nodes && g->nodes[i].original != original) i++;
  if (!error && i == g->n_nodes) error = cudaErrorInvalidValue;
  if (!error) *node = simt_rt_graph_handle(g, i);
  return simt_rt_leave(context, error);
}

// ---- Adding and removing edges and nodes.

static bool has_edge(const rt_graph *g, size_t from, size_t to) {
  for (size_t e = 0; e < g->n_edges; e++)
    if (g->edges[e].from == from && g->edges[e].to == to) return true;
  return false;
}

static cudaError_t remove_edge(rt_graph *g, size_t from, size_t to) {
  for (size_t e = 0; e < g->n_edges; e++) {
    if (g->edges[e].from != from || g->edges[e].to != to) continue;
    g->n_edges--;
    memmove(&g->edges[e], &g->edges[e + 1], (g->n_edges - e) * sizeof *g->edges);
    return cudaSuccess;
  }
  return cudaErrorInvalidValue;
}

static cudaError_t change_edges(cudaGraph_t graph, const cudaGraphNode_t *from,
                                const cudaGraphNode_t *to, size_t n, bool adds) {
  rt_context *context;
  cudaError_t error = simt_rt_enter(&context);
  rt_graph *g = error ? NULL : simt_rt_graph_find(context, graph, false);
  if (!error && (!g || (n && (!from || !to)))) error = cudaErrorInvalidValue;
  for (size_t i = 0; !error && i < n; i++) {
    const bool known = simt_rt_graph_owns(context, g, from[i]) &&
                       simt_rt_graph_owns(context, g, to[i]) && from[i] != to[i];
    if (!known || (adds && has_edge(g, from[i]->index, to[i]->index)))
      error = cudaErrorInvalidValue;
    else
      error = adds ? simt_rt_graph_edge(g, from[i]->index, to[i]->index)
                   : remove_edge(g, from[i]->index, to[i]->index);
  }
  return simt_rt_leave(context, error);
}

// Ports in `data` are ignored: every edge is an ordinary dependency.
cudaError_t cudaGraphAddDependencies(cudaGraph_t graph, const cudaGraphNode_t *from,
                                     const cudaGraphNode_t *to, const cudaGraphEdgeData *data,
                                     size_t n) {
  (void)data;
  return change_edges(graph, from, to, n, true);
}
cudaError_t cudaGraphRemoveDependencies(cudaGraph_t graph, const cudaGraphNode_t *from,
                                        const cudaGraphNode_t *to, const cudaGraphEdgeData *data,
                                        size_t n) {
  (void)data;
  return change_edges(graph, from, to, n, false);
}

static size_t without(size_t index, size_t gone) { return index > gone ? index - 1 : index; }

static void remove_node(rt_context *context, rt_graph *g, size_t index) {
  size_t kept = 0;
  for (size_t e = 0; e < g->n_edges; e++) {
    const rt_edge edge = g->edges[e];
    if (edge.from == index || edge.to == index) continue;
    g->edges[kept++] = (rt_edge){without(edge.from, index), without(edge.to, index)};
  }
  g->n_edges = kept;
  free(g->nodes[index].handle);
  simt_rt_node_free(context, &g->nodes[index]);
  g->n_nodes--;
  memmove(&g->nodes[index], &g->nodes[index + 1], (g->n_nodes - index) * sizeof *g->nodes);
  for (size_t i = index; i < g->n_nodes; i++)
    if (g->nodes[i].handle) g->nodes[i].handle->index = i;
}

static bool is_of_memory(const rt_node *n) {
  return n->kind == RT_NODE_ALLOCATE || n->kind == RT_NODE_FREE;
}

cudaError_t cudaGraphDestroyNode(cudaGraphNode_t node) {
  rt_context *context;
  cudaError_t error = simt_rt_enter(&context);
  if (!error && !simt_rt_graph_node(context, node)) error = cudaErrorInvalidValue;
  if (!error && node->graph->capture.is_on) error = cudaErrorNotSupported;
  if (!error && is_of_memory(&node->graph->nodes[node->index])) error = cudaErrorNotSupported;
  if (!error) remove_node(context, node->graph, node->index);
  return simt_rt_leave(context, error);
}

// ---- A picture, for Graphviz.

static const char *const words[] = {
    [RT_NODE_LAUNCH] = "kernel", [RT_NODE_COPY] = "memcpy",        [RT_NODE_SET] = "memset",
    [RT_NODE_HOST] = "host",     [RT_NODE_EMPTY] = "empty",        [RT_NODE_GRAPH] = "graph",
    [RT_NODE_RECORD] = "record", [RT_NODE_WAIT] = "wait",          [RT_NODE_ALLOCATE] = "allocate",
    [RT_NODE_FREE] = "free",     [RT_NODE_CONDITION] = "condition"};

cudaError_t cudaGraphDebugDotPrint(cudaGraph_t graph, const char *path, unsigned int flags) {
  rt_context *context;
  cudaError_t error = simt_rt_enter(&context);
  const rt_graph *g = error ? NULL : simt_rt_graph_find(context, graph, false);
  (void)flags;
  if (!error && (!g || !path)) error = cudaErrorInvalidValue;
  FILE *to = error ? NULL : fopen(path, "w");
  if (!error && !to) error = cudaErrorOperatingSystem;
  if (!error) {
    fputs("digraph dot {\n", to);
    for (size_t i = 0; i < g->n_nodes; i++) {
      const rt_node *n = &g->nodes[i];
      const char *kernel = n->kind == RT_NODE_LAUNCH ? n->launch.kernel->name : "";
      fprintf(to, "  node%zu [label=\"%zu: %s %s\"];\n", i, i, words[n->kind], kernel);
    }
    for (size_t e = 0; e < g->n_edges; e++)
      fprintf(to, "  node%zu -> node%zu;\n", g->edges[e].from, g->edges[e].to);
    fputs("}\n", to);
    if (fclose(to) != 0) error = cudaErrorOperatingSystem;
  }
  return simt_rt_leave(context, error);
}
