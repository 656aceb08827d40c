// SPDX-License-Identifier: MIT
// 07_cooperative_groups.c - judges lesson 07's kernels, or any module that offers exercise 07's
// kernel.
//
// A wrong softmax row is compared, as a whole, with the rows that the usual mistakes would give: a
// simulation of the tile in which one thing is wrong.
// Counters are asserted exactly for the lesson's kernels (the hand calculation stands beside them)
// and as upper bounds for the exercise. Not modelled: the order in which blocks of a real grid
// reach the barrier; the software GPU lets them arrive one after the other.
#include "inputs.h"
#include "judge.h"
#include "judge_blockwise.h"
#include "reference.h"

#include <math.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

enum { LANES = 32 };

// --- the exercise: softmax_rows -----------------------------------------------------------------

static const char softmax[] =
    "softmax_rows(const float *in, float *out, unsigned n_rows, unsigned n_columns)";

typedef struct softmax_case {
  unsigned n_rows, n_columns, block;
  const float *in;                // [n_rows][n_columns]
  unsigned free_row, n_free_rows; // rows whose results are not asked for
  size_t offset_bytes;
  const float *start; // what `out` holds before; NULL: poison
} softmax_case;

// A part of a row, as in the exercise, in double.
typedef struct row_part {
  double max, sum;
} row_part;

static row_part merge(row_part a, row_part b) {
  row_part both = {fmax(a.max, b.max), 0.0};
  if (both.max == -INFINITY) return both;
  both.sum = a.sum * exp(a.max - both.max) + b.sum * exp(b.max - both.max);
  return both;
}

static row_part part_of(const float *x, unsigned n) {
  row_part part = {-INFINITY, 0.0};
  for (unsigned c = 0; c < n; c++) part = merge(part, (row_part){(double)x[c], 1.0});
  return part;
}

static double share(float x, row_part part) {
  return exp((double)x - part.max) / part.sum;
}

// An element may go through n_columns merges, each with two exponentials of a few roundings; the
// last exponential's argument x - max is rounded as well. Below 2e-38 a result may be flushed to 0.
static double tolerance(double expected, double below_max, unsigned n_columns) {
  double roundings = 6.0 * n_columns + 100.0 + 4.0 * fmin(below_max, 200.0);
  return expected * roundings * WB_UNIT_ROUNDOFF + 2e-38;
}

// --- what a wrong row looks like ----------------------------------------------------------------

// Merges as they come out when a factor is missing.
static row_part merge_plain(row_part a, row_part b) {
  return (row_part){fmax(a.max, b.max), a.sum + b.sum};
}
static row_part merge_old_plain(row_part a, row_part b) {
  row_part both = {fmax(a.max, b.max), 0.0};
  both.sum = a.sum + (isinf(b.max) ? 0.0 : b.sum * exp(b.max - both.max));
  return both;
}
static row_part merge_new_plain(row_part a, row_part b) {
  return merge_old_plain(b, a);
}

// Results as they come out of a thread's own part and the part that it holds after the merging.
static double share_of_whole(float x, row_part own, row_part whole) {
  (void)own;
  return share(x, whole);
}
static double not_divided(float x, row_part own, row_part whole) {
  (void)own;
  return exp((double)x - whole.max);
}
static double by_own_sum(float x, row_part own, row_part whole) {
  return exp((double)x - whole.max) / (own.sum * exp(own.max - whole.max));
}
static double by_own_max(float x, row_part own, row_part whole) {
  return exp((double)x - own.max) / whole.sum;
}
static double half(float x, row_part own, row_part whole) {
  (void)own;
  return share(x, whole) / 2;
}

typedef enum read_columns { ALL_COLUMNS, WHOLE_TILES, FIRST_TILE, IDLE_LEFT } read_columns;

// The way of the exercise with one thing wrong.
typedef struct mistake {
  row_part (*merge_elements)(row_part a, row_part b);
  row_part (*merge_threads)(row_part a, row_part b);
  unsigned first_distance, last_distance; // of the butterfly; 0, 1: there is none
  read_columns read;
  double (*result)(float x, row_part own, row_part whole);
  const char *cause;
} mistake;

