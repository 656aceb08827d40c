// SPDX-License-Identifier: MIT
// outcome.c - is what a lesson's variant wrote right? The input is made again, slice by slice, and
// every element of the output is held against its own bound; see session.h.
#include "session.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static wb_totals totals_before(const wb_session *s, unsigned slice) {
  wb_totals totals = {0.0, 0.0, 0.0};
  for (unsigned i = 0; i < slice; i++) wb_totals_join(&totals, &s->slices[i].totals);
  return totals;
}

// IEEE half precision: 1 sign, 5 exponent and 10 fraction bits.
static double half_value(uint16_t bits) {
  const int exponent = bits >> 10 & 31, fraction = bits & 1023;
  double value = exponent == 0 ? ldexp(fraction, -24) : ldexp(1024 + fraction, exponent - 25);
  if (exponent == 31) value = fraction != 0 ? NAN : INFINITY;
  return bits >> 15 ? -value : value;
}

// --- sums -----------------------------------------------------------------------------------

// The result on the host: the outputs' sum, which is the output itself when there is one.
static bool read_result(const wb_session *s, wb_type type, size_t n_out, double *result) {
  const size_t size = wb_type_bytes(type);
  unsigned char *chunk = s->slices[0].chunk;
  double sum = 0.0;
  for (size_t first = 0; first < n_out; first += WB_CHUNK_ELEMENTS) {
    const size_t count = n_out - first < WB_CHUNK_ELEMENTS ? n_out - first : WB_CHUNK_ELEMENTS;
    const unsigned char *from = (const unsigned char *)s->out + first * size;
    if (!WB_OK(cudaMemcpy(chunk, from, count * size, cudaMemcpyDeviceToHost))) return false;
    for (size_t i = 0; i < count; i++) {
      const void *at = chunk + i * size;
      if (type == WB_FLOAT) sum += (double)*(const float *)at;
      if (type == WB_INT) sum += (double)*(const int32_t *)at;
      if (type == WB_DOUBLE) sum += *(const double *)at;
      if (type == WB_HALF) sum += half_value(*(const uint16_t *)at);
    }
  }
  *result = sum;
  return true;
}

static wb_verdict judge_result(const wb_run *r, wb_input_kind kind, double result) {
  const wb_session *s = r->session;
  const wb_variant *variant = r->variant;
  const unsigned n = s->args.n;
  const wb_totals totals = totals_before(s, s->n_slices);
  const double expected = wb_totals_sum(&totals);
  if (variant->expect != NULL)
    return wb_verify_double(variant->expect(n, r->launch.parameter), result, 0.0);
  if (variant->input == WB_INT && variant->output == WB_INT) {
    // Int sums wrap on the device; modulo 2^32 the sum of wrapped slots is the wrapped sum.
    return wb_verify_int((int32_t)(uint32_t)(int64_t)expected, (int32_t)(uint32_t)(int64_t)result);
  }
  // The inputs' sums are exact in double (inputs.h), so that this is the only rounding.
  if (variant->rounded) return wb_verify_float_bits((float)expected, (float)result);
  double bound = 0.0; // integer-valued: every order of adding is exact
  if (kind != WB_INPUT_INTEGERS && variant->input != WB_INT) {
    const double depth =
        variant->depth != NULL ? variant->depth(n, s->args.block) : wb_depth_serial(n);
    bound = wb_bound_sum(depth, totals.sum_abs);
  }
  const bool one_float = variant->output == WB_FLOAT && variant->sweep_to == 0;
  return one_float ? wb_verify_float(expected, (float)result, bound)
                   : wb_verify_double(expected, result, bound);
}

