// SPDX-License-Identifier: MIT
/// @file inputs.h
/// Seeded, deterministic inputs: the same kind, seed, n and index give the same value on every
/// machine and in whatever chunks an array is filled.
///
/// Weak data lets wrong kernels pass (all ones, ascending values, zeros), so every kind here has
/// values that differ from their neighbours and, where it can be, no zeros: a lost, doubled or
/// swapped-for-identity element shows. Not here: files, device memory.
#ifndef WB_INPUTS_H
#define WB_INPUTS_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Counter-based generator (SplitMix64's finaliser): the value of (seed, index), no state.
uint64_t wb_random(uint64_t seed, uint64_t index);

// A size from least to most that no kernel can know beforehand: the k-th drawn from a check's seed,
// which an instructor's key makes.
unsigned wb_drawn(uint64_t seed, unsigned k, unsigned least, unsigned most);

typedef enum wb_input_kind {
  WB_INPUT_INTEGERS, ///< integer-valued, both signs, sum|x| <= 2^24: every order of adding is exact
  WB_INPUT_UNIT,     ///< k * 2^-24 in [0,1): sums are exact in double for n <= 2^29
  WB_INPUT_MIXED,    ///< k * 2^-23 in [-1,1): both signs; sums are exact in double for n <= 2^29
  WB_INPUT_KIND_COUNT
} wb_input_kind;

const char *wb_input_kind_name(wb_input_kind kind); ///< "integers", "unit", "mixed"

/// Fills x[0 .. count) with elements first .. first + count of an input of n elements.
/// INTEGERS: magnitudes 1 .. min(1000, 2^24 / n); for n > 2^24 some elements are 0, so that the
/// bound holds; three in four are positive, so that the sum is not near 0.
void wb_fill_floats_at(wb_input_kind kind, float *x, size_t first, size_t count, size_t n,
                       uint64_t seed);
/// The whole input: x[0 .. n).
void wb_fill_floats(wb_input_kind kind, float *x, size_t n, uint64_t seed);

/// Integer-valued floats in [low, high], e.g. all negative for a max whose identity may not be 0.
void wb_fill_float_range(float *x, size_t n, int32_t low, int32_t high, uint64_t seed);

/// Every element `background`, x[index] = value. Does nothing to x[index] when index >= n.
void wb_fill_one_hot(float *x, size_t n, size_t index, float value, float background);

typedef enum wb_special {
  WB_SPECIAL_NAN,
  WB_SPECIAL_PLUS_INF,
  WB_SPECIAL_MINUS_INF,
  WB_SPECIAL_MINUS_ZERO,
  WB_SPECIAL_COUNT
} wb_special;

const char *wb_special_name(wb_special special); ///< "NaN", "+Inf", "-Inf", "-0"
float wb_special_value(wb_special special);
/// x[index] = the special value; the rest is left as it is. index must be < n, else nothing.
void wb_put_special(float *x, size_t n, size_t index, wb_special special);

/// Integers in [low, high].
void wb_fill_ints(int32_t *x, size_t n, int32_t low, int32_t high, uint64_t seed);
void wb_fill_ints_at(int32_t *x, size_t first, size_t count, int32_t low, int32_t high,
                     uint64_t seed);
/// Samples for a histogram of n_bins bins: values 0 … n_bins - 1.
typedef enum wb_samples {
  WB_SAMPLES_UNIFORM, ///< every value as often as every other
  WB_SAMPLES_SKEWED,  ///< every second sample has one value, every fourth another, every eighth …
  WB_SAMPLES_EQUAL,   ///< one value, which depends on the seed
  WB_SAMPLES_COUNT
} wb_samples;
enum { WB_BINS = 256 }; ///< bins of a histogram that does not say how many

const char *wb_samples_name(wb_samples samples); ///< "uniform", "skewed", "equal"
void wb_fill_samples_at(wb_samples samples, uint32_t n_bins, int32_t *x, size_t first, size_t count,
                        uint64_t seed);

/// Bytes over all 256 values.
void wb_fill_bytes(uint8_t *x, size_t n, uint64_t seed);

/// The pattern that marks memory that was not written: a NaN as float, -1 as int (all bits set).
#define WB_POISON_BYTE 0xff

#ifdef __cplusplus
}
#endif
#endif
