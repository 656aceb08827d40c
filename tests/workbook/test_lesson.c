// SPDX-License-Identifier: MIT
// test_lesson.c - the harness around a lesson's variants: what it hands out, what it accepts, what
// it prints and how it exits. Its lessons are in lesson_fixture.h.
#define _POSIX_C_SOURCE 200809L
#include <check.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lesson.h"
#include "lesson_fixture.h"
#include "output.h"
#include "run_suite.h"

// --- running a program in this process ------------------------------------------------------

static char output[1 << 20];

static int run(const wb_lesson *lesson, const char *words) {
  char text[200], *argv[16] = {"program"};
  int argc = 1;
  snprintf(text, sizeof text, "%s", words);
  for (char *word = strtok(text, " "); word != NULL && argc < 16; word = strtok(NULL, " ")) {
    argv[argc++] = word;
  }
  n_launches = n_looks = 0;
  FILE *file = tmpfile();
  ck_assert_ptr_nonnull(file);
  fflush(stdout);
  const int saved = dup(STDOUT_FILENO);
  ck_assert(saved >= 0 && dup2(fileno(file), STDOUT_FILENO) >= 0);
  const int status = wb_lesson_main(argc, argv, lesson);
  fflush(stdout);
  ck_assert(dup2(saved, STDOUT_FILENO) >= 0);
  close(saved);
  rewind(file);
  const size_t size = fread(output, 1, sizeof output - 1, file);
  output[size] = '\0';
  fclose(file);
  return status;
}

static unsigned count_of(const char *needle) {
  unsigned n = 0;
  for (const char *at = output; (at = strstr(at, needle)) != NULL; at++) n++;
  return n;
}

// --- tests ----------------------------------------------------------------------------------

START_TEST(sizes_and_offsets)
{
  static const char *const arguments[] = {"--n 0",
                                          "--n 1",
                                          "--n 31 --offset 1",
                                          "--n 65537",
                                          "--n 1000 --offset 3 --seed 9",
                                          "--n 2^17 --block 1024"};
  for (size_t i = 0; i < WB_COUNT(arguments); i++) {
    ck_assert_msg(run(&good, arguments[i]) == 0, "%s:\n%s", arguments[i], output);
  }
  ck_assert_int_eq(run(&good, "--n 5 --variant right"), 0);
  const char *aligned = first_in;
  ck_assert_uint_eq((size_t)aligned % 256, 0);
  ck_assert_int_eq(run(&good, "--n 5 --variant right --offset 1"), 0);
  ck_assert_uint_eq((size_t)first_in % 256, 4);
}
END_TEST

START_TEST(table_fits_80_columns)
{
  ck_assert_int_eq(run(&good, "--n 100"), 0);
  ck_assert_uint_eq(count_of(" ok\n"), 5); // the heading and four variants
  ck_assert_ptr_nonnull(strstr(output, "only_64            not run: it needs a block of 64"));
  ck_assert_ptr_null(strstr(output, "slots")); // a sweep is no part of all
  size_t width = 0;
  for (const char *at = output; *at != '\0'; at++) {
    width = *at == '\n' ? 0 : width + 1;
    ck_assert_uint_le(width, 80);
  }
}
END_TEST

// What a GPU's table says above it, with the longest words it has.
START_TEST(measured_heading_fits_80_columns)
{
  const wb_device device = {.name = "NVIDIA H200", .peak_gb_per_s = 14607, .copy_gb_per_s = 14214};
  for (size_t i = 0; i < 2; i++) { // cold and warm
    const wb_args args = {.n = 1u << 30, .block = 1024, .warm = i > 0};
    char line[256];
    FILE *to = tmpfile();
    ck_assert_ptr_nonnull(to);
    wb_print_heading(to, &good, &args, &device);
    rewind(to);
    while (fgets(line, sizeof line, to) != NULL) ck_assert_uint_le(strcspn(line, "\n"), 80);
    fclose(to);
  }
}
END_TEST

