// SPDX-License-Identifier: MIT
/// @file reference.h
/// What the right answer is, and how far a float result may be from it.
///
/// Three references for a sum: exact (integer-valued floats), double (exact for the `unit` and
/// `mixed` inputs up to 2^29 elements), compensated double (anything else). Elements are visited in
/// index order; nothing here runs on the device.
///
/// NaN rule of max, min and their indices: NaN elements are ignored, as fmaxf and fminf ignore them
/// (IEEE 754-2008 maxNum). The empty input, and one of NaNs only, gives the identity: -Inf for max,
/// +Inf for min. -0 and +0 are equal. A sum with a NaN, or with both infinities, is NaN.
#ifndef WB_REFERENCE_H
#define WB_REFERENCE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Running totals, for inputs that are made and summed chunk by chunk. Start from all zeros.
typedef struct wb_totals {
  double sum;          ///< Neumaier: the rounded running sum …
  double compensation; ///< … and what its roundings lost
  double sum_abs;
} wb_totals;

void wb_totals_add(wb_totals *totals, const float *x, size_t n);
void wb_totals_add_ints(wb_totals *totals, const int32_t *x, size_t n);
/// The same, and on the way the running totals up to and including each element: sums[n],
/// sums_abs[n].
void wb_totals_scan(wb_totals *totals, const float *x, size_t n, double *sums, double *sums_abs);
void wb_totals_scan_ints(wb_totals *totals, const int32_t *x, size_t n, double *sums,
                         double *sums_abs);
/// Adds what another stretch of the input came to.
void wb_totals_join(wb_totals *totals, const wb_totals *more);
double wb_totals_sum(const wb_totals *totals);

/// Exact sum of integer-valued floats with sum|x| < 2^63.
int64_t wb_sum_exact(const float *x, size_t n);
double wb_sum_double(const float *x, size_t n);
/// Error at most 2^-53 |result| + O(n 2^-106) sum|x| (Neumaier 1974; Ogita, Rump, Oishi 2005, 4.1).
double wb_sum_compensated(const float *x, size_t n);
double wb_sum_abs(const float *x, size_t n);
int64_t wb_sum_ints(const int32_t *x, size_t n);

float wb_max(const float *x, size_t n);
float wb_min(const float *x, size_t n);
/// Lowest index of the maximum; n when there is none (empty, or NaNs only).
size_t wb_argmax(const float *x, size_t n);

/// Dot product; products of floats are exact in double, their sum is compensated.
double wb_dot(const float *x, const float *y, size_t n);
double wb_dot_abs(const float *x, const float *y, size_t n); ///< sum |x*y|

/// Unit roundoff of float, round to nearest.
#define WB_UNIT_ROUNDOFF 0x1p-24

/// Bound on |computed - exact| of a float sum: (depth + 1) * u * sum|x|, where depth is the longest
/// chain of additions an element goes through. (Higham, Accuracy and Stability of Numerical
/// Algorithms, 2nd ed., section 4.2; Jeannerod and Rump 2013 for the absence of an O(u^2) term.)
/// Never relative to the result: with mixed signs the result may be near 0.
double wb_bound_sum(double depth, double sum_abs);
/// The same for a dot product: one more rounding for each product (or fewer, with fma).
double wb_bound_dot(double depth, double sum_abs_products);

/// Additions in a row when n elements are added one after the other, in any order: n - 1.
double wb_depth_serial(size_t n);
/// Levels of a balanced tree over n elements: ceil(log2(n)).
double wb_depth_tree(size_t n);
/// Levels when each block of `block` elements is summed by a tree, then the partial sums likewise,
/// until one is left.
double wb_depth_passes(unsigned n, unsigned block); // fits wb_variant.depth
/// The same when every thread first adds `items` elements one after the other.
double wb_depth_item_passes(unsigned n, unsigned block, unsigned items);

/// The same for each element of a scan in phases: tiles of `tile` elements are scanned by a method
/// whose longest chain is `in_tile` additions, their sums likewise, and so on until one tile is
/// enough; then one addition per level carries them back.
double wb_depth_scan(unsigned n, unsigned tile, double in_tile);

#ifdef __cplusplus
}
#endif
#endif
