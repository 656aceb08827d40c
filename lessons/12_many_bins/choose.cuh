// SPDX-License-Identifier: MIT
// choose.cuh - which way to count, by the number of bins and of samples, and the launches of all.
#ifndef MANY_BINS_CHOOSE_CUH
#define MANY_BINS_CHOOSE_CUH

#include "cluster.cuh"
#include "cuda_check.h"
#include "partition.cuh"
#include "shared.cuh"

enum { THREADS = 1024, FEWEST_THREADS = 512, SLICE = 1 << 28 }; // samples of one partition
typedef enum way {
  BY_GLOBAL,
  BY_HOT,
  BY_CROWD,
  BY_WIDE,
  BY_HALVES,
  BY_THIRDS,
  BY_BYTES,
  BY_FIFTHS,
  BY_CLUSTER,
  BY_FOLDED,
  BY_PARTITION
} way;
typedef struct plan {
  way by;
  unsigned parts;   // of BY_WIDE to BY_FIFTHS; of BY_CLUSTER and BY_FOLDED, the blocks of a cluster
  bool copies;      // of BY_HALVES to BY_FIFTHS: blocks store their counters, and do not add them
  unsigned threads; // of a block; 0: as many as usual
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
// As many blocks as are on the device together, or fewer if a thread got less than 16 samples.
static unsigned prepare_shared(job *j, const void *kernel, plan p, size_t bytes) {
  const unsigned threads = p.threads > 0 ? p.threads : THREADS;
  int fit = 0;
  if (!WB_OK(
          cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)bytes)) ||
      !WB_OK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&fit, kernel, (int)threads, bytes)))
    return 0; // the error is reported, and the bins are wrong
  const unsigned most = (unsigned)fit * multiprocessors() / p.parts;
  const unsigned teams = at_most(j->n / (16 * threads) + 1, most > 0 ? most : 1);
  j->grid = teams * p.parts;
  return threads;
}
//! [shared]

typedef void (*part_kernel)(const unsigned *, unsigned *, unsigned, unsigned, unsigned);
typedef void (*copy_kernel)(const unsigned *, unsigned *, unsigned, unsigned, unsigned, uint4 *);
typedef void (*add_kernel)(const uint4 *, unsigned *, unsigned, unsigned, unsigned);
static size_t quads_of_part(unsigned n_bins, unsigned bits, unsigned parts) {
  const unsigned width = (n_bins - 1) / parts + 1, each = 32 / bits;
  return ((width + each - 1) / each + 3) / 4;
}
static size_t part_bytes(unsigned n_bins, unsigned bits, unsigned parts) {
  return quads_of_part(n_bins, bits, parts) * sizeof(uint4) +
         (bits < 32 ? DEBTS * sizeof(debt) : 0);
}

static void launch_shared(job *j, plan p, unsigned bits, part_kernel kernel, copy_kernel copy,
                          add_kernel add) {
  const size_t bytes = part_bytes(j->n_bins, bits, p.parts);
  const unsigned threads =
      prepare_shared(j, p.copies ? (const void *)copy : (const void *)kernel, p, bytes);
  if (threads == 0) return;
  if (p.copies) {
    const size_t groups = (quads_of_part(j->n_bins, bits, p.parts) + 31) / 32;
    uint4 *const copies = (uint4 *)j->room;
    copy<<<j->grid, threads, bytes>>>(j->in, j->bins, j->n_bins, j->n, p.parts, copies);
    add<<<(unsigned)groups * p.parts, THREADS>>>(copies, j->bins, j->n_bins, p.parts,
                                                 j->grid / p.parts);
  } else {
    kernel<<<j->grid, threads, bytes>>>(j->in, j->bins, j->n_bins, j->n, p.parts);
  }
}

//! [clusters]
// As many whole clusters as are on the device together.
static bool prepare_clusters(job *j, const void *kernel, plan p, cudaLaunchConfig_t *config,
                             cudaLaunchAttribute *size) {
  int fit = 0;
  size->id = cudaLaunchAttributeClusterDimension;
  size->val.clusterDim.x = p.parts, size->val.clusterDim.y = size->val.clusterDim.z = 1;
  config->attrs = size, config->numAttrs = 1;
  config->blockDim = dim3(THREADS), config->gridDim = dim3(p.parts);
  if (!WB_OK(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                  (int)config->dynamicSmemBytes)) ||
      !WB_OK(cudaFuncSetAttribute(kernel, cudaFuncAttributeNonPortableClusterSizeAllowed, 1)) ||
      !WB_OK(cudaOccupancyMaxActiveClusters(&fit, kernel, config)))
    return false; // the error is reported, and the bins are wrong
  const unsigned wanted = j->n / (16 * THREADS * p.parts) + 1;
  j->grid = at_most(wanted, fit > 0 ? (unsigned)fit : 1) * p.parts;
  config->gridDim = dim3(j->grid);
  return true;
}
static void launch_cluster(job *j, plan p) {
  cudaLaunchConfig_t config = {};
  cudaLaunchAttribute size = {};
  unsigned log_width = 0;
  while ((size_t)p.parts << log_width < j->n_bins) log_width++;
  config.dynamicSmemBytes = ((sizeof(unsigned) << log_width) + 15) / 16 * 16;
  if (!prepare_clusters(j, (const void *)cluster_bins, p, &config, &size)) return;
  WB_OK(cudaLaunchKernelEx(&config, cluster_bins, j->in, j->bins, j->n_bins, j->n, log_width));
}
static void launch_folded(job *j, plan p) {
  cudaLaunchConfig_t config = {};
  cudaLaunchAttribute size = {};
  config.dynamicSmemBytes = part_bytes(j->n_bins, 16, 1);
  if (!prepare_clusters(j, (const void *)folded_bins, p, &config, &size)) return;
  WB_OK(cudaLaunchKernelEx(&config, folded_bins, j->in, j->bins, j->n_bins, j->n));
}
//! [clusters]