static bool judge_bins(const wb_run *r, wb_verdict *verdict, double *result) {
  const wb_session *s = r->session;
  const unsigned n_bins = wb_n_bins(r->variant);
  int32_t *got = (int32_t *)(void *)s->slices[0].chunk, *expected = got + WB_CHUNK_ELEMENTS;
  *verdict = (wb_verdict){.correct = true};
  *result = 0.0;
  for (unsigned first = 0; first < n_bins && verdict->correct; first += WB_CHUNK_ELEMENTS) {
    const unsigned left = n_bins - first;
    const unsigned count = left < WB_CHUNK_ELEMENTS ? left : WB_CHUNK_ELEMENTS;
    const int32_t *from = (const int32_t *)s->out + first;
    if (!WB_OK(cudaMemcpy(got, from, count * sizeof *got, cudaMemcpyDeviceToHost))) return false;
    memset(expected, 0, count * sizeof *expected);
    for (unsigned i = 0; i < s->n_slices; i++)
      for (unsigned bin = 0; bin < count; bin++) expected[bin] += s->slices[i].bins[first + bin];
    *verdict = wb_verify_ints(expected, got, first, count);
    for (unsigned i = 0; i < count; i++) // tells the bins apart
      *result += (double)(first + i) * (double)got[i];
  }
  return true;
}

// --- arrays ---------------------------------------------------------------------------------

typedef struct element_judge {
  const wb_run *r;
  wb_input_kind kind;
  double bound_per_abs; // error allowed per unit of sum|x|
  bool is_int;
} element_judge;

// The first wrong element decides; as long as all are right, the one nearest to its bound.
static void judge_element(const element_judge *judge, wb_slice *slice, double expected,
                          double sum_abs, const unsigned char *at, size_t index) {
  const double bound = judge->bound_per_abs * sum_abs;
  int32_t as_int;
  float as_float;
  memcpy(&as_int, at, sizeof as_int);
  memcpy(&as_float, at, sizeof as_float);
  slice->sum += judge->is_int ? (double)as_int : (double)as_float;
  // Nearly all elements end here: right, and no nearer to their bound than another.
  if (!slice->verdict.correct) return;
  if (!judge->is_int &&
      fabs((double)as_float - expected) <= slice->verdict.error_over_bound * bound)
    return;
  const wb_verdict one = judge->is_int ? wb_verify_int((int32_t)(uint32_t)(int64_t)expected, as_int)
                                       : wb_verify_float(expected, as_float, bound);
  if (one.correct && one.error_over_bound <= slice->verdict.error_over_bound) return;
  slice->verdict = one;
  slice->verdict.index = index;
}

enum { SCAN_STEP = 1024 };

// Elements [first, first + count) of the scan, from `totals` of what stands before them.
static void judge_scan_chunk(const element_judge *judge, wb_slice *slice, wb_totals *totals,
                             const unsigned char *got, size_t first, size_t count) {
  const wb_variant *variant = judge->r->variant;
  double sums[SCAN_STEP + 1], sums_abs[SCAN_STEP + 1]; // [0]: before the first element
  const size_t shift = variant->result == WB_RESULT_EXCLUSIVE_SCAN ? 0 : 1;
  for (size_t done = 0; done < count; done += SCAN_STEP) {
    const size_t n = count - done < SCAN_STEP ? count - done : SCAN_STEP;
    const void *x = slice->chunk + done * WB_ELEMENT_BYTES;
    sums[0] = wb_totals_sum(totals);
    sums_abs[0] = totals->sum_abs;
    if (variant->input == WB_INT)
      wb_totals_scan_ints(totals, (const int32_t *)x, n, sums + 1, sums_abs + 1);
    else wb_totals_scan(totals, (const float *)x, n, sums + 1, sums_abs + 1);
    for (size_t i = 0; i < n; i++) {
      judge_element(judge, slice, sums[i + shift], sums_abs[i + shift],
                    got + (done + i) * WB_ELEMENT_BYTES, first + done + i);
    }
  }
}

