// SPDX-License-Identifier: MIT
// 07_cooperative_groups_exercise.c - judges any module that offers exercise 07's kernel, softmax.
//
// What a wrong row comes from: 07_cooperative_groups_diagnose.c. Counters are upper bounds.
#include "07_cooperative_groups.h"

static const char softmax[] =
    "softmax_rows(const float *in, float *out, unsigned n_rows, unsigned n_columns)";

static const char base_two[] =
    "base_two_rows(const float *in, float *out, unsigned n_rows, unsigned n_columns)";

static void judge_row(wb_judge *judge, const softmax_case *one, const float *got, unsigned row) {
  const float *x = one->in + (size_t)row * one->n_columns;
  softmax_part all = softmax_part_of(x, one->n_columns);
  for (unsigned c = 0; c < one->n_columns; c++) {
    double expected = softmax_share(x[c], all);
    double allowed = softmax_tolerance(expected, all.max - (double)x[c], one->n_columns);
    if (fabs((double)got[c] - expected) <= allowed) continue;
    wb_judge_fail_why(judge, softmax_row_cause(one, got, row, c),
                      "out[%u][%u]: expected %.9g, got %.9g (in[%u][%u] = %.9g)", row, c, expected,
                      (double)got[c], row, c, (double)x[c]);
  }
}

static unsigned softmax_grid(unsigned n_rows, unsigned block) {
  unsigned tiles = block / LANES, grid = n_rows / tiles + (n_rows % tiles != 0);
  return grid ? grid : 1;
}

// Launches one case and judges every row but the free ones. Returns the output.
static const float *run_softmax(wb_judge *judge, const softmax_case *one) {
  wb_kernel kernel = wb_judge_kernel(judge, softmax_is_base_two() ? base_two : softmax);
  unsigned n_rows = one->n_rows, n_columns = one->n_columns;
  size_t size_bytes = (size_t)n_rows * n_columns * sizeof(float);
  void *in = wb_judge_input(judge, "in", one->in, size_bytes, one->offset_bytes);
  void *out = wb_judge_output(judge, "out", size_bytes);
  if (one->start) wb_judge_put(judge, out, one->start);
  void *arguments[] = {&in, &out, &n_rows, &n_columns};
  wb_judge_launch(judge, &kernel, softmax_grid(n_rows, one->block), one->block, 0, arguments);
  const float *got = wb_judge_get(judge, out);
  for (unsigned row = 0; row < n_rows; row++)
    if (row - one->free_row >= one->n_free_rows)
      judge_row(judge, one, got + (size_t)row * n_columns, row);
  return got;
}

// Sixteenths between -8 and 8, different in every place.
static float *some_rows(wb_judge *judge, unsigned n_rows, unsigned n_columns) {
  size_t n = (size_t)n_rows * n_columns;
  float *x = wb_judge_host(judge, n * sizeof *x);
  wb_fill_float_range(x, n, -128, 128, wb_judge_seed(judge) + 4096 * n_rows + n_columns);
  for (size_t i = 0; i < n; i++) x[i] /= 16.0f;
  return x;
}

static void run_some(wb_judge *judge, unsigned n_rows, unsigned n_columns, unsigned block) {
  wb_judge_case(judge, "%u rows of %u columns", n_rows, n_columns);
  softmax_case one = {.n_rows = n_rows,
                      .n_columns = n_columns,
                      .block = block,
                      .in = some_rows(judge, n_rows, n_columns)};
  run_softmax(judge, &one);
  wb_judge_release(judge);
}

