// SPDX-License-Identifier: MIT
// partition.cuh - more bins than a multiprocessor has counters for: first the samples are sorted by
// the high bits of their bins, into parts of 2^15 bins; then each part is counted on its own, with
// counters of 32 bits. Between the two, a sample is 16 bits: its low 15, since its place tells the
// rest.
//
// How much goes to a part is not known beforehand. The samples of a part lie in chunks of a pool;
// each block fills chunks of its own, one for each part, and draws a new one when it is full. So no
// block waits for another, and the samples are read once.
//
//   partition      in -> pool, chunks; a tile at a time, sorted in shared memory
//   order_chunks   the chunks of each part, one after another
//   count_chunks   each block takes the same number of chunks in that order
//
// Not here: more than 2^28 samples at once (positions in the pool have 32 bits).
#ifndef MANY_BINS_PARTITION_CUH
#define MANY_BINS_PARTITION_CUH

#include "counters.cuh"

enum { PART_BITS = 15, MOST_PARTS = 512, CHUNK = 2048, PER_THREAD = 16 };
static const unsigned PART_MASK = (1u << PART_BITS) - 1;

struct chunk {
  unsigned part, rank, used; // the rank-th of its part, with `used` samples
};
struct ledger { // all 0 before the partition
  unsigned n_chunks, of_part[MOST_PARTS];
};

//! [room]
// Where a block puts the samples of each part: those of this tile that still fit behind the ones
// before, and the others in new chunks, which lie side by side.
struct places {
  unsigned count[MOST_PARTS], start[MOST_PARTS]; // of the tile; where they begin in the stage
  unsigned here[MOST_PARTS], left[MOST_PARTS];   // next place in the pool, places until the end
  unsigned there[MOST_PARTS];                    // the new chunks
};

// Thread p, for part p: room for as many more. Afterwards `left` and `here` are as before the tile.
static __device__ inline void make_room(places *at, unsigned p, chunk *chunks, ledger *log) {
  const unsigned count = at->count[p], left = at->left[p];
  if (count <= left) return;
  const unsigned wanted = (count - left + CHUNK - 1) / CHUNK;
  const unsigned id = atomicAdd(&log->n_chunks, wanted);
  const unsigned rank = atomicAdd(&log->of_part[p], wanted);
  for (unsigned k = 0; k < wanted; k++) chunks[id + k] = chunk{p, rank + k, CHUNK};
  at->there[p] = id * CHUNK;
}

// Thread p, when the tile is in the pool.
static __device__ inline void move_on(places *at, unsigned p) {
  const unsigned count = at->count[p], left = at->left[p];
  const bool fits = count <= left;
  at->here[p] = fits ? at->here[p] + count : at->there[p] + (count - left);
  at->left[p] = fits ? left - count : (CHUNK - (count - left) % CHUNK) % CHUNK;
  at->count[p] = 0;
}
//! [room]

// Sums before this thread's, of all threads of the block.
static __device__ inline unsigned exclusive_sum(unsigned x, unsigned *sums) {
  const unsigned lane = threadIdx.x % WARP_SIZE, warp = threadIdx.x / WARP_SIZE;
  unsigned up_to = x, before = 0;
  for (unsigned s = 1; s < WARP_SIZE; s *= 2) {
    const unsigned other = __shfl_up_sync(FULL_MASK, up_to, s);
    if (lane >= s) up_to += other;
  }
  if (lane == WARP_SIZE - 1) sums[warp] = up_to;
  __syncthreads(); // the sums of all warps
  for (unsigned w = lane; w < warp; w += WARP_SIZE) before += sums[w];
  return up_to - x + sum_of_lanes(before);
}

