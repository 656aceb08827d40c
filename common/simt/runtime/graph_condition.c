// SPDX-License-Identifier: MIT
// runtime/graph_condition.c - conditional nodes, and user objects, which live as long as the graphs
// that refer to them.
//
// A condition is a word of device memory; its handle is the word's address, so that a kernel sets
// it by a store (cudaGraphSetConditional). A body is an ordinary graph that the node owns.
#include "runtime/graphs.h"

#include <stdlib.h>
#include <string.h>

typedef struct word { // as it is in device memory
  uint32_t value, initial, assigns_initial, has_node;
} word;

static word *word_at(const rt_context *context, uint64_t address) {
  return (word *)(void *)simt_memory_change(context->memory, address, sizeof(word));
}

static cudaError_t keep_word(rt_graph *graph, uint64_t address) {
  uint64_t *grown = realloc(graph->words, (graph->n_words + 1) * sizeof *grown);
  if (!grown) return cudaErrorMemoryAllocation;
  graph->words = grown;
  graph->words[graph->n_words++] = address;
  return cudaSuccess;
}

cudaError_t cudaGraphConditionalHandleCreate(cudaGraphConditionalHandle *handle, cudaGraph_t graph,
                                             unsigned int initial, unsigned int flags) {
  rt_context *context;
  uint64_t address = 0;
  simt_diag diag;
  cudaError_t error = simt_rt_enter(&context);
  if (!error &&
      (!handle || flags > cudaGraphCondAssignDefault || !simt_rt_graph_find(context, graph, false)))
    error = cudaErrorInvalidValue;
  if (!error)
    error =
        simt_rt_error_of(simt_memory_alloc(context->memory, sizeof(word), SIMT_ALLOCATION_VARIABLE,
                                           "condition of a graph", &address, &diag));
  if (!error) error = keep_word(simt_rt_graph_find(context, graph, false), address);
  if (!error) {
    *word_at(context, address) = (word){initial, initial, flags, 0};
    *handle = address;
  }
  return simt_rt_leave(context, error);
}

bool simt_rt_conditions_complete(const rt_context *context, const rt_graph *graph) {
  for (size_t i = 0; i < graph->n_words; i++) {
    const word *w = word_at(context, graph->words[i]);
    if (w && !w->has_node) return false;
  }
  return true;
}

cudaError_t simt_rt_condition_node(rt_context *context, struct cudaConditionalNodeParams *p,
                                   rt_node *n) {
  const unsigned most = p->type == cudaGraphCondTypeIf      ? 2
                        : p->type == cudaGraphCondTypeWhile ? 1
                                                            : UINT16_MAX;
  if ((unsigned)p->type > cudaGraphCondTypeSwitch || !p->size || p->size > most ||
      !word_at(context, p->handle))
    return cudaErrorInvalidValue;
  *n = (rt_node){.kind = RT_NODE_CONDITION, .condition = {p->handle, p->type, p->size, NULL}};
  n->condition.bodies = calloc(p->size, sizeof(rt_graph *));
  bool complete = n->condition.bodies != NULL;
  for (unsigned i = 0; complete && i < p->size; i++)
    complete = (n->condition.bodies[i] = simt_rt_graph_part(context, false)) != NULL;
  p->phGraph_out = n->condition.bodies;
  word_at(context, p->handle)->has_node = true;
  return complete ? cudaSuccess : cudaErrorMemoryAllocation;
}

static uint32_t value_of(const rt_context *context, const rt_condition *c) {
  const word *w = word_at(context, c->word);
  return w ? w->value : 0;
}

cudaError_t simt_rt_condition_run(rt_context *context, rt_stream *stream, const rt_node *n) {
  const rt_condition *c = &n->condition;
  const uint32_t value = value_of(context, c);
  cudaError_t error = cudaSuccess;
  if (c->type == cudaGraphCondTypeWhile) {
    while (!error && !simt_rt_has_fault(context) && value_of(context, c))
      error = simt_rt_graph_run(context, stream, c->bodies[0]);
    return error;
  }
  const uint32_t chosen = c->type == cudaGraphCondTypeSwitch ? value : value ? 0 : 1;
  return chosen < c->n_bodies ? simt_rt_graph_run(context, stream, c->bodies[chosen]) : error;
}

