// SPDX-License-Identifier: MIT
// runtime/nccl_calls.c - the functions of include/nccl.h that move data, and groups of calls.
//
// A call becomes an operation, which is checked at once and performed at once, or at the end of the
// thread's group.
#include <stdlib.h>

#include "runtime/nccl.h"

// What the calling thread has collected since ncclGroupStart().
typedef struct group {
  int depth;
  rt_nccl_op **ops; // [n]
  size_t n;
  ncclResult_t result; // of the first call in it that failed
} group;
static _Thread_local group open_group;

// ---- Arguments.

static ncclResult_t check_buffer(const rt_context *context, const rt_nccl_op *op, const char *what,
                                 const void *address, size_t bytes) {
  const simt_allocation *a = simt_memory_find(context->memory, (uintptr_t)address, bytes);
  char why[256];
  if (!bytes) return ncclSuccess;
  if (!a)
    return simt_nccl_fail(
        ncclInvalidArgument, "%s of rank %d: %zu bytes of the %s buffer at %p: %s",
        simt_nccl_name(op->kind), op->comm->rank, bytes, what, address,
        simt_memory_explain(context->memory, (uintptr_t)address + bytes - 1, 1, why, sizeof why));
  const bool of_host = a->kind == SIMT_ALLOCATION_PINNED || a->kind == SIMT_ALLOCATION_MANAGED ||
                       a->kind == SIMT_ALLOCATION_REGISTERED;
  if (of_host || a->device == op->comm->device) return ncclSuccess;
  return simt_nccl_fail(ncclInvalidArgument,
                        "%s of rank %d: the %s buffer is memory of device %u, but the rank is on "
                        "device %u",
                        simt_nccl_name(op->kind), op->comm->rank, what, a->device,
                        op->comm->device);
}

static ncclResult_t check_op(const rt_context *context, const rt_nccl_op *op) {
  const char *name = simt_nccl_name(op->kind);
  const int n = op->comm->clique->n;
  size_t send_bytes, receive_bytes;
  if (!simt_nccl_element_bytes(op->type))
    return simt_nccl_fail(ncclInvalidArgument, "%s: there is no type %d", name, op->type);
  if ((unsigned)op->op >= ncclNumOps)
    return simt_nccl_fail(ncclInvalidArgument, "%s: there is no operation %d", name, op->op);
  if (op->root < 0 || op->root >= n)
    return simt_nccl_fail(ncclInvalidArgument, "%s: there is no rank %d among %d", name, op->root,
                          n);
  if (op->comm->clique->is_broken)
    return simt_nccl_fail(ncclInvalidUsage, "%s of rank %d: an earlier call failed", name,
                          op->comm->rank);
  simt_nccl_extents(op, &send_bytes, &receive_bytes);
  const ncclResult_t result = check_buffer(context, op, "send", op->send, send_bytes);
  return result ? result : check_buffer(context, op, "receive", op->receive, receive_bytes);
}

// The stream must belong to the rank's device. The default stream is that of the rank's device,
// even if another one is current.
static ncclResult_t take_stream(rt_context *context, rt_nccl_op *op, cudaStream_t handle) {
  const uint32_t current = context->on->ordinal;
  const char *name = simt_nccl_name(op->kind);
  simt_rt_switch(context, op->comm->device);
  op->stream = simt_rt_stream_of(context, handle);
  simt_rt_switch(context, current);
  if (!op->stream || op->stream->device != op->comm->device)
    return simt_nccl_fail(ncclInvalidArgument,
                          "%s of rank %d: its stream does not belong to the rank's device, %u",
                          name, op->comm->rank, op->comm->device);
  if (!op->stream->capture) return simt_rt_queue_wait(context, op->stream), ncclSuccess;
  return simt_nccl_fail(ncclInvalidUsage,
                        "%s of rank %d: collectives in a captured stream are not supported", name,
                        op->comm->rank);
}

// ---- Groups.

static bool collect(const rt_nccl_op *op) {
  rt_nccl_op **grown = realloc(open_group.ops, (open_group.n + 1) * sizeof *grown);
  rt_nccl_op *copy = grown ? malloc(sizeof *copy) : NULL;
  if (grown) open_group.ops = grown;
  if (!copy) return false;
  *copy = *op;
  open_group.ops[open_group.n++] = copy;
  return true;
}

static void close_group(void) {
  for (size_t i = 0; i < open_group.n; i++) free(open_group.ops[i]);
  free(open_group.ops);
  open_group = (group){0};
}

// Performs the operation now, or at the end of the group.
static ncclResult_t perform(rt_context *context, rt_nccl_op *op) {
  if (!open_group.depth) return simt_nccl_complete(context, &op, 1);
  return collect(op) ? ncclSuccess
                     : simt_nccl_fail(ncclSystemError, "no host memory left for a group");
}

