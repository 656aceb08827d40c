// SPDX-License-Identifier: MIT
// accumulator.cuh - the sum as one long whole number, and its rounding.
//
// A float is a whole number of 2^-149, a double of 2^-1074, so every sum is one, too. Counted in
// halves of that, a number with exponent field e and significand m is m * 2^e. The state holds
// such a number: digit k counts 2^(32 k), in 64 bits, so that 2^31 additions need no carry. Whole
// numbers may be added in any order: atomics do no harm. Each launch leaves the state as it was.
#ifndef EXACT_SUM_ACCUMULATOR_CUH
#define EXACT_SUM_ACCUMULATOR_CUH

#include <cuda_runtime.h>

#include "warp.h" // WARP_SIZE, FULL_MASK

//! [format]
template <typename T> struct number_format;
template <> struct number_format<float> {
  enum { FRACTION = 23, FIELD_MAX = 255, DIGITS = 11 };
};
template <> struct number_format<double> {
  enum { FRACTION = 52, FIELD_MAX = 2047, DIGITS = 69 };
};

enum { PLUS_INFINITY = 1, MINUS_INFINITY = 2, NOT_A_NUMBER = 4, NOT_MINUS_ZERO = 8 };

template <typename T> struct exact_state { // all zeros between launches
  unsigned long long digit[number_format<T>::DIGITS];
  unsigned seen; // PLUS_INFINITY and the others, as far as they occurred
  unsigned n_done;
};

static __device__ unsigned long long pattern_of(float x) { return __float_as_uint(x); }
static __device__ unsigned long long pattern_of(double x) {
  return (unsigned long long)__double_as_longlong(x);
}
static __device__ void from_pattern(unsigned long long bits, float *x) {
  *x = __uint_as_float((unsigned)bits);
}
static __device__ void from_pattern(unsigned long long bits, double *x) {
  *x = __longlong_as_double((long long)bits);
}

template <typename T> struct parts_of { // of x = (-1)^negative * significand * 2^field halves
  bool negative;
  unsigned field;
  unsigned long long significand;
  unsigned seen;
  __device__ parts_of(T x) {
    typedef number_format<T> f;
    const unsigned long long bits = pattern_of(x), fraction = bits & ((1ull << f::FRACTION) - 1);
    negative = bits >> (8 * sizeof(T) - 1);
    field = (unsigned)(bits >> f::FRACTION) & f::FIELD_MAX;
    // A subnormal has no leading 1, and the exponent of field 1.
    significand = field > 0 ? fraction | 1ull << f::FRACTION : fraction << 1;
    seen = !negative || bits << 1 << (64 - 8 * sizeof(T)) != 0 ? NOT_MINUS_ZERO : 0;
    if (field == f::FIELD_MAX)
      seen |= fraction != 0 ? NOT_A_NUMBER : negative ? MINUS_INFINITY : PLUS_INFINITY;
  }
};
//! [format]

//! [add_whole]
// Adds v * 2^position: three digits of the state, in whatever order the threads come.
template <typename T>
static __device__ void add_whole(exact_state<T> *state, long long v, unsigned position) {
  unsigned long long *digit = &state->digit[position / 32];
  const unsigned shift = position % 32;
  const unsigned low = (unsigned)((unsigned long long)v << shift);
  const long long rest = v >> (32 - shift); // its sign goes on to the third digit
  if (v == 0) return;
  atomicAdd(&digit[0], (unsigned long long)low);
  atomicAdd(&digit[1], (unsigned long long)(unsigned)rest);
  if (rest >> 32 != 0) atomicAdd(&digit[2], (unsigned long long)(rest >> 32));
}
//! [add_whole]

// All lanes of a warp: what its threads have seen.
template <typename T> static __device__ void note_seen(exact_state<T> *state, unsigned seen) {
  for (unsigned s = WARP_SIZE / 2; s > 0; s /= 2) seen |= __shfl_xor_sync(FULL_MASK, seen, s);
  if (threadIdx.x % WARP_SIZE == 0 && seen != 0) atomicOr(&state->seen, seen);
}

