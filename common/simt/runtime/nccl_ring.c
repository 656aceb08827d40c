// SPDX-License-Identifier: MIT
// runtime/nccl_ring.c - collectives along the ring of ranks: what is added in which order, which
// bytes travel over which link, and how long that takes (modelled).
//
// The ring leads from rank r to rank r + 1, and from the last to rank 0. An all-reduce cuts the
// elements into as many parts as there are ranks. Part p starts at rank p and travels around the
// ring; every rank adds its own elements, and the sum is complete at rank p - 1: the order is x[p]
// + x[p+1] + … + x[p-1]. Another n - 1 steps distribute the sums. In a reduce-scatter the part for
// rank r starts at rank r + 1, in a reduce at the rank after the root. So results are reproducible,
// and the same on all ranks. On a GPU, NCCL may choose other orders, and trees. Not modelled:
// trees, protocols, several channels; steps overlap where NCCL pipelines them.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lanes/half.h"
#include "runtime/nccl.h"

// ---- Elements.

size_t simt_nccl_element_bytes(ncclDataType_t type) {
  static const uint8_t bytes[ncclNumTypes] = {1, 1, 4, 4, 8, 8, 2, 4, 8, 2};
  return (unsigned)type < ncclNumTypes ? bytes[type] : 0;
}

// Each combines `n` elements: to[i] = to[i] op from[i]. Integers wrap around.
#define COMBINE_INTEGERS(name, type, wide)                                                         \
  static void combine_##name(void *to_bytes, const void *from_bytes, size_t n, ncclRedOp_t op) {   \
    type *to = to_bytes;                                                                           \
    const type *from = from_bytes;                                                                 \
    for (size_t i = 0; i < n; i++) {                                                               \
      if (op == ncclProd) to[i] = (type)((wide)to[i] * (wide)from[i]);                             \
      else if (op == ncclMax) to[i] = to[i] > from[i] ? to[i] : from[i];                           \
      else if (op == ncclMin) to[i] = to[i] < from[i] ? to[i] : from[i];                           \
      else to[i] = (type)((wide)to[i] + (wide)from[i]);                                            \
    }                                                                                              \
  }                                                                                                \
  static void divide_##name(void *bytes, size_t n, int by) {                                       \
    type *a = bytes;                                                                               \
    for (size_t i = 0; i < n; i++) a[i] = (type)(a[i] / (type)by);                                 \
  }

COMBINE_INTEGERS(i8, int8_t, uint32_t)
COMBINE_INTEGERS(u8, uint8_t, uint32_t)
COMBINE_INTEGERS(i32, int32_t, uint32_t)
COMBINE_INTEGERS(u32, uint32_t, uint32_t)
COMBINE_INTEGERS(i64, int64_t, uint64_t)
COMBINE_INTEGERS(u64, uint64_t, uint64_t)

// Floating point: every step rounds once to the type. An average multiplies each rank's elements by
// 1 / n before they are added.
#define COMBINE_FLOATS(name, type, wide, read, write, most, least)                                 \
  static void combine_##name(void *to_bytes, const void *from_bytes, size_t n, ncclRedOp_t op) {   \
    type *to = to_bytes;                                                                           \
    const type *from = from_bytes;                                                                 \
    for (size_t i = 0; i < n; i++) {                                                               \
      const wide a = read(to[i]), b = read(from[i]);                                               \
      if (op == ncclProd) to[i] = (type)write(a * b);                                              \
      else if (op == ncclMax) to[i] = (type)write(most(a, b));                                     \
      else if (op == ncclMin) to[i] = (type)write(least(a, b));                                    \
      else to[i] = (type)write(a + b);                                                             \
    }                                                                                              \
  }                                                                                                \
  static void divide_##name(void *bytes, size_t n, int by) {                                       \
    type *a = bytes;                                                                               \
    for (size_t i = 0; i < n; i++) a[i] = (type)write(read(a[i]) * ((wide)1 / (wide)by));          \
  }
#define PLAIN(x) (x)

COMBINE_FLOATS(f16, uint16_t, float, simt_float_of_f16, simt_f16_of_float, fmaxf, fminf)
COMBINE_FLOATS(bf16, uint16_t, float, simt_float_of_bf16, simt_bf16_of_float, fmaxf, fminf)
COMBINE_FLOATS(f32, float, float, PLAIN, PLAIN, fmaxf, fminf)
COMBINE_FLOATS(f64, double, double, PLAIN, PLAIN, fmax, fmin)

typedef struct element {
  void (*combine)(void *to, const void *from, size_t n, ncclRedOp_t op);
  void (*divide)(void *elements, size_t n, int by);
  bool is_integer;
} element;

