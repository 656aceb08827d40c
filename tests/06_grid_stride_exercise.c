// SPDX-License-Identifier: MIT
// 06_grid_stride_exercise.c - judges any module that offers exercise 06's kernel, RMSNorm.
//
// A wrong element is compared with what the usual mistakes would give. Counters are upper bounds:
// how the row is walked over, what shared memory is used for.
//
// A variant of the exercise: rows of length 1. The sum of squares is not divided; all else, and so
// nearly all mistakes, are the same.
#include "06_grid_stride.h"

static const char rms_norm[] =
    "rms_norm(const float *in, const float *weight, float *out, unsigned columns, float epsilon)";

static const char unit_rows[] =
    "unit_rows(const float *in, const float *weight, float *out, unsigned columns, float epsilon)";

static bool is_length(void) { return wb_judge_is_variant("length"); }

typedef struct norm_case {
  const float *in;     // [rows][columns]
  const float *weight; // [columns]
  unsigned rows, columns, block;
  float epsilon;
  const char *about;
  size_t offset_bytes; // of in and weight
  const float *start;  // what every element of out holds before; NULL: poison
} norm_case;

// One element, as a right or a wrong kernel would compute it.
typedef struct element {
  const norm_case *one;
  const float *row; // [columns]
  unsigned r, c;
} element;

// The sum of squares over those columns whose thread is in [from, to), below `end`.
static double squares(const element *e, unsigned from, unsigned to, unsigned end) {
  double sum = 0.0;
  for (unsigned c = 0; c < end && c < e->one->columns; c++) {
    unsigned thread = c % e->one->block;
    if (thread >= from && thread < to) sum += (double)e->row[c] * (double)e->row[c];
  }
  return sum;
}

static double all_squares(const element *e) { return squares(e, 0, e->one->block, UINT32_MAX); }

static double scaled(const element *e, double mean) {
  return (double)e->row[e->c] / sqrt(mean + (double)e->one->epsilon) * (double)e->one->weight[e->c];
}

static double columns_of(const element *e) { return (double)e->one->columns; }
// What the sum of squares is divided by.
static double divisor_of(const element *e) { return is_length() ? 1.0 : columns_of(e); }
static double right(const element *e) { return scaled(e, all_squares(e) / divisor_of(e)); }

