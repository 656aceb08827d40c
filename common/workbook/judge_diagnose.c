// SPDX-License-Identifier: MIT
// judge_diagnose.c - from a wrong value to its most likely cause: marks that it bears, the mistakes
// of judge_hypotheses.c, and what is left of an extreme or a sum; then the verdict.
//
// Invariants: pure host code over the fold's inputs; never claims a cause when the right value
// would look the same.
#include "judge_fold.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

double wb_fold_expected(const wb_fold *fold) {
  return with_start(fold, fold_range(fold, fold->first, fold->first + fold->count, 1));
}

double wb_fold_bound(const wb_fold *fold) {
  double sum_abs = 0.0;
  if (is_extreme(fold)) return 0.0;
  for (uint64_t i = 0; i < fold->count; i++) sum_abs += fabs(term(fold, fold->first + i));
  return ((double)fold->count + 1.0) * 0x1p-24 * sum_abs;
}

// --- what needs words of its own --------------------------------------------------------------

// The first in the fold's own part; without one there, the first of all.
static uint64_t find_element(const wb_fold *fold, double value, uint64_t *n_found) {
  uint64_t at = fold->n, own = fold->n;
  *n_found = 0;
  for (uint64_t i = 0; i < fold->n; i++)
    if (term(fold, i) == value) {
      bool is_own = i >= fold->first && i < fold->first + fold->count;
      if ((*n_found)++ == 0) at = i;
      if (is_own && own == fold->n) own = i;
    }
  return own < fold->n ? own : at;
}

static bool all_nan(const wb_fold *fold) {
  for (uint64_t i = 0; i < fold->count; i++)
    if (!isnan(term(fold, fold->first + i))) return false;
  return true;
}

static bool has_nan(const wb_fold *fold) {
  for (uint64_t i = 0; i < fold->count; i++)
    if (isnan(term(fold, fold->first + i))) return true;
  return false;
}

// Whether the right value, added to what was there before, is that again: it drowned, or is NaN.
static bool is_sum_with_start(const wb_fold *fold) {
  float start = float_of(fold->start_bits);
  return isnan(start) || (float)(wb_fold_expected(fold) + (double)start) == start;
}

static wb_why mark_of_start(const wb_fold *fold, float got) {
  uint32_t bits = bits_of(got);
  if (is_extreme(fold) && !fold->takes_start && bits != WB_POISON &&
      combine(fold->op, (double)got, wb_fold_expected(fold)) == (double)got)
    return (wb_why){WB_CAUSE_OLD_VALUE_LEFT,
                    "it still holds what the suite put in before the launch: nothing was written, "
                    "or the old value took part in the maximum or minimum",
                    "assign the result, whatever the output held before"};
  if (fold->takes_start && fold->count < fold->block)
    return (wb_why){WB_CAUSE_UNFILLED,
                    "no element was taken from a block that is only partly filled",
                    "Is the blank filled in yet? If so: is the tail read?"};
  if (fold->written == WB_WRITTEN_HERE && !is_extreme(fold) && !fold->takes_start &&
      !is_sum_with_start(fold))
    return WB_UNKNOWN; // a wrong result that happens to be what was there
  if (fold->written == WB_WRITTEN_HERE && !is_extreme(fold) && !fold->takes_start)
    return (wb_why){WB_CAUSE_ADDED_TO_OLD,
                    "what stood here before the launch is still in it: the result was added to it",
                    "assign the result, do not add to it"};
  if (fold->written == WB_WRITTEN_ELSEWHERE && !fold->takes_start)
    return (wb_why){WB_CAUSE_OLD_VALUE_LEFT, "nothing was written here, but other elements were",
                    "which thread writes this element? Work out its index for blocks 0 and 1"};
  if (!is_extreme(fold))
    return (wb_why){
        WB_CAUSE_UNFILLED,
        "nothing was written here, or the result was added to what stood here before "
        "and drowned in it",
        "Is the blank filled in yet? If so: which thread writes the result, and with = ?"};
  return (wb_why){
      WB_CAUSE_UNFILLED,
      "nothing was written here: it still holds what the suite put in before the launch",
      "Is the blank filled in yet? If so: which thread writes the result?"};
}

// A NaN came out where none should.
static wb_why mark_of_nan(const wb_fold *fold) {
  if (!has_nan(fold))
    return (wb_why){WB_CAUSE_NAN_MADE,
                    "no element is NaN: it comes from uninitialised memory, or from inf - inf",
                    "is every value that is read stored first?"};
  if (is_extreme(fold) && isinf(wb_fold_expected(fold)) && all_nan(fold))
    return (wb_why){
        WB_CAUSE_NAN_WON,
        "all of these elements are NaN, and a NaN is left: fmaxf and fminf of two NaNs are "
        "NaN, and x > y ? y : x is x where x is NaN",
        "fold in the identity once, on loading: fmaxf(-INFINITY, x) is never a NaN"};
  return (wb_why){
      WB_CAUSE_NAN_WON,
      "a NaN among the elements won: fmaxf(x, y) and fminf(x, y) return the other value "
      "when one is NaN, x > y ? x : y does not",
      "use fmaxf or fminf wherever two values are combined"};
}

