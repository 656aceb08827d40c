// SPDX-License-Identifier: MIT
// test_lesson.c - the harness around a lesson's variants: what it hands out, what it accepts, what
// it prints and how it exits. The variants here are host code that reads and writes device memory
// with cudaMemcpy, right or wrong in a known way.
#define _POSIX_C_SOURCE 200809L
#include <check.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "inputs.h"
#include "lesson.h"
#include "output.h"
#include "run_suite.h"

// --- variants -------------------------------------------------------------------------------

static unsigned n_launches, n_looks;
static const void *first_in;

static double sum_of_input(const wb_launch *l) {
  double sum = 0.0;
  float *x = calloc(l->n + 1, sizeof *x); // while a graph is captured, nothing can be copied
  cudaMemcpy(x, l->in != NULL ? (const void *)l->in : (const void *)l->in_ints, l->n * sizeof *x,
             cudaMemcpyDeviceToHost);
  for (unsigned i = 0; i < l->n; i++) {
    int32_t as_int;
    memcpy(&as_int, &x[i], sizeof as_int);
    sum += l->in != NULL ? (double)x[i] : (double)as_int;
  }
  free(x);
  n_launches++;
  first_in = l->in;
  return sum;
}

static void write_out(const wb_launch *l, const void *value, size_t size_bytes) {
  cudaMemcpy(l->out, value, size_bytes, cudaMemcpyHostToDevice);
}

static void write_float(wb_launch *l, float value) {
  l->grid = wb_blocks(l->n, l->block);
  write_out(l, &value, sizeof value);
}

static void right(wb_launch *l) { write_float(l, (float)sum_of_input(l)); }
static void off_by_one(wb_launch *l) { write_float(l, (float)(sum_of_input(l) + 1.0)); }
// The float after the right one: within any error bound, but not the rounded sum.
static void next_float(wb_launch *l) {
  write_float(l, nextafterf((float)sum_of_input(l), INFINITY));
}
static void nothing(wb_launch *l) { l->grid = 1; }
static void zero(wb_launch *l) { write_float(l, 0.0f); }

static void right_int(wb_launch *l) {
  const int32_t sum = (int32_t)(uint32_t)(int64_t)sum_of_input(l);
  l->grid = 1;
  ck_assert(l->in == NULL);
  write_out(l, &sum, sizeof sum);
}

// k slots: everything in the last one.
static void slots(wb_launch *l) {
  double values[1 << 10] = {0.0};
  l->grid = 1;
  values[l->parameter - 1] = sum_of_input(l);
  write_out(l, values, l->parameter * sizeof values[0]);
}

// The memory handed out must be poisoned, and stale results gone: in the two runs that verify; a
// GPU then repeats for the clock.
static void looks(wb_launch *l) {
  unsigned char out[4], scratch[64];
  if (n_looks++ >= 2) {
    right(l);
    return;
  }
  cudaMemcpy(out, l->out, sizeof out, cudaMemcpyDeviceToHost);
  cudaMemcpy(scratch, l->scratch, sizeof scratch, cudaMemcpyDeviceToHost);
  for (size_t i = 0; i < sizeof out; i++) ck_assert_uint_eq(out[i], WB_POISON_BYTE);
  for (size_t i = 0; i < sizeof scratch; i++) ck_assert_uint_eq(scratch[i], WB_POISON_BYTE);
  cudaMemset(l->scratch, 0, sizeof scratch);
  right(l);
}

static double depth_one(unsigned n, unsigned block) {
  (void)n;
  (void)block;
  return 1.0;
}
static double seven(unsigned n, unsigned parameter) {
  (void)parameter;
  return n > 0 ? 7.0 : 0.0;
}
static void write_seven(wb_launch *l) { write_float(l, l->n > 0 ? 7.0f : 0.0f); }
static const char *only_64(unsigned n, unsigned block) {
  (void)n;
  return block == 64 ? NULL : "it needs a block of 64";
}

static const wb_variant variants[] = {
    {.name = "right", .summary = "adds", .launch = right, .depth = depth_one},
    {.name = "right_int",
     .summary = "adds ints",
     .launch = right_int,
     .input = WB_INT,
     .output = WB_INT},
    {.name = "looks", .summary = "sees poison", .launch = looks},
    {.name = "seven", .summary = "expects 7", .launch = write_seven, .expect = seven},
    {.name = "only_64", .summary = "refuses", .launch = right, .refuse = only_64},
    {.name = "slots",
     .summary = "a sweep",
     .launch = slots,
     .output = WB_DOUBLE,
     .sweep_to = 256,
     .group = "sweeps"},
    {.name = "mistake", .summary = "wrong", .launch = off_by_one, .on_request = true},
};
// A reason of the variant's own, for small inputs only; the word is one the harness uses as well.
static const char *not_small(unsigned n, unsigned block) {
  (void)block;
  return n < 64 ? "it needs about 64 elements" : NULL;
}
static const wb_variant sweep_variants[] = {
    {.name = "slots", .summary = "a sweep", .launch = slots, .output = WB_DOUBLE, .sweep_to = 16},
};
static const wb_variant choosy_variants[] = {
    {.name = "choosy", .summary = "refuses small inputs", .launch = right, .refuse = not_small},
};
static const wb_variant wrong_variants[] = {
    {.name = "off_by_one", .summary = "wrong", .launch = off_by_one, .depth = depth_one},
    {.name = "nothing", .summary = "writes nothing", .launch = nothing},
    {.name = "zero", .summary = "writes 0", .launch = zero, .depth = depth_one},
};