// In the variant it is divided.
static double h_not_divided(const element *e) {
  return scaled(e, all_squares(e) / (is_length() ? columns_of(e) : 1.0));
}
static double h_by_threads(const element *e) {
  return scaled(e, all_squares(e) / (double)e->one->block);
}
static double h_no_weight(const element *e) { return right(e) / (double)e->one->weight[e->c]; }
static double h_no_scale(const element *e) {
  return (double)e->row[e->c] * (double)e->one->weight[e->c];
}
static double h_no_root(const element *e) {
  double mean = all_squares(e) / divisor_of(e) + (double)e->one->epsilon;
  return h_no_scale(e) / mean;
}
static double h_times_root(const element *e) {
  return h_no_scale(e) * sqrt(all_squares(e) / divisor_of(e) + (double)e->one->epsilon);
}
static double h_no_epsilon(const element *e) {
  return scaled(e, all_squares(e) / divisor_of(e) - (double)e->one->epsilon);
}
static double h_epsilon_outside(const element *e) {
  return h_no_scale(e) / (sqrt(all_squares(e) / divisor_of(e)) + (double)e->one->epsilon);
}
static double h_epsilon_last(const element *e) {
  double mean = all_squares(e) / divisor_of(e);
  return h_no_scale(e) * (1.0 / sqrt(mean) + (double)e->one->epsilon);
}
static double h_epsilon_in_sum(const element *e) {
  return scaled(e, (all_squares(e) + (double)e->one->epsilon) / divisor_of(e) -
                       (double)e->one->epsilon);
}
static double h_one_step(const element *e) {
  return scaled(e, squares(e, 0, e->one->block, e->one->block) / divisor_of(e));
}
static double h_nothing(const element *e) { return scaled(e, 0); }
static double h_first_warp(const element *e) {
  return scaled(e, squares(e, 0, 32, UINT32_MAX) / divisor_of(e));
}
static double h_own_share(const element *e) {
  unsigned thread = e->c % e->one->block;
  return scaled(e, squares(e, thread, thread + 1, UINT32_MAX) / divisor_of(e));
}
static double h_not_last(const element *e) {
  return scaled(e, squares(e, 0, e->one->block, e->one->columns - 1) / divisor_of(e));
}
static double h_whole_steps(const element *e) {
  unsigned block = e->one->block;
  return scaled(e, squares(e, 0, block, e->one->columns / block * block) / divisor_of(e));
}
static double h_half_warps(const element *e) {
  double sum = 0.0;
  for (unsigned c = 0; c < e->one->columns; c++)
    if (c % e->one->block % 32 < 16) sum += (double)e->row[c] * (double)e->row[c];
  return scaled(e, sum / divisor_of(e));
}
static double mean_of(const element *e) {
  double sum = 0.0;
  for (unsigned c = 0; c < e->one->columns; c++) sum += (double)e->row[c];
  return sum / columns_of(e);
}
static double h_not_squared(const element *e) {
  return scaled(e, mean_of(e) * columns_of(e) / divisor_of(e));
}
static double h_variance(const element *e) {
  double mean = mean_of(e);
  return scaled(e, (all_squares(e) - columns_of(e) * mean * mean) / divisor_of(e));
}
static double h_row_0(const element *e) {
  element first = *e;
  first.row = e->one->in;
  return scaled(e, all_squares(&first) / divisor_of(e));
}
static double h_thread_weight(const element *e) {
  return right(e) / (double)e->one->weight[e->c] * (double)e->one->weight[e->c % e->one->block];
}

static double h_added_to_old(const element *e) {
  return e->one->start ? right(e) + (double)*e->one->start : NAN;
}

typedef struct hypothesis {
  double (*value)(const element *e);
  const char *cause;
} hypothesis;

static const hypothesis hypotheses[] = {
    {h_no_scale, "the element is multiplied by its weight, but not divided by r(row)"},
    {h_no_weight, "the weight of the column is missing"},
    {h_thread_weight, "the weight belongs to the column: weight[c], not weight[threadIdx.x]"},
    {h_not_divided, "the sum of squares is to be divided by the number of columns"},
    {h_by_threads, "the mean is over the columns: divide by `columns`, not by blockDim.x"},
    {h_no_root, "the root is missing: divide by sqrt(mean + epsilon)"},
    {h_times_root, "divide by the root, do not multiply with it"},
    {h_nothing,
     "the mean counts as 0: is anything added up, and divided as floats are? In integers "
     "1 / columns is 0"},
    {h_one_step, "only the first blockDim.x columns are added up: is there a loop over the row?"},
    {h_whole_steps, "the last, incomplete step over the row is left out"},
    {h_not_last, "the last column is left out: is a bound off by one?"},
    {h_own_share, "each thread uses its own sum: the sum of the block must reach all of them"},
    {h_first_warp,
     "the first warp has its own share only: does every warp store its sum, is there a "
     "__syncthreads() before the slots are read, and are all of them added up?"},
    {h_half_warps, "only lanes 0 to 15 of each warp arrive: does the fold begin with s = 16?"},
    {h_row_0, "the factor is that of row 0: does the row begin at blockIdx.x * columns?"},
    {h_variance, "that is the variance: RMSNorm does not subtract the mean"},
    {h_not_squared, "the values are added up, not their squares"},
    {h_epsilon_outside, "epsilon belongs under the root"},
    {h_epsilon_last, "epsilon belongs under the root"},
    {h_epsilon_in_sum, "epsilon is left out, or added to the sum: it is added to the mean"},
    {h_no_epsilon, "epsilon is missing under the root"},
    {h_added_to_old, "the result is added to what was there before: assign it"},
};

