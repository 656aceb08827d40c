// SPDX-License-Identifier: MIT
// 06_grid_stride.c - judges lesson 06's kernels, or any module that offers exercise 06's kernel.
//
// Counters are asserted exactly for the lesson's kernels (the hand calculation stands beside them)
// and as upper bounds for the exercise: how the row is walked over, what shared memory is used for.
#include "inputs.h"
#include "judge.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

// --- the exercise: rms_norm -------------------------------------------------------------------

static const char rms_norm[] =
    "rms_norm(const float *in, const float *weight, float *out, unsigned columns, float epsilon)";

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
static double right(const element *e) { return scaled(e, all_squares(e) / columns_of(e)); }

static double h_not_divided(const element *e) { return scaled(e, all_squares(e)); }
static double h_by_threads(const element *e) {
  return scaled(e, all_squares(e) / (double)e->one->block);
}
static double h_no_weight(const element *e) { return right(e) / (double)e->one->weight[e->c]; }
static double h_no_scale(const element *e) {
  return (double)e->row[e->c] * (double)e->one->weight[e->c];
}
static double h_no_root(const element *e) {
  double mean = all_squares(e) / columns_of(e) + (double)e->one->epsilon;
  return h_no_scale(e) / mean;
}
static double h_times_root(const element *e) {
  return h_no_scale(e) * sqrt(all_squares(e) / columns_of(e) + (double)e->one->epsilon);
}
static double h_no_epsilon(const element *e) {
  return scaled(e, all_squares(e) / columns_of(e) - (double)e->one->epsilon);
}
static double h_epsilon_outside(const element *e) {
  return h_no_scale(e) / (sqrt(all_squares(e) / columns_of(e)) + (double)e->one->epsilon);
}
static double h_epsilon_in_sum(const element *e) {
  return scaled(e, (all_squares(e) + (double)e->one->epsilon) / columns_of(e) -
                       (double)e->one->epsilon);
}
static double h_one_step(const element *e) {
  return scaled(e, squares(e, 0, e->one->block, e->one->block) / columns_of(e));
}
static double h_first_warp(const element *e) {
  return scaled(e, squares(e, 0, 32, UINT32_MAX) / columns_of(e));
}
static double h_own_share(const element *e) {
  unsigned thread = e->c % e->one->block;
  return scaled(e, squares(e, thread, thread + 1, UINT32_MAX) / columns_of(e));
}
static double h_not_last(const element *e) {
  return scaled(e, squares(e, 0, e->one->block, e->one->columns - 1) / columns_of(e));
}
static double h_whole_steps(const element *e) {
  unsigned block = e->one->block;
  return scaled(e, squares(e, 0, block, e->one->columns / block * block) / columns_of(e));
}
static double h_half_warps(const element *e) {
  double sum = 0.0;
  for (unsigned c = 0; c < e->one->columns; c++)
    if (c % e->one->block % 32 < 16) sum += (double)e->row[c] * (double)e->row[c];
  return scaled(e, sum / columns_of(e));
}
static double mean_of(const element *e) {
  double sum = 0.0;
  for (unsigned c = 0; c < e->one->columns; c++) sum += (double)e->row[c];
  return sum / columns_of(e);
}
static double h_not_squared(const element *e) { return scaled(e, mean_of(e)); }
static double h_variance(const element *e) {
  return scaled(e, all_squares(e) / columns_of(e) - mean_of(e) * mean_of(e));
}
static double h_row_0(const element *e) {
  element first = *e;
  first.row = e->one->in;
  return scaled(e, all_squares(&first) / columns_of(e));
}
static double h_thread_weight(const element *e) {
  return right(e) / (double)e->one->weight[e->c] *
         (double)e->one->weight[e->c % e->one->block];
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
    {h_epsilon_in_sum, "epsilon is added to the mean, not to the sum"},
    {h_no_epsilon, "epsilon is missing under the root"},
    {h_added_to_old, "the result is added to what was there before: assign it"},
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

static const char *wrong_element(const element *e, float got) {
  uint32_t bits, start = WB_POISON;
  double expected = right(e), tolerance = tolerance_of(e, expected);
  memcpy(&bits, &got, sizeof bits);
  if (e->one->start) memcpy(&start, e->one->start, sizeof start);
  if (bits == start && e->c >= e->one->block)
    return "nothing was written here: do the threads walk on when the row is longer than the "
           "block?";
  if (bits == start)
    return "nothing was written here: it still holds what the suite put in before the launch. "
           "Is the blank filled in yet?";
  for (size_t h = 0; h < COUNT(hypotheses); h++) {
    double value = hypotheses[h].value(e);
    if (isnan(value) || is_near(expected, value, 2 * tolerance)) continue;
    if (is_near(value, (double)got, tolerance_of(e, value))) return hypotheses[h].cause;
  }
  if (isnan(got) && !isnan(expected))
    return "no element of this row is NaN: another row's value, or memory that nobody has written";
  return "the sum of squares is wrong: which columns does a thread take, and is every one taken "
         "once?";
}

// True when in this row what lane 0 of each warp wrote is right: the others lack the sum.
static bool lane_0_alone(const element *wrong, const float *got) {
  element e = *wrong;
  if (e.c % e.one->block % 32 == 0) return false;
  for (e.c = 0; e.c < e.one->columns; e.c++)
    if (e.c % e.one->block % 32 == 0 &&
        !is_near(right(&e), (double)got[e.c], tolerance_of(&e, right(&e))))
      return false;
  return true;
}

static void judge_row(wb_judge *judge, const norm_case *one, unsigned r, const float *got) {
  element e = {.one = one, .row = one->in + (size_t)r * one->columns, .r = r};
  double mean = all_squares(&e) / columns_of(&e);
  for (; e.c < one->columns; e.c++) {
    double expected = scaled(&e, mean), tolerance = tolerance_of(&e, expected);
    if (is_near(expected, (double)got[e.c], tolerance)) continue;
    wb_judge_fail(judge,
                  "expected out[%u][%u] = %.9g (within %.2g)\ngot      %.9g\nlikely cause: %s", r,
                  e.c, expected, tolerance, (double)got[e.c],
                  lane_0_alone(&e, got)
                      ? "lane 0 alone has the sum: __shfl_xor_sync gives it to all lanes"
                      : wrong_element(&e, got[e.c]));
  }
}

// Launches one case and judges every element.
static void run_norm(wb_judge *judge, const norm_case *one) {
  wb_kernel kernel = wb_judge_kernel(judge, rms_norm);
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
}

static void check_rows(wb_judge *judge) {
  for (size_t b = 0; b < COUNT(norm_blocks); b++) {
    run_mixed(judge, 5, 300, norm_blocks[b], 1e-5f);
    run_mixed(judge, 100, 37, norm_blocks[b], 1e-5f);
    run_mixed(judge, 16, 2048, norm_blocks[b], 1e-5f);
  }
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
    // The row twice and the weights once; rows here are aligned: 4 sectors a warp and load.
    wb_judge_counter_at_most(judge, "global_load_bytes", 3ull * ROWS * COLUMNS * sizeof(float),
                             "likely cause: elements are read more often than once to add up and "
                             "once to write; does a thread take every blockDim.x-th column only?");
    if (c->global_load_sectors > 5 * c->global_load_requests)
      wb_judge_fail(judge,
                    "%llu sectors in %llu loads, 4 each would do\nlikely cause: neighbouring lanes "
                    "read columns far apart; let thread t take columns t, t + blockDim.x …",
                    (unsigned long long)c->global_load_sectors,
                    (unsigned long long)c->global_load_requests);
    wb_judge_release(judge);
  }
}

