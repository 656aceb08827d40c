// SPDX-License-Identifier: MIT
// runtime/graph_memory.c - memory that graphs allocate and free.
//
// The address is reserved when the node is created, so that other nodes can use it; the memory
// exists from the run of the allocating node until it is freed. Not modelled: allocations whose
// lifetimes do not overlap share memory.
#include "runtime/graphs.h"
#include "runtime/pool.h"

#include <stdlib.h>

static const uint64_t RESERVE_STEP = UINT64_C(32) << 20, ALIGNMENT_BYTES = 512;

static uint64_t in_steps(uint64_t bytes) {
  return (bytes + RESERVE_STEP - 1) / RESERVE_STEP * RESERVE_STEP;
}

static void count(rt_context *context, uint32_t device, uint64_t bytes) {
  rt_device *d = &context->devices[device];
  d->graph_used += bytes;
  const uint64_t least = in_steps(d->graph_used);
  if (d->graph_used_high < least) d->graph_used_high = least;
  if (d->graph_reserved < least) d->graph_reserved = least;
  if (d->graph_reserved_high < d->graph_reserved) d->graph_reserved_high = d->graph_reserved;
}

cudaError_t simt_rt_node_allocate(rt_context *context, const rt_node *n, bool again) {
  simt_diag diag;
  const uint64_t address = (uintptr_t)n->dst;
  (void)again;
  simt_status status = simt_memory_map(context->memory, address, n->width, NULL, &diag);
  if (status != SIMT_OK) return simt_rt_error_of(status);
  simt_rt_tell_allocated(context, address);
  count(context, simt_memory_find(context->memory, address, 1)->device, n->width);
  return cudaSuccess;
}

// The memory of a graph is placed at an address that was set aside for it.
static bool is_of_graph(const simt_allocation *a) { return a && a->is_placed; }

void simt_rt_graph_memory_freed(rt_context *context, uint64_t address) {
  const simt_allocation *a = simt_memory_find(context->memory, address, 1);
  if (is_of_graph(a)) context->devices[a->device].graph_used -= a->size_bytes;
}

static cudaError_t release(rt_context *context, const rt_stream *stream, const void *pointer) {
  simt_diag diag;
  const uint64_t address = (uintptr_t)pointer;
  const simt_allocation *a = simt_memory_find(context->memory, address, 1);
  if (!a || a->address != address) return cudaErrorInvalidValue;
  simt_rt_tell_freed(context, a);
  if (!simt_rt_pool_freed(context, address, stream)) simt_rt_graph_memory_freed(context, address);
  return simt_rt_error_of(simt_memory_free(context->memory, address, &diag));
}

cudaError_t simt_rt_node_release(rt_context *context, const rt_stream *stream, const rt_node *n) {
  return release(context, stream, n->dst);
}

void simt_rt_graph_free_all(rt_context *context, const rt_graph *graph) {
  for (size_t i = 0; i < graph->n_nodes; i++)
    if (graph->nodes[i].kind == RT_NODE_ALLOCATE) release(context, NULL, graph->nodes[i].dst);
}

void simt_rt_graph_memory_begins(rt_graph *graph) {
  graph->memory_bytes = 0;
  for (size_t i = 0; i < graph->n_nodes; i++)
    if (graph->nodes[i].kind == RT_NODE_ALLOCATE) graph->memory_bytes += graph->nodes[i].width;
}

bool simt_rt_graph_has_memory(const rt_graph *graph) {
  for (size_t i = 0; i < graph->n_nodes; i++)
    if (graph->nodes[i].kind == RT_NODE_ALLOCATE || graph->nodes[i].kind == RT_NODE_FREE)
      return true;
  return false;
}

// ---- Nodes.

static rt_node allocation_node(rt_context *context, size_t bytes) {
  const uint64_t address = simt_memory_reserve(context->memory, bytes, ALIGNMENT_BYTES);
  return (rt_node){
      .kind = RT_NODE_ALLOCATE, .dst = (void *)(uintptr_t)address, .width = bytes, .height = 1};
}