static const element elements[ncclNumTypes] = {
    {combine_i8, divide_i8, true},    {combine_u8, divide_u8, true},
    {combine_i32, divide_i32, true},  {combine_u32, divide_u32, true},
    {combine_i64, divide_i64, true},  {combine_u64, divide_u64, true},
    {combine_f16, divide_f16, false}, {combine_f32, divide_f32, false},
    {combine_f64, divide_f64, false}, {combine_bf16, divide_bf16, false}};

// ---- One collective.

typedef struct ring {
  rt_context *context;
  rt_nccl_op *const *ops; // [n] by rank
  int n;
  size_t count, width; // the call's number of elements; bytes of one element
  const element *as;
  uint8_t *result;           // to be stored at the end
  uint64_t busiest, n_steps; // bytes on the busiest link; consecutive steps
} ring;

static uint8_t *host_of(const ring *r, const void *address, size_t bytes) {
  return simt_memory_change(r->context->memory, (uintptr_t)address, bytes);
}

// Element `first` of what a rank contributes.
static const uint8_t *contribution(const ring *r, int rank, size_t first, size_t n) {
  const uint8_t *at = r->ops[rank]->send;
  return host_of(r, at + first * r->width, n * r->width);
}

// `n` elements from `first` on, combined from rank to rank: from[start] op … op from[start - 1].
static bool combine(const ring *r, uint8_t *to, int start, size_t first, size_t n) {
  const ncclRedOp_t op = r->ops[0]->op;
  const bool scales = op == ncclAvg && !r->as->is_integer;
  uint8_t *own = malloc(n * r->width + 1);
  if (!own) return false;
  for (int step = 0; step < r->n && n; step++) {
    uint8_t *into = step ? own : to;
    memcpy(into, contribution(r, (start + step) % r->n, first, n), n * r->width);
    if (scales) r->as->divide(into, n, r->n);
    if (step) r->as->combine(to, own, n, op);
  }
  if (op == ncclAvg && r->as->is_integer) r->as->divide(to, n, r->n);
  free(own);
  return true;
}

// A step of the ring: `bytes` from `rank` to the next rank.
static void send_on(ring *r, int rank, uint64_t bytes, uint64_t sent[]) {
  const struct ncclComm *from = r->ops[rank]->comm, *to = r->ops[(rank + 1) % r->n]->comm;
  if (r->n == 1 || !bytes) return;
  simt_engine_count_copy(r->context->engine, from->device, to->device, bytes);
  sent[rank] += bytes;
  if (sent[rank] > r->busiest) r->busiest = sent[rank];
}

// `n` elements are stored from element `first` of a rank's memory on. To the checkers each is as
// initialised as the one at element `like` of rank `of`'s contribution.
typedef struct part {
  size_t first, n, like;
  int of;
} part;

static void store(const ring *r, int rank, const uint8_t *from, part p) {
  uint8_t *to = (uint8_t *)r->ops[rank]->receive + p.first * r->width;
  const uint8_t *source = (const uint8_t *)r->ops[p.of]->send + p.like * r->width;
  if (!p.n) return;
  simt_rt_tell_copied(r->context, to, source, p.n * r->width);
  memcpy(host_of(r, to, p.n * r->width), from, p.n * r->width);
}

// ---- The collectives.

static size_t part_begin(const ring *r, int p) {
  const size_t n = (size_t)r->n, at = (size_t)p;
  return r->count / n * at + r->count % n * at / n;
}

static bool all_reduce(ring *r) {
  uint64_t sent[SIMT_MAX_DEVICES] = {0};
  for (int p = 0; p < r->n; p++) {
    const size_t begin = part_begin(r, p), n = part_begin(r, p + 1) - begin;
    if (!combine(r, r->result + begin * r->width, p, begin, n)) return false;
    for (int step = 0; step < 2 * (r->n - 1); step++)
      send_on(r, (p + step) % r->n, n * r->width, sent);
  }
  for (int rank = 0; rank < r->n; rank++)
    store(r, rank, r->result, (part){.n = r->count, .of = rank});
  r->n_steps = 2 * ((unsigned)r->n - 1);
  return true;
}

static bool reduce_scatter(ring *r) {
  uint64_t sent[SIMT_MAX_DEVICES] = {0};
  for (int rank = 0; rank < r->n; rank++) {
    const size_t begin = (size_t)rank * r->count;
    const int start = (rank + 1) % r->n;
    if (!combine(r, r->result + begin * r->width, start, begin, r->count)) return false;
    for (int step = 0; step < r->n - 1; step++)
      send_on(r, (start + step) % r->n, r->count * r->width, sent);
  }
  for (int rank = 0; rank < r->n; rank++)
    store(r, rank, r->result + (size_t)rank * r->count * r->width,
          (part){.n = r->count, .of = rank, .like = (size_t)rank * r->count});
  r->n_steps = (unsigned)r->n - 1;
  return true;
}

