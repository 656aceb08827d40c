// SPDX-License-Identifier: MIT
// judge_hypotheses.c - the classic mistakes of a reduction, and the value that each would give.
//
// Such a mistake leaves a fingerprint: the value of all elements but the last, of the first warp
// alone, of twice everything. The first hypothesis that fits what came out, and differs from what
// should have, is named. The order is from the most to the least specific.
//
// Invariants: pure host code over the fold's inputs; never claims a cause when the right value
// would look the same. Not modelled: two mistakes at once, races that depend on timing.
#include "judge_fold.h"

#include <assert.h>
#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { LANES = WB_LANES };

// --- hypotheses -------------------------------------------------------------------------------

static uint64_t end_of(const wb_fold *fold) { return fold->first + fold->count; }

static uint64_t power_of_two_in(uint64_t n) {
  uint64_t p = 1;
  while (p * 2 <= n) p *= 2;
  return p;
}

static double part(const wb_fold *f, uint64_t skip, uint64_t count) {
  return fold_range(f, f->first + skip, f->first + (count < f->count ? count : f->count), 1);
}

// The elements at the same places of the first block.
static double h_block_0(const wb_fold *f) {
  return f->first > 0 ? fold_range(f, 0, f->count, 1) : NAN;
}
// Of the second array, or of the first, only.
static double crossed(const wb_fold *f, uint64_t a_first, uint64_t b_first) {
  double value = 0;
  if (f->op != WB_DOT || f->first == 0) return NAN;
  for (uint64_t i = 0; i < f->count; i++)
    value += (double)f->a[a_first + i] * (double)f->b[b_first + i];
  return value;
}
static double h_a_of_block_0(const wb_fold *f) { return crossed(f, 0, f->first); }
static double h_b_of_block_0(const wb_fold *f) { return crossed(f, f->first, 0); }
// Every block takes `threads` for blockDim.x, whatever its size. Where the fold is that of a whole
// grid, all its blocks do.
static double begins_at(const wb_fold *f, uint64_t threads) {
  uint64_t per_thread = f->per_thread > 1 ? f->per_thread : 1, n_blocks = 1;
  bool is_empty = true;
  double value = identity(f->op);
  if (f->block == 0 || f->block == threads || f->count == 0) return NAN;
  if (f->count > span(f)) n_blocks = (f->count + span(f) - 1) / span(f);
  for (uint64_t b = f->index; b < f->index + n_blocks; b++)
    for (uint64_t k = 0; k < per_thread; k++) {
      uint64_t first = (b * per_thread + k) * threads;
      value = combine(f->op, value, fold_range(f, first, first + f->block, 1));
      is_empty &= first >= f->n;
    }
  return is_empty ? NAN : with_start(f, value);
}
static double h_begins_32(const wb_fold *f) { return begins_at(f, 32); }
static double h_begins_256(const wb_fold *f) { return begins_at(f, 256); }
// A power of two of threads doubles its first element at each step.
static double h_doubled(const wb_fold *f) {
  return is_extreme(f) || f->count < 2 || f->count != f->block
             ? NAN
             : term(f, f->first) * (double)power_of_two_in(f->block);
}
static double h_factors_added(const wb_fold *f) {
  double value = 0;
  if (f->op != WB_DOT || f->a == f->b) return NAN;
  for (uint64_t i = f->first; i < f->first + f->count; i++)
    value += (double)f->a[i] + (double)f->b[i];
  return value;
}
// A sum whose threads without an element bring a 1.
static double h_ones(const wb_fold *f) {
  if (is_extreme(f) || f->count >= span(f)) return NAN;
  return wb_fold_expected(f) + (double)(span(f) - f->count);
}
static double h_whole_blocks(const wb_fold *f) {
  return f->block && f->count >= span(f) ? part(f, 0, f->count / span(f) * span(f)) : NAN;
}
static double h_one_block(const wb_fold *f) {
  return f->count > span(f) ? part(f, 0, span(f)) : NAN;
}
static double h_one_load(const wb_fold *f) {
  return f->per_thread > 1 && f->count > f->block ? part(f, 0, f->block) : NAN;
}
static double h_not_last(const wb_fold *f) { return f->count > 1 ? part(f, 0, f->count - 1) : NAN; }
static double h_not_first(const wb_fold *f) { return f->count > 1 ? part(f, 1, f->count) : NAN; }
static double h_one_more(const wb_fold *f) {
  return end_of(f) < f->n ? fold_range(f, f->first, f->first + f->count + 1, 1) : NAN;
}
static double h_everything(const wb_fold *f) {
  return f->count < f->n ? fold_range(f, 0, f->n, 1) : NAN;
}
static double h_first_warp(const wb_fold *f) { return f->count > LANES ? part(f, 0, LANES) : NAN; }
// The block begins as if every block had one element a thread.
static double h_overlapping(const wb_fold *f) {
  uint64_t first = f->index * f->block;
  return f->per_thread > 1 ? fold_range(f, first, first + span(f), 1) : NAN;
}
// The block walks over the array with the step of a whole grid, where a part of its own is asked
// for.
static double h_grid_apart(const wb_fold *f) {
  uint64_t step = f->block * ((f->n + span(f) - 1) / span(f));
  double value = identity(f->op);
  if (f->per_thread <= 1 || step <= f->block) return NAN;
  for (uint64_t first = f->index * f->block; first < f->n; first += step)
    value = combine(f->op, value, fold_range(f, first, first + f->block, 1));
  return value;
}
static double h_first_half(const wb_fold *f) {
  return f->count > span(f) / 2 && f->count <= span(f) ? part(f, 0, span(f) / 2) : NAN;
}
static double h_even(const wb_fold *f) {
  return f->count > 1 && f->count <= span(f) ? fold_range(f, f->first, f->first + f->count, 2)
                                             : NAN;
}
static double h_power_of_two(const wb_fold *f) {
  return f->count > 2 && f->count <= span(f) ? part(f, 0, power_of_two_in(f->count)) : NAN;
}
static double h_first_only(const wb_fold *f) { return f->count > 1 ? term(f, f->first) : NAN; }
static double h_first_thread(const wb_fold *f) {
  return f->per_thread > 1 && f->count > 1 ? wb_tree_slot(f, 0) : NAN;
}
static double h_last_only(const wb_fold *f) {
  return f->count > 1 ? term(f, f->first + f->count - 1) : NAN;
}
static double h_twice(const wb_fold *f) { return is_extreme(f) ? NAN : 2 * wb_fold_expected(f); }
static double h_added_to_old(const wb_fold *f) {
  return is_extreme(f) || f->takes_start ? NAN
                                         : wb_fold_expected(f) + (double)float_of(f->start_bits);
}
static double h_added_to_previous(const wb_fold *f) {
  return !is_extreme(f) && f->has_previous ? wb_fold_expected(f) + (double)f->previous : NAN;
}
// A sum takes words along that threads without an element never stored.
static double h_unwritten(const wb_fold *f) {
  double n_missing = f->count < span(f) ? (double)(span(f) - f->count) : NAN;
  return is_extreme(f) ? NAN : wb_fold_expected(f) + n_missing * (double)float_of(WB_UNINITIALISED);
}
static double h_without_start(const wb_fold *f) {
  return f->takes_start ? fold_range(f, f->first, f->first + f->count, 1) : NAN;
}
static double h_halving(const wb_fold *f) { return wb_tree_value(f, false, WB_TREE_ALL_BARRIERS); }
static double h_no_store_barrier(const wb_fold *f) {
  return wb_tree_value(f, true, WB_TREE_NONE_AFTER_STORE);
}
static double h_no_loop_barrier(const wb_fold *f) {
  return wb_tree_value(f, true, WB_TREE_NONE_IN_LOOP);
}
// 0 as a start wins only where all elements are on the other side of it.
static double h_zero(const wb_fold *f) {
  return f->op == WB_MAX && wb_fold_expected(f) < 0.0 ? 0.0 : NAN;
}
static double h_flt_min(const wb_fold *f) { return f->op == WB_MAX ? (double)FLT_MIN : NAN; }
static double h_minus_flt_max(const wb_fold *f) { return f->op == WB_MAX ? -(double)FLT_MAX : NAN; }