static const wb_variant rounded_variants[] = {
    {.name = "exact", .summary = "adds", .launch = right, .rounded = true},
    {.name = "next", .summary = "one ulp off", .launch = next_float, .rounded = true},
};

// --- shares on several GPUs ---

// The sum of all shares to every GPU; on the last one its last element is off by `too_much`.
static void write_across(wb_launch *l, float too_much) {
  const wb_shares *s = &l->shares;
  float *x = calloc(s->width + 1, sizeof *x), *sum = calloc(s->width + 1, sizeof *sum);
  ck_assert(x != NULL && sum != NULL && s->devices * (size_t)s->width >= l->n);
  for (unsigned d = 0; d < s->devices; d++) {
    cudaMemcpy(x, s->in[d], s->width * sizeof *x, cudaMemcpyDeviceToHost);
    for (unsigned i = 0; i < s->width; i++) {
      if (d * (size_t)s->width + i >= l->n) ck_assert(x[i] == 0.0f);
      sum[i] += x[i];
    }
  }
  for (unsigned d = 0; d < s->devices; d++) {
    if (d == s->devices - 1) sum[s->width - 1] += too_much;
    cudaMemcpy(s->out[d], sum, s->width * sizeof *sum, cudaMemcpyHostToDevice);
  }
  free(x);
  free(sum);
}
static void right_across(wb_launch *l) { write_across(l, 0.0f); }
static void wrong_across(wb_launch *l) { write_across(l, 1.0f); }
static void right_sum_of_shares(wb_launch *l) { write_float(l, (float)sum_of_input(l)); }

static const wb_variant across_variants[] = {
    {.name = "right", .summary = "", .launch = right_across, .result = WB_RESULT_ACROSS},
    {.name = "wrong", .summary = "", .launch = wrong_across, .result = WB_RESULT_ACROSS},
    {.name = "sum", .summary = "one number", .launch = right_sum_of_shares},
};
static const wb_lesson several = {.name = "94_several",
                                  .title = "several GPUs",
                                  .variants = across_variants,
                                  .n_variants = WB_COUNT(across_variants),
                                  .devices = 4};

// --- variants with an array as their output ---

static const int32_t *input_ints(const wb_launch *l, int32_t *room) {
  memset(room, 0, l->n * sizeof *room);
  cudaMemcpy(room, l->in != NULL ? (const void *)l->in : (const void *)l->in_ints,
             l->n * sizeof *room, cudaMemcpyDeviceToHost);
  return room;
}

static void write_bins(wb_launch *l, unsigned wrong_bin, int32_t too_much) {
  int32_t *room = malloc((l->n + 1) * sizeof *room), *bins = calloc(l->n_bins, sizeof *bins);
  const int32_t *samples = input_ints(l, room);
  for (unsigned i = 0; i < l->n; i++) bins[samples[i]]++;
  bins[wrong_bin] += too_much;
  write_out(l, bins, l->n_bins * sizeof *bins);
  free(bins);
  free(room);
}
static void right_bins(wb_launch *l) { write_bins(l, 0, 0); }
static void wrong_bins(wb_launch *l) { write_bins(l, 17, 1); }
static void wrong_last_bin(wb_launch *l) { write_bins(l, l->n_bins - 1, 1); }

// A block of its own choice, and the last element of the scratch that it asked for.
static size_t much_scratch(unsigned n, unsigned n_bins) { return (size_t)3000000 + n + n_bins; }
static void takes_room(wb_launch *l) {
  const float last = 1.0f;
  l->block = 512;
  cudaMemcpyAsync(l->scratch + much_scratch(l->n, l->n_bins) - 1, &last, sizeof last,
                  cudaMemcpyHostToDevice, 0);
  right_bins(l);
}

