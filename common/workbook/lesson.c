// SPDX-License-Identifier: MIT
// lesson.c - runs a lesson's variants: inputs, poison, verification, timing, counters.
//
// Invariants: outputs and scratch are poisoned before every verified run, so that a stale or
// missing result is a NaN (a -1 as int); a row is printed only after both inputs were judged; the
// inputs never exist as a whole on the host, so that 2^28 elements need little more than their
// device memory. Not here: suites of tests (they load modules, see judge.h).
#define _POSIX_C_SOURCE 200809L
#include "lesson.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "args.h"
#include "device.h"
#include "inputs.h"
#include "output.h"
#include "reference.h"
#include "timing.h"
#include "verify.h"

enum {
  CHUNK_ELEMENTS = 1 << 16,
  LEAST_SCRATCH_ELEMENTS = 1 << 21, // room for a sweep's slots, 8 bytes each
  ELEMENT_BYTES = 4,
  MAX_COPIES = 256, // of the input, to rotate past the L2
  COUNTER_ROOM = 256,
  LOW_INT = -200,
  HIGH_INT = 1000 // skewed, so that a sum is not near 0
};

typedef struct session {
  const wb_lesson *lesson;
  wb_args args;
  wb_device device;
  unsigned char *inputs; // device: n_copies inputs of copy_bytes each
  size_t copy_bytes;
  unsigned n_copies;
  void *out; // device
  size_t out_bytes;
  float *scratch; // device
  size_t scratch_bytes;
  unsigned char *chunk; // host: [CHUNK_ELEMENTS]
  wb_totals totals;     // of the input as it is now
  int32_t *bins;        // host: [WB_BINS], its histogram when it consists of samples
  double counters[COUNTER_ROOM];
  bool on_terminal;
  unsigned n_run, n_wrong;
} session;

size_t wb_scratch_elements(unsigned n, unsigned block) {
  size_t elements = 0;
  for (unsigned left = n; left > 1 && block > 1;) {
    left = wb_blocks(left, block);
    elements += left;
  }
  return elements > LEAST_SCRATCH_ELEMENTS ? elements : LEAST_SCRATCH_ELEMENTS;
}

unsigned wb_multiprocessors(void) {
  static int count;
  if (count == 0) WB_OK(cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount, 0));
  return count > 0 ? (unsigned)count : 1;
}

static size_t type_bytes(wb_type type) {
  return type == WB_DOUBLE ? 8 : type == WB_HALF ? 2 : 4;
}

static bool is_scan(const wb_variant *variant) {
  return variant->result == WB_RESULT_INCLUSIVE_SCAN || variant->result == WB_RESULT_EXCLUSIVE_SCAN;
}

// Output elements; parameter: the present step of a sweep.
static size_t output_elements(const wb_variant *variant, unsigned n, unsigned parameter) {
  if (variant->result == WB_RESULT_HISTOGRAM) return WB_BINS;
  if (is_scan(variant)) return n;
  if (variant->result == WB_RESULT_ROW_SUMS) return n / WB_ROW + (n % WB_ROW != 0);
  return variant->sweep_to > 0 ? parameter : 1;
}

// --- device memory --------------------------------------------------------------------------

static bool session_open(session *s) {
  const size_t input_bytes = ((size_t)s->args.n + s->args.offset) * ELEMENT_BYTES;
  s->copy_bytes = (input_bytes + 511) / 512 * 512 + 512; // never empty
  s->n_copies = 1;
  if (s->device.l2_bytes > 0) {
    const size_t copies = 4 * s->device.l2_bytes / s->copy_bytes + 2;
    s->n_copies = copies < MAX_COPIES ? (unsigned)copies : MAX_COPIES;
  }
  s->scratch_bytes = wb_scratch_elements(s->args.n, s->args.block) * ELEMENT_BYTES;
  s->out_bytes = type_bytes(WB_DOUBLE);
  for (size_t i = 0; i < s->lesson->n_variants; i++) {
    const wb_variant *variant = &s->lesson->variants[i];
    const size_t bytes =
        output_elements(variant, s->args.n, variant->sweep_to) * type_bytes(variant->output);
    if (bytes > s->out_bytes) s->out_bytes = bytes;
  }
  s->chunk = (unsigned char *)malloc((size_t)CHUNK_ELEMENTS * type_bytes(WB_DOUBLE));
  s->bins = (int32_t *)malloc(WB_BINS * sizeof *s->bins);
  if (s->chunk == NULL || s->bins == NULL) {
    fprintf(stderr, "%s: out of host memory\n", s->lesson->name);
    return false;
  }
  return WB_OK(cudaMalloc((void **)&s->inputs, s->copy_bytes * s->n_copies)) &&
         WB_OK(cudaMalloc(&s->out, s->out_bytes)) &&
         WB_OK(cudaMalloc((void **)&s->scratch, s->scratch_bytes));
}

