// SPDX-License-Identifier: MIT
// runtime/nccl.c - the functions of include/nccl.h that concern communicators, and failures.
//
// Whatever NCCL leaves undefined, or hangs on a GPU, is an error with an explanation here.
// Not modelled: ranks in several processes, collectives in captured streams, communicators that do
// not block.
#include "runtime/nccl.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static rt_clique *cliques; // guarded by the context's lock, as is all below
static unsigned long long ids_given;
static char latest_failure[600];

// ---- Failures.

ncclResult_t simt_nccl_fail(ncclResult_t result, const char *format, ...) {
  static const char *const names[ncclNumResults] = {
      "ncclSuccess",         "ncclUnhandledCudaError", "ncclSystemError", "ncclInternalError",
      "ncclInvalidArgument", "ncclInvalidUsage",       "ncclRemoteError", "ncclInProgress"};
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(latest_failure, sizeof latest_failure, format, arguments);
  va_end(arguments);
  simt_rt_say("%s: %s", names[result], latest_failure);
  return result;
}

const char *ncclGetErrorString(ncclResult_t result) {
  static const char *const texts[ncclNumResults] = {
      "no error",
      "unhandled cuda error (run with NCCL_DEBUG=INFO for details)",
      "unhandled system error (run with NCCL_DEBUG=INFO for details)",
      "internal error",
      "invalid argument",
      "invalid usage",
      "remote process exited or there was a network error",
      "NCCL operation in progress"};
  return (unsigned)result < ncclNumResults ? texts[result] : "unknown result code";
}

const char *ncclGetLastError(ncclComm_t comm) {
  (void)comm;
  return latest_failure;
}

const char *simt_nccl_name(rt_nccl_kind kind) {
  static const char *const names[] = {"ncclAllReduce", "ncclReduce",        "ncclBroadcast",
                                      "ncclAllGather", "ncclReduceScatter", "ncclSend",
                                      "ncclRecv",      "ncclCommInitRank"};
  return names[kind];
}

ncclResult_t ncclGetVersion(int *version) {
  if (!version) return simt_nccl_fail(ncclInvalidArgument, "ncclGetVersion: the pointer is null");
  *version = NCCL_VERSION_CODE;
  return ncclSuccess;
}

// ---- Communicators.

static bool is_live(const struct ncclComm *comm) {
  for (const rt_clique *c = cliques; c && comm; c = c->next)
    for (int r = 0; r < c->n; r++)
      if (c->ranks[r] == comm) return true;
  return false;
}

ncclResult_t simt_nccl_enter(rt_context **context) {
  const cudaError_t error = simt_rt_enter(context);
  if (!error) return ncclSuccess;
  return simt_nccl_fail(ncclUnhandledCudaError, "%s", cudaGetErrorString(error));
}

ncclResult_t simt_nccl_leave(rt_context *context, ncclResult_t result) {
  simt_rt_leave_unheard(context, cudaSuccess);
  return result;
}

ncclResult_t simt_nccl_enter_comm(rt_context **context, const struct ncclComm *comm) {
  const ncclResult_t result = simt_nccl_enter(context);
  if (result || is_live(comm)) return result;
  return simt_nccl_fail(ncclInvalidArgument,
                        "%p is not a communicator: it was never created, or it has been destroyed",
                        (const void *)comm);
}

static rt_clique *new_clique(const char *id, int n) {
  rt_clique *clique = calloc(1, sizeof *clique);
  if (!clique) return NULL;
  memcpy(clique->id, id, sizeof clique->id);
  clique->n = n;
  clique->next = cliques;
  cliques = clique;
  return clique;
}

static ncclResult_t join(rt_clique *clique, int rank, uint32_t device, ncclComm_t *out) {
  for (int r = 0; r < clique->n; r++)
    if (clique->ranks[r] && clique->ranks[r]->device == device)
      return simt_nccl_fail(ncclInvalidUsage,
                            "ranks %d and %d are both on device %u: every rank needs its own "
                            "device (cudaSetDevice)",
                            r, rank, device);
  ncclComm_t comm = calloc(1, sizeof *comm);
  if (!comm) return simt_nccl_fail(ncclSystemError, "no host memory left for a communicator");
  *comm = (struct ncclComm){.clique = clique, .rank = rank, .device = device};
  clique->ranks[rank] = *out = comm;
  clique->n_joined++;
  return ncclSuccess;
}

static void release(ncclComm_t comm) {
  rt_clique *clique = comm->clique, **link = &cliques;
  clique->ranks[comm->rank] = NULL;
  free(comm);
  for (int r = 0; r < clique->n; r++)
    if (clique->ranks[r]) return;
  while (*link != clique) link = &(*link)->next;
  *link = clique->next;
  free(clique);
}