static bool all_gather(ring *r) {
  uint64_t sent[SIMT_MAX_DEVICES] = {0};
  const size_t bytes = r->count * r->width;
  for (int rank = 0; rank < r->n && bytes; rank++) {
    memcpy(r->result + (size_t)rank * bytes, contribution(r, rank, 0, r->count), bytes);
    for (int step = 0; step < r->n - 1; step++) send_on(r, (rank + step) % r->n, bytes, sent);
  }
  for (int rank = 0; rank < r->n; rank++)
    for (int of = 0; of < r->n; of++)
      store(r, rank, r->result + (size_t)of * bytes,
            (part){.first = (size_t)of * r->count, .n = r->count, .of = of});
  r->n_steps = (unsigned)r->n - 1;
  return true;
}

static bool reduce(ring *r) {
  uint64_t sent[SIMT_MAX_DEVICES] = {0};
  const int root = r->ops[0]->root;
  if (!combine(r, r->result, (root + 1) % r->n, 0, r->count)) return false;
  for (int step = 1; step < r->n; step++)
    send_on(r, (root + step) % r->n, r->count * r->width, sent);
  store(r, root, r->result, (part){.n = r->count, .of = root});
  r->n_steps = (unsigned)r->n - 1;
  return true;
}

static bool broadcast(ring *r) {
  uint64_t sent[SIMT_MAX_DEVICES] = {0};
  const int root = r->ops[0]->root;
  if (r->count) memcpy(r->result, contribution(r, root, 0, r->count), r->count * r->width);
  for (int step = 0; step < r->n - 1; step++)
    send_on(r, (root + step) % r->n, r->count * r->width, sent);
  for (int rank = 0; rank < r->n; rank++)
    store(r, rank, r->result, (part){.n = r->count, .of = root});
  r->n_steps = (unsigned)r->n - 1;
  return true;
}

// All ranks begin when the last of their streams is free, and end together.
static void take_time(rt_context *context, rt_nccl_op *const *ops, int n, double ms) {
  double begin = 0.0;
  for (int i = 0; i < n; i++) begin = fmax(begin, simt_rt_stream_settle(context, ops[i]->stream));
  for (int i = 0; i < n; i++) {
    ops[i]->stream->clock_ms = begin;
    simt_rt_stream_launch(context, ops[i]->stream, ms);
  }
}

void simt_nccl_extents(const rt_nccl_op *op, size_t *send_bytes, size_t *receive_bytes) {
  const size_t n = (size_t)op->comm->clique->n,
               bytes = op->count * simt_nccl_element_bytes(op->type);
  const bool is_root = op->comm->rank == op->root;
  *send_bytes = *receive_bytes = bytes;
  if (op->kind == RT_NCCL_REDUCE && !is_root) *receive_bytes = 0;
  if (op->kind == RT_NCCL_BROADCAST && !is_root) *send_bytes = 0;
  if (op->kind == RT_NCCL_ALL_GATHER) *receive_bytes = n * bytes;
  if (op->kind == RT_NCCL_REDUCE_SCATTER) *send_bytes = n * bytes;
  if (op->kind == RT_NCCL_SEND) *receive_bytes = 0;
  if (op->kind == RT_NCCL_RECEIVE) *send_bytes = 0;
}

bool simt_nccl_collective(rt_context *context, rt_nccl_op *const *ops, int n) {
  static bool (*const make[])(ring *) = {all_reduce, reduce, broadcast, all_gather, reduce_scatter};
  ring r = {.context = context,
            .ops = ops,
            .n = n,
            .count = ops[0]->count,
            .width = simt_nccl_element_bytes(ops[0]->type),
            .as = &elements[ops[0]->type]};
  r.result = malloc((size_t)n * r.count * r.width + 1);
  const bool good = r.result && make[ops[0]->kind](&r);
  free(r.result);
  if (!good) return false;
  take_time(context, ops, n, simt_link_steps_ms(context->device, r.n_steps, r.busiest));
  return true;
}

void simt_nccl_transfer(rt_context *context, const rt_nccl_op *send, const rt_nccl_op *receive) {
  const size_t bytes = send->count * simt_nccl_element_bytes(send->type);
  rt_nccl_op *both[] = {(rt_nccl_op *)send, (rt_nccl_op *)receive};
  if (bytes) {
    simt_rt_tell_copied(context, receive->receive, send->send, bytes);
    memmove(simt_memory_change(context->memory, (uintptr_t)receive->receive, bytes),
            simt_memory_change(context->memory, (uintptr_t)send->send, bytes), bytes);
    simt_engine_count_copy(context->engine, send->comm->device, receive->comm->device, bytes);
  }
  take_time(context, both, 2, simt_link_copy_ms(context->device, bytes));
}
