// SPDX-License-Identifier: MIT
// columns.cuh - a column for each thread: one counter for each group of exponents, in shared memory
// as [groups][blockDim.x], so that a thread's counters lie in its own banks. No thread adds to
// another's column, and what is in it is exact; fold() adds the columns up as whole numbers.
#ifndef EXACT_SUM_COLUMNS_CUH
#define EXACT_SUM_COLUMNS_CUH

#include "accumulator.cuh"
#include "plain.cuh" // GROUP, GROUPS, whole_part, warp_total

enum { WORD = 32, WORDS = 2048 / WORD + 2 }; // of a double: digits of 32 bits, as in the state
enum { MOST_ADDED = 1 << 13 };               // elements per thread before the columns are folded

extern __shared__ long long counters_of_block[]; // [counters][blockDim.x]

//! [doubles]
struct double_columns {
  typedef float number;
  enum { COUNTERS = GROUPS, SPAN = GROUP };
  static __device__ long long nothing() { return __double_as_longlong(-0.0); }
  static __device__ void add(float x) {
    const unsigned group = __float_as_uint(x) >> 27 & 15;
    ((double *)counters_of_block)[group * blockDim.x + threadIdx.x] += (double)x;
  }
  static __device__ long long take(unsigned group, long long counter, unsigned *seen) {
    return whole_part(group, __longlong_as_double(counter), seen);
  }
};
//! [doubles]

//! [words]
// Doubles: a significand of 53 bits, shifted by up to 31, goes into three digits of 32 bits.
struct word_columns {
  typedef double number;
  enum { COUNTERS = WORDS, SPAN = WORD };
  static __device__ long long nothing() { return 0; }
  static __device__ void add(double x, unsigned *seen) {
    const parts_of<double> p(x);
    const unsigned shift = p.field % WORD;
    const unsigned long long low = p.significand << shift;
    const long long digit[3] = {(unsigned)low, (long long)(low >> 32),
                                (long long)(p.significand >> 1 >> (63 - shift))};
    long long *mine = &counters_of_block[p.field / WORD * blockDim.x + threadIdx.x];
    *seen |= p.seen;
    if (p.field == number_format<double>::FIELD_MAX) return;
    for (unsigned k = 0; k < 3; k++) mine[k * blockDim.x] += p.negative ? -digit[k] : digit[k];
  }
  static __device__ long long take(unsigned, long long counter, unsigned *) { return counter; }
};
//! [words]

//! [fold]
// All threads of the block: begins with empty columns.
template <typename kind> static __device__ void clear_columns() {
  for (unsigned k = 0; k < kind::COUNTERS; k++)
    counters_of_block[k * blockDim.x + threadIdx.x] = kind::nothing();
}

// All threads: a warp adds up the columns' counters of one group, by halves that cannot overflow.
// more: the columns are to be empty again.
template <typename kind>
static __device__ void fold(exact_state<typename kind::number> *state, unsigned seen, bool more) {
  const unsigned lane = threadIdx.x % WARP_SIZE;
  __syncthreads(); // all columns are complete
  for (unsigned g = threadIdx.x / WARP_SIZE; g < kind::COUNTERS; g += blockDim.x / WARP_SIZE) {
    long long low = 0, high = 0;
    for (unsigned t = lane; t < blockDim.x; t += WARP_SIZE) {
      const long long v = kind::take(g, counters_of_block[g * blockDim.x + t], &seen);
      low += (unsigned)v;
      high += v >> 32;
      if (more) counters_of_block[g * blockDim.x + t] = kind::nothing();
    }
    low = warp_total(low), high = warp_total(high);
    if (lane == 0) add_whole(state, low, g * kind::SPAN);
    if (lane == 0) add_whole(state, high, g * kind::SPAN + 32);
  }
  note_seen(state, seen);
  __syncthreads(); // if there is more to come: all columns are empty again
}
//! [fold]

#endif
