// SPDX-License-Identifier: MIT
// runtime/nccl_match.c - finds the operations of all ranks that belong together, and waits for
// them.
//
// The collectives of a rank are matched in the order of its calls; so are sends and receives
// between the same two ranks. A call returns when its operations are done. A program that would
// wait for ever gets an error: at once when its process has no other thread, else after
// SIMT_NCCL_SECONDS.
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "runtime/nccl.h"

static pthread_cond_t changed =
    PTHREAD_COND_INITIALIZER; // an operation is done; a clique is broken

// ---- The operations of a rank.

static void post(rt_nccl_op *op) {
  rt_nccl_op **link = &op->comm->first;
  while (*link) link = &(*link)->next;
  op->next = NULL;
  *link = op;
}

static void finish(rt_nccl_op *op, ncclResult_t result) {
  rt_nccl_op **link = &op->comm->first;
  while (*link && *link != op) link = &(*link)->next;
  if (*link) *link = op->next;
  op->done = true;
  op->result = result;
}

static bool is_collective(const rt_nccl_op *op) { return op->kind < RT_NCCL_SEND; }

static rt_nccl_op *first_collective(ncclComm_t comm) {
  rt_nccl_op *op = comm ? comm->first : NULL;
  while (op && !is_collective(op)) op = op->next;
  return op;
}

static rt_nccl_op *first_between(ncclComm_t comm, rt_nccl_kind kind, int peer) {
  rt_nccl_op *op = comm ? comm->first : NULL;
  while (op && (op->kind != kind || op->root != peer)) op = op->next;
  return op;
}

// ---- Collectives.

static const char *type_name(ncclDataType_t type) {
  static const char *const names[ncclNumTypes] = {"int8",    "uint8",   "int32",   "uint32",
                                                  "int64",   "uint64",  "float16", "float32",
                                                  "float64", "bfloat16"};
  return names[type];
}

static bool is_alike(const rt_nccl_op *a, const rt_nccl_op *b) {
  return a->kind == b->kind && a->count == b->count && a->type == b->type && a->op == b->op &&
         a->root == b->root;
}

static ncclResult_t refuse_unlike(const rt_nccl_op *a, const rt_nccl_op *b) {
  return simt_nccl_fail(
      ncclInvalidUsage,
      "%s of rank %d (%zu x %s, operation %d, root %d) does not match %s of rank %d (%zu x "
      "%s, operation %d, root %d): all ranks must make the same call",
      simt_nccl_name(a->kind), a->comm->rank, a->count, type_name(a->type), a->op, a->root,
      simt_nccl_name(b->kind), b->comm->rank, b->count, type_name(b->type), b->op, b->root);
}

static bool match_collective(rt_context *context, rt_clique *clique) {
  rt_nccl_op *ops[SIMT_MAX_DEVICES];
  ncclResult_t result = ncclSuccess;
  for (int r = 0; r < clique->n; r++)
    if (!(ops[r] = first_collective(clique->ranks[r]))) return false;
  for (int r = 1; r < clique->n && !result; r++)
    if (!is_alike(ops[0], ops[r])) result = refuse_unlike(ops[0], ops[r]);
  if (!result && !simt_nccl_collective(context, ops, clique->n))
    result = simt_nccl_fail(ncclSystemError, "no host memory left for a collective");
  if (result) clique->is_broken = true;
  for (int r = 0; r < clique->n; r++) finish(ops[r], result);
  return true;
}

// ---- Sends and receives.

static bool match_pair(rt_context *context, rt_clique *clique, int from, int to) {
  rt_nccl_op *send = first_between(clique->ranks[from], RT_NCCL_SEND, to);
  rt_nccl_op *receive = first_between(clique->ranks[to], RT_NCCL_RECEIVE, from);
  ncclResult_t result = ncclSuccess;
  if (!send || !receive) return false;
  if (send->count != receive->count || send->type != receive->type)
    result = simt_nccl_fail(
        ncclInvalidUsage, "rank %d sends %zu x %s to rank %d, which receives %zu x %s", from,
        send->count, type_name(send->type), to, receive->count, type_name(receive->type));
  else simt_nccl_transfer(context, send, receive);
  if (result) clique->is_broken = true;
  finish(send, result);
  finish(receive, result);
  return true;
}

