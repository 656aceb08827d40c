// SPDX-License-Identifier: MIT
// test_workbook.c - the harness's own parts: inputs, references, bounds, verdicts, quantiles.
// Expected values are worked by hand or come from the promises in the headers.
#include <check.h>
#include <float.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "inputs.h"
#include "lesson.h"
#include "output.h"
#include "reference.h"
#include "timing.h"
#include "verify.h"
#include "run_suite.h"

// --- inputs ---------------------------------------------------------------------------------

START_TEST(integers_keep_their_promise)
{
  const size_t sizes[] = {0, 1, 2, 33, 1000, 16777, 65536, 1u << 20};
  for (size_t k = 0; k < WB_COUNT(sizes); k++) {
    const size_t n = sizes[k];
    float *x = malloc((n + 1) * sizeof *x);
    wb_fill_floats(WB_INPUT_INTEGERS, x, n, 7);
    ck_assert(wb_sum_abs(x, n) <= 16777216.0);
    for (size_t i = 0; i < n; i++) {
      ck_assert(x[i] == truncf(x[i]) && x[i] != 0.0f && fabsf(x[i]) <= 1000.0f);
    }
    if (n > 100) ck_assert(wb_sum_exact(x, n) > (int64_t)n / 4); // not near 0
    free(x);
  }
}
END_TEST

// More than 2^24 elements: looked at through a window, since any chunk can be made by itself.
START_TEST(integers_beyond_2_24_stay_exact)
{
  const size_t n = ((size_t)1 << 26) + 12345, window = 1 << 20;
  const size_t stride = 5; // ceil(n / 2^24)
  float *x = malloc(window * sizeof *x);
  wb_fill_floats_at(WB_INPUT_INTEGERS, x, n - window, window, n, 3);
  const double sum_abs = wb_sum_abs(x, window);
  ck_assert(sum_abs <= (double)(window / stride + 2));
  ck_assert(sum_abs >= (double)(window / stride - 2));
  free(x);
}
END_TEST

START_TEST(chunks_join_to_the_whole)
{
  enum { N = 1000 };
  for (int kind = 0; kind < WB_INPUT_KIND_COUNT; kind++) {
    float whole[N], parts[N];
    wb_fill_floats((wb_input_kind)kind, whole, N, 5);
    wb_fill_floats_at((wb_input_kind)kind, parts, 0, 1, N, 5);
    wb_fill_floats_at((wb_input_kind)kind, parts + 1, 1, 300, N, 5);
    wb_fill_floats_at((wb_input_kind)kind, parts + 301, 301, N - 301, N, 5);
    ck_assert_mem_eq(whole, parts, sizeof whole);
    wb_fill_floats((wb_input_kind)kind, parts, N, 6);
    ck_assert_mem_ne(whole, parts, sizeof whole);
  }
}
END_TEST

START_TEST(unit_and_mixed_lie_in_their_range)
{
  enum { N = 4096 };
  float x[N];
  int n_negative = 0;
  wb_fill_floats(WB_INPUT_UNIT, x, N, 1);
  for (int i = 0; i < N; i++) ck_assert(x[i] >= 0.0f && x[i] < 1.0f);
  ck_assert(fabs(wb_sum_double(x, N) / (double)N - 0.5) < 0.03);
  wb_fill_floats(WB_INPUT_MIXED, x, N, 1);
  for (int i = 0; i < N; i++) {
    ck_assert(x[i] >= -1.0f && x[i] < 1.0f);
    n_negative += x[i] < 0.0f;
  }
  ck_assert(n_negative > N / 3 && n_negative < 2 * N / 3);
}
END_TEST