// What a kernel may do wrong where it turns from the steps that it keeps to the rest of the row, at
// the seam: the sum as so many times all squares, those before the seam, those of the step at it.
typedef struct seam_mistake {
  double all, before, step;
  const char *cause; // %u: the seam's column
} seam_mistake;

static const seam_mistake seam_mistakes[] = {
    {0, 1, 0, "nothing from column %u on is added up: what a thread does not keep counts as well"},
    {1, -1, 0, "nothing before column %u is added up: what a thread keeps counts as well"},
    {1, 1, 0,
     "what stands before column %u is added up twice: the loop over the rest begins behind the "
     "last step that is kept"},
    {1, 0, -1,
     "the blockDim.x columns from %u on are left out: the loop over the rest begins right behind "
     "the last step that is kept"},
    {1, 0, 1,
     "the blockDim.x columns from %u on are added up twice: the loop over the rest begins behind "
     "the last step that is kept"},
};

static bool is_near(double expected, double got, double tolerance) {
  if (isnan(expected)) return isnan(got);
  if (isinf(expected)) return got == expected;
  return fabs(got - expected) <= tolerance; // false for NaN
}

// With u = 2^-24: a thread's chain of columns / block additions and ten in the block, halved by the
// root; a few units for the root and the products.
static double tolerance_of(const element *e, double expected) {
  double chain = columns_of(e) / (double)e->one->block;
  return (chain / 2 + 24) * 0x1p-24 * fabs(expected) + (double)FLT_MIN;
}

// True when `value`, and not the right one, is what the kernel wrote.
static bool explains(const element *e, double expected, double value, float got) {
  return !isnan(value) && !is_near(expected, value, 2 * tolerance_of(e, expected)) &&
         is_near(value, (double)got, tolerance_of(e, value));
}

static const char *seam_cause(const element *e, double expected, float got) {
  static char cause[160];
  unsigned block = e->one->block;
  double all = all_squares(e);
  for (unsigned seam = 0; seam < e->one->columns; seam += block) {
    double before = squares(e, 0, block, seam), step = squares(e, 0, block, seam + block) - before;
    for (size_t m = 0; m < COUNT(seam_mistakes); m++) {
      const seam_mistake *one = &seam_mistakes[m];
      double sum = one->all * all + one->before * before + one->step * step;
      if (!explains(e, expected, scaled(e, sum / divisor_of(e)), got)) continue;
      snprintf(cause, sizeof cause, one->cause, seam);
      return cause;
    }
  }
  return NULL;
}

// The same thread's element of another step in place of this one.
static const char *other_step(const element *e, double expected, float got) {
  static char cause[160];
  unsigned block = e->one->block;
  for (unsigned c = e->c % block; c < e->one->columns; c += block) {
    double value = expected / (double)e->row[e->c] * (double)e->row[c];
    if (!explains(e, expected, value, got)) continue;
    snprintf(cause, sizeof cause,
             "the element is that of column %u, which the same thread has: is what is kept written "
             "where it was read?",
             c);
    return cause;
  }
  return NULL;
}

// What a float holds that the launch has not written.
static bool is_as_before(const element *e, float got) {
  uint32_t bits, start = WB_POISON;
  memcpy(&bits, &got, sizeof bits);
  if (e->one->start) memcpy(&start, e->one->start, sizeof start);
  return bits == start;
}

// Whether all that was written is element times weight times one number: it is the factor that is
// wrong, and not the elements.
static bool has_one_factor(const element *wrong, const float *got) {
  element e = *wrong;
  double factor = NAN;
  for (e.c = 0; e.c < e.one->columns; e.c++) {
    const double product = h_no_scale(&e);
    if (fabs(product) < (double)FLT_MIN) continue;
    if (isnan(factor)) factor = (double)got[e.c] / product;
    if (!(fabs((double)got[e.c] / product - factor) <= 1e-5 * fabs(factor))) return false;
  }
  return !isnan(factor);
}

