// SPDX-License-Identifier: MIT
// lesson_fixture.h - the lessons of test_lesson.c: variants that are host code, reading and writing
// device memory with cudaMemcpy, right or wrong in a known way.
#ifndef LESSON_FIXTURE_H
#define LESSON_FIXTURE_H

#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "inputs.h"
#include "lesson.h"

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
  n_launches++;
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

#endif
