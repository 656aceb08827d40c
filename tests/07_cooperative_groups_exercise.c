// SPDX-License-Identifier: MIT
// 07_cooperative_groups_exercise.c - judges any module that offers exercise 07's kernel, softmax.
//
// A wrong row is compared, as a whole, with the rows that the usual mistakes would give: a
// simulation of the tile in which one thing is wrong. Counters are upper bounds.
#include "07_cooperative_groups.h"

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

static double share(float x, row_part part) { return exp((double)x - part.max) / part.sum; }

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
static row_part merge_new_plain(row_part a, row_part b) { return merge_old_plain(b, a); }

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
    {merge, merge_old_plain, 16, 1, ALL_COLUMNS, share_of_whole, scale},
    {merge, merge_new_plain, 16, 1, ALL_COLUMNS, share_of_whole, scale},
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

// True when the whole row, and not the right one, comes from dividing by `sum` (relative to the
// row's maximum).
static bool divided_by(double sum, row_part all, const float *x, const float *got, unsigned n) {
  bool differs = false;
  for (unsigned c = 0; c < n; c++) {
    double below_max = all.max - (double)x[c], would_be = exp(-below_max) / sum;
    if (!isfinite(would_be) ||
        !(fabs((double)got[c] - would_be) <= tolerance(would_be, below_max, n)))
      return false;
    differs |= fabs(would_be - share(x[c], all)) > 4 * tolerance(would_be, below_max, n);
  }
  return differs;
}

// What a kernel may do wrong where it turns from the columns that it keeps to the rest of the row,
// at the seam: the sum as so many times that of all columns, of those before the seam, of the 32 at
// it.
typedef struct seam_mistake {
  double all, before, step;
  const char *cause; // %u: the seam's column
} seam_mistake;

static const seam_mistake seam_mistakes[] = {
    {0, 1, 0,
     "nothing from column %u on is in the sum: what a thread does not keep counts as well"},
    {1, -1, 0, "nothing before column %u is in the sum: what a thread keeps counts as well"},
    {1, 1, 0,
     "what stands before column %u is in the sum twice: the loop over the rest begins behind the "
     "columns that are kept"},
    {1, 0, -1,
     "32 columns from %u on are missing in the sum: the loop over the rest begins right behind the "
     "columns that are kept"},
    {1, 0, 1,
     "32 columns from %u on are in the sum twice: the loop over the rest begins behind the columns "
     "that are kept"},
};

static const char *seam_cause(const float *x, const float *got, unsigned n) {
  static char cause[160];
  row_part all = part_of(x, n), before = {-INFINITY, 0.0};
  for (unsigned seam = 0; seam < n; seam += LANES) {
    row_part step = part_of(x + seam, n - seam < LANES ? n - seam : LANES);
    double sum_before = before.sum * exp(before.max - all.max);
    double sum_step = step.sum * exp(step.max - all.max);
    for (size_t m = 0; m < COUNT(seam_mistakes); m++) {
      const seam_mistake *one = &seam_mistakes[m];
      double sum = one->all * all.sum + one->before * sum_before + one->step * sum_step;
      if (!divided_by(sum, all, x, got, n)) continue;
      snprintf(cause, sizeof cause, one->cause, seam);
      return cause;
    }
    before = merge(before, step);
  }
  return NULL;
}

// True when each exponential is relative to the largest element that its thread had seen by then.
static bool by_maximum_so_far(const float *x, const float *got, unsigned n) {
  row_part all = part_of(x, n), own[LANES];
  double sum = 0.0, *would_be = malloc(n * sizeof *would_be);
  bool same = would_be != NULL && n > LANES; // with one element each there is no "so far"
  for (unsigned t = 0; same && t < LANES; t++) {
    own[t] = (row_part){-INFINITY, 0.0};
    for (unsigned c = t; c < n; c += LANES) {
      own[t].max = fmax(own[t].max, (double)x[c]);
      would_be[c] = exp((double)x[c] - own[t].max);
      own[t].sum += would_be[c];
    }
    sum += own[t].sum * exp(own[t].max - all.max);
  }
  for (unsigned c = 0; same && c < n; c++) {
    double value = would_be[c] * exp(own[c % LANES].max - all.max) / sum;
    same = fabs((double)got[c] - value) <= tolerance(value, all.max - (double)x[c], n);
  }
  free(would_be);
  return same;
}