static wb_why wrong_element(const element *e, const float *row_got) {
  const float got = row_got[e->c];
  const bool as_before = is_as_before(e, got);
  double expected = right(e);
  if (as_before && e->c >= e->one->block)
    return WB_WHY(
        "nothing was written here: do the threads walk on when the row is longer than the "
        "block?");
  if (as_before && e->c > 0)
    return WB_WHY_NEXT("element 0 of the row was written, and this one was not",
                       "which columns does a thread take, from which one on and how far apart?");
  if (as_before)
    return WB_UNFILLED(
        "nothing was written here: it still holds what the suite put in before the launch. "
        "Is the blank filled in yet?");
  for (size_t h = 0; h < COUNT(hypotheses); h++)
    if (explains(e, expected, hypotheses[h].value(e), got)) return WB_WHY(hypotheses[h].cause);
  const char *cause = seam_cause(e, expected, got);
  if (!cause) cause = other_step(e, expected, got);
  if (cause) return WB_WHY(cause);
  if (got == 0.0f)
    return WB_WHY(
        "0 was written: the sum became infinite (memory behind the row?), or what is kept is "
        "written where it was not read");
  if (isnan(got) && !isnan(expected))
    return WB_WHY("no element of this row is NaN: another row's value, or uninitialised memory");
  if (!has_one_factor(e, row_got))
    return WB_WHY_NEXT("what is multiplied is not this row's elements and their weights",
                       "where does the row begin, in `in` and in `out`? Which weight is a "
                       "column's?");
  return WB_WHY_NEXT("elements and weights are right, and the row's factor is not",
                     "is every column added up once, the sum divided by the number of columns, "
                     "and epsilon added to that, under the root?");
}

// True when in this row what lane 0 of each warp wrote is right: the others lack the sum.
static bool lane_0_alone(const element *wrong, const float *got) {
  element e = *wrong;
  if (e.c % e.one->block % 32 == 0 || is_as_before(&e, got[e.c])) return false;
  for (e.c = 0; e.c < e.one->columns; e.c++)
    if (e.c % e.one->block % 32 == 0 &&
        !is_near(right(&e), (double)got[e.c], tolerance_of(&e, right(&e))))
      return false;
  return true;
}

static void judge_row(wb_judge *judge, const norm_case *one, unsigned r, const float *got) {
  element e = {.one = one, .row = one->in + (size_t)r * one->columns, .r = r};
  double mean = all_squares(&e) / divisor_of(&e);
  for (; e.c < one->columns; e.c++) {
    double expected = scaled(&e, mean), tolerance = tolerance_of(&e, expected);
    if (is_near(expected, (double)got[e.c], tolerance)) continue;
    wb_judge_fail_why(
        judge,
        lane_0_alone(&e, got)
            ? WB_WHY("lane 0 alone has the sum: __shfl_xor_sync gives it to all lanes")
            : wrong_element(&e, got),
        "expected out[%u][%u] = %.9g (within %.2g)\ngot      %.9g", r, e.c, expected, tolerance,
        (double)got[e.c]);
  }
}

// Launches one case and judges every element. Beside a sum epsilon is as much larger as the sum is
// than the mean, so that its place matters as much.
static void run_norm(wb_judge *judge, const norm_case *asked) {
  norm_case own = *asked;
  const norm_case *one = &own;
  if (is_length()) own.epsilon *= (float)own.columns;
  wb_kernel kernel = wb_judge_kernel(judge, is_length() ? unit_rows : rms_norm);
  unsigned columns = one->columns;
  size_t n = (size_t)one->rows * columns;
  float epsilon = one->epsilon;
  void *in = wb_judge_input(judge, "in", one->in, n * sizeof(float), one->offset_bytes);
  void *weight =
      wb_judge_input(judge, "weight", one->weight, columns * sizeof(float), one->offset_bytes);
  void *out = wb_judge_output(judge, "out", n * sizeof(float));
  if (one->start) {
    float *start = wb_judge_host(judge, n * sizeof *start);
    for (size_t i = 0; i < n; i++) start[i] = *one->start;
    wb_judge_put(judge, out, start);
  }
  wb_judge_case(judge, "%u rows of %u columns, epsilon = %g, %s", one->rows, columns,
                (double)epsilon, one->about);
  wb_judge_launch(judge, &kernel, one->rows, one->block, 0,
                  (void *[]){&in, &weight, &out, &columns, &epsilon});
  const float *got = wb_judge_get(judge, out);
  for (unsigned r = 0; r < one->rows; r++) judge_row(judge, one, r, got + (size_t)r * columns);
}