static ncclResult_t note(ncclResult_t result) {
  if (open_group.depth && !open_group.result) open_group.result = result;
  return result;
}

ncclResult_t ncclGroupStart(void) {
  open_group.depth++;
  return ncclSuccess;
}

ncclResult_t ncclGroupEnd(void) {
  rt_context *context;
  ncclResult_t result = simt_nccl_enter(&context);
  if (!result && !open_group.depth)
    result = simt_nccl_fail(ncclInvalidUsage, "ncclGroupEnd() without ncclGroupStart()");
  if (open_group.depth && --open_group.depth == 0) {
    if (!result) result = open_group.result;
    if (!result) result = simt_nccl_complete(context, open_group.ops, open_group.n);
    close_group();
  }
  return simt_nccl_leave(context, result);
}

static ncclResult_t call(rt_nccl_op op, cudaStream_t stream) {
  rt_context *context;
  ncclResult_t result = simt_nccl_enter_comm(&context, op.comm);
  if (!result) result = check_op(context, &op);
  if (!result) result = take_stream(context, &op, stream);
  if (!result) result = perform(context, &op);
  return simt_nccl_leave(context, note(result));
}

// ---- The calls.

ncclResult_t ncclCommInitRank(ncclComm_t *comm, int n_ranks, ncclUniqueId id, int rank) {
  rt_context *context;
  ncclResult_t result = simt_nccl_enter(&context);
  if (!result) result = simt_nccl_join(context, comm, n_ranks, id.internal, rank);
  if (!result) {
    rt_nccl_op op = {.comm = *comm, .kind = RT_NCCL_JOIN};
    result = perform(context, &op);
  }
  return simt_nccl_leave(context, note(result));
}

ncclResult_t ncclAllReduce(const void *send, void *receive, size_t count, ncclDataType_t type,
                           ncclRedOp_t op, ncclComm_t comm, cudaStream_t stream) {
  return call((rt_nccl_op){.comm = comm,
                           .kind = RT_NCCL_ALL_REDUCE,
                           .send = send,
                           .receive = receive,
                           .count = count,
                           .type = type,
                           .op = op},
              stream);
}

ncclResult_t ncclReduce(const void *send, void *receive, size_t count, ncclDataType_t type,
                        ncclRedOp_t op, int root, ncclComm_t comm, cudaStream_t stream) {
  return call((rt_nccl_op){.comm = comm,
                           .kind = RT_NCCL_REDUCE,
                           .send = send,
                           .receive = receive,
                           .count = count,
                           .type = type,
                           .op = op,
                           .root = root},
              stream);
}

ncclResult_t ncclBroadcast(const void *send, void *receive, size_t count, ncclDataType_t type,
                           int root, ncclComm_t comm, cudaStream_t stream) {
  return call((rt_nccl_op){.comm = comm,
                           .kind = RT_NCCL_BROADCAST,
                           .send = send,
                           .receive = receive,
                           .count = count,
                           .type = type,
                           .root = root},
              stream);
}

ncclResult_t ncclBcast(void *buffer, size_t count, ncclDataType_t type, int root, ncclComm_t comm,
                       cudaStream_t stream) {
  return ncclBroadcast(buffer, buffer, count, type, root, comm, stream);
}

ncclResult_t ncclReduceScatter(const void *send, void *receive, size_t receive_count,
                               ncclDataType_t type, ncclRedOp_t op, ncclComm_t comm,
                               cudaStream_t stream) {
  return call((rt_nccl_op){.comm = comm,
                           .kind = RT_NCCL_REDUCE_SCATTER,
                           .send = send,
                           .receive = receive,
                           .count = receive_count,
                           .type = type,
                           .op = op},
              stream);
}

ncclResult_t ncclAllGather(const void *send, void *receive, size_t send_count, ncclDataType_t type,
                           ncclComm_t comm, cudaStream_t stream) {
  return call((rt_nccl_op){.comm = comm,
                           .kind = RT_NCCL_ALL_GATHER,
                           .send = send,
                           .receive = receive,
                           .count = send_count,
                           .type = type},
              stream);
}

ncclResult_t ncclSend(const void *send, size_t count, ncclDataType_t type, int peer,
                      ncclComm_t comm, cudaStream_t stream) {
  return call((rt_nccl_op){.comm = comm,
                           .kind = RT_NCCL_SEND,
                           .send = send,
                           .count = count,
                           .type = type,
                           .root = peer},
              stream);
}

ncclResult_t ncclRecv(void *receive, size_t count, ncclDataType_t type, int peer, ncclComm_t comm,
                      cudaStream_t stream) {
  return call((rt_nccl_op){.comm = comm,
                           .kind = RT_NCCL_RECEIVE,
                           .receive = receive,
                           .count = count,
                           .type = type,
                           .root = peer},
              stream);
}