static void check_block_sum(wb_judge *judge) {
  enum { ROWS = 4 };
  for (size_t b = 0; b < COUNT(norm_blocks); b++) {
    unsigned warps = norm_blocks[b] / 32;
    run_mixed(judge, ROWS, 1000, norm_blocks[b], 1e-5f);
    wb_judge_counter_at_most(judge, "shared_store_words", ROWS * (warps + 1),
                             "likely cause: every thread stores its sum; let the warps add up by "
                             "shuffles first");
    wb_judge_counter_at_most(judge, "block_barriers", ROWS * 3,
                             "likely cause: a barrier in a loop; one after the slots are stored is "
                             "needed");
    wb_judge_counter_at_most(judge, "global_atomic_lanes", 0, "likely cause: atomics");
    wb_judge_counter_at_most(judge, "shared_atomic_lanes", 0, "likely cause: atomics");
    wb_judge_release(judge);
  }
}
#endif

static const wb_check exercise_checks[] = {
    {"one_row", 15, "one row, as long as the block or four times",
     "First get one warp right: columns = 32 and a block of 32.", check_one_row, false},
    {"columns", 15, "rows of 1 to 4,999 columns",
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
static const wb_suite exercise = {"06_grid_stride", exercise_checks, COUNT(exercise_checks)};

// --- the lesson's own kernels: one sum --------------------------------------------------------

enum { ROW = 2048, MOST_BLOCKS = 16 };

typedef struct sum_kernel {
  const char *signature;
  enum { PARTIALS, ATOMIC, LAST, COLLECTED } finish;
  unsigned per_block; // times blockDim.x: elements a block takes; 0: any grid will do
} sum_kernel;

#define PARTIAL_SUMS(name) {name "(const float *in, float *out, unsigned n)", PARTIALS, 0}
enum { BUTTERFLY, CHUNKED, GRID_STRIDE, UNROLL_4, UNROLL_8, VECTORS, ATOMIC_FINISH, LAST_BLOCK,
       ADAPTIVE };
static const sum_kernel sums[] = {
    {"butterfly(const float *in, float *out, unsigned n)", PARTIALS, 2},
    PARTIAL_SUMS("chunked"),
    PARTIAL_SUMS("grid_stride"),
    PARTIAL_SUMS("unroll_4"),
    PARTIAL_SUMS("unroll_8"),
    PARTIAL_SUMS("vectors"),
    {"atomic_finish(const float *in, float *out, unsigned n)", ATOMIC, 0},
    {"last_block(const float *in, float *partials, float *out, unsigned n)", LAST, 0},
    {"adaptive(const float *in, float *out, unsigned n)", COLLECTED, 0},
};

typedef struct sum_case {
  const float *x;
  unsigned n, block, grid;
  bool exact;
  size_t offset_bytes;
  const char *about;
} sum_case;

// Launches a kernel and judges the whole sum; the partial sums are added up in double.
static float run_sum(wb_judge *judge, const sum_kernel *k, const sum_case *one) {
  wb_kernel kernel = wb_judge_kernel(judge, k->signature);
  unsigned n = one->n, span = k->per_block * one->block;
  unsigned grid = span ? n / span + (n % span != 0 || n == 0) : one->grid;
  void *in = wb_judge_input(judge, "in", one->x, n * sizeof(float), one->offset_bytes);
  void *partials = wb_judge_output(judge, "partials", grid * sizeof(float));
  void *out = wb_judge_output(judge, "out", sizeof(float));
  static const float zero = 0.0f;
  if (k->finish == ATOMIC) wb_judge_put(judge, out, &zero);
  void *two_outputs[] = {&in, &partials, &out, &n};
  void *one_output[] = {&in, k->finish == PARTIALS ? &partials : &out, &n};
  wb_judge_case(judge, "n = %u, %s", n, one->about);
  wb_judge_launch(judge, &kernel, grid, one->block, 0,
                  k->finish == LAST ? two_outputs : one_output);
  double sum = 0.0;
  const float *got = wb_judge_get(judge, k->finish == PARTIALS ? partials : out);
  for (unsigned b = 0; b < (k->finish == PARTIALS ? grid : 1); b++) sum += (double)got[b];
  wb_fold fold = {.op = WB_SUM,
                  .input = "in",
                  .output = "out",
                  .a = one->x,
                  .n = n,
                  .count = n,
                  .block = one->block,
                  .start_bits = WB_POISON};
  if (!one->exact) fold.tolerance = wb_fold_bound(&fold);
  wb_judge_value(judge, &fold, (float)sum);
  return got[0];
}

static void run_kind(wb_judge *judge, const sum_kernel *k, unsigned n, unsigned block,
                     unsigned grid, size_t offset_bytes) {
  for (int kind = WB_INPUT_INTEGERS; kind <= WB_INPUT_MIXED; kind++) {
    float *x = wb_judge_host(judge, n * sizeof *x);
    wb_fill_floats((wb_input_kind)kind, x, n, wb_judge_seed(judge) + n);
    sum_case one = {x,           n, block, grid, kind == WB_INPUT_INTEGERS, offset_bytes,
                    wb_input_kind_name((wb_input_kind)kind)};
    run_sum(judge, k, &one);
    wb_judge_release(judge);
  }
}

static void lesson_sizes(wb_judge *judge) {
  static const unsigned sizes[] = {0,   1,    2,    31,   32,   33,   255,   256,
                                   257, 1023, 1024, 1025, 4095, 7919, 65537, 100003};
  static const struct {
    unsigned block, grid;
  } shapes[] = {{32, 1}, {256, 3}, {96, 7}, {1024, 2}};
  for (size_t k = 0; k < COUNT(sums); k++)
    for (size_t s = 0; s < COUNT(sizes); s++)
      for (size_t g = 0; g < COUNT(shapes); g++)
        run_kind(judge, &sums[k], sizes[s], shapes[g].block, shapes[g].grid, 0);
}

static void lesson_positions(wb_judge *judge) {
  enum { N = 3 * 64 * 9 + 5 }; // whole rounds of 2 x 32 threads, unrolled and not, and a rest
  for (size_t k = 0; k < COUNT(sums); k++)
    for (unsigned at = 0; at < N; at++) {
      float *x = wb_judge_host(judge, N * sizeof *x);
      wb_fill_one_hot(x, N, at, (float)(at + 1), 0.0f);
      sum_case one = {x, N, 32, 2, true, at % 4 * sizeof(float), "all 0 but one"};
      run_sum(judge, &sums[k], &one);
      wb_judge_release(judge);
    }
}

static void lesson_specials(wb_judge *judge) {
  static const unsigned positions[] = {0, 3, 150, 299};
  for (size_t k = 0; k < COUNT(sums); k++)
    for (int s = 0; s < WB_SPECIAL_COUNT; s++)
      for (size_t p = 0; p < COUNT(positions); p++) {
        float *x = wb_judge_host(judge, 300 * sizeof *x);
        wb_fill_float_range(x, 300, 1, 9, wb_judge_seed(judge));
        wb_put_special(x, 300, positions[p], (wb_special)s);
        sum_case one = {x, 300, 64, 2, true, 0, wb_special_name((wb_special)s)};
        run_sum(judge, &sums[k], &one);
        wb_judge_release(judge);
      }
}

// Every alignment, and so few elements that a head, vectors or a tail may be all there is.
static void lesson_alignment(wb_judge *judge) {
  for (int guards = 0; guards < 2; guards++)
    for (size_t k = 0; k < COUNT(sums); k++)
      for (unsigned offset = 0; offset < 4; offset++)
        for (unsigned n = 0; n < 20; n++) {
          wb_judge_guards(judge, guards);
          run_kind(judge, &sums[k], n < 12 ? n : 1021 + n, 32, 2, offset * sizeof(float));
        }
}

// The last block must leave its counter as it found it; without atomic adds the bits are the same.
static void lesson_repeated(wb_judge *judge) {
  enum { N = 50001 };
  for (size_t k = 0; k < COUNT(sums); k++) {
    float first = 0.0f;
    for (unsigned again = 0; again < 3; again++) {
      float *x = wb_judge_host(judge, N * sizeof *x);
      wb_fill_floats(WB_INPUT_MIXED, x, N, wb_judge_seed(judge));
      sum_case one = {x, N, 128, MOST_BLOCKS, false, 0, "the same input again"};
      float got = run_sum(judge, &sums[k], &one);
      if (again == 0) first = got;
      if (memcmp(&got, &first, sizeof got) != 0 && sums[k].finish != ATOMIC)
        wb_judge_fail(judge, "%.9g the first time, now %.9g", (double)first, (double)got);
      wb_judge_release(judge);
    }
  }
}

// --- rows -------------------------------------------------------------------------------------

static const char *const row_kernels[] = {"block_rows(const float *in, float *out, unsigned n)",
                                          "warp_rows(const float *in, float *out, unsigned n)"};

static void run_rows(wb_judge *judge, unsigned which, unsigned n, unsigned block, unsigned offset) {
  wb_kernel kernel = wb_judge_kernel(judge, row_kernels[which]);
  unsigned rows = n / ROW + (n % ROW != 0), per_block = which == 0 ? 1 : block / 32;
  unsigned grid = rows / per_block + (rows % per_block != 0);
  float *x = wb_judge_host(judge, n * sizeof *x);
  wb_fill_float_range(x, n, -1000, 2000, wb_judge_seed(judge) + n);
  void *in = wb_judge_input(judge, "in", x, n * sizeof *x, offset * sizeof *x);
  void *out = wb_judge_output(judge, "out", rows * sizeof(float));
  wb_judge_case(judge, "n = %u, rows of %u", n, ROW);
  wb_judge_launch(judge, &kernel, grid, block, 0, (void *[]){&in, &out, &n});
  const float *got = wb_judge_get(judge, out);
  for (unsigned r = 0; r < rows; r++) {
    wb_fold fold = {.op = WB_SUM,
                    .input = "in",
                    .output = "out",
                    .a = x,
                    .n = n,
                    .first = (uint64_t)r * ROW,
                    .count = n - r * ROW < ROW ? n - r * ROW : ROW,
                    .index = r,
                    .block = block,
                    .start_bits = WB_POISON};
    wb_judge_value(judge, &fold, got[r]);
  }
  wb_judge_release(judge);
}

static void lesson_rows(wb_judge *judge) {
  static const unsigned sizes[] = {1, 31, 2047, 2048, 2049, 5 * ROW, 9 * ROW - 1, 9 * ROW + 3};
  static const unsigned blocks[] = {32, 96, 256, 1024};
  for (unsigned which = 0; which < COUNT(row_kernels); which++)
    for (size_t s = 0; s < COUNT(sizes); s++)
      for (size_t b = 0; b < COUNT(blocks); b++)
        for (unsigned offset = 0; offset < 4; offset++)
          run_rows(judge, which, sizes[s], blocks[b], offset);
}

// --- counters ---------------------------------------------------------------------------------

#ifdef WORKBOOK_SIMT
static const char by_hand[] = "the hand calculation in tests/06_grid_stride.c says otherwise";

static void run_counted(wb_judge *judge, unsigned which, unsigned n, size_t offset_bytes) {
  float *x = wb_judge_host(judge, n * sizeof *x);
  wb_fill_floats(WB_INPUT_INTEGERS, x, n, wb_judge_seed(judge));
  sum_case one = {x, n, 256, 4, true, offset_bytes, "integers"};
  run_sum(judge, &sums[which], &one);
}

static void expect_loads(wb_judge *judge, uint64_t requests, uint64_t sectors, uint64_t groups) {
  wb_judge_counter_is(judge, "global_load_requests", requests, by_hand);
  wb_judge_counter_is(judge, "global_load_sectors", sectors, by_hand);
  wb_judge_counter_is(judge, "global_load_groups", groups, by_hand);
  wb_judge_release(judge);
}

// 4 blocks of 256 threads: T = 1,024, 32 warps. With n = 32 T every thread takes 32 elements: 1,024
// requests of a warp in all, or 256 of 16 bytes a lane. chunked: lanes 32 floats apart, which is a
// sector each: 32. Side by side: 32 floats are 4 sectors, 32 vectors 16. Loads under way together:
// 1, 4 or 8, and 4 vectors.
static void lesson_walks(wb_judge *judge) {
  enum { T = 1024, N = 32 * T };
  run_counted(judge, CHUNKED, N, 0);
  wb_judge_counter_is(judge, "global_load_requests", 1024, by_hand);
  wb_judge_counter_is(judge, "global_load_sectors", 32 * 1024, by_hand);
  wb_judge_release(judge);
  run_counted(judge, GRID_STRIDE, N, 0);
  expect_loads(judge, 1024, 4 * 1024, 1024);
  run_counted(judge, UNROLL_4, N, 0);
  expect_loads(judge, 1024, 4 * 1024, 1024 / 4);
  run_counted(judge, UNROLL_8, N, 0);
  expect_loads(judge, 1024, 4 * 1024, 1024 / 8);
  run_counted(judge, VECTORS, N, 0);
  expect_loads(judge, 256, 16 * 256, 256 / 4);
}

// One float after an aligned address: three scalars up to the next 16 bytes, by one warp and from
// one sector; then the vectors, in as many requests as ever, but begun in the middle of a sector:
// 17 of them. Two scalars more at the end, again one warp and one sector.
static void lesson_misaligned(wb_judge *judge) {
  enum { T = 1024, VECTORS_EACH = 4 };
  run_counted(judge, VECTORS, 3 + 4 * VECTORS_EACH * T + 2, sizeof(float));
  expect_loads(judge, VECTORS_EACH * 32 + 2, 17 * VECTORS_EACH * 32 + 2, 32 + 2);
  run_counted(judge, VECTORS, 4 * VECTORS_EACH * T, 0);
  expect_loads(judge, VECTORS_EACH * 32, 16 * VECTORS_EACH * 32, 32);
}

// Four blocks: an atomic each; the last block fences twice a block and reads four partial sums; three
// posts, read at once by one warp and emptied, and the result.
static void lesson_finish(wb_judge *judge) {
  enum { N = 32 * 1024 };
  run_counted(judge, VECTORS, N, 0);
  wb_judge_counter_is(judge, "global_atomic_lanes", 0, by_hand);
  wb_judge_release(judge);
  run_counted(judge, ATOMIC_FINISH, N, 0);
  wb_judge_counter_is(judge, "global_atomic_lanes", 4, by_hand);
  wb_judge_counter_is(judge, "global_atomic_max_degree", 4, by_hand);
  wb_judge_release(judge);
  run_counted(judge, LAST_BLOCK, N, 0);
  wb_judge_counter_is(judge, "global_atomic_lanes", 4, by_hand);
  wb_judge_counter_is(judge, "global_atomic_float_lanes", 0, by_hand);
  wb_judge_counter_is(judge, "fences", 2 * 4, by_hand);
  wb_judge_counter_is(judge, "global_load_requests", 256 + 1, by_hand);
  wb_judge_release(judge);
  run_counted(judge, ADAPTIVE, N, 0);
  wb_judge_counter_is(judge, "global_atomic_lanes", 4, by_hand);
  wb_judge_counter_is(judge, "fences", 0, by_hand);
  wb_judge_counter_is(judge, "global_load_requests", 256 + 1, by_hand);
  wb_judge_counter_is(judge, "global_store_requests", 3 + 1 + 1, by_hand);
  wb_judge_release(judge);
}

// Rows of 2,048 floats. A block of 256 reads one in 64 requests, with two barriers; a warp reads
// one in 16 requests of 16 bytes a lane, with none, and without shared memory.
static void lesson_row_counters(wb_judge *judge) {
  enum { ROWS = 16 };
  run_rows(judge, 0, ROWS * ROW, 256, 0);
  wb_judge_counter_is(judge, "global_load_requests", ROWS * 64, by_hand);
  wb_judge_counter_is(judge, "block_barriers", ROWS * 2, by_hand);
  run_rows(judge, 1, ROWS * ROW, 256, 0);
  wb_judge_counter_is(judge, "global_load_requests", ROWS * 16, by_hand);
  wb_judge_counter_is(judge, "global_load_bytes", ROWS * ROW * sizeof(float), by_hand);
  wb_judge_counter_is(judge, "block_barriers", 0, by_hand);
  wb_judge_counter_is(judge, "shared_store_words", 0, by_hand);
}
#endif

static const wb_check lesson_checks[] = {
    {"sizes", 1, "sizes, grids, exact and mixed inputs", NULL, lesson_sizes, false},
    {"positions", 1, "every position counts", NULL, lesson_positions, false},
    {"specials", 1, "infinities, NaN, -0", NULL, lesson_specials, false},
    {"alignment", 1, "inputs at every alignment, inside their bounds", NULL, lesson_alignment,
     false},
    {"repeated", 1, "the same again, with the same bits", NULL, lesson_repeated, false},
    {"rows", 1, "the sum of each row", NULL, lesson_rows, false},
#ifdef WORKBOOK_SIMT
    {"walks", 1, "32 sectors a request against 4, loads under way", NULL, lesson_walks, true},
    {"misaligned", 1, "16-byte loads after a scalar head", NULL, lesson_misaligned, true},
    {"finish", 1, "atomics and fences as by hand", NULL, lesson_finish, true},
    {"row_counters", 1, "a row by a block, a row by a warp", NULL, lesson_row_counters, true},
#endif
};
static const wb_suite lesson = {"06_grid_stride", lesson_checks, COUNT(lesson_checks)};

int main(int argc, char **argv) { return wb_judge_main(argc, argv, &lesson, &exercise); }