START_TEST(samples_are_spread_as_promised)
{
  enum { N = 65536 };
  static int32_t x[N], part[N];
  for (wb_samples kind = WB_SAMPLES_UNIFORM; kind < WB_SAMPLES_COUNT; kind++) {
    unsigned bins[WB_BINS] = {0}, most = 0, n_used = 0;
    wb_fill_samples_at(kind, WB_BINS, x, 0, N, 5);
    wb_fill_samples_at(kind, WB_BINS, part, 1000, 77, 5);
    ck_assert_int_eq(memcmp(part, x + 1000, 77 * sizeof *x), 0);
    for (size_t i = 0; i < N; i++) {
      ck_assert(x[i] >= 0 && x[i] < WB_BINS);
      bins[x[i]]++;
    }
    for (size_t b = 0; b < WB_BINS; b++) {
      if (bins[b] > most) most = bins[b];
      n_used += bins[b] > 0 ? 1 : 0;
    }
    if (kind == WB_SAMPLES_UNIFORM) ck_assert(n_used == WB_BINS && most < 2 * N / WB_BINS);
    if (kind == WB_SAMPLES_SKEWED)
      ck_assert(n_used > 10 && most > 0.49 * (double)N && most < 0.51 * (double)N);
    if (kind == WB_SAMPLES_EQUAL) ck_assert(n_used == 1 && most == N);
    ck_assert(wb_samples_name(kind)[0] != '\0');
  }
}
END_TEST

START_TEST(samples_fill_any_number_of_bins)
{
  enum { N = 65536 };
  static const uint32_t n_bins[] = {1, 3, 1000, 1u << 24};
  static int32_t x[N];
  for (wb_samples kind = WB_SAMPLES_UNIFORM; kind < WB_SAMPLES_COUNT; kind++) {
    for (size_t b = 0; b < sizeof n_bins / sizeof n_bins[0]; b++) {
      int32_t most = 0;
      wb_fill_samples_at(kind, n_bins[b], x, 0, N, 5);
      for (size_t i = 0; i < N; i++) {
        ck_assert(x[i] >= 0 && (uint32_t)x[i] < n_bins[b]);
        if (x[i] > most) most = x[i];
      }
      if (kind == WB_SAMPLES_UNIFORM) ck_assert((double)most >= 0.99 * n_bins[b] - 1.0);
    }
  }
}
END_TEST

START_TEST(ranges_hots_and_specials)
{
  float x[100];
  int32_t ints[1000];
  uint8_t bytes[10000];
  unsigned seen[256] = {0};
  wb_fill_float_range(x, 100, -9, -3, 1);
  for (int i = 0; i < 100; i++) ck_assert(x[i] >= -9.0f && x[i] <= -3.0f && x[i] == truncf(x[i]));
  wb_fill_one_hot(x, 100, 42, 5.0f, -1.0f);
  for (int i = 0; i < 100; i++) ck_assert(x[i] == (i == 42 ? 5.0f : -1.0f));
  wb_fill_one_hot(x, 100, 100, 5.0f, 0.0f); // no such element
  ck_assert(wb_sum_abs(x, 100) == 0.0);
  wb_put_special(x, 100, 1, WB_SPECIAL_NAN);
  wb_put_special(x, 100, 2, WB_SPECIAL_MINUS_INF);
  wb_put_special(x, 100, 3, WB_SPECIAL_MINUS_ZERO);
  wb_put_special(x, 100, 100, WB_SPECIAL_NAN);
  ck_assert(isnan(x[1]) && x[2] == -INFINITY && x[3] == 0.0f && signbit(x[3]));
  wb_fill_ints(ints, 1000, INT32_MIN, INT32_MAX, 1);
  wb_fill_ints(ints, 1000, 3, 4, 1);
  for (int i = 0; i < 1000; i++) ck_assert(ints[i] == 3 || ints[i] == 4);
  ck_assert(wb_sum_ints(ints, 1000) > 3300 && wb_sum_ints(ints, 1000) < 3700);
  wb_fill_bytes(bytes, sizeof bytes, 1);
  for (size_t i = 0; i < sizeof bytes; i++) seen[bytes[i]]++;
  for (int i = 0; i < 256; i++) ck_assert_uint_gt(seen[i], 0);
}
END_TEST

// --- reference ------------------------------------------------------------------------------

START_TEST(stretches_join_to_the_whole)
{
  float x[1000];
  wb_totals whole = {0.0, 0.0, 0.0}, joined = {0.0, 0.0, 0.0};
  wb_fill_floats(WB_INPUT_MIXED, x, 1000, 3);
  x[10] = 1e30f; // what a plain double sum loses must not be lost between stretches either
  x[700] = -1e30f;
  wb_totals_add(&whole, x, 1000);
  for (size_t first = 0; first < 1000; first += 250) {
    wb_totals part = {0.0, 0.0, 0.0};
    wb_totals_add(&part, x + first, 250);
    wb_totals_join(&joined, &part);
  }
  ck_assert(fabs(wb_totals_sum(&joined) - wb_totals_sum(&whole)) <= 1e-9);
  ck_assert(fabs(joined.sum_abs / whole.sum_abs - 1.0) <= 1e-15);
}
END_TEST