cudaError_t simt_rt_memory_node(rt_context *context, struct cudaMemAllocNodeParams *p, rt_node *n) {
  if (!p || !p->bytesize || p->poolProps.allocType != cudaMemAllocationTypePinned ||
      p->poolProps.location.type != cudaMemLocationTypeDevice || p->poolProps.location.id < 0 ||
      (uint32_t)p->poolProps.location.id >= context->options.n_devices)
    return cudaErrorInvalidValue;
  *n = allocation_node(context, p->bytesize);
  p->dptr = n->dst;
  return cudaSuccess;
}

cudaError_t simt_rt_capture_allocation(rt_context *context, rt_stream *stream, size_t bytes,
                                       void **pointer) {
  const rt_node n = allocation_node(context, bytes);
  const cudaError_t error = simt_rt_capture_add(stream, &n);
  if (!error) *pointer = n.dst;
  return error;
}

// Memory of cudaMalloc() is not freed by a graph.
cudaError_t simt_rt_capture_free(rt_context *context, rt_stream *stream, void *pointer) {
  const simt_allocation *a = simt_memory_find(context->memory, (uintptr_t)pointer, 1);
  if (a && !is_of_graph(a) && !simt_rt_pool_holds(context, (uintptr_t)pointer))
    return cudaErrorInvalidValue;
  const rt_node n = {.kind = RT_NODE_FREE, .dst = pointer};
  return simt_rt_capture_add(stream, &n);
}

cudaError_t cudaGraphAddMemAllocNode(cudaGraphNode_t *out, cudaGraph_t graph,
                                     const cudaGraphNode_t *dependencies, size_t n,
                                     struct cudaMemAllocNodeParams *params) {
  rt_context *context;
  rt_node node = {.kind = RT_NODE_EMPTY};
  cudaError_t error = simt_rt_enter(&context);
  if (!error) error = simt_rt_memory_node(context, params, &node);
  const rt_addition a = {out, graph, dependencies, n};
  if (!error) error = simt_rt_graph_insert(context, &a, &node);
  return simt_rt_leave(context, error);
}

// Whether a node of some graph allocates it.
static bool is_allocated(const rt_context *context, const void *pointer) {
  for (const rt_graph *g = context->graphs; g; g = g->next)
    for (size_t i = 0; i < g->n_nodes; i++)
      if (g->nodes[i].kind == RT_NODE_ALLOCATE && g->nodes[i].dst == pointer) return true;
  return false;
}

static bool frees(const rt_graph *graph, const void *pointer) {
  for (size_t i = 0; graph && i < graph->n_nodes; i++)
    if (graph->nodes[i].kind == RT_NODE_FREE && graph->nodes[i].dst == pointer) return true;
  return false;
}

cudaError_t cudaGraphAddMemFreeNode(cudaGraphNode_t *out, cudaGraph_t graph,
                                    const cudaGraphNode_t *dependencies, size_t n, void *pointer) {
  rt_context *context;
  const rt_node node = {.kind = RT_NODE_FREE, .dst = pointer};
  cudaError_t error = simt_rt_enter(&context);
  const rt_graph *g = error ? NULL : simt_rt_graph_find(context, graph, false);
  if (!error &&
      (!is_allocated(context, pointer) || frees(g, pointer) || simt_rt_graph_is_taken(context, g)))
    error = cudaErrorInvalidValue;
  const rt_addition a = {out, graph, dependencies, n};
  if (!error) error = simt_rt_graph_insert(context, &a, &node);
  return simt_rt_leave(context, error);
}

static cudaError_t get(cudaGraphNode_t handle, rt_node_kind kind, rt_node *out) {
  rt_context *context;
  cudaError_t error = simt_rt_enter(&context);
  const rt_node *n = error ? NULL : simt_rt_graph_node(context, handle);
  if (!error && (!n || n->kind != kind)) error = cudaErrorInvalidValue;
  if (!error) *out = *n;
  return simt_rt_leave(context, error);
}

