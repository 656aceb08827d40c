// SPDX-License-Identifier: MIT
/// @file verify.h
/// Is a result right? Every comparison is written so that NaN fails: !(difference <= bound).
#ifndef WB_VERIFY_H
#define WB_VERIFY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct wb_verdict {
  bool correct;
  double error;            ///< |got - expected|; NaN when got is NaN and expected is not
  double bound;            ///< what was allowed
  double error_over_bound; ///< 0: exact; above 1 (or NaN): wrong. Infinite when bound is 0
  size_t index;            ///< of the first wrong element (arrays); 0 for a single value
  char message[256];       ///< "" when correct, else one sentence: expected, got, how far
} wb_verdict;

/// One float against a reference. expected NaN: got must be NaN. expected infinite: got must be
/// that infinity. Otherwise |got - expected| <= bound; bound 0 asks for equality (of values: -0 ==
/// 0).
wb_verdict wb_verify_float(double expected, float got, double bound);
/// The same for a result held in double.
wb_verdict wb_verify_double(double expected, double got, double bound);
wb_verdict wb_verify_int(int64_t expected, int64_t got);
/// Same bits, so that -0 and 0, and two NaNs, differ.
wb_verdict wb_verify_float_bits(float expected, float got);

/// got[0 .. n) against expected[0 .. n), element i within bounds[i] (bounds NULL: equality). The
/// verdict is that of the first wrong element, or of the one nearest to its bound.
wb_verdict wb_verify_floats(const double *expected, const float *got, const double *bounds,
                            size_t n);
wb_verdict wb_verify_ints(const int32_t *expected, const int32_t *got, size_t first, size_t n);

/// True when every byte of [at, at + size_bytes) still is WB_POISON_BYTE: nothing was written
/// there.
bool wb_is_poison(const void *at, size_t size_bytes);

#ifdef __cplusplus
}
#endif
#endif