static wb_why diagnose_marks(const wb_fold *fold, float got) {
  uint32_t bits = bits_of(got);
  bool expects_nan = isnan(wb_fold_expected(fold));
  if (bits == fold->start_bits) return mark_of_start(fold, got);
  if (bits == WB_POISON)
    return (wb_why){WB_CAUSE_LEFTOVER,
                    "the value is a leftover of the output array before the launch", NULL};
  if (fold->has_previous && bits == bits_of(fold->previous))
    return (wb_why){
        WB_CAUSE_PREVIOUS_RESULT,
        "this is what the previous launch left here: the kernel did not write its own result",
        "which thread writes the result?"};
  if (bits == WB_UNINITIALISED)
    return (wb_why){
        WB_CAUSE_UNINITIALISED,
        "the value comes from uninitialised memory: shared memory read before it was stored",
        "A __syncthreads() is missing, or an index goes past the block's values"};
  if (bits == WB_BAIT || (fabsf(got) > 1e37f && fabsf(got) < FLT_MAX))
    return (wb_why){WB_CAUSE_OUTSIDE_ARRAYS, "the value comes from outside the arrays",
                    "does every thread check its index against n?"};
  if (isnan(got) && !expects_nan) return mark_of_nan(fold);
  if (expects_nan)
    return (wb_why){WB_CAUSE_NAN_LOST,
                    "an element is NaN, so the result must be NaN too: it got lost", NULL};
  return WB_UNKNOWN;
}

// The maximum or minimum never arrived: who held it?
static void describe_lost(const wb_fold *fold, char *out, size_t out_bytes) {
  uint64_t at = fold->first, end = fold->first + fold->count;
  while (at < end && term(fold, at) != wb_fold_expected(fold)) at++;
  unsigned block = fold->block ? fold->block : 1, in_a_block = span(fold) ? span(fold) : 1;
  snprintf(out, out_bytes,
           "a %s element was lost on the way: %s[%" PRIu64 "], of thread %" PRIu64
           " in block %" PRIu64,
           fold->op == WB_MAX ? "larger" : "smaller", fold->input, at, (at - fold->first) % block,
           at / in_a_block);
}

// What is left of an element, or of an infinity, that an int has held.
static bool is_from_an_int(const wb_fold *fold, float got) {
  const bool is_end = fabsf(got) == 0x1p31f;
  const double expected = wb_fold_expected(fold);
  const bool is_start = fold->op == WB_MAX ? expected < 0.0 : expected > 0.0; // 0 as an identity
  if (got == 0.0f) return !is_start && trunc(expected) == 0.0;
  for (uint64_t i = 0; i < fold->n; i++)
    if ((float)trunc(term(fold, i)) == got) return true;
  return is_end;
}

// An extreme that is some element.
static wb_cause diagnose_extreme(const wb_fold *fold, float got, char *out, size_t out_bytes) {
  uint64_t n_found, i = find_element(fold, (double)got, &n_found);
  if (n_found == 0 && is_from_an_int(fold, got)) {
    snprintf(out, out_bytes,
             "that is an element, or an infinity, as an int holds it: some variable, parameter or "
             "result on its way is not a float");
    return WB_CAUSE_CONVERTED;
  }
  if (n_found == 0) {
    snprintf(out, out_bytes, "the value is not among the elements");
    return WB_CAUSE_NOT_AN_ELEMENT;
  }
  if (i >= fold->first && i < fold->first + fold->count) {
    describe_lost(fold, out, out_bytes);
    return WB_CAUSE_ELEMENT_LOST;
  }
  snprintf(out, out_bytes, "the value is %s[%" PRIu64 "], an element of another block", fold->input,
           i);
  return WB_CAUSE_ELEMENT_OF_OTHER_BLOCK;
}