// The running sums of floats, in double, or without the element at 40,000.
static void write_scan(wb_launch *l, bool exclusive, bool lossy) {
  int32_t *room = malloc((l->n + 1) * sizeof *room);
  float *out = malloc((l->n + 1) * sizeof *out), x;
  double sum = 0.0;
  const int32_t *in = input_ints(l, room);
  for (unsigned i = 0; i < l->n; i++) {
    memcpy(&x, &in[i], sizeof x);
    const double before = sum;
    sum += lossy && i == 40000 ? 0.0 : (double)x;
    out[i] = (float)(exclusive ? before : sum);
  }
  write_out(l, out, l->n * sizeof *out);
  free(out);
  free(room);
}
static void right_scan(wb_launch *l) { write_scan(l, false, false); }
static void right_exclusive(wb_launch *l) { write_scan(l, true, false); }
static void lossy_scan(wb_launch *l) { write_scan(l, false, true); }
static void right_int_scan(wb_launch *l) {
  int32_t *room = malloc((l->n + 1) * sizeof *room);
  input_ints(l, room);
  for (unsigned i = 1; i < l->n; i++) room[i] += room[i - 1];
  write_out(l, room, l->n * sizeof *room);
  free(room);
}

#define BINS .input = WB_INT, .output = WB_INT, .result = WB_RESULT_HISTOGRAM
static const wb_variant array_variants[] = {
    {.name = "uniform", .summary = "bins", .launch = right_bins, BINS, .group = "right"},
    {.name = "skewed",
     .summary = "bins",
     .launch = right_bins,
     BINS,
     .samples = WB_SAMPLES_SKEWED,
     .group = "right"},
    {.name = "equal",
     .summary = "bins",
     .launch = right_bins,
     BINS,
     .samples = WB_SAMPLES_EQUAL,
     .group = "right"},
    {.name = "scan",
     .summary = "inclusive",
     .launch = right_scan,
     .result = WB_RESULT_INCLUSIVE_SCAN,
     .depth = depth_one,
     .group = "right"},
    {.name = "exclusive",
     .summary = "exclusive",
     .launch = right_exclusive,
     .result = WB_RESULT_EXCLUSIVE_SCAN,
     .depth = depth_one,
     .group = "right"},
    {.name = "int_scan",
     .summary = "ints",
     .launch = right_int_scan,
     .input = WB_INT,
     .output = WB_INT,
     .result = WB_RESULT_INCLUSIVE_SCAN,
     .group = "right"},
    {.name = "wrong_bins", .summary = "one too many", .launch = wrong_bins, BINS},
    {.name = "lossy_scan",
     .summary = "one is lost",
     .launch = lossy_scan,
     .result = WB_RESULT_INCLUSIVE_SCAN},
    {.name = "mixed_up",
     .summary = "exclusive for inclusive",
     .launch = right_exclusive,
     .result = WB_RESULT_INCLUSIVE_SCAN},
    {.name = "nothing",
     .summary = "writes nothing",
     .launch = nothing,
     .result = WB_RESULT_EXCLUSIVE_SCAN},
};
enum { MANY_BINS = 150001 };
static const wb_variant bins_variants[] = {
    {.name = "many", .summary = "bins", .launch = right_bins, BINS, .n_bins = MANY_BINS},
    {.name = "few", .summary = "bins", .launch = right_bins, BINS, .n_bins = 3},
    {.name = "room",
     .summary = "scratch",
     .launch = takes_room,
     BINS,
     .n_bins = MANY_BINS,
     .samples = WB_SAMPLES_SKEWED,
     .scratch_elements = much_scratch},
    {.name = "last",
     .summary = "one too many",
     .launch = wrong_last_bin,
     BINS,
     .n_bins = MANY_BINS,
     .on_request = true},
};
static const wb_lesson many_bins = {.name = "94_many_bins",
                                    .title = "as many bins as the variant says",
                                    .variants = bins_variants,
                                    .n_variants = WB_COUNT(bins_variants)};
static const wb_lesson arrays = {.name = "97_arrays",
                                 .title = "arrays as results",
                                 .variants = array_variants,
                                 .n_variants = WB_COUNT(array_variants)};

static const wb_lesson good = {.name = "98_good",
                               .title = "right in every way",
                               .variants = variants,
                               .n_variants = WB_COUNT(variants),
                               .explanations = {{"elements", "n", NULL}}};
static const wb_lesson bad = {.name = "99_bad",
                              .title = "wrong",
                              .variants = wrong_variants,
                              .n_variants = WB_COUNT(wrong_variants)};
static const wb_lesson rounded = {.name = "95_rounded",
                                  .title = "equal bits",
                                  .variants = rounded_variants,
                                  .n_variants = WB_COUNT(rounded_variants)};
static const wb_lesson sweeps = {.name = "96_sweeps",
                                 .title = "nothing but sweeps",
                                 .variants = sweep_variants,
                                 .n_variants = WB_COUNT(sweep_variants)};
static const wb_lesson choosy = {.name = "97_choosy",
                                 .title = "not at every size",
                                 .variants = choosy_variants,
                                 .n_variants = WB_COUNT(choosy_variants)};

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
  tcase_add_test(cases, variants_say_how_many_bins);
  tcase_add_test(cases, same_seed_same_result);
  suite_add_tcase(suite, cases);
  return run_suite(suite);
}