static void check_one_row(wb_judge *judge) {
  static const unsigned columns[] = {64, 32, 128, 40, 100};
  for (size_t c = 0; c < COUNT(columns); c++) run_some(judge, 1, columns[c], LANES);
}
static void check_sizes(wb_judge *judge) {
  static const unsigned rows[] = {1, 2, 3, 7, 8, 9, 33, 0};
  static const unsigned columns[] = {64, 65, 63, 33, 100, 257, 1000, 32, 31, 2, 1, 0};
  for (size_t c = 0; c < COUNT(columns); c++)
    for (size_t r = 0; r < COUNT(rows); r++) run_some(judge, rows[r], columns[c], 128);
  // Around the lengths of which a thread may keep its share: 8 to 64 elements.
  for (unsigned kept = 8 * LANES; kept <= 64 * LANES; kept *= 2)
    for (unsigned more = 0; more < 3; more++) run_some(judge, 3, kept - 1 + more, 64);
  run_some(judge, 2, 4999, 64);
  for (unsigned k = 0; k < 8; k++)
    run_some(judge, wb_drawn(wb_judge_seed(judge), 2 * k, 1, 9),
             wb_drawn(wb_judge_seed(judge), 2 * k + 1, 1, k % 2 ? 2999 : 299), 128);
}
static void check_blocks(wb_judge *judge) {
  static const unsigned blocks[] = {64, 32, 96, 256, 480, 512};
  for (size_t b = 0; b < COUNT(blocks); b++) {
    unsigned tiles = blocks[b] / LANES;
    run_some(judge, 3 * tiles, 70, blocks[b]);
    run_some(judge, 2 * tiles + 1, 70, blocks[b]);
    run_some(judge, 2 * tiles - 1, 70, blocks[b]);
  }
}

// The one large element stands in every column once: all rows together are a matrix with a large
// diagonal. It decides nearly everything, and the others' shares are known too.
static void run_diagonals(wb_judge *judge) {
  static const unsigned sides[] = {100, 64, 31};
  for (size_t s = 0; s < COUNT(sides); s++) {
    unsigned side = sides[s];
    float *x = some_rows(judge, side, side);
    for (unsigned r = 0; r < side; r++) x[r * side + r] = 12.0f;
    wb_judge_case(judge, "%u rows of %u columns, the largest element of row r in column r", side,
                  side);
    softmax_case one = {.n_rows = side, .n_columns = side, .block = 256, .in = x};
    run_softmax(judge, &one);
    wb_judge_release(judge);
  }
}

// The same at some columns of rows longer than what a thread keeps.
static void run_large_at(wb_judge *judge, unsigned n_columns, const unsigned *at, unsigned n_rows) {
  float *x = some_rows(judge, n_rows, n_columns);
  for (unsigned r = 0; r < n_rows; r++) x[r * n_columns + at[r]] = 12.0f;
  wb_judge_case(judge, "%u rows of %u columns, the largest element in columns %u to %u", n_rows,
                n_columns, at[0], at[n_rows - 1]);
  softmax_case one = {.n_rows = n_rows, .n_columns = n_columns, .block = 96, .in = x};
  run_softmax(judge, &one);
  wb_judge_release(judge);
}

static void check_every_column(wb_judge *judge) {
  static const unsigned columns[] = {0,    31,   32,   511,  512,  1023, 1024, 2015,
                                     2016, 2047, 2048, 2049, 2079, 2080, 2099};
  run_diagonals(judge);
  run_large_at(judge, 2100, columns, COUNT(columns));
}

// Rows moved by a constant have the same softmax.
static void run_moved(wb_judge *judge, unsigned n_rows, unsigned n_columns, float shift) {
  float *x = some_rows(judge, n_rows, n_columns);
  for (unsigned i = 0; i < n_rows * n_columns; i++) x[i] += shift;
  wb_judge_case(judge, "%u columns, elements between %g - 8 and %g + 8", n_columns, (double)shift,
                (double)shift);
  softmax_case one = {.n_rows = n_rows, .n_columns = n_columns, .block = 128, .in = x};
  run_softmax(judge, &one);
  wb_judge_release(judge);
}

// Rows that rise raise the maximum every time.
static void run_sloping(wb_judge *judge, unsigned n_rows, unsigned n_columns, float slope) {
  float *x = wb_judge_host(judge, n_rows * n_columns * sizeof *x);
  for (unsigned i = 0; i < n_rows * n_columns; i++) x[i] = slope * (float)i;
  wb_judge_case(judge, "rows of %u columns that %s by 1 from column to column", n_columns,
                slope < 0.0f ? "fall" : "rise");
  softmax_case one = {.n_rows = n_rows, .n_columns = n_columns, .block = 128, .in = x};
  run_softmax(judge, &one);
  wb_judge_release(judge);
}

