// SPDX-License-Identifier: MIT
// cluster.cuh - two ways for the blocks of a cluster to share their counters. Each block of it can
// read and change the shared memory of the others: distributed shared memory, from compute
// capability 9.0 on.
//
//   cluster_bins  the bins are dealt out over the blocks of the cluster; a sample is counted where
//                 its bin is, mostly in another block's shared memory
//   folded_bins   each block counts all bins, and at the end the blocks add their counters to each
//                 other's: fewer additions to global memory
#ifndef MANY_BINS_CLUSTER_CUH
#define MANY_BINS_CLUSTER_CUH

#include <cooperative_groups.h>

#include "counters.cuh"

#if !defined(__SIMTCC__) && defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 900

// No clusters: a launch with any is refused. (To the software GPU all targets have them.)
extern "C" __global__ void cluster_bins(const unsigned *, unsigned *, unsigned, unsigned,
                                        unsigned) {}
extern "C" __global__ void folded_bins(const unsigned *, unsigned *, unsigned, unsigned) {}

#else

//! [cluster]
// Counters of 32 bits, 2^log_width of them in each block of the cluster.
struct cluster_counters {
  enum { QUEUES = 1 };
  unsigned *bins, n_bins, log_width;
  __device__ void pay(unsigned v, unsigned count) const { atomicAdd(&bins[v], count); }
  template <unsigned N, bool WITH_HOT = false, bool EVERY = false>
  __device__ void add(const unsigned *v, hot_values *hot = nullptr) const {
    const cooperative_groups::cluster_group cluster = cooperative_groups::this_cluster();
    unsigned *const words = counters<32>::words();
#pragma unroll
    for (unsigned i = 0; i < N; i++) {
      if ((WITH_HOT && take_hot(hot, v[i])) || v[i] >= n_bins) continue;
      atomicAdd(cluster.map_shared_rank(words, (int)(v[i] >> log_width)) +
                    (v[i] & ((1u << log_width) - 1)),
                1u);
    }
  }
};

// The cluster has at least n_bins / 2^log_width blocks. Shared memory: 2^log_width words.
extern "C" __global__ void __launch_bounds__(1024)
    cluster_bins(const unsigned *in, unsigned *bins, unsigned n_bins, unsigned n,
                 unsigned log_width) {
  const cooperative_groups::cluster_group cluster = cooperative_groups::this_cluster();
  const unsigned width = 1u << log_width, lowest = cluster.block_rank() * width;
  const unsigned here = lowest < n_bins ? min(n_bins - lowest, width) : 0;
  const counters<32> mine = {bins + lowest, here};
  mine.clear();
  cluster.sync(); // every block's counters are 0 before the first sample is counted
  walk(in, n, 0, blockIdx.x, gridDim.x, cluster_counters{bins, n_bins, log_width});
  cluster.sync(); // every sample is counted, in whichever block
  mine.merge((unsigned)((unsigned long long)here * blockIdx.x / gridDim.x));
}
//! [cluster]

//! [folded]
extern "C" __global__ void __launch_bounds__(1024)
    folded_bins(const unsigned *in, unsigned *bins, unsigned n_bins, unsigned n) {
  typedef counters<16> halves;
  const cooperative_groups::cluster_group cluster = cooperative_groups::this_cluster();
  const halves mine = {bins, n_bins};
  mine.clear();
  walk<true>(in, n, 0, blockIdx.x, gridDim.x, mine);
  cluster.sync(); // every sample is counted, in every block
  pay_debts(halves::debts(n_bins), bins);
  const unsigned n_blocks = cluster.num_blocks(), n_words = (n_bins + 1) / 2;
  const unsigned first = cluster.block_rank() * blockDim.x + threadIdx.x;
  for (unsigned w = first; w < n_words; w += n_blocks * blockDim.x) { // its share of the words
    unsigned low = 0, high = 0;
    for (unsigned b = 0; b < n_blocks; b++) {
      const unsigned two = cluster.map_shared_rank(halves::words(), (int)b)[w];
      low += two & 0xffff, high += two >> 16;
    }
    if (low > 0) atomicAdd(&bins[2 * w], low);
    if (high > 0) atomicAdd(&bins[2 * w + 1], high);
  }
  cluster.sync(); // no block may leave while another reads its counters
}
//! [folded]

#endif

#endif