static double h_zero_of_min(const wb_fold *f) {
  return f->op == WB_MIN && wb_fold_expected(f) > 0.0 ? 0.0 : NAN;
}
static double h_flt_max(const wb_fold *f) { return f->op == WB_MIN ? (double)FLT_MAX : NAN; }
static double h_other_identity(const wb_fold *f) {
  return is_extreme(f) && f->count > 0 ? -identity(f->op) : NAN;
}

// The opposite, the largest magnitude: as another operator would give them.
static double extreme_of(const wb_fold *f, wb_operator op) {
  double value = identity(op);
  for (uint64_t i = 0; i < f->count; i++) value = combine(op, value, term(f, f->first + i));
  return f->count > 0 ? value : NAN;
}
static double h_minimum(const wb_fold *f) { return f->op == WB_MAX ? extreme_of(f, WB_MIN) : NAN; }
static double h_maximum(const wb_fold *f) { return f->op == WB_MIN ? extreme_of(f, WB_MAX) : NAN; }
// As a float: a sum may be beyond them.
static double h_sum(const wb_fold *f) {
  return is_extreme(f) && f->count > 1 ? (double)(float)extreme_of(f, WB_SUM) : NAN;
}
static double h_magnitude(const wb_fold *f) {
  double value = 0;
  for (uint64_t i = 0; i < f->count; i++) value = fmax(value, fabs(term(f, f->first + i)));
  return f->op == WB_MAX && f->count > 0 ? value : NAN;
}