static const unsigned norm_blocks[] = {32, 256, 96, 1024};

// Values of both signs in [-1, 1), every row of another size; weights around 1.
static void run_mixed(wb_judge *judge, unsigned rows, unsigned columns, unsigned block,
                      float epsilon) {
  size_t n = (size_t)rows * columns;
  float *x = wb_judge_host(judge, n * sizeof *x);
  float *w = wb_judge_host(judge, columns * sizeof *w);
  uint64_t seed = wb_judge_seed(judge) + n;
  wb_fill_floats(WB_INPUT_MIXED, x, n, seed);
  for (size_t i = 0; i < n; i++) x[i] = (x[i] + 0.25f) * (float)(i / columns + 1);
  for (unsigned c = 0; c < columns; c++) w[c] = 0.5f + (float)(c * 389u % 1009) / 1009.0f;
  norm_case one = {.in = x,
                   .weight = w,
                   .rows = rows,
                   .columns = columns,
                   .block = block,
                   .epsilon = epsilon,
                   .about = "values of both signs"};
  run_norm(judge, &one);
  wb_judge_release(judge);
}

static void check_one_row(wb_judge *judge) {
  for (size_t b = 0; b < COUNT(norm_blocks); b++) {
    run_mixed(judge, 1, norm_blocks[b], norm_blocks[b], 1e-5f);
    run_mixed(judge, 1, 4 * norm_blocks[b], norm_blocks[b], 1e-5f);
  }
}

static void check_columns(wb_judge *judge) {
  static const unsigned columns[] = {256, 1024, 1000, 257, 255, 33, 32, 31, 7, 2, 1, 2048, 4999};
  for (size_t b = 0; b < COUNT(norm_blocks); b++)
    for (size_t c = 0; c < COUNT(columns); c++)
      run_mixed(judge, 1, columns[c], norm_blocks[b], 1e-5f);
  // Around the lengths of which a thread may keep its share: 2 to 32 steps.
  for (size_t b = 0; b < COUNT(norm_blocks); b++)
    for (unsigned steps = 2; steps <= 32; steps *= 2)
      for (unsigned more = 0; more < 3; more++)
        run_mixed(judge, 1, steps * norm_blocks[b] - 1 + more, norm_blocks[b], 1e-5f);
}

static void check_rows(wb_judge *judge) {
  for (size_t b = 0; b < COUNT(norm_blocks); b++) {
    run_mixed(judge, 5, 300, norm_blocks[b], 1e-5f);
    run_mixed(judge, 100, 37, norm_blocks[b], 1e-5f);
    run_mixed(judge, 16, 2048, norm_blocks[b], 1e-5f);
  }
  for (unsigned k = 0; k < 8; k++)
    run_mixed(judge, wb_drawn(wb_judge_seed(judge), 2 * k, 1, 9),
              wb_drawn(wb_judge_seed(judge), 2 * k + 1, 1, k % 2 ? 2999 : 299),
              norm_blocks[k % COUNT(norm_blocks)], 1e-5f);
}