static void check_stable(wb_judge *judge) {
  static const float shifts[] = {1000.0f, -1000.0f, 100.0f, -100.0f, 65536.0f, -65536.0f, 1e30f};
  for (size_t s = 0; s < COUNT(shifts); s++) run_moved(judge, 9, 70, shifts[s]);
  for (unsigned columns = 70; columns < 3000; columns += 2430) {
    run_sloping(judge, 9, columns, 1.0f);
    run_sloping(judge, 9, columns, -1.0f);
  }
  for (size_t s = 0; s < COUNT(shifts); s++) run_moved(judge, 2, 2500, shifts[s]);
}

// Places [first, end) of each row are masked, except column `kept`.
static void run_masked(wb_judge *judge, unsigned n_columns, unsigned first, unsigned end,
                       unsigned kept) {
  enum { ROWS = 5 };
  float *x = some_rows(judge, ROWS, n_columns);
  for (unsigned r = 0; r < ROWS; r++)
    for (unsigned c = first; c < end; c++)
      if (c != kept) x[r * n_columns + c] = -INFINITY;
  wb_judge_case(judge, "%u columns, -inf in columns %u to %u%s", n_columns, first, end - 1,
                kept < end ? " but one" : "");
  softmax_case one = {.n_rows = ROWS, .n_columns = n_columns, .block = 64, .in = x};
  run_softmax(judge, &one);
  wb_judge_release(judge);
}
static void check_masked(wb_judge *judge) {
  enum { NONE = 10000 };
  run_masked(judge, 100, 50, 100, NONE);
  run_masked(judge, 100, 0, 1, NONE);
  run_masked(judge, 100, 0, 32, NONE);
  run_masked(judge, 100, 0, 99, NONE);
  run_masked(judge, 100, 1, 100, NONE);
  for (unsigned kept = 0; kept < 100; kept += 11) run_masked(judge, 100, 0, 100, kept);
  // All that a thread may keep, all that it may not, and all but one in either.
  run_masked(judge, 2500, 0, 2048, NONE);
  run_masked(judge, 2500, 2048, 2500, NONE);
  run_masked(judge, 2500, 0, 2500, 2047);
  run_masked(judge, 2500, 0, 2500, 2048);
}

static void check_other_rows(wb_judge *judge) {
  static const float values[] = {NAN, INFINITY, -INFINITY};
  static const char *const names[] = {"NaN", "+inf", "nothing but -inf"};
  enum { ROWS = 12, COLUMNS = 45, BAD = 5 };
  for (size_t v = 0; v < COUNT(values); v++) {
    float *x = some_rows(judge, ROWS, COLUMNS);
    for (unsigned c = 0; c < (v == 2 ? COLUMNS : 1); c++) x[BAD * COLUMNS + c] = values[v];
    wb_judge_case(judge, "%s in row %d; the other rows must not notice", names[v], BAD);
    softmax_case one = {.n_rows = ROWS,
                        .n_columns = COLUMNS,
                        .block = 256,
                        .in = x,
                        .free_row = BAD,
                        .n_free_rows = 1};
    run_softmax(judge, &one);
    wb_judge_release(judge);
  }
}

static void check_bounds(wb_judge *judge) {
  enum { ROWS = 6 };
  for (int guards = 0; guards < 2; guards++)
    for (unsigned offset = 0; offset < 4; offset++)
      for (unsigned columns = 63; columns <= 65; columns++) {
        wb_judge_guards(judge, guards);
        wb_judge_case(judge, "%d rows of %u columns, `in` %u floats off an aligned address", ROWS,
                      columns, offset);
        softmax_case one = {.n_rows = ROWS,
                            .n_columns = columns,
                            .block = 128,
                            .in = some_rows(judge, ROWS, columns),
                            .offset_bytes = offset * sizeof(float)};
        run_softmax(judge, &one);
        wb_judge_release(judge);
      }
}

