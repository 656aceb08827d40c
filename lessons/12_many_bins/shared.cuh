// SPDX-License-Identifier: MIT
// shared.cuh - the kernels that count in shared memory, and the one that does not.
#ifndef MANY_BINS_SHARED_CUH
#define MANY_BINS_SHARED_CUH

#include "counters.cuh"

//! [parts]
// Blocks b with the same b % parts count the same part of the bins, each its share of the samples;
// those with the same b / parts read the same samples. gridDim.x is a multiple of `parts`. Shared
// memory: counters for one part, in whole uint4.
template <unsigned BITS>
static __device__ inline void count_part(const unsigned *in, unsigned *bins, unsigned n_bins,
                                         unsigned n, unsigned parts) {
  const unsigned width = (n_bins - 1) / parts + 1, lowest = blockIdx.x % parts * width;
  const unsigned team = blockIdx.x / parts, n_teams = gridDim.x / parts;
  if (lowest >= n_bins) return; // the last part may be empty
  const counters<BITS> mine = {bins + lowest, min(n_bins - lowest, width)};
  mine.clear();
  walk(in, n, lowest, team, n_teams, mine);
  mine.merge((unsigned)((unsigned long long)mine.n_bins * team / n_teams));
}
//! [parts]

extern "C" __global__ void __launch_bounds__(1024)
    wide_bins(const unsigned *in, unsigned *bins, unsigned n_bins, unsigned n, unsigned parts) {
  count_part<32>(in, bins, n_bins, n, parts);
}
extern "C" __global__ void __launch_bounds__(1024)
    half_bins(const unsigned *in, unsigned *bins, unsigned n_bins, unsigned n, unsigned parts) {
  count_part<16>(in, bins, n_bins, n, parts);
}
extern "C" __global__ void __launch_bounds__(1024)
    byte_bins(const unsigned *in, unsigned *bins, unsigned n_bins, unsigned n, unsigned parts) {
  count_part<8>(in, bins, n_bins, n, parts);
}

//! [global]
// One atomic per sample, in global memory.
extern "C" __global__ void global_counts(const unsigned *in, unsigned *bins, unsigned n_bins,
                                         unsigned n) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && in[i] < n_bins) atomicAdd(&bins[in[i]], 1u);
}
//! [global]

extern "C" __global__ void __launch_bounds__(1024)
    third_bins(const unsigned *in, unsigned *bins, unsigned n_bins, unsigned n, unsigned parts) {
  count_part<10>(in, bins, n_bins, n, parts);
}

// Hot values in registers, all others in global memory.
extern "C" __global__ void __launch_bounds__(1024)
    hot_bins(const unsigned *in, unsigned *bins, unsigned n_bins, unsigned n) {
  walk(in, n, 0, blockIdx.x, gridDim.x, no_counters{bins, n_bins});
}

//! [slices]
// Counts of fewer than 2^32 samples fit into 32 bits. More samples are counted in slices, each into
// bins that begin at 0 and are 0 again afterwards; totals have 64 bits.
extern "C" __global__ void add_slice(unsigned *bins, unsigned long long *totals, unsigned n_bins) {
  const unsigned v = blockIdx.x * blockDim.x + threadIdx.x;
  if (v >= n_bins) return;
  totals[v] += bins[v];
  bins[v] = 0;
}
//! [slices]

#endif
