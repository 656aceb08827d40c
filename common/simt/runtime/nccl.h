// SPDX-License-Identifier: MIT
// runtime/nccl.h - what the files behind include/nccl.h share. Private to them.
//
// A clique is the ranks of one communicator; each has a device of its own, and all belong to this
// process. A call becomes an operation, which is posted with its rank; operations that belong
// together are matched, carried out at once, and marked as done. Everything is guarded by the
// context's lock.
#ifndef SIMT_NCCL_H
#define SIMT_NCCL_H

#include "include/nccl.h"
#include "runtime/runtime.h"

typedef enum rt_nccl_kind {
  RT_NCCL_ALL_REDUCE,
  RT_NCCL_REDUCE,
  RT_NCCL_BROADCAST,
  RT_NCCL_ALL_GATHER,
  RT_NCCL_REDUCE_SCATTER,
  RT_NCCL_SEND, // between two ranks, as the next one
  RT_NCCL_RECEIVE,
  RT_NCCL_JOIN // a rank joins a clique: ncclCommInitRank()
} rt_nccl_kind;

typedef struct rt_nccl_op rt_nccl_op;
struct rt_nccl_op {
  rt_nccl_op *next; // of the same rank, in the order of the calls
  ncclComm_t comm;
  rt_nccl_kind kind;
  const void *send; // device addresses
  void *receive;
  size_t count; // the call's argument
  ncclDataType_t type;
  ncclRedOp_t op;
  int root; // or the peer
  rt_stream *stream;
  bool done;
  ncclResult_t result; // valid when done
};

typedef struct rt_clique {
  struct rt_clique *next;
  char id[NCCL_UNIQUE_ID_BYTES];
  int n, n_joined;
  ncclComm_t ranks[SIMT_MAX_DEVICES]; // NULL: has not joined, or has left
  bool is_broken;                     // an operation has failed, and all later ones will
} rt_clique;

struct ncclComm {
  rt_clique *clique;
  int rank;
  uint32_t device;
  rt_nccl_op *first; // posted and not done
};

// runtime/nccl.c. A failure: prints "simt: NAME: sentence", keeps it for ncclGetLastError().
ncclResult_t simt_nccl_fail(ncclResult_t result, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
const char *simt_nccl_name(rt_nccl_kind kind); // "ncclAllReduce"
// Locks the context. The result says whether a call, or one on `comm`, is possible at all. Always
// followed by simt_nccl_leave(), which returns `result`.
ncclResult_t simt_nccl_enter(rt_context **context);
ncclResult_t simt_nccl_enter_comm(rt_context **context, const struct ncclComm *comm);
ncclResult_t simt_nccl_leave(rt_context *context, ncclResult_t result);
// Creates the communicator of a rank. Other ranks may join later.
ncclResult_t simt_nccl_join(rt_context *context, ncclComm_t *comm, int n, const char *id, int rank);

// runtime/nccl_match.c. Posts `n` operations of the calling thread and returns when all are done.
// Those that cannot be matched, because no other thread is left that could post the rest, or
// because SIMT_NCCL_SECONDS have passed, fail.
ncclResult_t simt_nccl_complete(rt_context *context, rt_nccl_op *const *ops, size_t n);

// runtime/nccl_ring.c. Bytes of one element; 0: there is no such type.
size_t simt_nccl_element_bytes(ncclDataType_t type);
// Bytes that the operation reads and writes on its own rank.
void simt_nccl_extents(const rt_nccl_op *op, size_t *send_bytes, size_t *receive_bytes);
// Carries out a collective, ops[rank], or a send with its receive. False: out of memory.
bool simt_nccl_collective(rt_context *context, rt_nccl_op *const *ops, int n);
void simt_nccl_transfer(rt_context *context, const rt_nccl_op *send, const rt_nccl_op *receive);

#endif