static void check_stale(wb_judge *judge) {
  static const float values[] = {0.0f, 1.0f, 1e30f, INFINITY, NAN};
  enum { ROWS = 5, COLUMNS = 77, N = ROWS * COLUMNS };
  static float start[N], first[N];
  for (size_t v = 0; v < COUNT(values); v++) {
    for (unsigned i = 0; i < N; i++) start[i] = values[v];
    wb_judge_case(judge, "`out` full of %g before", (double)values[v]);
    softmax_case one = {.n_rows = ROWS,
                        .n_columns = COLUMNS,
                        .block = 64,
                        .in = some_rows(judge, ROWS, COLUMNS),
                        .start = start};
    const float *got = run_softmax(judge, &one);
    if (v == 0) memcpy(first, got, sizeof first);
    if (memcmp(first, got, sizeof first) != 0)
      wb_judge_fail_why(judge,
                        WB_WHY("the result depends on what the output held before, or on the order "
                               "in which threads run"),
                        "the same input gave other bits than the first time");
    wb_judge_release(judge);
  }
}

#ifdef WORKBOOK_SIMT
static void check_two_reads(wb_judge *judge) {
  for (unsigned columns = 64; columns <= 8192; columns *= columns < 256 ? 2 : 32) {
    unsigned rows = columns <= 256 ? 8 : 2;
    uint64_t n = (uint64_t)rows * columns;
    run_some(judge, rows, columns, 128);
    wb_judge_cost_at_most(judge, "global_load_bytes", 2 * n * sizeof(float),
                          "a pass for the maximum and another for the sum; merge "
                          "{x, 1} into the thread's part and one pass gives both");
    // Two requests for 32 neighbouring columns, of four sectors each.
    wb_judge_cost_at_most(judge, "global_load_requests", 2 * n / LANES,
                          "a thread reads columns by itself, or threads read "
                          "columns that are not neighbours");
    wb_judge_cost_at_most(judge, "global_load_sectors", 2 * n / 8,
                          "neighbouring threads read columns that are far apart; "
                          "let rank t read columns t, t + 32, ...");
  }
}
static void check_tile_only(wb_judge *judge) {
  run_some(judge, 8, 100, 128);
  wb_judge_cost_at_most(judge, "block_barriers", 0,
                        "block.sync() or __syncthreads(); a tile needs no other "
                        "warp");
  wb_judge_cost_at_most(judge, "shared_store_requests", 0,
                        "shared memory; the tile's shuffles do without");
  wb_judge_cost_at_most(judge, "global_atomic_lanes", 0, "atomics; the tile's shuffles do without");
  wb_judge_cost_at_most(judge, "global_store_requests", 8 * 4,
                        "results are written more than once");
}
#endif

static const wb_check exercise_checks[] = {
    {"one_row", 15, "one row, one tile",
     "With 64 columns each thread has two elements. What is its part after the first, and after "
     "the second?",
     check_one_row, false},
    {"sizes", 15, "rows of 0 to 4,999 columns", NULL, check_sizes, false},
    {"blocks", 10, "1 to 16 tiles in a block, tiles without a row",
     "How many tiles has a block, and which of them is this one? The tile knows both.",
     check_blocks, false},
    {"every_column", 10, "the largest element in every column", NULL, check_every_column, false},
    {"stable", 15, "rows of large and of very low numbers",
     "Subtract the maximum before exp, not after.", check_stable, false},
    {"masked", 10, "-inf elements have share 0",
     "What does merge give for two parts whose maximum is -INFINITY?", check_masked, false},
    {"other_rows", 5, "a NaN stays in its row", NULL, check_other_rows, false},
    {"bounds", 5, "stays inside its arrays, input unchanged", NULL, check_bounds, false},
    {"stale_output", 5, "whatever the output held before", NULL, check_stale, false},
#ifdef WORKBOOK_SIMT
    {"two_reads", 5, "maximum and sum in one pass", NULL, check_two_reads, true},
    {"tile_only", 5, "no shared memory, no block barrier", NULL, check_tile_only, true},
#endif
};
const wb_suite softmax_exercise = {"07_cooperative_groups", exercise_checks,
                                   COUNT(exercise_checks)};
