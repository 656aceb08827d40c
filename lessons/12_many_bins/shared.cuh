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

extern "C" __global__ void __launch_bounds__(1024)
    third_bins(const unsigned *in, unsigned *bins, unsigned n_bins, unsigned n, unsigned parts) {
  count_part<10>(in, bins, n_bins, n, parts);
}
extern "C" __global__ void __launch_bounds__(1024)
    fifth_bins(const unsigned *in, unsigned *bins, unsigned n_bins, unsigned n, unsigned parts) {
  count_part<6>(in, bins, n_bins, n, parts);
}

//! [copies]
// As above, but a block adds nothing to the bins at the end: it stores its counters, and a second
// kernel adds up the copies.
template <unsigned BITS>
static __device__ inline void copy_part(const unsigned *in, unsigned *bins, unsigned n_bins,
                                        unsigned n, unsigned parts, uint4 *copies) {
  const unsigned width = (n_bins - 1) / parts + 1, lowest = blockIdx.x % parts * width;
  if (lowest >= n_bins) return; // the last part may be empty
  const counters<BITS> mine = {bins + lowest, min(n_bins - lowest, width)};
  mine.clear();
  walk(in, n, lowest, blockIdx.x / parts, gridDim.x / parts, mine);
  mine.copy(copies + (size_t)blockIdx.x * counters<BITS>::quads(width));
}

// Block b adds up 32 quads of all copies of part b % parts; each of its warps takes some copies.
template <unsigned BITS>
static __device__ inline void add_copies(const uint4 *copies, unsigned *bins, unsigned n_bins,
                                         unsigned parts, unsigned teams) {
  enum { EACH = counters<BITS>::EACH, OF_QUAD = 4 * EACH };
  __shared__ unsigned total[OF_QUAD][WARP_SIZE];
  const unsigned width = (n_bins - 1) / parts + 1, part = blockIdx.x % parts;
  const unsigned lowest = part * width, group = blockIdx.x / parts;
  if (lowest >= n_bins) return; // the last part may be empty
  const unsigned here = min(n_bins - lowest, width), stride = counters<BITS>::quads(width);
  const unsigned lane = threadIdx.x % WARP_SIZE, q = group * WARP_SIZE + lane;
  unsigned sum[OF_QUAD] = {};
  for (unsigned i = threadIdx.x; i < OF_QUAD * WARP_SIZE; i += blockDim.x)
    total[i / WARP_SIZE][i % WARP_SIZE] = 0;
  __syncthreads(); // every total is 0
  if (q < counters<BITS>::quads(here)) {
#pragma unroll 4
    for (unsigned t = threadIdx.x / WARP_SIZE; t < teams; t += blockDim.x / WARP_SIZE) {
      const uint4 four = copies[(size_t)(t * parts + part) * stride + q];
      const unsigned words[4] = {four.x, four.y, four.z, four.w};
#pragma unroll
      for (unsigned k = 0; k < OF_QUAD; k++)
        sum[k] += counters<BITS>::take(words[k / EACH], k % EACH);
    }
  }
#pragma unroll
  for (unsigned k = 0; k < OF_QUAD; k++) atomicAdd(&total[k][lane], sum[k]);
  __syncthreads(); // every copy is in the totals
  for (unsigned i = threadIdx.x; i < OF_QUAD * WARP_SIZE; i += blockDim.x) {
    const unsigned v = group * WARP_SIZE * OF_QUAD + i;
    if (v < here) bins[lowest + v] += total[i % OF_QUAD][i / OF_QUAD];
  }
}
//! [copies]

#define COPIES(name, bits)                                                                         \
  extern "C" __global__ void __launch_bounds__(1024)                                               \
      name##_copies(const unsigned *in, unsigned *bins, unsigned n_bins, unsigned n,               \
                    unsigned parts, uint4 *copies) {                                               \
    copy_part<bits>(in, bins, n_bins, n, parts, copies);                                           \
  }                                                                                                \
  extern "C" __global__ void __launch_bounds__(1024) add_##name##_copies(                          \
      const uint4 *copies, unsigned *bins, unsigned n_bins, unsigned parts, unsigned teams) {      \
    add_copies<bits>(copies, bins, n_bins, parts, teams);                                          \
  }
COPIES(half, 16)
COPIES(third, 10)
COPIES(byte, 8)
COPIES(fifth, 6)
#undef COPIES

//! [global]
// One atomic per sample, in global memory.
extern "C" __global__ void global_counts(const unsigned *in, unsigned *bins, unsigned n_bins,
                                         unsigned n) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && in[i] < n_bins) atomicAdd(&bins[in[i]], 1u);
}
//! [global]

// Hot values in registers, all others in global memory.
extern "C" __global__ void __launch_bounds__(1024)
    hot_bins(const unsigned *in, unsigned *bins, unsigned n_bins, unsigned n) {
  walk(in, n, 0, blockIdx.x, gridDim.x, no_counters{bins, n_bins});
}

//! [crowd]
// For few samples, which copies of the bins would cost more than they save. A warp in whose first
// samples no value comes twice adds all of them to the bins: there is no queue to fear. In the
// others, lanes with the same value send one of them, and the block owes the bin.
extern "C" __global__ void __launch_bounds__(1024)
    crowd_bins(const unsigned *in, unsigned *bins, unsigned n_bins, unsigned n) {
  __shared__ debt debts[DEBTS];
  const unsigned lane = threadIdx.x % WARP_SIZE;
  for (unsigned i = threadIdx.x; i < DEBTS; i += blockDim.x) debts[i] = debt{0, 0};
  __syncthreads(); // no debts yet
  bool crowded = false;
  // All lanes of a warp stay until its last sample: they look for each other's values.
  for (unsigned first = blockIdx.x * 4 * blockDim.x; first < n;
       first += gridDim.x * 4 * blockDim.x) {
    unsigned v[4];
#pragma unroll
    for (unsigned k = 0; k < 4; k++) {
      const unsigned i = first + k * blockDim.x + threadIdx.x;
      v[k] = i < n ? in[i] : NO_VALUE;
    }
#pragma unroll
    for (unsigned k = 0; k < 4; k++) {
      unsigned alike = 1u << lane;
      if (crowded || k == 0) alike = __match_any_sync(FULL_MASK, v[k]);
      if (k == 0) crowded = __any_sync(FULL_MASK, alike != 1u << lane && v[0] != NO_VALUE);
      if (v[k] >= n_bins || (alike & ((1u << lane) - 1)) != 0) continue; // another lane sends it
      if (crowded) owe(debts, bins, v[k], __popc(alike));
      else atomicAdd(&bins[v[k]], 1u);
    }
  }
  __syncthreads(); // every sample is counted
  pay_debts(debts, bins);
}
//! [crowd]

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