static bool match_joins(rt_clique *clique) {
  bool any = false;
  for (int r = 0; r < clique->n && clique->n_joined == clique->n; r++) {
    rt_nccl_op *op = clique->ranks[r] ? clique->ranks[r]->first : NULL;
    if (!op || op->kind != RT_NCCL_JOIN) continue;
    finish(op, ncclSuccess);
    any = true;
  }
  return any;
}

static void match(rt_context *context, rt_clique *clique) {
  bool any = match_joins(clique), more = true;
  while (more) {
    more = match_collective(context, clique);
    for (int from = 0; from < clique->n; from++)
      for (int to = 0; to < clique->n; to++) more |= match_pair(context, clique, from, to);
    any |= more;
  }
  if (any) pthread_cond_broadcast(&changed);
}

// ---- Waiting.

// Whether this thread is the only one of the process.
static bool is_alone(void) {
  DIR *tasks = opendir("/proc/self/task");
  int n = 0;
  if (!tasks) return false;
  for (const struct dirent *entry; (entry = readdir(tasks));) n += entry->d_name[0] != '.';
  closedir(tasks);
  return n == 1;
}

// The ranks that have not made the call, as text: "rank 1", "ranks 1, 2, 3".
static const char *missing_ranks(const rt_nccl_op *op, char *out, size_t out_bytes) {
  const rt_clique *clique = op->comm->clique;
  char list[160] = "";
  int n = 0;
  for (int r = 0; r < clique->n; r++) {
    const bool is_there = op->kind == RT_NCCL_JOIN ? clique->ranks[r] != NULL
                          : is_collective(op)      ? first_collective(clique->ranks[r]) != NULL
                                                   : r != op->root;
    const size_t used = strlen(list);
    if (is_there) continue;
    snprintf(list + used, sizeof list - used, "%s%d", n++ ? ", " : "", r);
  }
  snprintf(out, out_bytes, "%s %s", n == 1 ? "rank" : "ranks", list);
  return out;
}

static ncclResult_t refuse_to_wait(const rt_nccl_op *op, bool alone, uint64_t seconds) {
  char missing[200], why[160];
  if (alone) snprintf(why, sizeof why, "this process has no other thread that could make the call");
  else
    snprintf(why, sizeof why, "it was not called within %llu seconds (SIMT_NCCL_SECONDS)",
             (unsigned long long)seconds);
  return simt_nccl_fail(
      ncclInvalidUsage,
      "%s of rank %d waits for %s, and %s. A thread that makes the calls of several ranks puts "
      "them between ncclGroupStart() and ncclGroupEnd(); without them a GPU may hang",
      simt_nccl_name(op->kind), op->comm->rank, missing_ranks(op, missing, sizeof missing), why);
}

static rt_nccl_op *first_undone(rt_nccl_op *const *ops, size_t n) {
  for (size_t i = 0; i < n; i++)
    if (!ops[i]->done) return ops[i];
  return NULL;
}

// Waits until something has changed. False: the time is over.
static bool wait_for_change(rt_context *context, const struct timespec *until) {
  const uint32_t device = context->on->ordinal;
  const int error = pthread_cond_timedwait(&changed, &context->lock, until);
  simt_rt_switch(context, device); // another thread had the lock
  return error != ETIMEDOUT;
}

static ncclResult_t wait_for(rt_context *context, rt_nccl_op *const *ops, size_t n) {
  const uint64_t seconds = context->options.nccl_seconds;
  struct timespec until;
  clock_gettime(CLOCK_REALTIME, &until);
  until.tv_sec += (time_t)seconds;
  for (rt_nccl_op *op; (op = first_undone(ops, n));) {
    if (op->comm->clique->is_broken) return ncclRemoteError;
    const bool alone = is_alone();
    if (alone || !wait_for_change(context, &until)) {
      if (!first_undone(ops, n)) break;
      return refuse_to_wait(op, alone, seconds);
    }
  }
  return ncclSuccess;
}

ncclResult_t simt_nccl_complete(rt_context *context, rt_nccl_op *const *ops, size_t n) {
  for (size_t i = 0; i < n; i++) post(ops[i]);
  for (size_t i = 0; i < n; i++)
    if (!ops[i]->done) match(context, ops[i]->comm->clique);
  ncclResult_t result = wait_for(context, ops, n);
  for (size_t i = 0; i < n; i++) {
    if (!ops[i]->done) {
      ops[i]->comm->clique->is_broken = true;
      finish(ops[i], result);
    }
    if (!result) result = ops[i]->result;
  }
  if (result) pthread_cond_broadcast(&changed);
  return result;
}