static bool judge_scan_slice(void *data, unsigned index) {
  const element_judge *judge = (const element_judge *)data;
  const wb_session *s = judge->r->session;
  wb_slice *slice = &judge->r->session->slices[index];
  unsigned char *got = slice->chunk + (size_t)WB_CHUNK_ELEMENTS * WB_ELEMENT_BYTES;
  wb_totals totals = totals_before(s, index);
  for (size_t done = 0; done < slice->count; done += WB_CHUNK_ELEMENTS) {
    const size_t left = slice->count - done, first = slice->first + done;
    const size_t count = left < WB_CHUNK_ELEMENTS ? left : WB_CHUNK_ELEMENTS;
    const unsigned char *from = (const unsigned char *)s->out + first * WB_ELEMENT_BYTES;
    if (!WB_OK(cudaMemcpy(got, from, count * WB_ELEMENT_BYTES, cudaMemcpyDeviceToHost)))
      return false;
    wb_make_chunk(s, judge->r->variant, judge->kind, slice->chunk, first, count);
    judge_scan_chunk(judge, slice, &totals, got, first, count);
  }
  return true;
}

static bool judge_row_slice(void *data, unsigned index) {
  const element_judge *judge = (const element_judge *)data;
  const wb_session *s = judge->r->session;
  wb_slice *slice = &judge->r->session->slices[index];
  unsigned char *got = slice->chunk + (size_t)WB_CHUNK_ELEMENTS * WB_ELEMENT_BYTES;
  for (size_t done = 0; done < slice->count; done += WB_CHUNK_ELEMENTS) {
    const size_t left = slice->count - done, first = slice->first + done;
    const size_t count = left < WB_CHUNK_ELEMENTS ? left : WB_CHUNK_ELEMENTS;
    const size_t row = first / WB_ROW,
                 n_rows = (count + WB_ROW - 1) / WB_ROW; // whole rows, or the last
    const unsigned char *from = (const unsigned char *)s->out + row * WB_ELEMENT_BYTES;
    if (!WB_OK(cudaMemcpy(got, from, n_rows * WB_ELEMENT_BYTES, cudaMemcpyDeviceToHost)))
      return false;
    wb_make_chunk(s, judge->r->variant, judge->kind, slice->chunk, first, count);
    for (size_t i = 0; i < n_rows; i++) {
      wb_totals totals = {0.0, 0.0, 0.0};
      const size_t length = count - i * WB_ROW < WB_ROW ? count - i * WB_ROW : WB_ROW;
      wb_totals_add_chunk(&totals, judge->r->variant, slice->chunk + i * WB_ROW * WB_ELEMENT_BYTES,
                          length);
      judge_element(judge, slice, wb_totals_sum(&totals), totals.sum_abs,
                    got + i * WB_ELEMENT_BYTES, row + i);
    }
  }
  return true;
}

// Elements [first, first + count) of the shares' sum, as it ought to be and as each GPU has it.
// sums, sums_abs: room for [count] each.
static bool judge_across_chunk(const element_judge *judge, wb_slice *slice, size_t first,
                               size_t count, double *sums, double *sums_abs) {
  const wb_session *s = judge->r->session;
  const wb_shares *shares = &s->shares;
  unsigned char *got = slice->chunk + (size_t)WB_CHUNK_ELEMENTS * WB_ELEMENT_BYTES;
  for (size_t i = 0; i < count; i++) sums[i] = sums_abs[i] = 0.0;
  for (unsigned d = 0; d < shares->devices; d++) {
    const size_t at = (size_t)d * shares->width + first;
    const size_t left = at < s->args.n ? s->args.n - at : 0;
    const size_t there = left < count ? left : count;
    const float *x = (const float *)(const void *)slice->chunk;
    wb_make_chunk(s, judge->r->variant, judge->kind, slice->chunk, at, there);
    for (size_t i = 0; i < there; i++) {
      sums[i] += (double)x[i]; // exact for these inputs (inputs.h)
      sums_abs[i] += fabs((double)x[i]);
    }
  }
  for (unsigned d = 0; d < shares->devices; d++) {
    if (!WB_OK(cudaMemcpy(got, shares->out[d] + first, count * WB_ELEMENT_BYTES,
                          cudaMemcpyDeviceToHost)))
      return false;
    for (size_t i = 0; i < count; i++)
      judge_element(judge, slice, sums[i], sums_abs[i], got + i * WB_ELEMENT_BYTES, first + i);
  }
  return true;
}