static void session_close(session *s) {
  if (s->inputs != NULL) cudaFree(s->inputs);
  if (s->out != NULL) cudaFree(s->out);
  if (s->scratch != NULL) cudaFree(s->scratch);
  free(s->chunk);
  free(s->bins);
}

static unsigned char *input_copy(const session *s, unsigned copy) {
  return s->inputs + s->copy_bytes * copy + (size_t)s->args.offset * ELEMENT_BYTES;
}

// Elements [first, first + count) of a variant's input, into s->chunk.
static void make_chunk(session *s, const wb_variant *variant, wb_input_kind kind, size_t first,
                       size_t count) {
  const uint64_t seed = s->args.seed + (uint64_t)kind;
  int32_t *ints = (int32_t *)(void *)s->chunk;
  if (variant->result == WB_RESULT_HISTOGRAM) {
    wb_fill_samples_at(variant->samples, ints, first, count, seed);
  } else if (variant->input == WB_INT) {
    wb_fill_ints_at(ints, first, count, LOW_INT, HIGH_INT, seed);
  } else {
    wb_fill_floats_at(kind, (float *)(void *)s->chunk, first, count, s->args.n, s->args.seed);
  }
}

// Adds the chunk to what is known about the input.
static void account_chunk(session *s, const wb_variant *variant, size_t count) {
  const int32_t *ints = (const int32_t *)(const void *)s->chunk;
  if (variant->result == WB_RESULT_HISTOGRAM) {
    for (size_t i = 0; i < count; i++) s->bins[ints[i]]++;
  } else if (variant->input == WB_INT) {
    wb_totals_add_ints(&s->totals, ints, count);
  } else {
    wb_totals_add(&s->totals, (const float *)(const void *)s->chunk, count);
  }
}

// Makes the input chunk by chunk, adds it up on the way, and copies it to every place.
static bool fill_input(session *s, const wb_variant *variant, wb_input_kind kind) {
  const size_t n = s->args.n;
  memset(&s->totals, 0, sizeof s->totals);
  memset(s->bins, 0, WB_BINS * sizeof *s->bins);
  for (size_t first = 0; first < n; first += CHUNK_ELEMENTS) {
    const size_t count = n - first < CHUNK_ELEMENTS ? n - first : CHUNK_ELEMENTS;
    make_chunk(s, variant, kind, first, count);
    account_chunk(s, variant, count);
    if (!WB_OK(cudaMemcpy(input_copy(s, 0) + first * ELEMENT_BYTES, s->chunk, count * ELEMENT_BYTES,
                          cudaMemcpyHostToDevice))) {
      return false;
    }
  }
  for (unsigned copy = 1; copy < s->n_copies && n > 0; copy++) {
    if (!WB_OK(cudaMemcpy(input_copy(s, copy), input_copy(s, 0), n * ELEMENT_BYTES,
                          cudaMemcpyDeviceToDevice))) {
      return false;
    }
  }
  return true;
}

static bool poison(session *s) {
  return WB_OK(cudaMemset(s->out, WB_POISON_BYTE, s->out_bytes)) &&
         WB_OK(cudaMemset(s->scratch, WB_POISON_BYTE, s->scratch_bytes));
}

// --- one run --------------------------------------------------------------------------------

typedef struct run {
  session *s;
  const wb_variant *variant;
  wb_launch launch;
} run;

static void enqueue(void *data, unsigned iteration) {
  run *r = (run *)data;
  const void *in = input_copy(r->s, iteration % r->s->n_copies);
  r->launch.in = r->variant->input == WB_INT ? NULL : (const float *)in;
  r->launch.in_ints = r->variant->input == WB_INT ? (const int *)in : NULL;
  r->variant->launch(&r->launch);
}

// IEEE half precision: 1 sign, 5 exponent and 10 fraction bits.
static double half_value(uint16_t bits) {
  const int exponent = bits >> 10 & 31, fraction = bits & 1023;
  double value = exponent == 0 ? ldexp(fraction, -24) : ldexp(1024 + fraction, exponent - 25);
  if (exponent == 31) value = fraction != 0 ? NAN : INFINITY;
  return bits >> 15 ? -value : value;
}