//! [tile]
// Sorts a tile, v[] of each thread, by parts and appends it to their chunks. NO_VALUE: no sample.
static __device__ inline void put_tile(const unsigned *v, places *at, unsigned n_parts,
                                       unsigned short *pool, chunk *chunks, ledger *log) {
  __shared__ unsigned sums[WARP_SIZE], total;
  unsigned *stage = (unsigned *)room_of_block, rank[PER_THREAD];
  const unsigned p = threadIdx.x;
#pragma unroll
  for (unsigned k = 0; k < PER_THREAD; k++)
    rank[k] = v[k] != NO_VALUE ? atomicAdd(&at->count[v[k] >> PART_BITS], 1u) : 0;
  __syncthreads(); // counts of the tile
  const unsigned count = p < n_parts ? at->count[p] : 0, start = exclusive_sum(count, sums);
  if (p < n_parts) {
    at->start[p] = start;
    make_room(at, p, chunks, log);
    if (p == n_parts - 1) total = start + count;
  }
  __syncthreads(); // every part has its place
#pragma unroll
  for (unsigned k = 0; k < PER_THREAD; k++)
    if (v[k] != NO_VALUE) stage[at->start[v[k] >> PART_BITS] + rank[k]] = v[k];
  __syncthreads(); // the tile is sorted
  for (unsigned i = threadIdx.x; i < total; i += blockDim.x) {
    const unsigned x = stage[i], part = x >> PART_BITS, d = i - at->start[part];
    const unsigned left = at->left[part];
    pool[d < left ? at->here[part] + d : at->there[part] + (d - left)] =
        (unsigned short)(x & PART_MASK);
  }
  __syncthreads(); // the tile is in the pool
  if (p < n_parts) move_on(at, p);
  __syncthreads(); // the next tile begins with counts of 0
}
//! [tile]

// This thread's samples of the tile that begins at `first`.
static __device__ inline void load_samples(unsigned *v, const unsigned *in, unsigned n,
                                           unsigned first, unsigned n_bins) {
  const unsigned *tile = in + first;
  const bool whole = n - first >= PER_THREAD * blockDim.x && (size_t)tile % sizeof(uint4) == 0;
#pragma unroll
  for (unsigned k = 0; k < PER_THREAD / 4; k++) {
    if (whole) {
      const uint4 four = ((const uint4 *)tile)[k * blockDim.x + threadIdx.x];
      v[4 * k] = four.x, v[4 * k + 1] = four.y, v[4 * k + 2] = four.z, v[4 * k + 3] = four.w;
    } else {
#pragma unroll
      for (unsigned j = 0; j < 4; j++) {
        const unsigned i = first + (4 * k + j) * blockDim.x + threadIdx.x;
        v[4 * k + j] = i < n ? in[i] : NO_VALUE;
      }
    }
  }
#pragma unroll
  for (unsigned k = 0; k < PER_THREAD; k++)
    if (v[k] >= n_bins) v[k] = NO_VALUE;
}

// The samples in[n], n <= 2^28, into the pool; hot values go to the bins at once. blockDim.x is at
// least the number of parts. Shared memory: PER_THREAD words for each thread.
extern "C" __global__ void __launch_bounds__(1024)
    partition(const unsigned *in, unsigned *bins, unsigned n_bins, unsigned n, unsigned short *pool,
              chunk *chunks, ledger *log) {
  __shared__ places at;
  const unsigned n_parts = (n_bins - 1) / (PART_MASK + 1) + 1, tile = PER_THREAD * blockDim.x;
  const unsigned p = threadIdx.x;
  hot_values hot = {};
  if (p < n_parts) at.count[p] = at.left[p] = at.here[p] = 0;
  __syncthreads(); // no samples yet, and no room
  unsigned first = blockIdx.x * tile;
  for (unsigned round = 0; first < n; first += gridDim.x * tile, round++) {
    unsigned v[PER_THREAD];
    load_samples(v, in, n, first, n_bins);
    pass_hot(&hot, v[0], round, no_counters{bins, n_bins});
    if (hot.any) {
#pragma unroll
      for (unsigned i = 0; i < PER_THREAD; i++)
        if (take_hot(&hot, v[i])) v[i] = NO_VALUE;
    }
    put_tile(v, &at, n_parts, pool, chunks, log);
  }
  pay_hot(&hot, no_counters{bins, n_bins});
  if (p < n_parts && at.left[p] > 0) chunks[at.here[p] / CHUNK].used = CHUNK - at.left[p];
}