START_TEST(wrong_results_fail)
{
  ck_assert_int_eq(run(&bad, "--n 1000"), 1);
  ck_assert_uint_eq(count_of(" NO\n"), 3);
  ck_assert_ptr_nonnull(
      strstr(output, "WRONG: n = 1000, block 256, grid 4, integers input: expected"));
  ck_assert_ptr_nonnull(strstr(output, "nothing was written"));
  ck_assert_int_eq(run(&bad, "--n 1000 --json --variant zero"), 1);
  ck_assert_ptr_nonnull(strstr(output, "\"correct\": false, \"message\": \"n = 1000"));
}
END_TEST

START_TEST(rounded_sums_are_compared_bit_for_bit)
{
  ck_assert_int_eq(run(&rounded, "--n 1000 --variant exact"), 0);
  ck_assert_int_eq(run(&rounded, "--n 1000 --variant next"), 1);
  ck_assert_ptr_nonnull(strstr(output, "expected the bits of"));
}
END_TEST

START_TEST(every_gpus_result_is_judged)
{
  ck_assert_int_eq(run(&several, "--n 1003 --variant right"), 0);
  ck_assert_int_eq(run(&several, "--n 1003 --variant sum"), 0);
  ck_assert_int_eq(run(&several, "--n 1003 --variant wrong"), 1);
  ck_assert_ptr_nonnull(strstr(output, " on some GPU: expected"));
#ifdef WORKBOOK_SIMT
  ck_assert_ptr_nonnull(strstr(output, "4 x modelled"));
  ck_assert_ptr_nonnull(strstr(output, "element 250 on some GPU"));
#endif
  // Shares of two chunks and one element more, which host threads judge in parts.
  ck_assert_int_eq(run(&several, "--n 524291 --variant right"), 0);
  ck_assert_int_eq(run(&several, "--n 524291 --variant wrong"), 1);
#ifdef WORKBOOK_SIMT
  ck_assert_ptr_nonnull(strstr(output, "element 131072 on some GPU"));
#endif
}
END_TEST

START_TEST(json_has_every_key)
{
  static const char *const keys[] = {"\"lesson\": \"98_good\"",
                                     "\"variant\": \"right\"",
                                     "\"n\": 100,",
                                     "\"block\": 64,",
                                     "\"grid\": 2,",
                                     "\"backend\": \"",
                                     "\"device\": \"",
                                     "\"time_ms\": ",
                                     "\"time_kind\": \"m",
                                     "\"gb_per_s\": ",
                                     "\"percent_of_peak\": ",
                                     "\"error_over_bound\": ",
                                     "\"correct\": true",
                                     "\"explains\": {\"elements\": 100}",
                                     "\"counters\": {"};
  ck_assert_int_eq(run(&good, "--n 100 --block 64 --json"), 0);
  for (size_t i = 0; i < WB_COUNT(keys); i++)
    ck_assert_msg(strstr(output, keys[i]) != NULL, "%s", keys[i]);
  ck_assert_uint_eq(count_of("\n"), 5); // one object a line, nothing else
  ck_assert_uint_eq(count_of("}\n"), 5);
  ck_assert_ptr_null(strstr(output, "inf"));
  ck_assert_ptr_null(strstr(output, "nan,"));
}
END_TEST

START_TEST(sweeps_and_groups)
{
  ck_assert_int_eq(run(&good, "--n 100 --variant sweeps --json"), 0);
  ck_assert_uint_eq(count_of("\"variant\": \"slots\""), 5); // 1 4 16 64 256
  ck_assert_ptr_nonnull(strstr(output, "\"parameter\": 256,"));
}
END_TEST

// However many there are, every variant runs and can be chosen by name.
START_TEST(many_variants)
{
  enum { N = 300 };
  static wb_variant many[N];
  static char names[N][8];
  for (unsigned i = 0; i < N; i++) {
    snprintf(names[i], sizeof names[i], "v%u", i);
    many[i] =
        (wb_variant){.name = names[i], .summary = "adds", .launch = right, .depth = depth_one};
  }
  const wb_lesson lesson = {
      .name = "95_many", .title = "many variants", .variants = many, .n_variants = N};
  ck_assert_int_eq(run(&lesson, "--n 10 --json"), 0);
  unsigned n_rows = 0;
  for (const char *at = output; (at = strstr(at, "\"variant\": ")) != NULL; at++) n_rows++;
  ck_assert_uint_eq(n_rows, N);
  ck_assert_ptr_nonnull(strstr(output, "\"v299\""));
  ck_assert_int_eq(run(&lesson, "--n 10 --variant v299"), 0);
}
END_TEST