// The result on the host: the outputs' sum, which is the output itself when there is one.
static bool read_result(session *s, wb_type type, size_t n_out, double *result) {
  const size_t size = type_bytes(type);
  double sum = 0.0;
  for (size_t first = 0; first < n_out; first += CHUNK_ELEMENTS) {
    const size_t count = n_out - first < CHUNK_ELEMENTS ? n_out - first : CHUNK_ELEMENTS;
    const unsigned char *from = (const unsigned char *)s->out + first * size;
    if (!WB_OK(cudaMemcpy(s->chunk, from, count * size, cudaMemcpyDeviceToHost))) return false;
    for (size_t i = 0; i < count; i++) {
      const void *at = s->chunk + i * size;
      if (type == WB_FLOAT) sum += (double)*(const float *)at;
      if (type == WB_INT) sum += (double)*(const int32_t *)at;
      if (type == WB_DOUBLE) sum += *(const double *)at;
      if (type == WB_HALF) sum += half_value(*(const uint16_t *)at);
    }
  }
  *result = sum;
  return true;
}

static wb_verdict judge_result(const run *r, wb_input_kind kind, double result) {
  const session *s = r->s;
  const unsigned n = s->args.n;
  const double expected = wb_totals_sum(&s->totals);
  if (r->variant->expect != NULL) return wb_verify_double(r->variant->expect(n, r->launch.parameter), result, 0.0);
  if (r->variant->input == WB_INT && r->variant->output == WB_INT) {
    // Int sums wrap on the device; modulo 2^32 the sum of wrapped slots is the wrapped sum.
    return wb_verify_int((int32_t)(uint32_t)(int64_t)expected, (int32_t)(uint32_t)(int64_t)result);
  }
  double bound = 0.0; // integer-valued: every order of adding is exact
  if (kind != WB_INPUT_INTEGERS && r->variant->input != WB_INT) {
    const double depth =
        r->variant->depth != NULL ? r->variant->depth(n, s->args.block) : wb_depth_serial(n);
    bound = wb_bound_sum(depth, s->totals.sum_abs);
  }
  const bool one_float = r->variant->output == WB_FLOAT && r->variant->sweep_to == 0;
  return one_float ? wb_verify_float(expected, (float)result, bound)
                   : wb_verify_double(expected, result, bound);
}

static bool judge_bins(run *r, wb_verdict *verdict, double *result) {
  session *s = r->s;
  int32_t *got = (int32_t *)(void *)s->chunk;
  if (!WB_OK(cudaMemcpy(got, s->out, WB_BINS * sizeof *got, cudaMemcpyDeviceToHost))) return false;
  *verdict = wb_verify_ints(s->bins, got, WB_BINS);
  *result = 0.0;
  for (int i = 0; i < WB_BINS; i++) *result += (double)i * (double)got[i]; // tells the bins apart
  return true;
}

typedef struct scan_judge {
  wb_totals totals;     // of the input's elements so far
  double bound_per_abs; // error allowed per unit of sum|x|
  wb_verdict verdict;   // of the first wrong element, or of the one nearest to its bound
  double sum;           // of the output
} scan_judge;

static void judge_element(scan_judge *judge, const wb_totals *prefix, wb_type type,
                          const unsigned char *at, size_t index) {
  const double expected = wb_totals_sum(prefix), bound = judge->bound_per_abs * prefix->sum_abs;
  int32_t as_int;
  float as_float;
  memcpy(&as_int, at, sizeof as_int);
  memcpy(&as_float, at, sizeof as_float);
  judge->sum += type == WB_INT ? (double)as_int : (double)as_float;
  // Nearly all elements end here: right, and no nearer to their bound than another.
  if (!judge->verdict.correct) return;
  if (type != WB_INT && fabs((double)as_float - expected) <= judge->verdict.error_over_bound * bound)
    return;
  const wb_verdict one = type == WB_INT
                             ? wb_verify_int((int32_t)(uint32_t)(int64_t)expected, as_int)
                             : wb_verify_float(expected, as_float, bound);
  if (one.correct && one.error_over_bound <= judge->verdict.error_over_bound) return;
  judge->verdict = one;
  judge->verdict.index = index;
}