// True when the sum holds whole tiles of elements 0 behind the row's end.
static bool padded_with_zeros(const float *x, const float *got, unsigned n) {
  enum { MOST = 8192 };
  row_part all = part_of(x, n);
  for (unsigned more = LANES - n % LANES; more < MOST; more += LANES)
    if (divided_by(all.sum + more * exp(-all.max), all, x, got, n)) return true;
  return false;
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

// What became of elements that no thread wrote.
static wb_why unwritten_cause(const softmax_case *one, unsigned row, unsigned c) {
  if (c == 0)
    return row == 0
               ? WB_UNFILLED("nothing was written here. Is the blank filled in yet?")
               : WB_WHY("nothing was written in this row: row r is that of tile number r of the "
                        "grid, blockIdx.x * tile.meta_group_size() + tile.meta_group_rank()");
  if (c == LANES && one->n_columns >= 2 * LANES)
    return WB_WHY("only the first 32 columns were written: each thread must go on by tile.size()");
  if (c == one->n_columns / LANES * LANES)
    return WB_WHY(
        "the columns after the last whole 32 were not written: does the loop run while c < "
        "n_columns?");
  return WB_WHY(
      "nothing was written here: each thread writes columns rank, rank + tile.size(), ... as "
      "long as they are below n_columns");
}

static wb_why nan_cause(const float *x, unsigned n) {
  float max = wb_max(x, n);
  if (n < LANES || wb_min(x, n) == -INFINITY)
    return WB_WHY(
        "-INFINITY minus -INFINITY is NaN: two parts without an element (a thread beyond the "
        "row's end, or masked places) need an answer of their own wherever a maximum is "
        "subtracted");
  if (max > 88.0f)
    return WB_WHY(
        "exp of a number above 88 is infinite, and infinity over infinity is NaN: subtract the "
        "maximum first");
  if (max < -87.0f)
    return WB_WHY(
        "all exponentials became 0, and 0 over 0 is NaN: the maximum must start as -INFINITY, "
        "not as 0, and be subtracted before exp");
  return WB_WHY(
      "infinity minus infinity, or 0 over 0: follow a thread's part from {-INFINITY, 0} on");
}

static wb_why other_row(const softmax_case *one, const float *got, unsigned row) {
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
      return WB_WHY("this is the softmax of another row: row r is that of tile number r of the "
                    "grid, blockIdx.x * tile.meta_group_size() + tile.meta_group_rank()");
  }
  return WB_WHY("");
}

static wb_why row_cause(const softmax_case *one, const float *got, unsigned row, unsigned c) {
  const float *x = one->in + (size_t)row * one->n_columns;
  unsigned n = one->n_columns;
  if (holds(got[c], one->start)) return unwritten_cause(one, row, c);
  for (size_t m = 0; m < COUNT(mistakes); m++)
    if (fits(&mistakes[m], x, got, n)) return WB_WHY(mistakes[m].cause);
  const char *cause = seam_cause(x, got, n);
  if (cause) return WB_WHY(cause);
  if (by_maximum_so_far(x, got, n))
    return WB_WHY(
        "each exponential is relative to the largest element so far: find the maximum of all "
        "that a thread keeps before the first exponential");
  if (padded_with_zeros(x, got, n))
    return WB_WHY(
        "places beyond the row's end count as elements 0: they must hold -INFINITY, whose share "
        "is 0");
  if (isnan(got[c])) return nan_cause(x, n);
  if (isinf(got[c]))
    return WB_WHY("a division by 0: the sum has lost its elements; an element x is the "
                  "part {x, 1}");
  if (only_rank_0(x, got, n))
    return WB_WHY(
        "only the columns of thread 0 are right: after a reduction with shfl_down the other "
        "threads hold leftovers. Use shfl_xor, or hand the result round with shfl(…, 0)");
  return other_row(one, got, row);
}

static void judge_row(wb_judge *judge, const softmax_case *one, const float *got, unsigned row) {
  const float *x = one->in + (size_t)row * one->n_columns;
  row_part all = part_of(x, one->n_columns);
  for (unsigned c = 0; c < one->n_columns; c++) {
    double expected = share(x[c], all);
    double allowed = tolerance(expected, all.max - (double)x[c], one->n_columns);
    if (fabs((double)got[c] - expected) <= allowed) continue;
    wb_judge_fail_why(judge, row_cause(one, got, row, c),
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
  // Around the lengths of which a thread may keep its share: 8 to 64 elements.
  for (unsigned kept = 8 * LANES; kept <= 64 * LANES; kept *= 2)
    for (unsigned more = 0; more < 3; more++) run_some(judge, 3, kept - 1 + more, 64);
  run_some(judge, 2, 4999, 64);
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