static const char scale[] = "sums relative to different maxima were added up: multiply each by "
                            "exp(its own maximum - the larger maximum) first";
static const mistake mistakes[] = {
    {merge, merge, 16, 1, ALL_COLUMNS, not_divided,
     "these are the exponentials: they are not divided by the sum"},
    {merge, merge, 16, 1, WHOLE_TILES, share_of_whole,
     "the columns after the last whole 32 are missing in the sum: does the loop run while c < "
     "n_columns?"},
    {merge, merge, 16, 1, FIRST_TILE, share_of_whole,
     "only the first 32 columns are in the sum: each thread must go on by tile.size()"},
    {merge, merge, 0, 1, ALL_COLUMNS, share_of_whole,
     "each thread used its own elements only: the threads' parts are not merged over the tile"},
    {merge, merge, 8, 1, ALL_COLUMNS, share_of_whole,
     "two halves of the tile never met: does the merging begin with distance tile.size() / 2?"},
    {merge, merge, 16, 2, ALL_COLUMNS, share_of_whole,
     "neighbouring threads never met: does the merging go down to distance 1?"},
    {merge, merge, 16, 1, ALL_COLUMNS, by_own_sum,
     "the maximum is the row's, but each thread divides by its own sum"},
    {merge, merge, 16, 1, ALL_COLUMNS, by_own_max,
     "the sum is the row's, but each thread subtracts its own maximum"},
    {merge, merge, 16, 1, ALL_COLUMNS, half,
     "every result is half of what it should be: is each element merged once?"},
    {merge, merge, 16, 1, IDLE_LEFT, share_of_whole,
     "threads without an element left before the merging: the others still shuffle with them, and "
     "they must be there, with the part {-INFINITY, 0}"},
    {merge_plain, merge_plain, 16, 1, ALL_COLUMNS, share_of_whole, scale},
    {merge_old_plain, merge_old_plain, 16, 1, ALL_COLUMNS, share_of_whole, scale},
    {merge_new_plain, merge_new_plain, 16, 1, ALL_COLUMNS, share_of_whole, scale},
    {merge_plain, merge, 16, 1, ALL_COLUMNS, share_of_whole, scale},
    {merge_old_plain, merge, 16, 1, ALL_COLUMNS, share_of_whole, scale},
    {merge, merge_plain, 16, 1, ALL_COLUMNS, share_of_whole, scale},
};

typedef struct tile_parts {
  row_part own[LANES], whole[LANES];
} tile_parts;

// What a shuffle from a thread that has left brings on the software GPU.
static row_part part_of_nobody(void) {
  const uint32_t bits = 0xA5A5A5A5u;
  float poison;
  memcpy(&poison, &bits, sizeof poison);
  return (row_part){poison, poison};
}

static void simulate(tile_parts *tile, const mistake *one, const float *x, unsigned n) {
  unsigned end = one->read == WHOLE_TILES               ? n / LANES * LANES
                 : one->read == FIRST_TILE && n > LANES ? LANES
                                                        : n;
  row_part before[LANES];
  for (unsigned t = 0; t < LANES; t++) {
    row_part part = {-INFINITY, 0.0};
    for (unsigned c = t; c < end; c += LANES)
      part = one->merge_elements(part, (row_part){(double)x[c], 1.0});
    tile->own[t] = tile->whole[t] = part;
  }
  for (unsigned distance = one->first_distance; distance >= one->last_distance; distance /= 2) {
    memcpy(before, tile->whole, sizeof before);
    for (unsigned t = 0; t < LANES; t++) {
      bool left = one->read == IDLE_LEFT && (t ^ distance) >= n;
      tile->whole[t] =
          one->merge_threads(before[t], left ? part_of_nobody() : before[t ^ distance]);
    }
  }
}