static void judge_scan_chunk(const session *s, scan_judge *judge, const wb_variant *variant,
                             const unsigned char *got, size_t first, size_t count) {
  for (size_t i = 0; i < count; i++) {
    const void *x = s->chunk + i * ELEMENT_BYTES;
    const wb_totals before = judge->totals;
    if (variant->input == WB_INT) wb_totals_add_ints(&judge->totals, (const int32_t *)x, 1);
    else wb_totals_add(&judge->totals, (const float *)x, 1);
    const bool is_exclusive = variant->result == WB_RESULT_EXCLUSIVE_SCAN;
    judge_element(judge, is_exclusive ? &before : &judge->totals, variant->output,
                  got + i * ELEMENT_BYTES, first + i);
  }
}

// Makes the input again, chunk by chunk, and judges every element of the output.
static bool judge_scan(run *r, wb_input_kind kind, wb_verdict *verdict, double *result) {
  session *s = r->s;
  const wb_variant *variant = r->variant;
  const size_t n = s->args.n;
  unsigned char *got = s->chunk + (size_t)CHUNK_ELEMENTS * ELEMENT_BYTES;
  scan_judge judge = {.verdict = wb_verify_int(0, 0)};
  if (kind != WB_INPUT_INTEGERS) {
    const double depth =
        variant->depth != NULL ? variant->depth(s->args.n, s->args.block) : wb_depth_serial(n);
    judge.bound_per_abs = wb_bound_sum(depth, 1.0);
  }
  for (size_t first = 0; first < n; first += CHUNK_ELEMENTS) {
    const size_t count = n - first < CHUNK_ELEMENTS ? n - first : CHUNK_ELEMENTS;
    const unsigned char *from = (const unsigned char *)s->out + first * ELEMENT_BYTES;
    if (!WB_OK(cudaMemcpy(got, from, count * ELEMENT_BYTES, cudaMemcpyDeviceToHost))) return false;
    make_chunk(s, variant, kind, first, count);
    judge_scan_chunk(s, &judge, variant, got, first, count);
  }
  *verdict = judge.verdict;
  *result = judge.sum;
  return true;
}

// Makes the input again, and judges the sum of every row.
static bool judge_rows(run *r, wb_input_kind kind, wb_verdict *verdict, double *result) {
  session *s = r->s;
  const size_t n = s->args.n;
  const double depth =
      r->variant->depth != NULL ? r->variant->depth(s->args.n, s->args.block) : WB_ROW;
  scan_judge judge = {.verdict = wb_verify_int(0, 0)};
  if (kind != WB_INPUT_INTEGERS) judge.bound_per_abs = wb_bound_sum(depth, 1.0);
  for (size_t first = 0, row = 0; first < n; first += WB_ROW, row++) {
    const size_t count = n - first < WB_ROW ? n - first : WB_ROW;
    unsigned char got[ELEMENT_BYTES];
    if (!WB_OK(cudaMemcpy(got, (const unsigned char *)s->out + row * ELEMENT_BYTES, ELEMENT_BYTES,
                          cudaMemcpyDeviceToHost))) {
      return false;
    }
    make_chunk(s, r->variant, kind, first, count);
    memset(&judge.totals, 0, sizeof judge.totals);
    wb_totals_add(&judge.totals, (const float *)(const void *)s->chunk, count);
    judge_element(&judge, &judge.totals, WB_FLOAT, got, row);
  }
  *verdict = judge.verdict;
  *result = judge.sum;
  return true;
}

// Reads the output and judges it; false on a CUDA error.
static bool judge_output(run *r, wb_input_kind kind, wb_verdict *verdict, double *result) {
  const wb_variant *variant = r->variant;
  if (variant->result == WB_RESULT_HISTOGRAM) return judge_bins(r, verdict, result);
  if (is_scan(variant)) return judge_scan(r, kind, verdict, result);
  if (variant->result == WB_RESULT_ROW_SUMS) return judge_rows(r, kind, verdict, result);
  const size_t n_out = output_elements(variant, r->launch.n, r->launch.parameter);
  if (!read_result(r->s, variant->output, n_out, result)) return false;
  *verdict = judge_result(r, kind, *result);
  return true;
}