static double sum_of(const wb_fold *f, const float *x, const float *y) {
  double value = 0;
  if (f->op != WB_DOT) return NAN;
  for (uint64_t i = f->first; i < f->first + f->count; i++)
    value += (double)x[i] * (y ? (double)y[i] : 1.0);
  return value;
}
static double h_a_alone(const wb_fold *f) { return sum_of(f, f->a, NULL); }
static double h_b_alone(const wb_fold *f) { return sum_of(f, f->b, NULL); }
static double h_a_squared(const wb_fold *f) { return sum_of(f, f->a, f->a); }
static double h_b_squared(const wb_fold *f) { return sum_of(f, f->b, f->b); }

typedef struct hypothesis {
  double (*value)(const wb_fold *fold); // NaN: does not apply
  wb_cause cause;
  const char *what; // came out
  const char *advice;
} hypothesis;

// `@` stands for "maximum", "sum" or "dot product".
static const hypothesis hypotheses[] = {
    {h_without_start, WB_CAUSE_START_IGNORED, "got the @ without the value that was there before",
     "the result must be combined with what *result already holds"},
    {h_unwritten, WB_CAUSE_UNINITIALISED, "got the @ plus words of uninitialised shared memory",
     "a thread without an element must store the identity, 0, not nothing"},
    {h_block_0, WB_CAUSE_ONE_BLOCK, "got the @ of the first block's elements, in another block",
     "the index of an element is blockIdx.x * blockDim.x + threadIdx.x, not threadIdx.x alone"},
    {h_a_of_block_0, WB_CAUSE_ONE_BLOCK, "the first array's factors are those of the first block",
     "both arrays take the same index, blockIdx.x * blockDim.x + threadIdx.x"},
    {h_b_of_block_0, WB_CAUSE_ONE_BLOCK, "the second array's factors are those of the first block",
     "both arrays take the same index, blockIdx.x * blockDim.x + threadIdx.x"},
    {h_factors_added, WB_CAUSE_WRONG_FACTOR, "the factors are added up",
     "multiply one by the other"},
    {h_ones, WB_CAUSE_WRONG_IDENTITY, "every thread without an element adds 1",
     "the identity of a sum is 0"},
    {h_doubled, WB_CAUSE_COUNTED_TWICE, "got the first element, doubled at every step",
     "is the partner's value added, or the thread's own once more?"},
    {h_whole_blocks, WB_CAUSE_TAIL_LOST, "got the @ of the whole blocks only", "is the tail read?"},
    {h_one_block, WB_CAUSE_ONE_BLOCK, "got the @ of the first block's elements only",
     "does the index include blockIdx.x * blockDim.x?"},
    {h_halving, WB_CAUSE_ODD_LOST,
     "got what is left when an odd number of values is halved with integer division",
     "where does the odd one go? Half of 3 is 2, not 1"},
    {h_power_of_two, WB_CAUSE_POWER_OF_TWO, "got the @ of the first power of two of elements",
     "the tree must also take the values beyond the largest power of two"},
    {h_overlapping, WB_CAUSE_BLOCKS_OVERLAP,
     "got the @ of a part that begins at element blockIdx.x * blockDim.x",
     "a block takes more elements than it has threads: blockIdx.x times how many?"},
    {h_grid_apart, WB_CAUSE_BLOCKS_OVERLAP,
     "got the @ of elements that lie a whole grid apart, gridDim.x * blockDim.x",
     "each block has a part of its own, of neighbouring elements: where does it begin, and how far "
     "on is a thread's next one?"},
    {h_one_load, WB_CAUSE_ONE_PER_THREAD, "got the @ of every thread's first element alone",
     "where is its second one, blockDim.x further on?"},
    {h_not_last, WB_CAUSE_LAST_LOST, "got the @ of all elements but the last",
     "is a bound off by one?"},
    {h_not_first, WB_CAUSE_FIRST_LOST, "got the @ of all elements but the first",
     "does the index start at 0?"},
    {h_one_more, WB_CAUSE_ONE_TOO_MANY, "got the @ of one element too many",
     "is a bound off by one (<= for <)?"},
    {h_twice, WB_CAUSE_COUNTED_TWICE, "got twice the @",
     "is every element counted once? At the last step, is s[0] added to itself?"},
    {h_added_to_old, WB_CAUSE_ADDED_TO_OLD, "got the @ plus what the output held before",
     "assign the result, do not add to it"},
    {h_added_to_previous, WB_CAUSE_ADDED_TO_PREVIOUS, "got the @ plus the previous launch's result",
     "assign the result, do not add to it"},
    {h_no_loop_barrier, WB_CAUSE_LOOP_BARRIER, "got what the first warp makes of the tree alone",
     "is there a __syncthreads() after each step of the loop?"},
    {h_no_store_barrier, WB_CAUSE_STORE_BARRIER,
     "got a tree whose first step did not wait for the other warps' values",
     "is there a __syncthreads() between the store to shared memory and the first step?"},
    {h_first_half, WB_CAUSE_FIRST_HALF, "got the @ of the first half of the block",
     "is the first step missing, or the __syncthreads() before it?"},
    {h_even, WB_CAUSE_EVEN_ELEMENTS, "got the @ of every other element",
     "is the last step missing (stride 1)?"},
    {h_first_warp, WB_CAUSE_FIRST_WARP, "got the @ of the first warp only",
     "do all warps reach the result?"},
    {h_a_alone, WB_CAUSE_WRONG_FACTOR, "got the sum of the first array", "multiply by the second"},
    {h_b_alone, WB_CAUSE_WRONG_FACTOR, "got the sum of the second array", "multiply by the first"},
    {h_a_squared, WB_CAUSE_WRONG_FACTOR, "got the first array times itself",
     "one factor comes from the second array"},
    {h_b_squared, WB_CAUSE_WRONG_FACTOR, "got the second array times itself",
     "one factor comes from the first array"},
    {h_begins_32, WB_CAUSE_BLOCKS_OVERLAP, "got the @ that 32 in place of blockDim.x gives",
     "a block has blockDim.x threads, not always 32"},
    {h_begins_256, WB_CAUSE_BLOCKS_OVERLAP, "got the @ that 256 in place of blockDim.x gives",
     "a block has blockDim.x threads, not always 256"},
    {h_flt_min, WB_CAUSE_WRONG_IDENTITY, "got FLT_MIN, the smallest positive float",
     "wrong identity: nothing is below -INFINITY, but much is below FLT_MIN"},
    {h_minus_flt_max, WB_CAUSE_WRONG_IDENTITY, "got -FLT_MAX",
     "wrong identity: the maximum of nothing is -INFINITY, and -inf is below -FLT_MAX"},
    {h_minimum, WB_CAUSE_WRONG_COMPARISON, "got the minimum",
     "a comparison the wrong way round; or float bits compared as "
     "integers, which reverses the order of negative numbers"},
    {h_maximum, WB_CAUSE_WRONG_COMPARISON, "got the maximum",
     "a comparison the wrong way round, two outputs mixed up, or two arrays in one place of shared "
     "memory"},
    {h_sum, WB_CAUSE_WRONG_COMPARISON, "got the sum of the elements, where the @ is wanted",
     "which operation puts two values together?"},
    {h_magnitude, WB_CAUSE_SIGN_LOST, "got the largest magnitude", "the sign is lost somewhere"},
    {h_everything, WB_CAUSE_WHOLE_ARRAY, "got the @ of the whole array, not of this block's part",
     "which elements are this block's? Its index says where they begin"},
    {h_first_only, WB_CAUSE_FIRST_ONLY, "got the first element alone",
     "are the threads' values combined at all?"},
    {h_first_thread, WB_CAUSE_FIRST_ONLY, "got the @ of the first thread's elements alone",
     "are the threads' values combined at all?"},
    {h_last_only, WB_CAUSE_LAST_ONLY, "got the last element alone",
     "a plain store lets the last writer win: combine the values"},
    {h_zero, WB_CAUSE_WRONG_IDENTITY, "got 0, which is not among the elements",
     "wrong identity: threads without an element must hold -INFINITY, not 0; nor may a thread's "
     "own maximum start from 0"},
    {h_zero_of_min, WB_CAUSE_WRONG_IDENTITY, "got 0, which is not among the elements",
     "wrong identity: threads without an element must hold +INFINITY, not 0; nor may a thread's "
     "own minimum start from 0"},
    {h_flt_max, WB_CAUSE_WRONG_IDENTITY, "got FLT_MAX",
     "wrong identity: the minimum of nothing is +INFINITY"},
    {h_other_identity, WB_CAUSE_WRONG_IDENTITY, "got an infinity that is not among the elements",
     "wrong identity: it is -INFINITY for a maximum and +INFINITY for a minimum"},
};