static ncclResult_t init_all(rt_context *context, ncclComm_t *comms, int n, const int *devices) {
  static const char no_id[NCCL_UNIQUE_ID_BYTES];
  const int n_devices = (int)context->options.n_devices;
  ncclResult_t result = ncclSuccess;
  if (!comms || n < 1)
    return simt_nccl_fail(ncclInvalidArgument,
                          "ncclCommInitAll: invalid arguments: %d communicators at %p", n,
                          (void *)comms);
  for (int r = 0; r < n; r++) {
    const int device = devices ? devices[r] : r;
    if (device < 0 || device >= n_devices)
      return simt_nccl_fail(ncclInvalidArgument,
                            "ncclCommInitAll: there is no device %d; SIMT_DEVICES says how many "
                            "there are (%d)",
                            device, n_devices);
  }
  rt_clique *clique = n <= SIMT_MAX_DEVICES ? new_clique(no_id, n) : NULL;
  if (!clique) return simt_nccl_fail(ncclSystemError, "no host memory left for a communicator");
  for (int r = 0; r < n && !result; r++)
    result = join(clique, r, (uint32_t)(devices ? devices[r] : r), &comms[r]);
  for (int r = n - 1; r >= 0 && result; r--)
    if (clique->n_joined > r) release(clique->ranks[r]);
  return result;
}

ncclResult_t ncclCommInitAll(ncclComm_t *comms, int n_devices, const int *devices) {
  rt_context *context;
  ncclResult_t result = simt_nccl_enter(&context);
  if (!result) result = init_all(context, comms, n_devices, devices);
  return simt_nccl_leave(context, result);
}

// The id contains the process, so that a rank of another process is recognised.
ncclResult_t ncclGetUniqueId(ncclUniqueId *id) {
  rt_context *context;
  if (!id) return simt_nccl_fail(ncclInvalidArgument, "ncclGetUniqueId: the pointer is null");
  const ncclResult_t result = simt_nccl_enter(&context);
  if (!result) {
    memset(id, 0, sizeof *id);
    snprintf(id->internal, sizeof id->internal, "simt %ld %llu", (long)getpid(), ++ids_given);
  }
  return simt_nccl_leave(context, result);
}

ncclResult_t ncclCommDestroy(ncclComm_t comm) {
  rt_context *context;
  if (!comm) return ncclSuccess;
  ncclResult_t result = simt_nccl_enter_comm(&context, comm);
  if (!result && comm->first)
    result = simt_nccl_fail(
        ncclInvalidUsage, "ncclCommDestroy: an operation of rank %d is still pending", comm->rank);
  if (!result) release(comm);
  return simt_nccl_leave(context, result);
}

ncclResult_t ncclCommAbort(ncclComm_t comm) { return ncclCommDestroy(comm); }

ncclResult_t ncclCommFinalize(ncclComm_t comm) {
  rt_context *context;
  const ncclResult_t result = simt_nccl_enter_comm(&context, comm);
  return simt_nccl_leave(context, result);
}

// Queries of a communicator.
typedef enum question { RANKS, DEVICE, RANK, STATE } question;

static ncclResult_t answer(const struct ncclComm *comm, question what, int *out) {
  rt_context *context;
  if (!out) return simt_nccl_fail(ncclInvalidArgument, "the pointer for the result is null");
  const ncclResult_t result = simt_nccl_enter_comm(&context, comm);
  if (!result) {
    const int all[] = {comm->clique->n, (int)comm->device, comm->rank,
                       comm->clique->is_broken ? ncclInvalidUsage : ncclSuccess};
    *out = all[what];
  }
  return simt_nccl_leave(context, result);
}

ncclResult_t ncclCommCount(ncclComm_t comm, int *count) { return answer(comm, RANKS, count); }
ncclResult_t ncclCommCuDevice(ncclComm_t comm, int *device) { return answer(comm, DEVICE, device); }
ncclResult_t ncclCommUserRank(ncclComm_t comm, int *rank) { return answer(comm, RANK, rank); }
ncclResult_t ncclCommGetAsyncError(ncclComm_t comm, ncclResult_t *error) {
  int state = 0;
  const ncclResult_t result = answer(comm, STATE, error ? &state : NULL);
  if (!result) *error = (ncclResult_t)state;
  return result;
}

ncclResult_t simt_nccl_join(rt_context *context, ncclComm_t *comm, int n, const char *id,
                            int rank) {
  const char *name = simt_nccl_name(RT_NCCL_JOIN);
  rt_clique *clique = cliques;
  char own[32];
  snprintf(own, sizeof own, "simt %ld ", (long)getpid());
  if (!comm || n < 1 || n > SIMT_MAX_DEVICES || rank < 0 || rank >= n)
    return simt_nccl_fail(ncclInvalidArgument, "%s: rank %d of %d (at most %d)", name, rank, n,
                          SIMT_MAX_DEVICES);
  if (strncmp(id, own, strlen(own)) != 0)
    return simt_nccl_fail(
        ncclInvalidUsage,
        "%s: the id of rank %d was not made by ncclGetUniqueId() of this process. "
        "Here the ranks of a communicator belong to one process, which can have "
        "several devices (SIMT_DEVICES); between processes use MPI",
        name, rank);
  while (clique && memcmp(clique->id, id, sizeof clique->id) != 0) clique = clique->next;
  if (clique && (clique->n != n || clique->ranks[rank] || clique->n_joined >= n))
    return simt_nccl_fail(ncclInvalidUsage, "%s: rank %d of %d: %s", name, rank, n,
                          clique->n != n ? "another rank gave a different number of ranks"
                                         : "the rank has joined already");
  if (!clique) clique = new_clique(id, n);
  if (!clique) return simt_nccl_fail(ncclSystemError, "no host memory left for a communicator");
  return join(clique, rank, context->on->ordinal, comm);
}