static bool fits(const mistake *one, const float *x, const float *got, unsigned n) {
  bool differs = false;
  row_part all = part_of(x, n);
  tile_parts tile;
  simulate(&tile, one, x, n);
  for (unsigned c = 0; c < n; c++) {
    double would_be = one->result(x[c], tile.own[c % LANES], tile.whole[c % LANES]);
    double right = share(x[c], all), below_max = all.max - (double)x[c];
    if (!isfinite(would_be) ||
        !(fabs((double)got[c] - would_be) <= tolerance(would_be, below_max, n)))
      return false;
    differs |= fabs(would_be - right) > 4 * tolerance(right, below_max, n);
  }
  return differs;
}

// True when got[c] is right in exactly the columns that thread 0 of the tile writes.
static bool only_rank_0(const float *x, const float *got, unsigned n) {
  row_part all = part_of(x, n);
  for (unsigned c = 0; c < n; c++) {
    double right = share(x[c], all), allowed = tolerance(right, all.max - (double)x[c], n);
    if ((fabs((double)got[c] - right) <= allowed) != (c % LANES == 0)) return false;
  }
  return n > 1;
}

static bool holds(float value, const float *start) {
  uint32_t bits, before = WB_POISON;
  memcpy(&bits, &value, sizeof bits);
  if (start) memcpy(&before, start, sizeof before);
  return bits == before;
}

// What became of elements nobody wrote.
static const char *unwritten_cause(const softmax_case *one, unsigned row, unsigned c) {
  if (c == 0)
    return row == 0 ? "nothing was written here. Is the blank filled in yet?"
                    : "nothing was written in this row: row r is that of tile number r of the "
                      "grid, blockIdx.x * tile.meta_group_size() + tile.meta_group_rank()";
  if (c == LANES && one->n_columns >= 2 * LANES)
    return "only the first 32 columns were written: each thread must go on by tile.size()";
  if (c == one->n_columns / LANES * LANES)
    return "the columns after the last whole 32 were not written: does the loop run while c < "
           "n_columns?";
  return "nothing was written here: each thread writes columns rank, rank + tile.size(), ... as "
         "long as they are below n_columns";
}

static const char *nan_cause(const float *x, unsigned n) {
  float max = wb_max(x, n);
  if (n < LANES || wb_min(x, n) == -INFINITY)
    return "-INFINITY minus -INFINITY is NaN: two parts without an element (a thread beyond the "
           "row's end, or masked places) need an answer of their own in merge";
  if (max > 88.0f)
    return "exp of a number above 88 is infinite, and infinity over infinity is NaN: subtract the "
           "maximum first";
  if (max < -87.0f)
    return "all exponentials became 0, and 0 over 0 is NaN: the maximum must start as -INFINITY, "
           "not as 0, and be subtracted before exp";
  return "infinity minus infinity, or 0 over 0: follow a thread's part from {-INFINITY, 0} on";
}

static const char *other_row(const softmax_case *one, const float *got, unsigned row) {
  for (unsigned r = 0; r < one->n_rows; r++) {
    const float *x = one->in + (size_t)r * one->n_columns;
    row_part all = part_of(x, one->n_columns);
    bool same = r != row && one->n_columns > 1;
    for (unsigned c = 0; c < one->n_columns && same; c++) {
      double right = share(x[c], all);
      same =
          fabs((double)got[c] - right) <= tolerance(right, all.max - (double)x[c], one->n_columns);
    }
    if (same)
      return "this is the softmax of another row: row r is that of tile number r of the "
             "grid, blockIdx.x * tile.meta_group_size() + tile.meta_group_rank()";
  }
  return "";
}

static const char *row_cause(const softmax_case *one, const float *got, unsigned row, unsigned c) {
  const float *x = one->in + (size_t)row * one->n_columns;
  unsigned n = one->n_columns;
  if (holds(got[c], one->start)) return unwritten_cause(one, row, c);
  for (size_t m = 0; m < COUNT(mistakes); m++)
    if (fits(&mistakes[m], x, got, n)) return mistakes[m].cause;
  if (isnan(got[c])) return nan_cause(x, n);
  if (isinf(got[c]))
    return "a division by 0: the sum has lost its elements; an element x is the "
           "part {x, 1}";
  if (only_rank_0(x, got, n))
    return "only the columns of thread 0 are right: after a reduction with shfl_down the other "
           "threads hold leftovers. Use shfl_xor, or hand the result round with shfl(…, 0)";
  return other_row(one, got, row);
}