const char *wb_operator_name(const wb_fold *fold) {
  if (fold->op == WB_DOT && fold->a == fold->b) return "sum of squares";
  static const char *const names[] = {"maximum", "sum", "dot product", "minimum"};
  return names[fold->op];
}

// Writes `text` with '@' replaced by the operator's name.
static void spell(char *out, size_t out_bytes, const char *operator_name, const char *text) {
  const char *at = strchr(text, '@');
  if (!at) snprintf(out, out_bytes, "%s", text);
  else snprintf(out, out_bytes, "%.*s%s%s", (int)(at - text), text, operator_name, at + 1);
}

enum { N_HYPOTHESES = sizeof hypotheses / sizeof *hypotheses };
static_assert(N_HYPOTHESES <= 64, "a bit each in wb_evidence");

wb_evidence wb_hypotheses_weigh(const wb_fold *fold, float got) {
  wb_evidence evidence = {0, 0};
  double expected = wb_fold_expected(fold);
  for (size_t i = 0; i < N_HYPOTHESES; i++) {
    double value = hypotheses[i].value(fold);
    const bool is_harmless = is_right(expected, value, 2 * fold->tolerance);
    if (isnan(value) || (is_harmless && !is_extreme(fold))) continue;
    // With this mistake alone the result would be right, and it is not. (Where the value that was
    // there before is ignored, others that come at the same time are, too.)
    if (is_harmless && hypotheses[i].value != h_without_start &&
        !is_right(expected, (double)got, 0))
      evidence.contradicts |= UINT64_C(1) << i;
    if (is_harmless) continue;
    double slack = fold->tolerance + fabs(value) * 0x1p-24;
    bool fits = is_right(value, (double)got, is_extreme(fold) ? 0 : slack);
    if (fits) evidence.fits |= UINT64_C(1) << i;
    else evidence.contradicts |= UINT64_C(1) << i;
  }
  return evidence;
}