// Row c of a square has its one large element at column c; all others are small.
static void check_every_position(wb_judge *judge) {
  static const unsigned sizes[] = {130, 300};
  for (size_t s = 0; s < COUNT(sizes); s++)
    for (size_t b = 0; b < 3; b++) {
      unsigned columns = sizes[s];
      float *x = wb_judge_host(judge, (size_t)columns * columns * sizeof *x);
      float *w = wb_judge_host(judge, columns * sizeof *w);
      for (unsigned i = 0; i < columns * columns; i++)
        x[i] = i % columns == i / columns ? 64.0f : 0.5f;
      for (unsigned c = 0; c < columns; c++) w[c] = 1.0f + (float)(c % 5);
      norm_case one = {.in = x,
                       .weight = w,
                       .rows = columns,
                       .columns = columns,
                       .block = norm_blocks[b],
                       .epsilon = 1e-5f,
                       .about = "one large value in each row"};
      run_norm(judge, &one);
      wb_judge_release(judge);
    }
}

// Rows so small, or an epsilon so large, that its place matters.
static void check_epsilon(wb_judge *judge) {
  static const float epsilons[] = {0.5f, 4.0f, 1e-3f, 0.0f};
  for (size_t e = 0; e < COUNT(epsilons); e++)
    for (size_t b = 0; b < COUNT(norm_blocks); b++)
      run_mixed(judge, 3, 200, norm_blocks[b], epsilons[e]);
  enum { N = 100 };
  float zeros[N] = {0}, ones[N];
  for (unsigned c = 0; c < N; c++) ones[c] = 1.0f;
  norm_case one = {.in = zeros,
                   .weight = ones,
                   .rows = 1,
                   .columns = N,
                   .block = 64,
                   .epsilon = 1e-5f,
                   .about = "nothing but zeros"};
  run_norm(judge, &one);
}

// A NaN or an infinity in row 1 of 3.
static void run_special(wb_judge *judge, wb_special special, unsigned at) {
  enum { ROWS = 3, COLUMNS = 200 };
  float *x = wb_judge_host(judge, ROWS * COLUMNS * sizeof *x);
  float *w = wb_judge_host(judge, COLUMNS * sizeof *w);
  char about[64];
  wb_fill_float_range(x, ROWS * COLUMNS, 1, 9, wb_judge_seed(judge));
  wb_put_special(x, ROWS * COLUMNS, COLUMNS + at, special);
  for (unsigned c = 0; c < COLUMNS; c++) w[c] = 1.0f + (float)(c % 3);
  snprintf(about, sizeof about, "%s at column %u of row 1", wb_special_name(special), at);
  norm_case one = {.in = x,
                   .weight = w,
                   .rows = ROWS,
                   .columns = COLUMNS,
                   .block = 64,
                   .epsilon = 1e-5f,
                   .about = about};
  run_norm(judge, &one);
  wb_judge_release(judge);
}

static void check_specials(wb_judge *judge) {
  static const unsigned positions[] = {0, 31, 63, 64, 130, 199};
  for (size_t p = 0; p < COUNT(positions); p++)
    for (int s = 0; s < WB_SPECIAL_COUNT; s++) run_special(judge, (wb_special)s, positions[p]);
}

static void run_plain(wb_judge *judge, unsigned columns, size_t offset_bytes, const float *start) {
  enum { ROWS = 3 };
  float *x = wb_judge_host(judge, ROWS * columns * sizeof *x);
  float *w = wb_judge_host(judge, columns * sizeof *w);
  wb_fill_float_range(x, ROWS * columns, 1, 99, wb_judge_seed(judge));
  wb_fill_float_range(w, columns, 1, 9, wb_judge_seed(judge) + 1);
  norm_case one = {.in = x,
                   .weight = w,
                   .rows = ROWS,
                   .columns = columns,
                   .block = 128,
                   .epsilon = 1e-5f,
                   .about = "positive values",
                   .offset_bytes = offset_bytes,
                   .start = start};
  run_norm(judge, &one);
  wb_judge_release(judge);
}

static void check_bounds(wb_judge *judge) {
  for (int guards = 0; guards < 2; guards++)
    for (unsigned offset = 0; offset < 4; offset++)
      for (unsigned columns = 127; columns <= 129; columns++) {
        wb_judge_guards(judge, guards);
        run_plain(judge, columns, offset * sizeof(float), NULL);
      }
}