static void judge_row(wb_judge *judge, const softmax_case *one, const float *got, unsigned row) {
  const float *x = one->in + (size_t)row * one->n_columns;
  row_part all = part_of(x, one->n_columns);
  for (unsigned c = 0; c < one->n_columns; c++) {
    double expected = share(x[c], all);
    double allowed = tolerance(expected, all.max - (double)x[c], one->n_columns);
    if (fabs((double)got[c] - expected) <= allowed) continue;
    const char *cause = row_cause(one, got, row, c);
    wb_judge_fail(judge, "out[%u][%u]: expected %.9g, got %.9g (in[%u][%u] = %.9g)%s%s", row, c,
                  expected, (double)got[c], row, c, (double)x[c], *cause ? "\nlikely cause: " : "",
                  cause);
  }
}

static unsigned softmax_grid(unsigned n_rows, unsigned block) {
  unsigned tiles = block / LANES, grid = n_rows / tiles + (n_rows % tiles != 0);
  return grid ? grid : 1;
}

// Launches one case and judges every row but the free ones. Returns the output.
static const float *run_softmax(wb_judge *judge, const softmax_case *one) {
  wb_kernel kernel = wb_judge_kernel(judge, softmax);
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
}
static void check_blocks(wb_judge *judge) {
  static const unsigned blocks[] = {64, 32, 96, 256, 480, 1024};
  for (size_t b = 0; b < COUNT(blocks); b++) {
    unsigned tiles = blocks[b] / LANES;
    run_some(judge, 3 * tiles, 70, blocks[b]);
    run_some(judge, 2 * tiles + 1, 70, blocks[b]);
    run_some(judge, 2 * tiles - 1, 70, blocks[b]);
  }
}

// The one large element stands in every column once: all rows together are a matrix with a large
// diagonal. It decides nearly everything, and the others' shares are known too.
static void check_every_column(wb_judge *judge) {
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

// Rows moved by a constant have the same softmax; those that rise raise the maximum every time.
static void check_stable(wb_judge *judge) {
  static const float shifts[] = {1000.0f, -1000.0f, 100.0f, -100.0f, 65536.0f, -65536.0f, 1e30f};
  enum { ROWS = 9, COLUMNS = 70 };
  for (size_t s = 0; s < COUNT(shifts); s++) {
    float *x = some_rows(judge, ROWS, COLUMNS);
    for (unsigned i = 0; i < ROWS * COLUMNS; i++) x[i] += shifts[s];
    wb_judge_case(judge, "elements between %g - 8 and %g + 8", (double)shifts[s],
                  (double)shifts[s]);
    softmax_case one = {.n_rows = ROWS, .n_columns = COLUMNS, .block = 128, .in = x};
    run_softmax(judge, &one);
    wb_judge_release(judge);
  }
  for (int falls = 0; falls < 2; falls++) {
    float *x = wb_judge_host(judge, ROWS * COLUMNS * sizeof *x);
    for (int i = 0; i < ROWS * COLUMNS; i++) x[i] = (float)(falls ? -i : i);
    wb_judge_case(judge, "rows that %s by 1 from column to column", falls ? "fall" : "rise");
    softmax_case one = {.n_rows = ROWS, .n_columns = COLUMNS, .block = 128, .in = x};
    run_softmax(judge, &one);
    wb_judge_release(judge);
  }
}

// Places [first, end) of each row are masked, except column `kept`.
static void run_masked(wb_judge *judge, unsigned first, unsigned end, unsigned kept) {
  enum { ROWS = 5, COLUMNS = 100 };
  float *x = some_rows(judge, ROWS, COLUMNS);
  for (unsigned r = 0; r < ROWS; r++)
    for (unsigned c = first; c < end; c++)
      if (c != kept) x[r * COLUMNS + c] = -INFINITY;
  wb_judge_case(judge, "-inf in columns %u to %u%s", first, end - 1, kept < end ? " but one" : "");
  softmax_case one = {.n_rows = ROWS, .n_columns = COLUMNS, .block = 64, .in = x};
  run_softmax(judge, &one);
  wb_judge_release(judge);
}
static void check_masked(wb_judge *judge) {
  run_masked(judge, 50, 100, 1000);
  run_masked(judge, 0, 1, 1000);
  run_masked(judge, 0, 32, 1000);
  run_masked(judge, 0, 99, 1000);
  run_masked(judge, 1, 100, 1000);
  for (unsigned kept = 0; kept < 100; kept += 11) run_masked(judge, 0, 100, kept);
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
      wb_judge_fail(judge, "the same input gave other bits than the first time\nlikely cause: the "
                           "result depends on what the output held before, or on the order in "
                           "which threads run");
    wb_judge_release(judge);
  }
}

