// SPDX-License-Identifier: MIT
// 07_cooperative_groups_diagnose.c - the likely cause of a wrong row of exercise 07's softmax.
//
// The row, as a whole, is compared with those that the usual mistakes would give: a simulation of
// the tile in which one thing is wrong.
#include "07_cooperative_groups.h"

bool softmax_is_base_two(void) { return wb_judge_is_variant("base_two"); }
static double softmax_power(double x) { return softmax_is_base_two() ? exp2(x) : exp(x); }

static softmax_part merge(softmax_part a, softmax_part b) {
  softmax_part both = {fmax(a.max, b.max), 0.0};
  if (both.max == -INFINITY) return both;
  both.sum = a.sum * softmax_power(a.max - both.max) + b.sum * softmax_power(b.max - both.max);
  return both;
}

softmax_part softmax_part_of(const float *x, unsigned n) {
  softmax_part part = {-INFINITY, 0.0};
  for (unsigned c = 0; c < n; c++) part = merge(part, (softmax_part){(double)x[c], 1.0});
  return part;
}

double softmax_share(float x, softmax_part part) {
  return softmax_power((double)x - part.max) / part.sum;
}

// An element may go through n_columns merges, each with two exponentials of a few roundings; the
// last exponential's argument x - max is rounded as well. Below 2e-38 a result may be flushed to 0.
double softmax_tolerance(double expected, double below_max, unsigned n_columns) {
  double roundings = 6.0 * n_columns + 100.0 + 4.0 * fmin(below_max, 200.0);
  return expected * roundings * WB_UNIT_ROUNDOFF + 2e-38;
}

// --- what a wrong row looks like ----------------------------------------------------------------

// Merges as they come out when a factor is missing.
static softmax_part merge_plain(softmax_part a, softmax_part b) {
  return (softmax_part){fmax(a.max, b.max), a.sum + b.sum};
}
static softmax_part merge_old_plain(softmax_part a, softmax_part b) {
  softmax_part both = {fmax(a.max, b.max), 0.0};
  both.sum = a.sum + (isinf(b.max) ? 0.0 : b.sum * softmax_power(b.max - both.max));
  return both;
}
static softmax_part merge_new_plain(softmax_part a, softmax_part b) {
  return merge_old_plain(b, a);
}

// Results as they come out of a thread's own part and the part that it holds after the merging.
static double share_of_whole(float x, softmax_part own, softmax_part whole) {
  (void)own;
  return softmax_share(x, whole);
}
static double not_divided(float x, softmax_part own, softmax_part whole) {
  (void)own;
  return softmax_power((double)x - whole.max);
}
static double by_own_sum(float x, softmax_part own, softmax_part whole) {
  return softmax_power((double)x - whole.max) / (own.sum * softmax_power(own.max - whole.max));
}
static double by_own_max(float x, softmax_part own, softmax_part whole) {
  return softmax_power((double)x - own.max) / whole.sum;
}
static double not_relative(float x, softmax_part own, softmax_part whole) {
  (void)own;
  return softmax_power((double)x) / whole.sum;
}
static double half(float x, softmax_part own, softmax_part whole) {
  (void)own;
  return softmax_share(x, whole) / 2;
}

typedef enum read_columns { ALL_COLUMNS, WHOLE_TILES, FIRST_TILE, IDLE_LEFT } read_columns;

// The way of the exercise with one thing wrong.
typedef struct mistake {
  softmax_part (*merge_elements)(softmax_part a, softmax_part b);
  softmax_part (*merge_threads)(softmax_part a, softmax_part b);
  unsigned first_distance, last_distance; // of the butterfly; 0, 1: there is none
  read_columns read;
  double (*result)(float x, softmax_part own, softmax_part whole);
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
    {merge, merge, 16, 1, ALL_COLUMNS, not_relative,
     "the sum is relative to the row's maximum, and the exponentials are not: subtract it there, "
     "too"},
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
  softmax_part own[LANES], whole[LANES];
} tile_parts;

