// SPDX-License-Identifier: MIT
// env: SIMT_DEVICES=4
// nvcc: skip
//
// Bytes on the links of a ring, worked out by hand: an all-reduce of S bytes sends 2 (n - 1) / n S
// over each link from a rank to the next and none over the others, in 2 (n - 1) steps.
#include <nccl.h>
#include <simt.h>

#include <cstdio>

static ncclComm_t comms[4];
static int *in[4], *out[4];

static void show(const char *what, int n) {
  printf("%s, %d ranks:", what, n);
  for (int from = 0; from < 4; from++)
    for (int to = 0; to < 4; to++) {
      simt_device_link l;
      if (simt_link_read(from, to, &l) && l.copies)
        printf(" %d->%d %dx %d", from, to, (int)l.copies, (int)l.copied_bytes);
    }
  printf("\n");
  simt_counters_reset();
}

template <typename F> static void grouped(int n, F call) {
  ncclGroupStart();
  for (int r = 0; r < n; r++)
    if (call(r) != ncclSuccess) printf("%s\n", ncclGetLastError(comms[r]));
  if (ncclGroupEnd() != ncclSuccess) printf("%s\n", ncclGetLastError(comms[0]));
}

static void ring(int n) {
  ncclCommInitAll(comms, n, nullptr);
  simt_counters_reset();
  grouped(n,
          [&](int r) { return ncclAllReduce(in[r], out[r], 12, ncclInt, ncclSum, comms[r], 0); });
  show("all-reduce of 48 bytes", n);
  grouped(
      n, [&](int r) { return ncclReduceScatter(in[r], out[r], 3, ncclInt, ncclSum, comms[r], 0); });
  show("reduce-scatter of 12 for each", n);
  grouped(n, [&](int r) { return ncclAllGather(in[r], out[r], 3, ncclInt, comms[r], 0); });
  show("all-gather of 12 from each", n);
  grouped(n, [&](int r) { return ncclBroadcast(in[r], out[r], 3, ncclInt, 1, comms[r], 0); });
  show("broadcast of 12 from rank 1", n);
  grouped(n, [&](int r) { return ncclReduce(in[r], out[r], 3, ncclInt, ncclSum, 0, comms[r], 0); });
  show("reduce of 12 to rank 0", n);
  for (int r = 0; r < n; r++) ncclCommDestroy(comms[r]);
}

int main() {
  for (int d = 0; d < 4; d++) {
    cudaSetDevice(d);
    cudaMalloc(&in[d], 256);
    cudaMalloc(&out[d], 256);
    cudaMemset(in[d], 0, 256);
  }
  ring(2);
  ring(4);
  ncclCommInitAll(comms, 1, nullptr);
  ncclAllReduce(in[0], out[0], 12, ncclInt, ncclSum, comms[0], 0); // alone: no group, no link
  show("all-reduce", 1);
  ncclCommDestroy(comms[0]);
}