START_TEST(nothing_but_sweeps_are_all)
{
  ck_assert_int_eq(run(&sweeps, "--n 100 --json"), 0);
  ck_assert_uint_eq(count_of("\"variant\": \"slots\""), 3); // 1 4 16
}
END_TEST

START_TEST(several_sizes_in_one_run)
{
  ck_assert_int_eq(run(&good, "--n 7,64..256 --variant right --json"), 0);
  static const char *const sizes[] = {"\"n\": 7,", "\"n\": 64,", "\"n\": 128,", "\"n\": 256,"};
  const char *at = output;
  for (size_t i = 0; i < WB_COUNT(sizes); i++) {
    at = strstr(at, sizes[i]);
    ck_assert_msg(at != NULL, "%s", sizes[i]);
  }
  ck_assert_uint_eq(count_of("\n"), 4);
  ck_assert_int_eq(run(&good, "--n 7,8 --variant right"), 0);
  ck_assert_uint_eq(count_of("elements of 4 bytes"), 2);
  ck_assert_int_eq(run(&bad, "--n 1,1000 --variant zero"), 1);
}
END_TEST

// What is refused at one size is asked again at the next: only what is too slow stays refused.
START_TEST(a_refusal_is_for_one_size)
{
  ck_assert_int_eq(run(&choosy, "--n 7,64"), 0);
  ck_assert_uint_eq(count_of("not run: it needs about 64 elements"), 1);
  ck_assert_int_eq(run(&choosy, "--n 7,64 --json"), 0);
  ck_assert_uint_eq(count_of("\"correct\": true"), 1);
  ck_assert_int_eq(run(&choosy, "--n 7,8"), 2);
  ck_assert_uint_eq(count_of("not run:"), 2);
}
END_TEST

// The mistake is not part of `all`, which would fail; asked for, it fails.
START_TEST(mistakes_run_only_on_request)
{
  ck_assert_int_eq(run(&good, "--n 100 --json"), 0);
  ck_assert_uint_eq(count_of("mistake"), 0);
  ck_assert_int_eq(run(&good, "--n 100 --variant mistake"), 1);
  ck_assert_ptr_nonnull(strstr(output, "WRONG"));
  ck_assert_int_eq(run(&good, "--list"), 0);
  ck_assert_ptr_nonnull(strstr(output, "wrong [only on request]"));
}
END_TEST

START_TEST(arguments_decide_the_exit_code)
{
  ck_assert_int_eq(run(&good, "--variant only_64 --n 10"), 2);
  ck_assert_int_eq(run(&good, "--variant only_64 --n 10 --block 64"), 0);
  ck_assert_int_eq(run(&good, "--variant rigth"), 2);
  ck_assert_int_eq(run(&good, "--list"), 0);
  ck_assert_uint_eq(count_of("\n"), WB_COUNT(variants));
  ck_assert_uint_eq(n_launches, 0);
  ck_assert_int_eq(run(&good, "--help"), 0);
  ck_assert_ptr_nonnull(strstr(output, "--variant"));
}
END_TEST