//! [launches]
// At most one block of THREADS on a multiprocessor, or more and smaller ones.
static unsigned partition_blocks(unsigned n, unsigned threads) {
  return at_most(n / (PER_THREAD * threads) + 1, THREADS / threads * multiprocessors());
}
static size_t most_chunks(unsigned n, unsigned n_bins) {
  const unsigned n_parts = (n_bins - 1) / (PART_MASK + 1) + 1;
  return (size_t)at_most(n, SLICE) / CHUNK + (size_t)partition_blocks(n, FEWEST_THREADS) * n_parts;
}
// The pool, the chunks, their order, and the ledger; or copies of the counters of all blocks.
static size_t room_bytes(unsigned n, unsigned n_bins) {
  const size_t partition =
      most_chunks(n, n_bins) * (CHUNK * sizeof(unsigned short) + sizeof(chunk) + sizeof(unsigned)) +
      sizeof(ledger);
  const size_t blocks = at_most(8 * (n / (16 * THREADS) + 1), 8 + multiprocessors());
  const size_t copies = blocks * (227 << 10);
  return partition > copies ? partition : copies;
}
static void launch_partition(job *j, plan p) {
  const unsigned threads = p.threads > 0 ? p.threads : THREADS;
  const unsigned n_parts = (j->n_bins - 1) / (PART_MASK + 1) + 1;
  const size_t most = most_chunks(j->n, j->n_bins), stage = PER_THREAD * threads * sizeof(unsigned);
  const size_t counters = (at_most(j->n_bins, PART_MASK + 1) + 3) / 4 * sizeof(uint4);
  unsigned short *pool = (unsigned short *)j->room;
  chunk *chunks = (chunk *)(pool + most * CHUNK);
  unsigned *ordered = (unsigned *)(chunks + most);
  ledger *log = (ledger *)(ordered + most);
  WB_OK(cudaFuncSetAttribute(partition, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)stage));
  WB_OK(cudaFuncSetAttribute(count_chunks, cudaFuncAttributeMaxDynamicSharedMemorySize,
                             (int)counters));
  j->grid = partition_blocks(j->n, threads);
  for (unsigned first = 0; first < j->n; first += at_most(j->n - first, SLICE)) {
    const unsigned n = at_most(j->n - first, SLICE);
    WB_OK(cudaMemsetAsync(log, 0, sizeof *log));
    partition<<<j->grid, threads, stage>>>(j->in + first, j->bins, j->n_bins, n, pool, chunks, log);
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
  case BY_CROWD:
    j->grid = at_most(j->n / (4 * 256) + 1, 8 * multiprocessors());
    crowd_bins<<<j->grid, 256>>>(j->in, j->bins, j->n_bins, j->n);
    return;
  case BY_WIDE: launch_shared(j, p, 32, wide_bins, nullptr, nullptr); return;
  case BY_HALVES: launch_shared(j, p, 16, half_bins, half_copies, add_half_copies); return;
  case BY_THIRDS: launch_shared(j, p, 10, third_bins, third_copies, add_third_copies); return;
  case BY_BYTES: launch_shared(j, p, 8, byte_bins, byte_copies, add_byte_copies); return;
  case BY_FIFTHS: launch_shared(j, p, 6, fifth_bins, fifth_copies, add_fifth_copies); return;
  case BY_CLUSTER: launch_cluster(j, p); return;
  case BY_FOLDED: launch_folded(j, p); return;
  case BY_PARTITION: launch_partition(j, p); return;
  }
}
//! [launches]

// The device must have them, from compute capability 9.0 on, and the kernels must have been
// compiled for it: cluster.cuh. (simtcc compiles them for any.)
static bool has_clusters() {
  static int there = -1;
  if (there < 0) {
    cudaDeviceGetAttribute(&there, cudaDevAttrClusterLaunch, 0);
#ifndef __SIMTCC__
    cudaFuncAttributes kernel = {};
    if (!WB_OK(cudaFuncGetAttributes(&kernel, folded_bins)) || kernel.ptxVersion < 90) there = 0;
#endif
  }
  return there > 0;
}
//! [choose]
static plan choose(unsigned n_bins, unsigned n) {
  if (n_bins <= 1u << 15) return plan{BY_WIDE, 1};
  if (n < 1u << 22) return n_bins <= 1u << 17 ? plan{BY_WIDE, 4} : plan{BY_CROWD, 1};
  if (n_bins <= 1u << 16) return has_clusters() ? plan{BY_FOLDED, 2} : plan{BY_HALVES, 1, true};
  if (n_bins <= 1u << 17) return plan{BY_BYTES, 1, true};
  if (n_bins <= 1u << 18) return plan{BY_FIFTHS, 1, true};
  if (n_bins <= 1u << 19) return plan{BY_FIFTHS, 2, true};
  return plan{BY_PARTITION, 1, false, n_bins < 1u << 22 ? 512u : 1024u};
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
