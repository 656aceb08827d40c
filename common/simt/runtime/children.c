// SPDX-License-Identifier: MIT
// runtime/children.c - dynamic parallelism: grids that kernels launch, and copies and sets that
// they ask for, begin when the blocks of the grid that asked have ended. One after the other, each
// to its end, in the order in which they may begin: a queue, which every child enters when what it
// waits for is complete. So children of one grid take turns by stream, and grandchildren run beside
// them, about as a GPU with room for all of them does it. A grid is complete when all that it has
// asked for is complete, and, last of all, its tail launches; only then does what comes after it in
// its stream begin.
//
// Nothing here recurses: a chain of launches may be as long as the limit of pending ones.
// Modelled time: every child's own, added up; a GPU would overlap them.
#include "runtime/children.h"

#include <stdlib.h>

#include "runtime/graphs.h"

// A grid that has run, and is not complete.
typedef struct grid grid;
struct grid {
  grid *next, *previous; // of all of them
  simt_child *child;     // as which it was launched; NULL: by the host
  simt_child *children;  // what it has asked for; owned
  uint32_t n_open;       // of these, not complete: the others, then the tail
  uint32_t n_tails;
  uint32_t n_pending; // as in simt_launch
  bool in_tail;
};

typedef struct device_queue {
  rt_context *context;
  rt_stream *stream;
  const rt_launch *parent;
  simt_child *first, *last; // ready
  grid *grids;
} device_queue;

// ---- what waits for what -----------------------------------------------------------------------

static void make_ready(device_queue *q, simt_child *c) {
  c->next_ready = NULL;
  if (q->first) q->last->next_ready = c;
  else q->first = c;
  q->last = c;
}

static void begin_waiting(device_queue *q, simt_child *c) {
  if (c->after) {
    c->after->successor = c;
    c->n_waits++;
  }
  if (c->event) {
    c->next_waiter = c->event->waiters;
    c->event->waiters = c;
    c->n_waits++;
  }
  if (!c->n_waits) make_ready(q, c);
}

static void release(device_queue *q, simt_child *c) {
  if (c && !--c->n_waits) make_ready(q, c);
}

// What the grid has asked for, either its tail or all the rest.
static void begin_children(device_queue *q, const grid *g) {
  for (simt_child *c = g->children; c; c = c->next)
    if (c->is_tail == g->in_tail) begin_waiting(q, c);
}

static void free_grid(device_queue *q, grid *g) {
  if (g->next) g->next->previous = g->previous;
  if (g->previous) g->previous->next = g->next;
  else q->grids = g->next;
  simt_children_free(g->children);
  free(g);
}

// Whether the grid is complete: nothing of what it has asked for is left.
static bool ends(device_queue *q, grid *g) {
  if (g->n_open) return false;
  if (g->in_tail || !g->n_tails) return true;
  g->in_tail = true;
  g->n_open = g->n_tails;
  begin_children(q, g);
  return false;
}

static void complete(device_queue *q, simt_child *c) {
  while (c) {
    grid *g = c->data;
    release(q, c->successor);
    for (simt_child *w = c->waiters, *next; w; w = next) {
      next = w->next_waiter;
      release(q, w);
    }
    g->n_open--;
    if (!ends(q, g)) return;
    c = g->child;
    free_grid(q, g);
  }
}

// A grid's blocks have ended; it is not complete, since it has asked for `children`.
static bool add_grid(device_queue *q, simt_child *child, uint32_t n_pending, simt_child *children) {
  grid *g = calloc(1, sizeof *g);
  if (!g) return simt_children_free(children), false;
  *g = (grid){.child = child, .children = children, .n_pending = n_pending, .next = q->grids};
  if (q->grids) q->grids->previous = g;
  q->grids = g;
  for (simt_child *c = children; c; c = c->next) {
    c->data = g;
    g->n_tails += c->is_tail;
    g->n_open += !c->is_tail;
  }
  if (g->n_open) begin_children(q, g);
  else ends(q, g);
  return true;
}

// ---- what is done ------------------------------------------------------------------------------

// A tail launch takes the place of the grid that it follows.
static uint32_t pending_of(const simt_child *c) {
  const grid *g = c->data;
  if (!c->is_tail) return g->n_pending + 1 + g->n_tails;
  return (g->n_pending ? g->n_pending : 1) + g->n_open - 1;
}

static cudaError_t launch(device_queue *q, simt_child *c) {
  const uint32_t n_pending = pending_of(c);
  rt_launch l = {.kernel = simt_rt_kernel_of(q->context, q->parent->kernel->module, c->kernel),
                 .device = q->parent->device,
                 .grid = {c->grid[0], c->grid[1], c->grid[2]},
                 .block = {c->block[0], c->block[1], c->block[2]},
                 .shared_bytes = c->shared_bytes,
                 .params = c->params};
  simt_child *children;
  if (!l.kernel) return cudaErrorMemoryAllocation;
  const cudaError_t error = simt_rt_grid_run(q->context, q->stream, &l, n_pending, &children);
  if (error || simt_rt_has_fault(q->context)) return simt_children_free(children), error;
  if (!children) return complete(q, c), cudaSuccess;
  return add_grid(q, c, n_pending, children) ? cudaSuccess : cudaErrorMemoryAllocation;
}

static cudaError_t transfer(device_queue *q, simt_child *c) {
  const rt_node node = {.kind = c->kind == SIMT_CHILD_COPY ? RT_NODE_COPY : RT_NODE_SET,
                        .dst = (void *)(uintptr_t)c->to,
                        .src = (const void *)(uintptr_t)c->from,
                        .dst_pitch = (size_t)c->to_pitch,
                        .src_pitch = (size_t)c->from_pitch,
                        .width = (size_t)c->width,
                        .height = (size_t)c->height,
                        .copy_kind = cudaMemcpyDeviceToDevice,
                        .value = c->value};
  const cudaError_t error = simt_rt_node_run(q->context, q->stream, &node);
  if (!error) complete(q, c);
  return error;
}

static cudaError_t carry_out(device_queue *q, simt_child *c) {
  switch ((simt_child_kind)c->kind) {
  case SIMT_CHILD_LAUNCH: return launch(q, c);
  case SIMT_CHILD_COPY:
  case SIMT_CHILD_SET: return transfer(q, c);
  case SIMT_CHILD_WAIT: complete(q, c); break;
  }
  return cudaSuccess;
}

cudaError_t simt_rt_children_run(rt_context *context, rt_stream *stream, const rt_launch *parent,
                                 simt_child *children) {
  device_queue q = {.context = context, .stream = stream, .parent = parent};
  if (!add_grid(&q, NULL, 0, children)) return cudaErrorMemoryAllocation;
  cudaError_t error = cudaSuccess;
  while (q.first && !error && !simt_rt_has_fault(context)) {
    simt_child *c = q.first;
    q.first = c->next_ready;
    error = carry_out(&q, c);
  }
  while (q.grids) free_grid(&q, q.grids);
  return error;
}