static void say_what_is_wrong(const run *r, wb_input_kind kind, const wb_verdict *verdict,
                              wb_row *row) {
  const wb_args *args = &r->s->args;
  char where[40] = "";
  if (r->variant->result == WB_RESULT_HISTOGRAM) {
    snprintf(where, sizeof where, "bins, ");
  } else if (is_scan(r->variant)) {
    snprintf(where, sizeof where, "element %zu: ", verdict->index);
  } else if (r->variant->result == WB_RESULT_ROW_SUMS) {
    snprintf(where, sizeof where, "row %zu: ", verdict->index);
  }
  row->correct = false;
  snprintf(row->message, sizeof row->message, "n = %u, block %u, grid %u, %s input: %s%s", args->n,
           args->block, r->launch.grid, wb_input_kind_name(kind), where, verdict->message);
}

// Fills, poisons, runs, reads back, judges. False on a CUDA error, which has been printed.
static bool verify_on(run *r, wb_input_kind kind, wb_timing *timing, wb_row *row) {
  session *s = r->s;
  double result = 0.0;
  wb_verdict verdict;
  if (!fill_input(s, r->variant, kind) || !poison(s)) return false;
  wb_counters_reset();
  // The counted run is the only one on the software GPU; a GPU repeats it for the clock below.
  const bool ran = wb_time(timing, enqueue, r, 1, true);
  wb_counters_read(s->counters);
  if (!ran || !WB_OK(cudaDeviceSynchronize()) || !judge_output(r, kind, &verdict, &result)) {
    return false;
  }
  row->result = result;
  if (!(verdict.error_over_bound <= row->error_over_bound)) {
    row->error_over_bound = verdict.error_over_bound;
  }
  if (!verdict.correct && row->correct) say_what_is_wrong(r, kind, &verdict, row);
  return true;
}

static void derive(session *s, wb_row *row, double *before_ms) {
  const double ms = row->timing.median_ms;
  // A scan writes as much as it reads.
  const double bytes = (double)s->args.n * ELEMENT_BYTES * (is_scan(row->variant) ? 2.0 : 1.0);
  row->gb_per_s = ms > 0.0 ? bytes / (ms * 1e6) : NAN;
  row->percent_of_peak =
      s->device.peak_gb_per_s > 0.0 ? 100.0 * row->gb_per_s / s->device.peak_gb_per_s : NAN;
  row->times_before = *before_ms > 0.0 && ms > 0.0 ? *before_ms / ms : NAN;
  *before_ms = ms;
  row->counters = s->counters;
  for (size_t i = 0; i < WB_MAX_EXPLANATIONS; i++) {
    row->explanations[i] = wb_explain(&s->lesson->explanations[i], s->counters, s->args.n, ms);
  }
}

static bool run_variant(session *s, const wb_variant *variant, unsigned parameter,
                        double *before_ms) {
  run r;
  wb_row row;
  memset(&r, 0, sizeof r);
  memset(&row, 0, sizeof row);
  r.s = s;
  r.variant = variant;
  r.launch.n = row.n = s->args.n;
  r.launch.block = row.block = s->args.block;
  r.launch.parameter = row.parameter = parameter;
  r.launch.out = s->out;
  r.launch.scratch = s->scratch;
  row.lesson = s->lesson;
  row.variant = variant;
  row.device = &s->device;
  row.is_sweep = variant->sweep_to > 0;
  row.correct = true;
  if (s->on_terminal) fprintf(stderr, "\r  %s ...", variant->name);
  const bool ran = verify_on(&r, WB_INPUT_INTEGERS, &row.timing, &row) &&
                   verify_on(&r, WB_INPUT_MIXED, &row.timing, &row) &&
                   (s->device.modelled || wb_time(&row.timing, enqueue, &r, s->args.repeat, false));
  if (s->on_terminal) fprintf(stderr, "\r%*s\r", (int)strlen(variant->name) + 6, "");
  if (!ran) {
    fprintf(stderr, "%s: variant %s failed: n = %u, block %u, grid %u\n", s->lesson->name,
            variant->name, s->args.n, s->args.block, r.launch.grid);
    return false;
  }
  row.grid = r.launch.grid;
  derive(s, &row, before_ms);
  s->n_run++;
  s->n_wrong += row.correct ? 0 : 1;
  (s->args.json ? wb_print_json : wb_print_row)(stdout, &row);
  return true;
}

// --- the program ----------------------------------------------------------------------------

static bool is_chosen(const wb_variant *variant, const char *choice) {
  if (strcmp(choice, "all") == 0) return variant->sweep_to == 0 && !variant->on_request;
  return strcmp(choice, variant->name) == 0 ||
         (variant->group != NULL && strcmp(choice, variant->group) == 0);
}

