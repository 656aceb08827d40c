// SPDX-License-Identifier: MIT
// nccl.cuh - the same by NVIDIA's library for collectives, NCCL, where the program is built with
// it; on the software GPU always.
#ifndef MANY_GPUS_NCCL_CUH
#define MANY_GPUS_NCCL_CUH

#include "vectors.cuh"

#if defined(WORKBOOK_SIMT) || defined(WORKBOOK_NCCL)
#include <nccl.h>
#include <stdio.h>

static bool nccl_ok(ncclResult_t result, const char *call) {
  if (result == ncclSuccess) return true;
  fprintf(stderr, "%s failed: %s\n%s\n", call, ncclGetErrorString(result),
          ncclGetLastError(nullptr));
  return false;
}
#define NCCL_OK(call) nccl_ok((call), #call)

//! [nccl]
// One thread speaks for all GPUs: what belongs together stands in a group.
static void all_reduce(const float *const *send, float *const *receive, unsigned n,
                       const wb_shares *s) {
  static ncclComm_t comms[WB_MAX_DEVICES];
  if (comms[0] == nullptr && !NCCL_OK(ncclCommInitAll(comms, (int)s->devices, nullptr))) return;
  NCCL_OK(ncclGroupStart());
  for (unsigned d = 0; d < s->devices; d++) {
    use(d);
    NCCL_OK(ncclAllReduce(send[d], receive[d], n, ncclFloat, ncclSum, comms[d], lines[d].stream));
  }
  NCCL_OK(ncclGroupEnd());
}
//! [nccl]

// One float for each GPU: its sum, and then that of all.
static void launch_nccl_sum(wb_launch *l) {
  const wb_shares *s = &l->shares;
  float *totals[WB_MAX_DEVICES], *results[WB_MAX_DEVICES];
  sum_shares(l);
  for (unsigned d = 0; d < s->devices; d++) {
    const pointers mine = {.of = {s->room[d]}};
    totals[d] = s->room[d] + l->grid;
    results[d] = d == 0 ? (float *)l->out : totals[d] + 1;
    use(d);
    add_partials<<<1, l->block, 0, lines[d].stream>>>(mine, totals[d], 1, l->grid);
  }
  all_reduce(totals, results, 1, s);
  join(s);
}

static void launch_nccl(wb_launch *l) {
  const wb_shares *s = &l->shares;
  l->grid = 0; // NCCL's own affair
  fork(s);
  all_reduce(s->in, s->out, s->width, s);
  join(s);
}
#define NCCL_VARIANT(...) __VA_ARGS__,
#else
#define NCCL_VARIANT(...) // nothing
#endif

#endif