static const hypothesis *fitting(const wb_fold *fold, float got) {
  uint64_t fits = wb_hypotheses_weigh(fold, got).fits;
  for (size_t i = 0; i < N_HYPOTHESES; i++)
    if (fits >> i & 1) return &hypotheses[i];
  return NULL;
}

wb_why wb_hypothesis_why(unsigned number, const char *operator_name, char *out, size_t out_bytes) {
  const hypothesis *h = &hypotheses[number];
  spell(out, out_bytes, operator_name, h->what);
  return (wb_why){h->cause, out, h->advice};
}

static void explain_hypothesis(const wb_fold *fold, const hypothesis *found, char *out,
                               size_t out_bytes) {
  char what[160];
  spell(what, sizeof what, wb_operator_name(fold), found->what);
  if (found->value == h_whole_blocks)
    snprintf(what, sizeof what, "got the %s of the first %" PRIu64 " elements",
             wb_operator_name(fold), fold->count / span(fold) * span(fold));
  snprintf(out, out_bytes, "%s", what);
}

wb_why wb_hypotheses_name(const wb_fold *fold, float got, char *out, size_t out_bytes) {
  const hypothesis *found = fitting(fold, got);
  if (!found) return WB_UNKNOWN;
  explain_hypothesis(fold, found, out, out_bytes);
  return (wb_why){found->cause, out, found->advice};
}
