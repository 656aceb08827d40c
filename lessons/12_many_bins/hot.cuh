// SPDX-License-Identifier: MIT
// hot.cuh - values that a warp meets often are counted in its registers. Where many lanes want one
// counter they queue, in shared memory as in global memory; these values never get there.
//
// A warp elects its hot values from 32 samples, and elects anew every few rounds, and when all its
// lanes agree on another one: the data may change on the way. A wrong election costs time and
// nothing else, since whatever is not hot is counted in the usual way.
//
// Two values, of at least 6 lanes: a queue of 5 is as short as those that 32 samples at random make
// in 32 banks, and every candidate costs instructions for each sample.
#ifndef MANY_BINS_HOT_CUH
#define MANY_BINS_HOT_CUH

#include "warp.h"

enum { HOT = 2, LEAST_LANES = 6, ROUNDS_BETWEEN = 16 };
static const unsigned NO_VALUE = 0xffffffff; // of no sample: there are at most 2^24 bins

//! [hot]
// This lane's counts are floats: comparing is work for the unit that adds whole numbers, and floats
// are added by another. They are handed over long before 2^24.
struct hot_values {
  unsigned value[HOT];
  float count[HOT];
  bool any; // whether there are any: the same in all lanes
};

static __device__ inline unsigned max_of_lanes(unsigned x) {
  for (unsigned s = WARP_SIZE / 2; s > 0; s /= 2) x = max(x, __shfl_xor_sync(FULL_MASK, x, s));
  return x;
}

// The values that most lanes have. All lanes of the warp, one sample each.
static __device__ inline void elect(hot_values *hot, unsigned sample) {
  const unsigned lane = threadIdx.x % WARP_SIZE, alike = __match_any_sync(FULL_MASK, sample);
  const bool speaks = (alike & ((1u << lane) - 1)) == 0 && sample != NO_VALUE; // for those alike
  unsigned votes = speaks ? __popc(alike) * WARP_SIZE + lane : 0;
  hot->any = false;
#pragma unroll
  for (unsigned k = 0; k < HOT; k++) {
    const unsigned most = max_of_lanes(votes), value = __shfl_sync(FULL_MASK, sample, most % 32);
    const bool is_hot = most / WARP_SIZE >= LEAST_LANES;
    hot->value[k] = is_hot ? value : NO_VALUE;
    hot->count[k] = 0.0f;
    hot->any |= is_hot;
    if (votes == most) votes = 0; // the next candidate
  }
}

// Whether v is hot. If it is, it is counted.
static __device__ inline bool take_hot(hot_values *hot, unsigned v) {
  bool found = false;
#pragma unroll
  for (unsigned k = 0; k < HOT; k++)
    if (v == hot->value[k]) hot->count[k] += 1.0f, found = true;
  return found;
}
//! [hot]

static __device__ inline unsigned sum_of_lanes(unsigned x) {
  for (unsigned s = WARP_SIZE / 2; s > 0; s /= 2) x += __shfl_xor_sync(FULL_MASK, x, s);
  return x;
}

// All lanes: hands over what was counted, once per hot value.
template <class kind>
static __device__ inline void pay_hot(const hot_values *hot, const kind &counters) {
  if (!hot->any) return;
#pragma unroll
  for (unsigned k = 0; k < HOT; k++) {
    const unsigned sum = sum_of_lanes((unsigned)hot->count[k]);
    if (threadIdx.x % WARP_SIZE == 0 && sum > 0 && hot->value[k] != NO_VALUE)
      counters.pay(hot->value[k], sum);
  }
}

// All lanes, before a round of which `sample` is one: elects when it is time.
template <class kind>
static __device__ inline void pass_hot(hot_values *hot, unsigned sample, unsigned round,
                                       const kind &counters) {
  const unsigned candidate = sample < counters.n_bins ? sample : NO_VALUE;
  const bool agree = __all_sync(FULL_MASK, candidate == __shfl_sync(FULL_MASK, candidate, 0));
  if (round % ROUNDS_BETWEEN == 0 || (agree && candidate != hot->value[0])) {
    pay_hot(hot, counters);
    elect(hot, candidate);
  }
}

#endif