cudaError_t cudaGraphMemAllocNodeGetParams(cudaGraphNode_t handle,
                                           struct cudaMemAllocNodeParams *params) {
  rt_node n = {.kind = RT_NODE_EMPTY};
  cudaError_t error = params ? get(handle, RT_NODE_ALLOCATE, &n) : cudaErrorInvalidValue;
  if (!error)
    *params = (struct cudaMemAllocNodeParams){
        .poolProps = {.allocType = cudaMemAllocationTypePinned,
                      .location = {cudaMemLocationTypeDevice, (int)handle->graph->device}},
        .bytesize = n.width,
        .dptr = n.dst};
  return error;
}

cudaError_t cudaGraphMemFreeNodeGetParams(cudaGraphNode_t handle, void *pointer) {
  rt_node n = {.kind = RT_NODE_EMPTY};
  cudaError_t error = pointer ? get(handle, RT_NODE_FREE, &n) : cudaErrorInvalidValue;
  if (!error) *(void **)pointer = n.dst;
  return error;
}

// ---- Usage.

// What is in use counts in whole steps, and what an instantiated graph has had stays its own.
static uint64_t in_use(const rt_context *context, const rt_device *d) {
  uint64_t bytes = 0;
  for (const rt_graph *g = context->graphs; g; g = g->next)
    if (&context->devices[g->device] == d) bytes += g->memory_bytes;
  if (bytes < d->graph_used) bytes = d->graph_used;
  return in_steps(bytes);
}

static uint64_t *attribute_of(rt_device *d, enum cudaGraphMemAttributeType attribute) {
  switch (attribute) {
  case cudaGraphMemAttrUsedMemCurrent: return &d->graph_used;
  case cudaGraphMemAttrUsedMemHigh: return &d->graph_used_high;
  case cudaGraphMemAttrReservedMemCurrent: return &d->graph_reserved;
  case cudaGraphMemAttrReservedMemHigh: return &d->graph_reserved_high;
  }
  return NULL;
}

static cudaError_t enter_device(rt_context **context, int device, rt_device **d) {
  cudaError_t error = simt_rt_enter(context);
  const bool is_one = device >= 0 && !error && (uint32_t)device < (*context)->options.n_devices;
  *d = is_one ? &(*context)->devices[device] : NULL;
  return error ? error : is_one ? cudaSuccess : cudaErrorInvalidDevice;
}

cudaError_t cudaDeviceGetGraphMemAttribute(int device, enum cudaGraphMemAttributeType attribute,
                                           void *value) {
  rt_context *context;
  rt_device *d;
  cudaError_t error = enter_device(&context, device, &d);
  const uint64_t *from = error ? NULL : attribute_of(d, attribute);
  if (!error && (!from || !value)) error = cudaErrorInvalidValue;
  if (!error && attribute == cudaGraphMemAttrUsedMemCurrent)
    *(uint64_t *)value = in_use(context, d);
  else if (!error) *(uint64_t *)value = *from;
  return simt_rt_leave(context, error);
}

// Resets the high-water marks; nothing else can be set.
cudaError_t cudaDeviceSetGraphMemAttribute(int device, enum cudaGraphMemAttributeType attribute,
                                           void *value) {
  rt_context *context;
  rt_device *d;
  cudaError_t error = enter_device(&context, device, &d);
  const bool is_high =
      attribute == cudaGraphMemAttrUsedMemHigh || attribute == cudaGraphMemAttrReservedMemHigh;
  if (!error && (!value || !is_high || *(uint64_t *)value)) error = cudaErrorInvalidValue;
  if (!error)
    *attribute_of(d, attribute) =
        attribute == cudaGraphMemAttrUsedMemHigh ? in_use(context, d) : d->graph_reserved;
  return simt_rt_leave(context, error);
}

cudaError_t cudaDeviceGraphMemTrim(int device) {
  rt_context *context;
  rt_device *d;
  cudaError_t error = enter_device(&context, device, &d);
  for (rt_graph *g = context->graphs; !error && g; g = g->next)
    if (&context->devices[g->device] == d) g->memory_bytes = 0; // which a launch takes anew
  if (!error) d->graph_reserved = in_use(context, d);
  return simt_rt_leave(context, error);
}