// The output is as long as one GPU's share, so the slices are parts of that, in whole chunks.
static bool judge_across_slice(void *data, unsigned index) {
  const element_judge *judge = (const element_judge *)data;
  wb_session *s = judge->r->session;
  const size_t width = s->shares.width, n_chunks = width / WB_CHUNK_ELEMENTS + 1;
  const size_t each = (n_chunks + s->n_slices - 1) / s->n_slices * WB_CHUNK_ELEMENTS;
  const size_t begin = index * each, end = begin + each < width ? begin + each : width;
  double *sums = (double *)malloc((size_t)2 * WB_CHUNK_ELEMENTS * sizeof *sums);
  bool ok = sums != NULL;
  if (!ok) fprintf(stderr, "%s: out of host memory\n", s->lesson->name);
  for (size_t first = begin; first < end && ok; first += WB_CHUNK_ELEMENTS) {
    const size_t count = end - first < WB_CHUNK_ELEMENTS ? end - first : WB_CHUNK_ELEMENTS;
    ok = judge_across_chunk(judge, &s->slices[index], first, count, sums, sums + WB_CHUNK_ELEMENTS);
  }
  free(sums);
  return ok;
}

// All slices, then their verdicts in one.
static bool judge_elements(const wb_run *r, wb_input_kind kind, double depth, wb_slice_work work,
                           wb_verdict *verdict, double *result) {
  wb_session *s = r->session;
  element_judge judge = {r, kind, 0.0, r->variant->output == WB_INT};
  if (kind != WB_INPUT_INTEGERS) judge.bound_per_abs = wb_bound_sum(depth, 1.0);
  for (unsigned i = 0; i < s->n_slices; i++) {
    s->slices[i].verdict = wb_verify_int(0, 0);
    s->slices[i].sum = 0.0;
  }
  if (!wb_for_slices(s, work, &judge)) return false;
  *verdict = s->slices[0].verdict;
  *result = s->slices[0].sum;
  for (unsigned i = 1; i < s->n_slices; i++) {
    const wb_verdict *one = &s->slices[i].verdict;
    *result += s->slices[i].sum;
    if (!verdict->correct) continue;
    if (!one->correct || one->error_over_bound > verdict->error_over_bound) *verdict = *one;
  }
  return true;
}

bool wb_judge_output(const wb_run *r, wb_input_kind kind, wb_verdict *verdict, double *result) {
  const wb_variant *variant = r->variant;
  const unsigned n = r->session->args.n, block = r->session->args.block;
  const double depth = variant->depth != NULL ? variant->depth(n, block) : NAN;
  if (variant->result == WB_RESULT_HISTOGRAM) return judge_bins(r, verdict, result);
  if (wb_is_scan(variant)) {
    return judge_elements(r, kind, isnan(depth) ? wb_depth_serial(n) : depth, judge_scan_slice,
                          verdict, result);
  }
  if (variant->result == WB_RESULT_ACROSS) {
    const double each = (double)r->session->shares.devices;
    return judge_elements(r, kind, isnan(depth) ? each : depth, judge_across_slice, verdict,
                          result);
  }
  if (variant->result == WB_RESULT_ROW_SUMS) {
    return judge_elements(r, kind, isnan(depth) ? (double)WB_ROW : depth, judge_row_slice, verdict,
                          result);
  }
  const size_t n_out = wb_output_elements(variant, r->launch.n, r->launch.parameter);
  if (!read_result(r->session, variant->output, n_out, result)) return false;
  *verdict = judge_result(r, kind, *result);
  return true;
}