//! [round]
// Carries, so that every digit has 32 bits, and takes the absolute value. Returns the sign.
template <unsigned DIGITS> static __device__ bool normalise(unsigned long long *digit) {
  long long carry = 0;
  for (unsigned k = 0; k < DIGITS; k++) {
    carry += (long long)digit[k];
    digit[k] = (unsigned)carry;
    carry >>= 32; // negative numbers too: towards minus infinity
  }
  const bool negative = carry < 0;
  unsigned long long one = 1;
  for (unsigned k = 0; k < DIGITS && negative; k++) {
    one += (unsigned)~digit[k];
    digit[k] = (unsigned)one;
    one >>= 32;
  }
  return negative;
}

// Bits first … first + 63 of a number with two digits of zeros at its end.
static __device__ unsigned long long bits_from(const unsigned long long *digit, unsigned first) {
  const unsigned shift = first % 32;
  digit += first / 32;
  return ((digit[0] | digit[1] << 32) >> shift) | digit[2] << 1 << (63 - shift);
}

// The nearest number of type T, the even one of two; digit[DIGITS] and digit[DIGITS + 1] are 0.
template <typename T> static __device__ T nearest(unsigned long long *digit, unsigned seen) {
  typedef number_format<T> f;
  const unsigned long long infinity = (unsigned long long)f::FIELD_MAX << f::FRACTION;
  bool negative = normalise<f::DIGITS>(digit);
  unsigned long long bits = 0;
  int top = f::DIGITS - 1;
  while (top > 0 && digit[top] == 0) top--;
  if (digit[top] != 0) {
    const unsigned highest = 32 * (unsigned)top + 31 - (unsigned)__clz((int)digit[top]);
    const unsigned last =
        highest > f::FRACTION + 1 ? highest - f::FRACTION : 1; // the bit that stays
    const unsigned long long kept = bits_from(digit, last) & ((2ull << f::FRACTION) - 1);
    const bool half = bits_from(digit, last - 1) & 1;
    bool more = ((unsigned)digit[(last - 1) / 32] & ((1u << (last - 1) % 32) - 1)) != 0;
    for (unsigned k = 0; k < (last - 1) / 32; k++) more |= digit[k] != 0;
    bits =
        ((unsigned long long)(last - 1) << f::FRACTION) + kept; // its leading 1 adds to the field
    if (half && (more || (bits & 1))) bits++;                   // may carry into the field
    if (bits > infinity) bits = infinity;
  } else {
    negative = (seen & NOT_MINUS_ZERO) == 0; // -0 only if there was nothing else
  }
  const unsigned both = PLUS_INFINITY | MINUS_INFINITY;
  if (seen & both) negative = seen & MINUS_INFINITY, bits = infinity;
  if ((seen & NOT_A_NUMBER) || (seen & both) == both)
    negative = false, bits = infinity | 1ull << (f::FRACTION - 1);
  T result;
  from_pattern(bits | (unsigned long long)negative << (8 * sizeof(T) - 1), &result);
  return result;
}
//! [round]

//! [finish]
// All threads of all blocks, when they have added what they have: the last block rounds.
template <typename T> static __device__ void finish(exact_state<T> *state, T *out, bool empty) {
  enum { DIGITS = number_format<T>::DIGITS };
  __shared__ unsigned long long digit[DIGITS + 2];
  __shared__ bool is_last;
  __threadfence(); // release: the block that counts last sees the digits of this one
  __syncthreads();
  if (threadIdx.x == 0) {
    is_last = atomicInc(&state->n_done, gridDim.x - 1) == gridDim.x - 1;
    __threadfence(); // acquire
  }
  __syncthreads();
  if (!is_last) return;
  for (unsigned k = threadIdx.x; k < DIGITS + 2; k += blockDim.x) {
    digit[k] = k < DIGITS ? __ldcg(&state->digit[k]) : 0;
    if (k < DIGITS) state->digit[k] = 0;
  }
  __syncthreads();
  if (threadIdx.x != 0) return;
  *out = nearest<T>(digit, __ldcg(&state->seen) | (empty ? NOT_MINUS_ZERO : 0));
  state->seen = 0;
}
//! [finish]

#endif
