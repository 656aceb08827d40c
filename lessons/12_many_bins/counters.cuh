// SPDX-License-Identifier: MIT
// counters.cuh - a block's counters in shared memory, of 32 to 6 bits each, several in a word.
//
// Invariant: bins[v], what is owed to v, and the counter of v in the word together have every
// sample of v that the block has counted, when no addition is being settled. An overflow is settled
// by the thread whose addition caused it: what its atomicAdd returned tells exactly what the
// addition did to each counter of the word. All are modulo 2^32 on the way.
#ifndef MANY_BINS_COUNTERS_CUH
#define MANY_BINS_COUNTERS_CUH

#include "hot.cuh"

extern __shared__ uint4 room_of_block[]; // cleared 16 bytes at a time

//! [debts]
// What a block owes to bins, in as many slots of shared memory as its most frequent values need:
// the first bin that wants a slot gets it; a later one pays at once. Values that overflow
// again and again cost one global atomic for each block, and not one each time.
enum { DEBTS = 1024 };
struct debt {
  unsigned owner, count; // 1 + the bin, or 0: free
};
static __device__ inline void owe(debt *debts, unsigned *bins, unsigned v, unsigned count) {
  debt *const d = &debts[v % DEBTS];
  const unsigned owner = atomicCAS(&d->owner, 0u, v + 1);
  if (owner == 0 || owner == v + 1) atomicAdd(&d->count, count);
  else atomicAdd(&bins[v], count);
}
// All threads, after a barrier.
static __device__ inline void pay_debts(const debt *debts, unsigned *bins) {
  for (unsigned i = threadIdx.x; i < DEBTS; i += blockDim.x)
    if (debts[i].owner > 0) atomicAdd(&bins[debts[i].owner - 1], debts[i].count);
}
//! [debts]

template <unsigned BITS> struct counters {
  // Counters in a word; whether lanes that want the same one queue. (To add 1 and not to ask for
  // the old value is one instruction, which counts the lanes.)
  enum { EACH = 32 / BITS, QUEUES = BITS < 32 };
  unsigned *bins, n_bins; // those that this block counts
  static __device__ unsigned *words() { return (unsigned *)room_of_block; }
  // In uint4: the counters, and behind them the debts.
  static __device__ unsigned quads(unsigned n_bins) { return ((n_bins + EACH - 1) / EACH + 3) / 4; }
  static __device__ debt *debts(unsigned n_bins) { return (debt *)(room_of_block + quads(n_bins)); }
  static __device__ unsigned all_ones() { return 0xffffffffu >> (32 - BITS); }
  static __device__ unsigned take(unsigned word, unsigned k) {
    return word >> k * BITS % 32 & all_ones();
  }
  // By how much the counter of v is shifted; modulo 32, as the shifts below take it.
  static __device__ unsigned shift(unsigned v) {
    return EACH * BITS == 32 ? v * BITS : v % EACH * BITS;
  }
  __device__ void pay(unsigned v, unsigned count) const {
    if (QUEUES) owe(debts(n_bins), bins, v, count);
    else atomicAdd(&bins[v], count);
  }

  //! [settle]
  // The counter of v went from all ones to 0, and something was carried on: the bin of every
  // counter in the word gets what that should have grown by, less what it did grow by.
  static __device__ __noinline__ void settle(unsigned *bins, unsigned n_bins, unsigned v,
                                             unsigned old) {
    const unsigned mine = v % EACH, now = old + (1u << mine * BITS % 32);
    for (unsigned k = mine; k < EACH; k++) {
      const unsigned bin = v - mine + k, wanted = k == mine ? 1 : 0;
      const unsigned missing = wanted - (take(now, k) - take(old, k));
      if (missing == 0 || bin >= n_bins) return; // the carry ends here
      owe(debts(n_bins), bins, bin, missing);
    }
  }
  //! [settle]

  //! [add]
  // Counts all of v[N] that this block counts; WITH_HOT: but for hot ones, which are counted there;
  // EVERY: each is a sample of one of its bins. The atomics first: none waits for what another
  // returns.
  template <unsigned N, bool WITH_HOT = false, bool EVERY = false>
  __device__ __forceinline__ void add(const unsigned *v, hot_values *hot = nullptr) const {
    unsigned old[N];
#pragma unroll
    for (unsigned i = 0; i < N; i++) {
      old[i] = 0;
      if (WITH_HOT && take_hot(hot, v[i])) continue;
      if (!EVERY && v[i] >= n_bins) continue;        // another block's, or no sample
      if (BITS == 32) atomicAdd(&words()[v[i]], 1u); // the old value is not asked for
      else old[i] = atomicAdd(&words()[v[i] / EACH], __funnelshift_l(0, 1, shift(v[i])));
    }
    if (BITS < 32 && may_overflow<N>(v, old)) settle_each<N>(v, old);
  }
  //! [add]

  // Each lane settles its last overflow first, then the one before. So lanes settle together,
  // whichever of their samples it was, and few lanes have a second one.
  template <unsigned N>
  __device__ __forceinline__ void settle_each(const unsigned *v, const unsigned *old) const {
    unsigned left = 0, value = 0, word = 0;
#pragma unroll
    for (unsigned i = 0; i < N; i++)
      if (take(old[i], v[i] % EACH) == all_ones()) left |= 1u << i, value = v[i], word = old[i];
    while (left != 0) {
      settle(bins, n_bins, value, word);
      left ^= 0x80000000u >> __clz(left);
      if (left == 0) return;
#pragma unroll
      for (unsigned i = 0; i < N; i++)
        if (left >> i == 1) value = v[i], word = old[i];
    }
  }

  // Whether one of the counters may have been all ones. Of halves it is asked of both in the word:
  // then the largest words tell, and no half need be taken out of its word.
  template <unsigned N>
  static __device__ __forceinline__ bool may_overflow(const unsigned *v, const unsigned *old) {
    unsigned upper = 0, lower = 0;
    bool any = false;
#pragma unroll
    for (unsigned i = 0; i < N; i++) {
      if (BITS == 16) upper = max(upper, old[i]), lower = max(lower, old[i] << 16);
      else any |= take(old[i], v[i] % EACH) == all_ones();
    }
    return BITS == 16 ? max(upper, lower) >= 0xffff0000 : any;
  }

  __device__ void clear() const {
    const unsigned behind = QUEUES ? DEBTS * sizeof(debt) / sizeof(uint4) : 0;
    for (unsigned i = threadIdx.x; i < quads(n_bins) + behind; i += blockDim.x)
      room_of_block[i] = make_uint4(0, 0, 0, 0);
    __syncthreads(); // every counter is 0 before the first sample is counted
  }

  // Adds all to the bins, beginning with bin `first`: blocks that are ready at the same time do not
  // all begin with the same one.
  __device__ void merge(unsigned first) const {
    __syncthreads(); // every sample is counted
    if (QUEUES) pay_debts(debts(n_bins), bins);
    for (unsigned i = threadIdx.x; i < n_bins; i += blockDim.x) {
      const unsigned v = first + i < n_bins ? first + i : first + i - n_bins;
      const unsigned count = take(words()[v / EACH], v % EACH);
      if (count > 0) atomicAdd(&bins[v], count);
    }
  }

  //! [copy]
  // Stores all as they are, for add_copies().
  __device__ void copy(uint4 *to) const {
    __syncthreads(); // every sample is counted
    if (QUEUES) pay_debts(debts(n_bins), bins);
    for (unsigned i = threadIdx.x; i < quads(n_bins); i += blockDim.x) to[i] = room_of_block[i];
  }
  //! [copy]
};