void simt_rt_conditions_begin(rt_context *context, const rt_graph *graph) {
  for (size_t i = 0; i < graph->n_nodes; i++) {
    const rt_node *n = &graph->nodes[i];
    if (n->kind == RT_NODE_GRAPH) simt_rt_conditions_begin(context, n->child);
    if (n->kind != RT_NODE_CONDITION) continue;
    word *w = word_at(context, n->condition.word);
    if (w && w->assigns_initial) w->value = w->initial;
    for (unsigned k = 0; k < n->condition.n_bodies; k++)
      simt_rt_conditions_begin(context, n->condition.bodies[k]);
  }
}

// ---- Objects.

struct CUuserObject_st {
  cudaHostFn_t destroy;
  void *data;
  unsigned n;
};

static cudaError_t let_go(cudaUserObject_t object, unsigned n) {
  if (!object || !n || n > object->n) return cudaErrorInvalidValue;
  object->n -= n;
  if (object->n) return cudaSuccess;
  object->destroy(object->data);
  free(object);
  return cudaSuccess;
}

static cudaError_t own(rt_graph *graph, cudaUserObject_t object, unsigned n) {
  rt_owned *grown = realloc(graph->objects, (graph->n_objects + 1) * sizeof *grown);
  if (!grown) return cudaErrorMemoryAllocation;
  graph->objects = grown;
  graph->objects[graph->n_objects++] = (rt_owned){object, n};
  return cudaSuccess;
}

cudaError_t simt_rt_objects_copy(rt_graph *to, const rt_graph *from) {
  cudaError_t error = cudaSuccess;
  for (size_t i = 0; !error && i < from->n_objects; i++) {
    error = own(to, from->objects[i].object, 1);
    if (!error) from->objects[i].object->n++;
  }
  return error;
}

void simt_rt_objects_release(rt_graph *graph) {
  for (size_t i = 0; i < graph->n_objects; i++)
    let_go(graph->objects[i].object, graph->objects[i].n);
  free(graph->objects);
}

cudaError_t cudaUserObjectCreate(cudaUserObject_t *object, void *data, cudaHostFn_t destroy,
                                 unsigned int n, unsigned int flags) {
  rt_context *context;
  cudaError_t error = simt_rt_enter(&context);
  if (!error && (!object || !destroy || !n || flags != cudaUserObjectNoDestructorSync))
    error = cudaErrorInvalidValue;
  if (!error && !(*object = malloc(sizeof **object))) error = cudaErrorMemoryAllocation;
  if (!error) **object = (struct CUuserObject_st){destroy, data, n};
  return simt_rt_leave(context, error);
}

cudaError_t cudaUserObjectRetain(cudaUserObject_t object, unsigned int n) {
  rt_context *context;
  cudaError_t error = simt_rt_enter(&context);
  if (!error && (!object || !n)) error = cudaErrorInvalidValue;
  if (!error) object->n += n;
  return simt_rt_leave(context, error);
}

cudaError_t cudaUserObjectRelease(cudaUserObject_t object, unsigned int n) {
  rt_context *context;
  cudaError_t error = simt_rt_enter(&context);
  if (!error) error = let_go(object, n);
  return simt_rt_leave(context, error);
}

cudaError_t cudaGraphRetainUserObject(cudaGraph_t graph, cudaUserObject_t object, unsigned int n,
                                      unsigned int flags) {
  rt_context *context;
  cudaError_t error = simt_rt_enter(&context);
  rt_graph *g = error ? NULL : simt_rt_graph_find(context, graph, false);
  if (!error && (!g || !object || !n || flags > cudaGraphUserObjectMove))
    error = cudaErrorInvalidValue;
  if (!error) error = own(g, object, n);
  if (!error && !(flags & cudaGraphUserObjectMove)) object->n += n;
  return simt_rt_leave(context, error);
}

cudaError_t cudaGraphReleaseUserObject(cudaGraph_t graph, cudaUserObject_t object, unsigned int n) {
  rt_context *context;
  cudaError_t error = simt_rt_enter(&context);
  rt_graph *g = error ? NULL : simt_rt_graph_find(context, graph, false);
  rt_owned *owned = NULL;
  for (size_t i = 0; g && i < g->n_objects; i++)
    if (g->objects[i].object == object && g->objects[i].n >= n) owned = &g->objects[i];
  if (!error && (!owned || !n)) error = cudaErrorInvalidValue;
  if (!error) owned->n -= n;
  if (!error && !owned->n) *owned = g->objects[--g->n_objects];
  if (!error) error = let_go(object, n);
  return simt_rt_leave(context, error);
}
