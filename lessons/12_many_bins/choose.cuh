// SPDX-License-Identifier: MIT
// choose.cuh - which way to count, by the number of bins and of samples, and the launches of all.
#ifndef MANY_BINS_CHOOSE_CUH
#define MANY_BINS_CHOOSE_CUH

#include "cuda_check.h"
#include "partition.cuh"
#include "shared.cuh"

enum { THREADS = 1024, SLICE = 1 << 28 }; // samples of one partition
typedef enum way { BY_GLOBAL, BY_HOT, BY_WIDE, BY_HALVES, BY_THIRDS, BY_BYTES, BY_PARTITION } way;
typedef struct plan {
  way by;
  unsigned parts; // of BY_WIDE to BY_BYTES
} plan;
typedef struct job {
  const unsigned *in;
  unsigned *bins, n_bins, n;
  void *room;    // [room_bytes(n, n_bins)], for BY_PARTITION
  unsigned grid; // blocks of the first launch
} job;

static unsigned at_most(unsigned wanted, unsigned most) { return wanted < most ? wanted : most; }
static unsigned multiprocessors() {
  static int n = 0;
  if (n == 0) cudaDeviceGetAttribute(&n, cudaDevAttrMultiProcessorCount, 0);
  return n > 0 ? (unsigned)n : 1;
}

//! [shared]
typedef void (*part_kernel)(const unsigned *, unsigned *, unsigned, unsigned, unsigned);

// As many blocks as are on the device together, or fewer if a thread got less than 16 samples.
static void launch_shared(job *j, part_kernel kernel, unsigned bits, unsigned parts) {
  const unsigned width = (j->n_bins - 1) / parts + 1;
  const size_t words = (width - 1) / (32 / bits) + 1, bytes = (words + 3) / 4 * sizeof(uint4);
  int fit = 0;
  if (!WB_OK(
          cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)bytes)) ||
      !WB_OK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&fit, kernel, THREADS, bytes)))
    return; // the error is reported, and the bins are wrong
  const unsigned most = (unsigned)fit * multiprocessors() / parts;
  const unsigned teams = at_most(j->n / (16 * THREADS) + 1, most > 0 ? most : 1);
  j->grid = teams * parts;
  kernel<<<j->grid, THREADS, bytes>>>(j->in, j->bins, j->n_bins, j->n, parts);
}
//! [shared]

//! [launches]
static unsigned partition_blocks(unsigned n) {
  return at_most(n / (PER_THREAD * THREADS) + 1, multiprocessors());
}
static size_t most_chunks(unsigned n, unsigned n_bins) {
  const unsigned n_parts = (n_bins - 1) / (PART_MASK + 1) + 1;
  return (size_t)at_most(n, SLICE) / CHUNK + (size_t)partition_blocks(n) * n_parts;
}
// The pool, the chunks, their order, and the ledger.
static size_t room_bytes(unsigned n, unsigned n_bins) {
  return most_chunks(n, n_bins) *
             (CHUNK * sizeof(unsigned short) + sizeof(chunk) + sizeof(unsigned)) +
         sizeof(ledger);
}
static void launch_partition(job *j) {
  const unsigned n_parts = (j->n_bins - 1) / (PART_MASK + 1) + 1;
  const size_t most = most_chunks(j->n, j->n_bins), stage = PER_THREAD * THREADS * sizeof(unsigned);
  const size_t counters = (at_most(j->n_bins, PART_MASK + 1) + 3) / 4 * sizeof(uint4);
  unsigned short *pool = (unsigned short *)j->room;
  chunk *chunks = (chunk *)(pool + most * CHUNK);
  unsigned *ordered = (unsigned *)(chunks + most);
  ledger *log = (ledger *)(ordered + most);
  WB_OK(cudaFuncSetAttribute(partition, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)stage));
  WB_OK(cudaFuncSetAttribute(count_chunks, cudaFuncAttributeMaxDynamicSharedMemorySize,
                             (int)counters));
  j->grid = partition_blocks(j->n);
  for (unsigned first = 0; first < j->n; first += at_most(j->n - first, SLICE)) {
    const unsigned n = at_most(j->n - first, SLICE);
    WB_OK(cudaMemsetAsync(log, 0, sizeof *log));
    partition<<<j->grid, THREADS, stage>>>(j->in + first, j->bins, j->n_bins, n, pool, chunks, log);
    order_chunks<<<j->grid, 512>>>(chunks, log, n_parts, ordered);
    count_chunks<<<multiprocessors(), THREADS, counters>>>(pool, chunks, log, ordered, j->bins,
                                                           j->n_bins);
  }
}
static void launch_plan(job *j, plan p) {
  switch (p.by) {
  case BY_GLOBAL:
    j->grid = j->n / 256 + 1;
    global_counts<<<j->grid, 256>>>(j->in, j->bins, j->n_bins, j->n);
    return;
  case BY_HOT:
    j->grid = at_most(j->n / (ROUND * 256) + 1, 4 * multiprocessors());
    hot_bins<<<j->grid, 256>>>(j->in, j->bins, j->n_bins, j->n);
    return;
  case BY_WIDE: launch_shared(j, wide_bins, 32, p.parts); return;
  case BY_HALVES: launch_shared(j, half_bins, 16, p.parts); return;
  case BY_THIRDS: launch_shared(j, third_bins, 10, p.parts); return;
  case BY_BYTES: launch_shared(j, byte_bins, 8, p.parts); return;
  case BY_PARTITION: launch_partition(j); return;
  }
}
//! [launches]

//! [choose]
static plan choose(unsigned n_bins, unsigned n) {
  if (n_bins <= 1u << 15) return plan{BY_WIDE, 1};
  if (n < 1u << 22) return n_bins <= 1u << 17 ? plan{BY_WIDE, 4} : plan{BY_HOT, 1};
  if (n_bins <= 1u << 16) return plan{BY_HALVES, 1};
  if (n_bins <= 1u << 17) return plan{BY_THIRDS, 1};
  if (n_bins <= 1u << 18) return plan{BY_THIRDS, 2};
  return plan{BY_PARTITION, 1};
}
//! [choose]

// Any number of samples to totals[n_bins]; bins[n_bins] are 0, before and after.
static void count_many(const unsigned *in, unsigned long long *totals, unsigned *bins,
                       unsigned n_bins, size_t n, void *room) {
  const size_t most = (size_t)1 << 31;
  for (size_t first = 0; first < n; first += most) {
    const unsigned here = (unsigned)(n - first < most ? n - first : most);
    job j = {in + first, bins, n_bins, here, room, 0};
    launch_plan(&j, choose(n_bins, here));
    add_slice<<<(n_bins - 1) / 256 + 1, 256>>>(bins, totals, n_bins);
  }
}

#endif