// No counters: every sample goes to global memory.
struct no_counters {
  enum { QUEUES = 1 };
  unsigned *bins, n_bins;
  __device__ void pay(unsigned v, unsigned count) const { atomicAdd(&bins[v], count); }
  template <unsigned N, bool WITH_HOT = false, bool EVERY = false>
  __device__ void add(const unsigned *v, hot_values *hot = nullptr) const {
#pragma unroll
    for (unsigned i = 0; i < N; i++) {
      if (WITH_HOT && take_hot(hot, v[i])) continue;
      if (EVERY || v[i] < n_bins) pay(v[i], 1);
    }
  }
};

//! [walk]
enum { LOADS = 4, ROUND = 4 * LOADS }; // of 16 bytes, under way in each thread; samples

// This thread's part of a tile of in[n]: a warp's loads lie one after another, so that runs of
// equal samples meet in one warp. Those past the end are NO_VALUE.
static __device__ inline void load_round(unsigned *v, const uint4 *tile, unsigned n_quads,
                                         unsigned lowest) {
  const unsigned first = threadIdx.x / WARP_SIZE * WARP_SIZE * LOADS + threadIdx.x % WARP_SIZE;
#pragma unroll
  for (unsigned k = 0; k < LOADS; k++) {
    const unsigned q = first + k * WARP_SIZE;
    uint4 four = make_uint4(NO_VALUE, NO_VALUE, NO_VALUE, NO_VALUE);
    if (q < n_quads) {
      four = tile[q];
      four.x -= lowest, four.y -= lowest, four.z -= lowest, four.w -= lowest;
    }
    v[4 * k] = four.x, v[4 * k + 1] = four.y, v[4 * k + 2] = four.z, v[4 * k + 3] = four.w;
  }
}

template <bool EVERY, class kind>
static __device__ __forceinline__ void add_round(const unsigned *v, hot_values *hot,
                                                 const kind &counters) {
  if (kind::QUEUES && hot->any) counters.template add<ROUND, true, EVERY>(v, hot);
  else counters.template add<ROUND, false, EVERY>(v);
}

// The tiles of team `rank` of `n_teams`. What is counted is v - lowest. ALL_BINS: the block counts
// all bins, so that in a whole tile nothing need be asked of a sample.
template <bool ALL_BINS = false, class kind>
static __device__ inline void walk(const unsigned *in, unsigned n, unsigned lowest, unsigned rank,
                                   unsigned n_teams, kind counters) {
  const unsigned ahead = (unsigned)(-(size_t)in / sizeof *in % 4), head = ahead < n ? ahead : n;
  const unsigned n_quads = (n - head) / 4, tail = head + 4 * n_quads, tile = LOADS * blockDim.x;
  const unsigned me = rank * blockDim.x + threadIdx.x;
  const uint4 *quads = (const uint4 *)(in + head); // at a multiple of 16 bytes
  hot_values hot = {};
  unsigned v[ROUND], round = 0;
  for (unsigned q = rank * tile; q < n_quads; q += n_teams * tile, round++) {
    load_round(v, quads + q, n_quads - q, lowest);
    if (kind::QUEUES) pass_hot(&hot, v[0], round, counters);
    if (ALL_BINS && n_quads - q >= tile) add_round<true>(v, &hot, counters);
    else add_round<false>(v, &hot, counters);
  }
  if (kind::QUEUES) pay_hot(&hot, counters);
  v[0] = me < head ? in[me] - lowest : NO_VALUE; // what is not in a quad
  v[1] = tail + me < n ? in[tail + me] - lowest : NO_VALUE;
  counters.template add<2>(v);
}
//! [walk]

#endif