//! [count]
// first[p]: how many chunks the parts before p have. The block's first warp; all wait.
static __device__ inline void find_parts(const ledger *log, unsigned n_parts, unsigned *first) {
  unsigned before = 0;
  for (unsigned b = 0; b < n_parts && threadIdx.x < WARP_SIZE; b += WARP_SIZE) {
    const unsigned p = b + threadIdx.x, own = p < n_parts ? log->of_part[p] : 0;
    unsigned up_to = own;
    for (unsigned s = 1; s < WARP_SIZE; s *= 2) {
      const unsigned other = __shfl_up_sync(FULL_MASK, up_to, s);
      if (threadIdx.x >= s) up_to += other;
    }
    if (p < n_parts) first[p] = before + up_to - own;
    before += __shfl_sync(FULL_MASK, up_to, WARP_SIZE - 1);
  }
  if (threadIdx.x == 0) first[n_parts] = before;
  __syncthreads(); // first[0 .. n_parts]
}

extern "C" __global__ void order_chunks(const chunk *chunks, const ledger *log, unsigned n_parts,
                                        unsigned *ordered) {
  __shared__ unsigned first[MOST_PARTS + 1];
  find_parts(log, n_parts, first);
  for (unsigned c = blockIdx.x * blockDim.x + threadIdx.x; c < log->n_chunks;
       c += gridDim.x * blockDim.x)
    ordered[first[chunks[c].part] + chunks[c].rank] = c;
}

// One warp, one chunk: its 2^11 samples, 16 bits each, in eight loads of 16 bytes per lane.
static __device__ inline void count_chunk(const unsigned short *samples, unsigned used,
                                          counters<32> counters) {
  const unsigned lane = threadIdx.x % WARP_SIZE;
  if (used < CHUNK) {
    for (unsigned i = lane; i < used; i += WARP_SIZE) {
      const unsigned v = samples[i];
      counters.add<1>(&v);
    }
    return;
  }
  uint4 v[CHUNK / 8 / WARP_SIZE];
#pragma unroll
  for (unsigned k = 0; k < CHUNK / 8 / WARP_SIZE; k++)
    v[k] = ((const uint4 *)samples)[k * WARP_SIZE + lane];
#pragma unroll
  for (unsigned k = 0; k < CHUNK / 8 / WARP_SIZE; k++) {
    const unsigned two[4] = {v[k].x, v[k].y, v[k].z, v[k].w};
    const unsigned eight[8] = {two[0] & 0xffff, two[0] >> 16, two[1] & 0xffff, two[1] >> 16,
                               two[2] & 0xffff, two[2] >> 16, two[3] & 0xffff, two[3] >> 16};
    counters.add<8>(eight);
  }
}

// Shared memory: a word for each bin of a part.
extern "C" __global__ void __launch_bounds__(1024)
    count_chunks(const unsigned short *pool, const chunk *chunks, const ledger *log,
                 const unsigned *ordered, unsigned *bins, unsigned n_bins) {
  __shared__ unsigned first[MOST_PARTS + 1];
  const unsigned n_parts = (n_bins - 1) / (PART_MASK + 1) + 1, n_warps = blockDim.x / WARP_SIZE;
  find_parts(log, n_parts, first);
  const unsigned total = log->n_chunks;
  unsigned c = (unsigned)((unsigned long long)total * blockIdx.x / gridDim.x);
  const unsigned end = (unsigned)((unsigned long long)total * (blockIdx.x + 1) / gridDim.x);
  while (c < end) { // part after part
    const unsigned part = chunks[ordered[c]].part, lowest = part << PART_BITS;
    const unsigned part_end = min(end, first[part + 1]);
    const counters<32> mine = {bins + lowest, min(n_bins - lowest, PART_MASK + 1)};
    mine.clear();
    for (c += threadIdx.x / WARP_SIZE; c < part_end; c += n_warps)
      count_chunk(pool + (size_t)ordered[c] * CHUNK, chunks[ordered[c]].used, mine);
    mine.merge(0);
    __syncthreads(); // merged, before the next part's counters are cleared
    c = part_end;
  }
}
//! [count]

#endif