START_TEST(running_totals_are_those_of_each_prefix)
{
  float x[300];
  int32_t k[300];
  double sums[300], sums_abs[300];
  wb_totals scanned = {0.0, 0.0, 0.0}, added = {0.0, 0.0, 0.0};
  wb_fill_floats(WB_INPUT_MIXED, x, 300, 5);
  wb_fill_ints(k, 300, -200, 1000, 5);
  wb_totals_scan(&scanned, x, 200, sums, sums_abs); // and on from there
  wb_totals_scan(&scanned, x + 200, 100, sums + 200, sums_abs + 200);
  for (size_t i = 0; i < 300; i++) {
    wb_totals_add(&added, &x[i], 1);
    ck_assert(sums[i] == wb_totals_sum(&added) && sums_abs[i] == added.sum_abs);
  }
  ck_assert(scanned.sum == added.sum && scanned.compensation == added.compensation);
  scanned = added = (wb_totals){0.0, 0.0, 0.0};
  wb_totals_scan_ints(&scanned, k, 300, sums, sums_abs);
  for (size_t i = 0; i < 300; i++) {
    wb_totals_add_ints(&added, &k[i], 1);
    ck_assert(sums[i] == wb_totals_sum(&added) && sums_abs[i] == added.sum_abs);
  }
}
END_TEST

START_TEST(compensated_sum_finds_what_double_loses)
{
  const float x[] = {0x1p100f, 1.0f, -0x1p100f, 0x1p-30f};
  ck_assert(wb_sum_double(x, 4) == 0x1p-30);
  ck_assert(wb_sum_compensated(x, 4) == 1.0 + 0x1p-30);
  const float infinite[] = {1.0f, INFINITY, 2.0f};
  ck_assert(isinf(wb_sum_compensated(infinite, 3)));
  const float both[] = {-INFINITY, INFINITY};
  ck_assert(isnan(wb_sum_compensated(both, 2)));
  ck_assert(wb_sum_compensated(NULL, 0) == 0.0);
}
END_TEST

START_TEST(extremes_ignore_nan)
{
  const float x[] = {NAN, -3.0f, NAN, -1.0f, -1.0f, NAN};
  const float nans[] = {NAN, NAN};
  ck_assert(wb_max(x, 6) == -1.0f);
  ck_assert(wb_min(x, 6) == -3.0f);
  ck_assert_uint_eq(wb_argmax(x, 6), 3);
  ck_assert(wb_max(nans, 2) == -INFINITY && wb_min(nans, 2) == INFINITY);
  ck_assert_uint_eq(wb_argmax(nans, 2), 2);
  ck_assert(wb_max(NULL, 0) == -INFINITY);
  const float lowest[] = {-INFINITY};
  ck_assert_uint_eq(wb_argmax(lowest, 1), 0);
}
END_TEST

START_TEST(dot_and_bounds)
{
  const float a[] = {1.0f, -2.0f, 3.0f}, b[] = {4.0f, 5.0f, 6.0f};
  ck_assert(wb_dot(a, b, 3) == 12.0);
  ck_assert(wb_dot_abs(a, b, 3) == 32.0);
  ck_assert(wb_bound_sum(7.0, 2.0) == 8.0 * 2.0 * 0x1p-24);
  ck_assert(wb_bound_dot(7.0, 2.0) == 9.0 * 2.0 * 0x1p-24);
  ck_assert(wb_depth_serial(0) == 0.0 && wb_depth_serial(1) == 0.0 && wb_depth_serial(10) == 9.0);
  ck_assert(wb_depth_tree(1) == 0.0 && wb_depth_tree(2) == 1.0 && wb_depth_tree(1025) == 11.0);
  ck_assert(wb_depth_passes(256, 256) == 8.0);
  ck_assert(wb_depth_passes(257, 256) == 9.0); // a second pass over 2
  ck_assert(wb_depth_passes(1u << 20, 256) == 8 + 8 + 4);
  ck_assert(wb_depth_passes(0, 256) == 0.0);
  ck_assert(wb_depth_item_passes(1u << 20, 256, 1) == 8 + 8 + 4);
  ck_assert(wb_depth_item_passes(512, 256, 2) == 1 + 8);
  ck_assert(wb_depth_item_passes(256, 256, 2) == 8);                      // one element each
  ck_assert(wb_depth_item_passes(513, 256, 2) == 1 + 8 + 1);              // a second pass over 2
  ck_assert(wb_depth_item_passes(1u << 20, 256, 8) == (7 + 8) + (1 + 8)); // 512 are left
  ck_assert(wb_depth_item_passes(0, 256, 8) == 0.0);
  ck_assert(wb_depth_scan(256, 256, 8.0) == 8.0);
  ck_assert(wb_depth_scan(257, 256, 8.0) == 8 + 8 + 1); // the sums of two tiles
  ck_assert(wb_depth_scan(65537, 256, 8.0) == 3 * 8 + 2);
  ck_assert(wb_depth_scan(0, 256, 8.0) == 8.0);
}
END_TEST