// What a shuffle from a thread that has left brings on the software GPU.
static softmax_part part_of_nobody(void) {
  const uint32_t bits = WB_UNINITIALISED;
  float poison;
  memcpy(&poison, &bits, sizeof poison);
  return (softmax_part){poison, poison};
}

// Where merging is wrong, it matters whether the distances grow.
static void simulate(tile_parts *tile, const mistake *one, bool grow, const float *x, unsigned n) {
  unsigned end = one->read == WHOLE_TILES               ? n / LANES * LANES
                 : one->read == FIRST_TILE && n > LANES ? LANES
                                                        : n;
  softmax_part before[LANES];
  for (unsigned t = 0; t < LANES; t++) {
    softmax_part part = {-INFINITY, 0.0};
    for (unsigned c = t; c < end; c += LANES)
      part = one->merge_elements(part, (softmax_part){(double)x[c], 1.0});
    tile->own[t] = tile->whole[t] = part;
  }
  for (unsigned k = one->last_distance; k <= one->first_distance; k *= 2) {
    unsigned distance = grow ? k : one->first_distance * one->last_distance / k;
    memcpy(before, tile->whole, sizeof before);
    for (unsigned t = 0; t < LANES; t++) {
      bool left = one->read == IDLE_LEFT && (t ^ distance) >= n;
      tile->whole[t] =
          one->merge_threads(before[t], left ? part_of_nobody() : before[t ^ distance]);
    }
  }
}

static bool fits(const mistake *one, bool grow, const float *x, const float *got, unsigned n) {
  bool differs = false;
  softmax_part all = softmax_part_of(x, n);
  tile_parts tile;
  simulate(&tile, one, grow, x, n);
  for (unsigned c = 0; c < n; c++) {
    double would_be = one->result(x[c], tile.own[c % LANES], tile.whole[c % LANES]);
    double right = softmax_share(x[c], all), below_max = all.max - (double)x[c];
    if (!isfinite(would_be) ||
        !(fabs((double)got[c] - would_be) <= softmax_tolerance(would_be, below_max, n)))
      return false;
    differs |= fabs(would_be - right) > 4 * softmax_tolerance(right, below_max, n);
  }
  return differs;
}