static void check_stale(wb_judge *judge) {
  static const float values[] = {-1.0f, 0.0f, 1000.0f, INFINITY, NAN};
  for (size_t v = 0; v < COUNT(values); v++) run_plain(judge, 300, 0, &values[v]);
}

#ifdef WORKBOOK_SIMT
static void check_walk(wb_judge *judge) {
  enum { ROWS = 4, COLUMNS = 2048 };
  for (size_t b = 0; b < COUNT(norm_blocks); b++) {
    run_mixed(judge, ROWS, COLUMNS, norm_blocks[b], 1e-5f);
    const simt_counters *c = wb_judge_counters(judge);
    // The row twice and the weights once; rows here are aligned: 32 bytes of each sector are used,
    // whatever the loads' width.
    wb_judge_cost_at_most(judge, "global_load_bytes", 3ull * ROWS * COLUMNS * sizeof(float),
                          "elements are read more often than once to add up and "
                          "once to write; does a thread take every blockDim.x-th column only?");
    const uint64_t ideal = c->global_load_bytes / 32;
    if (4 * c->global_load_sectors > 5 * ideal)
      wb_judge_fail_why(judge,
                        WB_COST("neighbouring lanes read columns far apart; let thread t take "
                                "columns t, t + blockDim.x …"),
                        "%llu sectors of 32 bytes were loaded, %llu would do",
                        (unsigned long long)c->global_load_sectors, (unsigned long long)ideal);
    wb_judge_release(judge);
  }
}

static void check_block_sum(wb_judge *judge) {
  enum { ROWS = 4 };
  for (size_t b = 0; b < COUNT(norm_blocks); b++) {
    unsigned warps = norm_blocks[b] / 32;
    run_mixed(judge, ROWS, 1000, norm_blocks[b], 1e-5f);
    wb_judge_cost_at_most(judge, "shared_store_words", ROWS * (warps + 1),
                          "every thread stores its sum; let the warps add up by "
                          "shuffles first");
    wb_judge_cost_at_most(judge, "block_barriers", ROWS * 3,
                          "a barrier in a loop; one after the slots are stored is "
                          "needed");
    wb_judge_cost_at_most(judge, "global_atomic_lanes", 0, "atomics");
    wb_judge_cost_at_most(judge, "shared_atomic_lanes", 0, "atomics");
    wb_judge_release(judge);
  }
}
#endif

static const wb_check exercise_checks[] = {
    {"one_row", 15, "one row, as long as the block or four times",
     "First get one warp right: columns = 32 and a block of 32.", check_one_row, false},
    {"columns", 15, "rows of 1 to 32,769 columns",
     "for (c = threadIdx.x; c < columns; c += blockDim.x) does it for any number of columns.",
     check_columns, false},
    {"rows", 10, "many rows, one for each block", "Row b begins at in + b * columns.", check_rows,
     false},
    {"every_position", 10, "every column counts, once", NULL, check_every_position, false},
    {"epsilon", 10, "epsilon where it belongs", "r(row) = sqrt(mean + epsilon).", check_epsilon,
     false},
    {"specials", 10, "a NaN or infinity stays in its row", NULL, check_specials, false},
    {"bounds", 5, "stays inside its arrays, inputs unchanged", NULL, check_bounds, false},
    {"stale_output", 5, "whatever the output held before", NULL, check_stale, false},
#ifdef WORKBOOK_SIMT
    {"walk", 10, "lanes side by side, each element read twice at most",
     "Neighbouring lanes, neighbouring columns.", check_walk, true},
    {"block_sum", 10, "one word a warp, three barriers, no atomics",
     "Lesson 05's block_reduce does with one word a warp.", check_block_sum, true},
#endif
};
const wb_suite rms_norm_exercise = {"06_grid_stride", exercise_checks, COUNT(exercise_checks)};