// --- verify ---------------------------------------------------------------------------------

START_TEST(verdicts_on_floats)
{
  ck_assert(wb_verify_float(1.0, 1.0f, 0.0).correct);
  ck_assert(!wb_verify_float(1.0, nextafterf(1.0f, 2.0f), 0.0).correct);
  ck_assert(wb_verify_float(1.0, 1.5f, 0.5).correct);
  ck_assert(wb_verify_float(1.0, 1.5f, 0.5).error_over_bound == 1.0);
  ck_assert(!wb_verify_float(1.0, 1.75f, 0.5).correct);
  ck_assert(!wb_verify_float(1.0, NAN, 1e30).correct);
  ck_assert(!wb_verify_float(1.0, INFINITY, 1e30).correct);
  ck_assert(!wb_verify_float(1.0, 1.0f, NAN).correct);
  ck_assert(wb_verify_float(NAN, NAN, 0.0).correct);
  ck_assert(!wb_verify_float(NAN, 0.0f, INFINITY).correct);
  ck_assert(wb_verify_float(INFINITY, INFINITY, 0.0).correct);
  ck_assert(!wb_verify_float(INFINITY, -INFINITY, INFINITY).correct);
  ck_assert(!wb_verify_float(INFINITY, FLT_MAX, INFINITY).correct);
  ck_assert(wb_verify_float(0.0, -0.0f, 0.0).correct);
  ck_assert(!wb_verify_float_bits(0.0f, -0.0f).correct);
  ck_assert(wb_verify_float_bits(-0.0f, -0.0f).correct);
}
END_TEST

START_TEST(messages_tell_what_was_wrong)
{
  float poison;
  memset(&poison, WB_POISON_BYTE, sizeof poison);
  ck_assert(wb_is_poison(&poison, sizeof poison));
  ck_assert_ptr_nonnull(strstr(wb_verify_float(3.0, poison, 1.0).message, "nothing was written"));
  ck_assert_ptr_nonnull(strstr(wb_verify_float(3.0, 5.0f, 1.0).message, "expected 3, got 5"));
  ck_assert_ptr_nonnull(strstr(wb_verify_float(3.0, 5.0f, 1.0).message, "2 times the error bound"));
  ck_assert_ptr_nonnull(strstr(wb_verify_int(3, -5).message, "expected 3, got -5"));
  ck_assert_str_eq(wb_verify_float(3.0, 3.0f, 0.0).message, "");
}
END_TEST

START_TEST(arrays_name_the_first_wrong_element)
{
  const double expected[] = {1.0, 2.0, 3.0}, bounds[] = {0.5, 0.5, 0.5};
  const float near[] = {1.0f, 2.25f, 3.125f}, far[] = {1.25f, 3.0f, 9.0f};
  wb_verdict verdict = wb_verify_floats(expected, near, bounds, 3);
  ck_assert(verdict.correct && verdict.error_over_bound == 0.5 && verdict.index == 1);
  verdict = wb_verify_floats(expected, far, bounds, 3);
  ck_assert(!verdict.correct);
  ck_assert_uint_eq(verdict.index, 1);
  ck_assert_ptr_nonnull(strstr(verdict.message, "element 1: expected 2, got 3"));
  ck_assert(wb_verify_floats(expected, far, bounds, 0).correct);
  const int32_t ints[] = {1, 2}, others[] = {1, 3};
  ck_assert(wb_verify_ints(ints, ints, 0, 2).correct);
  ck_assert_uint_eq(wb_verify_ints(ints, others, 0, 2).index, 1);
  ck_assert_uint_eq(wb_verify_ints(ints, others, 70000, 2).index, 70001);
  ck_assert_ptr_nonnull(strstr(wb_verify_ints(ints, others, 70000, 2).message, "70001"));
}
END_TEST