// Why the variant cannot run with these, or NULL.
static const char *reason_to_refuse(const wb_variant *variant, unsigned n, unsigned block) {
  if (block % 32 != 0 && !variant->any_block) return "it needs whole warps: blocks of 32, 64, 96 ...";
  return variant->refuse != NULL ? variant->refuse(n, block) : NULL;
}

// Runs what was chosen; false after a CUDA error (a device fault outlasts the launch, so the
// variants that follow could only fail too).
static bool run_chosen(session *s) {
  double before_ms = 0.0;
  for (size_t i = 0; i < s->lesson->n_variants; i++) {
    const wb_variant *variant = &s->lesson->variants[i];
    if (!is_chosen(variant, s->args.variant)) continue;
    const char *reason = reason_to_refuse(variant, s->args.n, s->args.block);
    if (reason != NULL) {
      wb_print_refusal(s->args.json ? stderr : stdout, variant->name, reason);
      continue;
    }
    if (i > 0 && variant->group != s->lesson->variants[i - 1].group) before_ms = 0.0;
    if (variant->sweep_to == 0) {
      if (!run_variant(s, variant, variant->parameter, &before_ms)) return false;
      continue;
    }
    before_ms = 0.0; // a sweep compares with itself
    for (unsigned k = 1; k <= variant->sweep_to; k *= 4) {
      if (!run_variant(s, variant, k, &before_ms)) return false;
    }
  }
  return true;
}

// The variants' names and, once each, their groups'.
static size_t collect_names(const wb_lesson *lesson, const char **names, size_t room) {
  size_t n_names = 0;
  for (size_t i = 0; i < lesson->n_variants && n_names < room; i++) {
    names[n_names++] = lesson->variants[i].name;
  }
  for (size_t i = 0; i < lesson->n_variants && n_names < room; i++) {
    const char *group = lesson->variants[i].group;
    bool known = group == NULL;
    for (size_t j = 0; j < n_names && !known; j++) known = strcmp(group, names[j]) == 0;
    if (!known) names[n_names++] = group;
  }
  return n_names;
}

static void print_list(const wb_lesson *lesson) {
  for (size_t i = 0; i < lesson->n_variants; i++) {
    const wb_variant *variant = &lesson->variants[i];
    printf("%-18s %s", variant->name, variant->summary);
    if (variant->group != NULL) printf(" [--variant %s]", variant->group);
    if (variant->on_request) printf(" [only on request]");
    printf("\n");
  }
}

static int run_lesson(session *s) {
  if (!wb_device_open(&s->device)) return 1;
  if (wb_counters_count() > COUNTER_ROOM) {
    fprintf(stderr, "%s: COUNTER_ROOM is too small for this backend\n", s->lesson->name);
    return 1;
  }
  const bool is_open = session_open(s);
  if (is_open && !s->args.json) wb_print_heading(stdout, s->lesson, &s->args, &s->device);
  const bool ran = is_open && run_chosen(s);
  session_close(s);
  if (!ran || s->n_wrong > 0) return 1;
  if (s->n_run > 0) return 0;
  fprintf(stderr, "%s: nothing was run, see the reasons above\n", s->lesson->name);
  return 2;
}

int wb_lesson_main(int argc, char **argv, const wb_lesson *lesson) {
  const char *names[64];
  const wb_names variants = {names, collect_names(lesson, names, WB_COUNT(names))};
  char message[256];
  session s;
  memset(&s, 0, sizeof s);
  s.lesson = lesson;
  s.args.block = 256;
  s.args.seed = 1;
  s.args.repeat = 20;
  s.args.variant = "all";
#ifdef WORKBOOK_SIMT
  s.args.n = 1u << 20;
#else
  s.args.n = 1u << 26;
#endif
  if (!wb_args_parse(&s.args, argc, argv, variants, message, sizeof message)) {
    fprintf(stderr, "%s: %s\n", lesson->name, message);
    return 2;
  }
  if (s.args.help) {
    printf("%s: %s\n\nUsage: %s [options]\n%s", lesson->name, lesson->title, lesson->name,
           wb_args_help);
    printf("Defaults: --n %u --variant all --block %u --repeat %u --seed %llu\n", s.args.n,
           s.args.block, s.args.repeat, (unsigned long long)s.args.seed);
    return 0;
  }
  if (s.args.list) {
    print_list(lesson);
    return 0;
  }
  s.on_terminal = isatty(STDERR_FILENO) != 0 && !s.args.json;
  return run_lesson(&s);
}