#ifdef WORKBOOK_SIMT
static void check_two_reads(wb_judge *judge) {
  enum { ROWS = 8 };
  for (unsigned columns = 64; columns <= 256; columns *= 2) {
    uint64_t n = (uint64_t)ROWS * columns;
    run_some(judge, ROWS, columns, 128);
    wb_judge_counter_at_most(judge, "global_load_bytes", 2 * n * sizeof(float),
                             "likely cause: a pass for the maximum and another for the sum; merge "
                             "{x, 1} into the thread's part and one pass gives both");
    // Two requests for 32 neighbouring columns, of four sectors each.
    wb_judge_counter_at_most(judge, "global_load_requests", 2 * n / LANES,
                             "likely cause: a thread reads columns by itself, or threads read "
                             "columns that are not neighbours");
    wb_judge_counter_at_most(judge, "global_load_sectors", 2 * n / 8,
                             "likely cause: neighbouring threads read columns that are far apart; "
                             "let rank t read columns t, t + 32, ...");
  }
}
static void check_tile_only(wb_judge *judge) {
  run_some(judge, 8, 100, 128);
  wb_judge_counter_at_most(judge, "block_barriers", 0,
                           "likely cause: block.sync() or __syncthreads(); a tile needs no other "
                           "warp");
  wb_judge_counter_at_most(judge, "shared_store_requests", 0,
                           "likely cause: shared memory; the tile's shuffles do without");
  wb_judge_counter_at_most(judge, "global_atomic_lanes", 0,
                           "likely cause: atomics; the tile's shuffles do without");
  wb_judge_counter_at_most(judge, "global_store_requests", 8 * 4,
                           "likely cause: results are written more than once");
}
#endif