// True when the whole row, and not the right one, comes from dividing by `sum` (relative to the
// row's maximum).
static bool divided_by(double sum, softmax_part all, const float *x, const float *got, unsigned n) {
  bool differs = false;
  for (unsigned c = 0; c < n; c++) {
    double below_max = all.max - (double)x[c], would_be = softmax_power(-below_max) / sum;
    if (!isfinite(would_be) ||
        !(fabs((double)got[c] - would_be) <= softmax_tolerance(would_be, below_max, n)))
      return false;
    differs |=
        fabs(would_be - softmax_share(x[c], all)) > 4 * softmax_tolerance(would_be, below_max, n);
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
  softmax_part all = softmax_part_of(x, n), before = {-INFINITY, 0.0};
  for (unsigned seam = 0; seam < n; seam += LANES) {
    softmax_part step = softmax_part_of(x + seam, n - seam < LANES ? n - seam : LANES);
    double sum_before = before.sum * softmax_power(before.max - all.max);
    double sum_step = step.sum * softmax_power(step.max - all.max);
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
  softmax_part all = softmax_part_of(x, n), own[LANES];
  double sum = 0.0, *would_be = malloc(n * sizeof *would_be);
  bool same = would_be != NULL && n > LANES; // with one element each there is no "so far"
  for (unsigned t = 0; same && t < LANES; t++) {
    own[t] = (softmax_part){-INFINITY, 0.0};
    for (unsigned c = t; c < n; c += LANES) {
      own[t].max = fmax(own[t].max, (double)x[c]);
      would_be[c] = softmax_power((double)x[c] - own[t].max);
      own[t].sum += would_be[c];
    }
    sum += own[t].sum * softmax_power(own[t].max - all.max);
  }
  for (unsigned c = 0; same && c < n; c++) {
    double value = would_be[c] * softmax_power(own[c % LANES].max - all.max) / sum;
    same = fabs((double)got[c] - value) <= softmax_tolerance(value, all.max - (double)x[c], n);
  }
  free(would_be);
  return same;
}

// True when the sum holds whole tiles of elements 0 behind the row's end.
static bool padded_with_zeros(const float *x, const float *got, unsigned n) {
  enum { MOST = 8192 };
  softmax_part all = softmax_part_of(x, n);
  for (unsigned more = LANES - n % LANES; more < MOST; more += LANES)
    if (divided_by(all.sum + more * softmax_power(-all.max), all, x, got, n)) return true;
  return false;
}

// True when got[c] is right in exactly the columns that thread 0 of the tile writes.
static bool only_rank_0(const float *x, const float *got, unsigned n) {
  softmax_part all = softmax_part_of(x, n);
  for (unsigned c = 0; c < n; c++) {
    double right = softmax_share(x[c], all),
           allowed = softmax_tolerance(right, all.max - (double)x[c], n);
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
  if (max > (softmax_is_base_two() ? 127.0f : 88.0f))
    return WB_WHY(
        "exp of a number above 88 is infinite, and infinity over infinity is NaN: subtract the "
        "maximum first");
  if (max < (softmax_is_base_two() ? -126.0f : -87.0f))
    return WB_WHY(
        "all exponentials became 0, and 0 over 0 is NaN: the maximum must start as -INFINITY, "
        "not as 0, and be subtracted before exp");
  return WB_WHY(
      "infinity minus infinity, or 0 over 0: follow a thread's part from {-INFINITY, 0} on");
}

static bool is_softmax_of(const float *x, const float *got, unsigned n) {
  softmax_part all = softmax_part_of(x, n);
  bool same = n > 1;
  for (unsigned c = 0; c < n && same; c++) {
    double right = softmax_share(x[c], all);
    same = fabs((double)got[c] - right) <= softmax_tolerance(right, all.max - (double)x[c], n);
  }
  return same;
}

// True when this is the softmax of the exercise as it is published, where its variant is asked for.
static bool is_base_e(const float *x, const float *got, unsigned n) {
  softmax_part all = softmax_part_of(x, n);
  double sum = 0.0;
  bool same = softmax_is_base_two(), differs = false;
  for (unsigned c = 0; c < n; c++) sum += exp((double)x[c] - all.max);
  for (unsigned c = 0; c < n && same; c++) {
    double below_max = all.max - (double)x[c], value = exp(-below_max) / sum;
    double allowed = softmax_tolerance(value, below_max, n);
    same = fabs((double)got[c] - value) <= allowed;
    differs |= fabs(softmax_share(x[c], all) - value) > 4 * allowed;
  }
  return same && differs;
}

static wb_why other_row(const softmax_case *one, const float *got, unsigned row) {
  const size_t n = one->n_columns, starts[] = {(size_t)row * one->n_rows, row, (size_t)row * LANES};
  for (unsigned r = 0; r < one->n_rows; r++) {
    if (r != row && is_softmax_of(one->in + r * n, got, one->n_columns))
      return WB_WHY("this is the softmax of another row: row r is that of tile number r of the "
                    "grid, blockIdx.x * tile.meta_group_size() + tile.meta_group_rank()");
  }
  for (size_t k = 0; k < COUNT(starts); k++)
    if (starts[k] != row * n && starts[k] + n <= one->n_rows * n &&
        is_softmax_of(one->in + starts[k], got, one->n_columns))
      return WB_WHY("this is the softmax of as many elements from another place on: row r begins "
                    "at element r * n_columns");
  return WB_WHY("");
}

wb_why softmax_row_cause(const softmax_case *one, const float *got, unsigned row, unsigned c) {
  const float *x = one->in + (size_t)row * one->n_columns;
  unsigned n = one->n_columns;
  if (holds(got[c], one->start)) return unwritten_cause(one, row, c);
  if (is_base_e(x, got, n))
    return WB_WHY("these are shares of powers of e, and shares of powers of 2 are asked for");
  for (size_t m = 0; m < COUNT(mistakes); m++)
    if (fits(&mistakes[m], false, x, got, n) || fits(&mistakes[m], true, x, got, n))
      return WB_WHY(mistakes[m].cause);
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