// --- timing, output, lesson -----------------------------------------------------------------

START_TEST(quantiles_interpolate)
{
  const double x[] = {1.0, 2.0, 4.0};
  ck_assert(wb_quantile(x, 3, 0.5) == 2.0);
  ck_assert(wb_quantile(x, 3, 0.25) == 1.5);
  ck_assert(wb_quantile(x, 3, 0.0) == 1.0 && wb_quantile(x, 3, 1.0) == 4.0);
  ck_assert(wb_quantile(x, 1, 0.9) == 1.0 && wb_quantile(x, 0, 0.5) == 0.0);
}
END_TEST

START_TEST(explanations_are_quotients_of_sums)
{
  double counters[256] = {0};
  ck_assert_uint_le(wb_counters_count(), 256);
  ck_assert(wb_explain(&(wb_explanation){"x", "n", "time_ns"}, counters, 3000, 1e-3) == 3.0);
  ck_assert(wb_explain(&(wb_explanation){"x", "n+n", NULL}, counters, 5, 1.0) == 10.0);
  ck_assert(isnan(wb_explain(&(wb_explanation){"x", "n", "time_ns"}, counters, 5, 0.0)));
  ck_assert(isnan(wb_explain(&(wb_explanation){"x", "no_such_counter", NULL}, counters, 5, 1.0)));
  ck_assert(isnan(wb_explain(&(wb_explanation){NULL, NULL, NULL}, counters, 5, 1.0)));
  for (size_t i = 0; i < wb_counters_count(); i++) {
    counters[i] = 7.0;
    ck_assert(wb_explain(&(wb_explanation){"x", wb_counters_name(i), NULL}, counters, 5, 1.0) ==
              7.0);
    counters[i] = 0.0;
  }
}
END_TEST

START_TEST(geometry)
{
  ck_assert_uint_eq(wb_blocks(0, 256), 1);
  ck_assert_uint_eq(wb_blocks(256, 256), 1);
  ck_assert_uint_eq(wb_blocks(257, 256), 2);
  ck_assert_uint_eq(wb_blocks(1u << 31, 32), 1u << 26);
  ck_assert_uint_eq(wb_blocks(UINT_MAX, 1024), 1u << 22);
  ck_assert(wb_scratch_elements(1u << 31, 32) >= ((size_t)1 << 26) + (1 << 21) + (1 << 16));
}
END_TEST

static Suite *workbook_suite(void) {
  Suite *suite = suite_create("workbook");
  TCase *inputs = tcase_create("inputs");
  TCase *values = tcase_create("reference and verify"), *rest = tcase_create("the rest");
  tcase_add_test(inputs, integers_keep_their_promise);
  tcase_add_test(inputs, integers_beyond_2_24_stay_exact);
  tcase_add_test(inputs, chunks_join_to_the_whole);
  tcase_add_test(inputs, unit_and_mixed_lie_in_their_range);
  tcase_add_test(inputs, samples_are_spread_as_promised);
  tcase_add_test(inputs, samples_fill_any_number_of_bins);
  tcase_add_test(inputs, ranges_hots_and_specials);
  tcase_add_test(values, compensated_sum_finds_what_double_loses);
  tcase_add_test(values, stretches_join_to_the_whole);
  tcase_add_test(values, running_totals_are_those_of_each_prefix);
  tcase_add_test(values, extremes_ignore_nan);
  tcase_add_test(values, dot_and_bounds);
  tcase_add_test(values, verdicts_on_floats);
  tcase_add_test(values, messages_tell_what_was_wrong);
  tcase_add_test(values, arrays_name_the_first_wrong_element);
  tcase_add_test(rest, quantiles_interpolate);
  tcase_add_test(rest, explanations_are_quotients_of_sums);
  tcase_add_test(rest, geometry);
  suite_add_tcase(suite, inputs);
  suite_add_tcase(suite, values);
  suite_add_tcase(suite, rest);
  return suite;
}

int main(void) { return run_suite(workbook_suite()); }