// More elements than the harness holds on the host at a time.
START_TEST(arrays_are_judged_element_by_element)
{
  static const char *const sizes[] = {"--n 0", "--n 1", "--n 1000 --offset 1", "--n 140001"};
  char words[100];
  for (size_t i = 0; i < WB_COUNT(sizes); i++) {
    snprintf(words, sizeof words, "%s --variant right", sizes[i]);
    ck_assert_msg(run(&arrays, words) == 0, "%s:\n%s", words, output);
    ck_assert_uint_eq(count_of(" ok\n"), 7); // the heading and six variants
  }
  ck_assert_int_eq(run(&arrays, "--n 0 --variant wrong_bins"), 1);
  ck_assert_ptr_nonnull(strstr(output, "element 17: expected 0, got 1"));
  ck_assert_int_eq(run(&arrays, "--n 70000 --variant wrong_bins"), 1);
  ck_assert_int_eq(run(&arrays, "--n 40000 --variant lossy_scan"), 0); // the element is not there
  ck_assert_int_eq(run(&arrays, "--n 70000 --variant lossy_scan"), 1);
  ck_assert_ptr_nonnull(strstr(output, "element 40000: expected"));
  ck_assert_int_eq(run(&arrays, "--n 70 --variant mixed_up"), 1);
  ck_assert_ptr_nonnull(strstr(output, "element 0: expected"));
  ck_assert_int_eq(run(&arrays, "--n 70 --variant nothing"), 1);
  ck_assert_ptr_nonnull(strstr(output, "nothing was written"));
}
END_TEST

// Both kinds of samples are drawn alike: where times are modelled one is judged; of numbers, both.
START_TEST(samples_are_judged_once_where_runs_take_long)
{
  ck_assert_int_eq(run(&arrays, "--n 1000 --variant uniform --json --repeat 1"), 0);
  const unsigned of_samples = n_launches;
  if (strstr(output, "modelled") == NULL) return; // a GPU times them, too
  ck_assert_uint_eq(of_samples, 1);
  ck_assert_int_eq(run(&arrays, "--n 1000 --variant wrong_bins"), 1);
  ck_assert_int_eq(run(&good, "--n 1000 --variant slots --repeat 1"), 0);
  ck_assert_uint_eq(n_launches, 2 * 5); // both kinds, five steps of its sweep
}
END_TEST

START_TEST(variants_say_how_many_bins)
{
  ck_assert_msg(run(&many_bins, "--n 0") == 0, "%s", output);
  ck_assert_msg(run(&many_bins, "--n 200001 --json") == 0, "%s", output);
  ck_assert_uint_eq(count_of("\"block\": 512"), 1);
  ck_assert_uint_eq(count_of("\"block\": 256"), 2);
  ck_assert_int_eq(run(&many_bins, "--n 200001 --variant last"), 1);
  ck_assert_msg(strstr(output, "element 150000: expected") != NULL, "%s", output);
}
END_TEST

START_TEST(same_seed_same_result)
{
  static char before[sizeof output];
  ck_assert_int_eq(run(&good, "--n 1000 --variant slots --json --seed 4 --repeat 1"), 0);
  memcpy(before, output, sizeof before);
  ck_assert_int_eq(run(&good, "--n 1000 --variant slots --json --seed 4 --repeat 1"), 0);
  if (strstr(output, "modelled") != NULL) ck_assert_str_eq(before, output);
}
END_TEST

int main(void) {
  Suite *suite = suite_create("lesson");
  TCase *cases = tcase_create("harness");
  tcase_set_timeout(cases, 60);
  tcase_add_test(cases, sizes_and_offsets);
  tcase_add_test(cases, table_fits_80_columns);
  tcase_add_test(cases, measured_heading_fits_80_columns);
  tcase_add_test(cases, wrong_results_fail);
  tcase_add_test(cases, rounded_sums_are_compared_bit_for_bit);
  tcase_add_test(cases, every_gpus_result_is_judged);
  tcase_add_test(cases, json_has_every_key);
  tcase_add_test(cases, sweeps_and_groups);
  tcase_add_test(cases, many_variants);
  tcase_add_test(cases, nothing_but_sweeps_are_all);
  tcase_add_test(cases, several_sizes_in_one_run);
  tcase_add_test(cases, a_refusal_is_for_one_size);
  tcase_add_test(cases, mistakes_run_only_on_request);
  tcase_add_test(cases, arguments_decide_the_exit_code);
  tcase_add_test(cases, arrays_are_judged_element_by_element);
  tcase_add_test(cases, samples_are_judged_once_where_runs_take_long);
  tcase_add_test(cases, variants_say_how_many_bins);
  tcase_add_test(cases, same_seed_same_result);
  suite_add_tcase(suite, cases);
  return run_suite(suite);
}
