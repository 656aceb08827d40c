// SPDX-License-Identifier: MIT
// reference.c - references and error bounds; see reference.h. Compile without -ffast-math: the
// compensated sum depends on the order of its operations.
#include "reference.h"

#include <math.h>

// Neumaier's step: the exact error of sum + x, taken from the smaller of the two.
static void totals_step(wb_totals *totals, double x) {
  const double sum = totals->sum + x;
  if (isfinite(sum)) {
    totals->compensation +=
        fabs(totals->sum) >= fabs(x) ? (totals->sum - sum) + x : (x - sum) + totals->sum;
  }
  totals->sum = sum;
  totals->sum_abs += fabs(x);
}

void wb_totals_add(wb_totals *totals, const float *x, size_t n) {
  for (size_t i = 0; i < n; i++) totals_step(totals, (double)x[i]);
}

void wb_totals_add_ints(wb_totals *totals, const int32_t *x, size_t n) {
  for (size_t i = 0; i < n; i++) totals_step(totals, (double)x[i]);
}

// Local totals: the compiler keeps them in registers, which is what makes judging a scan bearable.
void wb_totals_scan(wb_totals *totals, const float *x, size_t n, double *sums, double *sums_abs) {
  wb_totals running = *totals;
  for (size_t i = 0; i < n; i++) {
    totals_step(&running, (double)x[i]);
    sums[i] = wb_totals_sum(&running);
    sums_abs[i] = running.sum_abs;
  }
  *totals = running;
}

void wb_totals_scan_ints(wb_totals *totals, const int32_t *x, size_t n, double *sums,
                         double *sums_abs) {
  wb_totals running = *totals;
  for (size_t i = 0; i < n; i++) {
    totals_step(&running, (double)x[i]);
    sums[i] = wb_totals_sum(&running);
    sums_abs[i] = running.sum_abs;
  }
  *totals = running;
}

void wb_totals_join(wb_totals *totals, const wb_totals *more) {
  const double sum_abs = totals->sum_abs + more->sum_abs;
  totals_step(totals, more->sum);
  totals->compensation += more->compensation;
  totals->sum_abs = sum_abs;
}

double wb_totals_sum(const wb_totals *totals) { return totals->sum + totals->compensation; }

int64_t wb_sum_exact(const float *x, size_t n) {
  int64_t sum = 0;
  for (size_t i = 0; i < n; i++) sum += (int64_t)x[i];
  return sum;
}

double wb_sum_double(const float *x, size_t n) {
  double sum = 0.0;
  for (size_t i = 0; i < n; i++) sum += (double)x[i];
  return sum;
}

double wb_sum_compensated(const float *x, size_t n) {
  wb_totals totals = {0.0, 0.0, 0.0};
  wb_totals_add(&totals, x, n);
  return wb_totals_sum(&totals);
}

double wb_sum_abs(const float *x, size_t n) {
  double sum = 0.0;
  for (size_t i = 0; i < n; i++) sum += fabs((double)x[i]);
  return sum;
}

int64_t wb_sum_ints(const int32_t *x, size_t n) {
  int64_t sum = 0;
  for (size_t i = 0; i < n; i++) sum += x[i];
  return sum;
}

float wb_max(const float *x, size_t n) {
  float max = -INFINITY;
  for (size_t i = 0; i < n; i++) max = x[i] > max ? x[i] : max;
  return max;
}

float wb_min(const float *x, size_t n) {
  float min = INFINITY;
  for (size_t i = 0; i < n; i++) min = x[i] < min ? x[i] : min;
  return min;
}

size_t wb_argmax(const float *x, size_t n) {
  size_t best = n;
  for (size_t i = 0; i < n; i++) {
    if (!isnan(x[i]) && (best == n || x[i] > x[best])) best = i;
  }
  return best;
}

double wb_dot(const float *x, const float *y, size_t n) {
  wb_totals totals = {0.0, 0.0, 0.0};
  for (size_t i = 0; i < n; i++) totals_step(&totals, (double)x[i] * (double)y[i]);
  return wb_totals_sum(&totals);
}

double wb_dot_abs(const float *x, const float *y, size_t n) {
  double sum = 0.0;
  for (size_t i = 0; i < n; i++) sum += fabs((double)x[i] * (double)y[i]);
  return sum;
}

double wb_bound_sum(double depth, double sum_abs) {
  return (depth + 1.0) * WB_UNIT_ROUNDOFF * sum_abs;
}

double wb_bound_dot(double depth, double sum_abs_products) {
  return wb_bound_sum(depth + 1.0, sum_abs_products);
}

double wb_depth_serial(size_t n) { return n > 1 ? (double)(n - 1) : 0.0; }

double wb_depth_tree(size_t n) {
  double levels = 0.0;
  for (size_t reach = 1; reach < n; reach *= 2) levels += 1.0;
  return levels;
}

double wb_depth_passes(unsigned n, unsigned block) {
  double depth = 0.0;
  if (block < 2) return wb_depth_serial(n);
  for (; n > 1; n = n / block + (n % block != 0)) depth += wb_depth_tree(n < block ? n : block);
  return depth;
}

double wb_depth_item_passes(unsigned n, unsigned block, unsigned items) {
  double depth = 0.0;
  const unsigned per_block = block * items;
  if (per_block < 2) return wb_depth_serial(n);
  for (; n > 1; n = n / per_block + (n % per_block != 0)) {
    const unsigned in_a_row = n / block + (n % block != 0); // elements of a thread
    depth += (double)((in_a_row < items ? in_a_row : items) - 1);
    depth += wb_depth_tree(n < block ? n : block);
  }
  return depth;
}

double wb_depth_scan(unsigned n, unsigned tile, double in_tile) {
  double depth = in_tile;
  if (tile < 2) return wb_depth_serial(n);
  for (; n > tile; n = n / tile + (n % tile != 0)) depth += in_tile + 1.0;
  return depth;
}