// A sum short of one element, or over by it.
static wb_cause diagnose_sum(const wb_fold *fold, float got, char *out, size_t out_bytes) {
  uint64_t n_found;
  double missing = wb_fold_expected(fold) - (double)got;
  unsigned block = fold->block ? fold->block : 1;
  wb_cause cause = WB_CAUSE_LEFT_OUT;
  uint64_t i = find_element(fold, missing, &n_found);
  if (n_found != 1) i = find_element(fold, -missing, &n_found), cause = WB_CAUSE_COUNTED_TWICE;
  if (n_found != 1 || fold->tolerance > 0) return WB_CAUSE_NONE;
  snprintf(out, out_bytes, "element %" PRIu64 " (thread %" PRIu64 " of block %" PRIu64 ") was %s",
           i, i % block, i / (span(fold) ? span(fold) : 1),
           cause == WB_CAUSE_LEFT_OUT ? "left out" : "counted twice");
  return cause;
}

wb_why wb_diagnose(const wb_fold *fold, float got, char *out, size_t out_bytes) {
  wb_why mark = fold->own_cause ? fold->own_cause(fold, got) : WB_UNKNOWN;
  if (!mark.text) mark = diagnose_marks(fold, got);
  if (mark.text) return mark;
  mark = wb_hypotheses_name(fold, got, out, out_bytes);
  if (mark.text) return mark;
  if ((double)got == identity(fold->op)) {
    bool tail = fold->count < span(fold) && fold->first > 0;
    snprintf(out, out_bytes, "%g is the identity: no element%s has come as far as here",
             identity(fold->op), tail ? " of the last, partly filled block" : "");
    return (wb_why){WB_CAUSE_NO_ELEMENT, out,
                    tail ? "is the tail read?"
                         : "follow one element on paper: where is it loaded, where is it stored, "
                           "and who reads it there?"};
  }
  wb_cause cause = is_extreme(fold) ? diagnose_extreme(fold, got, out, out_bytes)
                                    : diagnose_sum(fold, got, out, out_bytes);
  const char *next = cause == WB_CAUSE_ELEMENT_LOST ? fold->when_lost : NULL;
  return cause == WB_CAUSE_NONE ? WB_UNKNOWN : (wb_why){cause, out, next};
}

// --- judging ----------------------------------------------------------------------------------

// ", which is in[17]" for a maximum or minimum that stands in the input.
static const char *origin(const wb_fold *fold, double expected, char *out, size_t out_bytes) {
  *out = '\0';
  for (uint64_t i = fold->first; is_extreme(fold) && i < fold->first + fold->count; i++)
    if (term(fold, i) == expected) {
      snprintf(out, out_bytes, ", which is %s[%" PRIu64 "]", fold->input, i);
      break;
    }
  return out;
}

// A shuffle from a lane that is not there returns what uninitialised memory holds: where no lane
// loads from shared memory, that is what it was. A GPU does not count them.
#ifdef WORKBOOK_SIMT
static wb_why of_a_shuffle(const wb_judge *judge, wb_why why) {
  if (judge->counters.shuffles == 0 || judge->counters.shared_load_requests > 0) return why;
  return (wb_why){WB_CAUSE_UNINITIALISED,
                  "the value comes from a shuffle that asks a lane which does not execute it",
                  "which lanes come to this shuffle, and does the mask name them all? "
                  "(__activemask() names those that happen to be there)"};
}
#else
static wb_why of_a_shuffle(const wb_judge *judge, wb_why why) { return (void)judge, why; }
#endif

void wb_judge_value(wb_judge *judge, const wb_fold *asked, float got) {
  char cause[512], from[96], allowed[64] = "";
  double expected = wb_fold_expected(asked);
  if (is_right(expected, (double)got, asked->tolerance)) return;
  wb_fold one = *asked, *fold = &one;
  one.written = wb_judge_written(judge, one.output, one.index);
  wb_why why = wb_diagnose(fold, got, cause, sizeof cause);
  if (why.cause == WB_CAUSE_UNINITIALISED) why = of_a_shuffle(judge, why);
  wb_judge_weigh(judge, wb_hypotheses_weigh(fold, got), why.text == cause, wb_operator_name(fold));
  if (fold->tolerance > 0) snprintf(allowed, sizeof allowed, " (within %.3g)", fold->tolerance);
  wb_judge_fail_why(judge, why, "expected %s[%" PRIu64 "] = %.9g%s%s\ngot      %.9g", fold->output,
                    fold->index, expected, allowed, origin(fold, expected, from, sizeof from),
                    (double)got);
}

void wb_judge_blocks(wb_judge *judge, const wb_fold *fold, const float *got, uint64_t n_blocks,
                     bool exact) {
  for (uint64_t b = 0; b < n_blocks; b++) {
    wb_fold one = *fold;
    one.index = b;
    one.first = b * span(fold) < fold->n ? b * span(fold) : fold->n;
    one.count = fold->n - one.first < span(fold) ? fold->n - one.first : span(fold);
    one.tolerance = exact ? 0.0 : wb_fold_bound(&one);
    wb_judge_value(judge, &one, got[b]);
  }
}