static const wb_check exercise_checks[] = {
    {"one_row", 15, "one row, one tile",
     "With 64 columns each thread has two elements. What is its part after the first, and after "
     "the second?",
     check_one_row, false},
    {"sizes", 15, "rows and columns from 0 to 1000", NULL, check_sizes, false},
    {"blocks", 10, "1 to 32 tiles in a block, tiles without a row",
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
static const wb_suite exercise = {"07_cooperative_groups", exercise_checks, COUNT(exercise_checks)};

// --- the lesson's own kernels -------------------------------------------------------------------

static size_t no_shared_bytes(unsigned block) {
  (void)block;
  return 0;
}

// With one block for every blockDim.x elements, block b folds its own elements only.
static const wb_blockwise sums[] = {
    {.signature = "shuffle_sum(const float *in, float *out, unsigned n)",
     .op = WB_SUM,
     .inputs = {"in"},
     .output = "out",
     .shared_bytes = no_shared_bytes},
    {.signature = "tile_sum(const float *in, float *out, unsigned n)",
     .op = WB_SUM,
     .inputs = {"in"},
     .output = "out",
     .shared_bytes = no_shared_bytes},
    {.signature = "reduce_sum(const float *in, float *out, unsigned n)",
     .op = WB_SUM,
     .inputs = {"in"},
     .output = "out",
     .shared_bytes = no_shared_bytes},
};
static const unsigned blocks[] = {32, 64, 96, 1024, 256};

static void lesson_sizes(wb_judge *judge) {
  for (size_t k = 0; k < COUNT(sums); k++)
    wb_blockwise_sizes(judge, &sums[k], blocks, COUNT(blocks));
}
static void lesson_positions(wb_judge *judge) {
  static const unsigned some[] = {32, 96, 256};
  for (size_t k = 0; k < COUNT(sums); k++)
    wb_blockwise_positions(judge, &sums[k], some, COUNT(some));
}
static void lesson_specials(wb_judge *judge) {
  for (size_t k = 0; k < COUNT(sums); k++) wb_blockwise_specials(judge, &sums[k], 64);
}
static void lesson_bounds(wb_judge *judge) {
  for (size_t k = 0; k < COUNT(sums); k++) wb_blockwise_bounds(judge, &sums[k], 128);
}
static void lesson_stale(wb_judge *judge) {
  for (size_t k = 0; k < COUNT(sums); k++) wb_blockwise_stale(judge, &sums[k], 128);
}

static const char grid_sum[] = "grid_sum(const float *in, float *partials, float *out, unsigned n)";

typedef struct sum_case {
  const float *in; // [n]
  unsigned n, grid, block;
  bool exact;
  size_t offset_bytes;
} sum_case;

// A thread's own chain, ten levels in its block; the same again for the partial sums.
static double depth_of(const sum_case *one) {
  return one->n / (one->grid * one->block) + one->grid / one->block + 22.0;
}

static float judge_total(wb_judge *judge, const sum_case *one, const void *got) {
  float total = *(const float *)got;
  wb_fold fold = {.op = WB_SUM,
                  .input = "in",
                  .output = "out",
                  .a = one->in,
                  .n = one->n,
                  .count = one->n,
                  .block = one->block,
                  .start_bits = WB_POISON,
                  .tolerance =
                      one->exact ? 0.0 : wb_bound_sum(depth_of(one), wb_sum_abs(one->in, one->n))};
  wb_judge_value(judge, &fold, total);
  return total;
}

// One launch of kernel `sums[k]`: its partial sums, on the device.
static void *one_pass(wb_judge *judge, size_t k, void *in, unsigned n, unsigned grid,
                      unsigned block, const char *output) {
  wb_kernel kernel = wb_judge_kernel(judge, sums[k].signature);
  void *out = wb_judge_output(judge, output, grid * sizeof(float));
  void *arguments[] = {&in, &out, &n};
  wb_judge_launch(judge, &kernel, grid, block, 0, arguments);
  return out;
}

static float sum_in_two_passes(wb_judge *judge, size_t k, const sum_case *one) {
  void *in = wb_judge_input(judge, "in", one->in, one->n * sizeof(float), one->offset_bytes);
  void *partials = one_pass(judge, k, in, one->n, one->grid, one->block, "partials");
  void *out = one_pass(judge, k, partials, one->grid, 1, one->block, "out");
  return judge_total(judge, one, wb_judge_get(judge, out));
}

static float sum_together(wb_judge *judge, const sum_case *one) {
  wb_kernel kernel = wb_judge_kernel(judge, grid_sum);
  unsigned n = one->n;
  void *in = wb_judge_input(judge, "in", one->in, n * sizeof(float), one->offset_bytes);
  void *partials = wb_judge_output(judge, "partials", one->grid * sizeof(float));
  void *out = wb_judge_output(judge, "out", sizeof(float));
  void *arguments[] = {&in, &partials, &out, &n};
  wb_judge_launch_together(judge, &kernel, one->grid, one->block, 0, arguments);
  return judge_total(judge, one, wb_judge_get(judge, out));
}

static void sum_all_ways(wb_judge *judge, const sum_case *one) {
  float first = sum_together(judge, one);
  for (size_t k = 0; k < COUNT(sums); k++) sum_in_two_passes(judge, k, one);
  float again = sum_together(judge, one);
  if (memcmp(&first, &again, sizeof first) != 0 && !isnan(first))
    wb_judge_fail(judge, "the same input gave %.9g first and then %.9g", (double)first,
                  (double)again);
  wb_judge_release(judge);
}

// Grids smaller and larger than the input asks for.
static void lesson_grids(wb_judge *judge) {
  static const unsigned sizes[] = {0, 1, 2, 31, 32, 33, 255, 257, 1023, 1025, 7919, 65537};
  static const unsigned grids[] = {1, 2, 7, 40};
  for (size_t s = 0; s < COUNT(sizes); s++)
    for (size_t g = 0; g < COUNT(grids); g++)
      for (int exact = 0; exact < 2; exact++) {
        unsigned n = sizes[s];
        float *x = wb_judge_host(judge, n * sizeof *x);
        wb_fill_floats(exact ? WB_INPUT_INTEGERS : WB_INPUT_MIXED, x, n,
                       wb_judge_seed(judge) + n + g);
        wb_judge_case(judge, "n = %u in %u blocks", n, grids[g]);
        sum_case one = {.in = x,
                        .n = n,
                        .grid = grids[g],
                        .block = blocks[(s + g) % COUNT(blocks)],
                        .exact = exact != 0,
                        .offset_bytes = s % 4 * sizeof(float)};
        sum_all_ways(judge, &one);
      }
}

// The one element that is not 0 at every index: full rounds of eight loads, and a tail.
static void lesson_total_positions(wb_judge *judge) {
  enum { BLOCK = 32, GRID = 2, N = BLOCK * GRID * 9 + 5 };
  for (unsigned at = 0; at < N; at += at < 70 || at > N - 70 ? 1 : 13) {
    float *x = wb_judge_host(judge, N * sizeof *x);
    wb_fill_one_hot(x, N, at, (float)(at + 1), 0.0f);
    wb_judge_case(judge, "n = %d, all 0 but in[%u] = %u", N, at, at + 1);
    sum_case one = {.in = x, .n = N, .grid = GRID, .block = BLOCK, .exact = true};
    sum_all_ways(judge, &one);
  }
}

static void lesson_total_specials(wb_judge *judge) {
  static const float values[] = {NAN, INFINITY, -INFINITY, -0.0f};
  enum { N = 1000 };
  for (size_t v = 0; v < COUNT(values); v++)
    for (unsigned at = 0; at < N; at += 333) {
      float *x = wb_judge_host(judge, N * sizeof *x);
      wb_fill_floats(WB_INPUT_INTEGERS, x, N, wb_judge_seed(judge));
      x[at] = values[v];
      wb_judge_case(judge, "n = %d, in[%u] = %g", N, at, (double)values[v]);
      sum_case one = {.in = x, .n = N, .grid = 3, .block = 64, .exact = true};
      sum_all_ways(judge, &one);
    }
}

// One block more than the device holds is refused, as many as it holds are not.
static void lesson_too_large(wb_judge *judge) {
  enum { BLOCK = 1024 };
  wb_kernel kernel = wb_judge_kernel(judge, grid_sum);
  int n_multiprocessors = 0, each = 0;
  cudaDeviceGetAttribute(&n_multiprocessors, cudaDevAttrMultiProcessorCount, 0);
  cudaOccupancyMaxActiveBlocksPerMultiprocessor(&each, (const void *)kernel.handle, BLOCK, 0);
  unsigned fit = (unsigned)(n_multiprocessors * each), n = 0;
  if (fit == 0) wb_judge_fail(judge, "no block of %d threads fits on the device", BLOCK);
  void *nothing = NULL, *arguments[] = {&nothing, &nothing, &nothing, &n};
  cudaError_t error = cudaLaunchCooperativeKernel(
      (const void *)kernel.handle, (dim3){fit + 1, 1, 1}, (dim3){BLOCK, 1, 1}, arguments, 0, NULL);
  if (error != cudaErrorCooperativeLaunchTooLarge)
    wb_judge_fail(judge, "%u blocks fit, and a cooperative launch of one more gave %s", fit,
                  cudaGetErrorName(error));
  if (cudaGetLastError() != error || cudaGetLastError() != cudaSuccess)
    wb_judge_fail(judge, "the refused launch is not the last error, or stays it");
  float *x = wb_judge_host(judge, 5000 * sizeof *x);
  wb_fill_floats(WB_INPUT_INTEGERS, x, 5000, wb_judge_seed(judge));
  wb_judge_case(judge, "as many blocks as fit");
  sum_case one = {.in = x, .n = 5000, .grid = fit, .block = BLOCK, .exact = true};
  sum_together(judge, &one);
}

#ifdef WORKBOOK_SIMT
static const char by_hand[] = "the hand calculation in tests/07_cooperative_groups.c says "
                              "otherwise";

// What one block of W warps does in one block sum: every warp five shuffles, twice; two barriers; W
// words stored into shared memory, and W loaded by each of the W warps.
static void expect_block_sums(wb_judge *judge, uint64_t n_block_sums, uint64_t n_warps) {
  wb_judge_counter_is(judge, "shuffles", n_block_sums * 10 * n_warps, by_hand);
  wb_judge_counter_is(judge, "block_barriers", 2 * n_block_sums, by_hand);
  wb_judge_counter_is(judge, "shared_store_words", n_block_sums * n_warps, by_hand);
  wb_judge_counter_is(judge, "shared_load_words", n_block_sums * n_warps * n_warps, by_hand);
  wb_judge_counter_is(judge, "global_store_requests", n_block_sums, by_hand);
  wb_judge_counter_is(judge, "global_atomic_lanes", 0, by_hand);
}

// Two launches against one with one grid-wide barrier. In that one the first block makes one block
// sum more, in which all its warps take part, and reads the partial sums.
static void lesson_counters(wb_judge *judge) {
  enum { N = 10000 };
  float *x = wb_judge_host(judge, N * sizeof *x);
  wb_fill_floats(WB_INPUT_INTEGERS, x, N, wb_judge_seed(judge));
  void *in = wb_judge_input(judge, "in", x, N * sizeof *x, 0);
  for (size_t k = 0; k < COUNT(sums); k++) {
    one_pass(judge, k, in, N, 5, 256, "partials");
    wb_judge_counter_is(judge, "global_load_bytes", N * sizeof(float), by_hand);
    wb_judge_counter_is(judge, "launches", 1, "one pass is one launch, and a sum takes two");
    wb_judge_counter_is(judge, "grid_syncs", 0, by_hand);
    expect_block_sums(judge, 5, 8);
  }
  wb_judge_release(judge);
  x = wb_judge_host(judge, N * sizeof *x);
  wb_fill_floats(WB_INPUT_INTEGERS, x, N, wb_judge_seed(judge));
  for (unsigned block = 64; block <= 1024; block *= 4) {
    sum_case one = {.in = x, .n = N, .grid = 5, .block = block, .exact = true};
    sum_together(judge, &one);
    wb_judge_counter_is(judge, "launches", 1, "partial sums and total in one launch");
    wb_judge_counter_is(judge, "grid_syncs", 1, "one barrier between partial sums and total");
    wb_judge_counter_is(judge, "global_load_bytes", (N + 5) * sizeof(float), by_hand);
    expect_block_sums(judge, 5 + 1, block / LANES);
  }
}
#endif

static const wb_check lesson_checks[] = {
    {"sizes", 1, "sizes, block sizes, exact and mixed inputs", NULL, lesson_sizes, false},
    {"positions", 1, "every position counts", NULL, lesson_positions, false},
    {"specials", 1, "infinities, NaN, -0", NULL, lesson_specials, false},
    {"bounds", 1, "stays inside its arrays, input unchanged", NULL, lesson_bounds, false},
    {"stale_output", 1, "whatever the output held before", NULL, lesson_stale, false},
    {"grids", 1, "the total, in two launches and in one", NULL, lesson_grids, false},
    {"total_positions", 1, "the total holds every element", NULL, lesson_total_positions, false},
    {"total_specials", 1, "infinities, NaN, -0 in the total", NULL, lesson_total_specials, false},
    {"too_large", 1, "a grid that does not fit is refused", NULL, lesson_too_large, false},
#ifdef WORKBOOK_SIMT
    {"counters", 1, "launches, grid barriers and shuffles as by hand", NULL, lesson_counters, true},
#endif
};
static const wb_suite lesson = {"07_cooperative_groups", lesson_checks, COUNT(lesson_checks)};

int main(int argc, char **argv) {
  return wb_judge_main(argc, argv, &lesson, &exercise);
}
