// SPDX-License-Identifier: MIT
// judge_fold.h - values of parts of a fold's input (judge.h: wb_fold), for the files that find the
// cause of a wrong one: judge_diagnose.c, judge_hypotheses.c, judge_tree.c. Private to them.
#ifndef WORKBOOK_JUDGE_FOLD_H
#define WORKBOOK_JUDGE_FOLD_H

#include <math.h>
#include <string.h>

#include "judge_internal.h"

static inline float float_of(uint32_t bits) {
  float value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

static inline uint32_t bits_of(float value) {
  uint32_t bits;
  memcpy(&bits, &value, sizeof bits);
  return bits;
}

static inline bool is_extreme(const wb_fold *fold) {
  return fold->op == WB_MAX || fold->op == WB_MIN;
}

static inline double identity(wb_operator op) {
  return op == WB_MAX ? -INFINITY : op == WB_MIN ? INFINITY : 0.0;
}

static inline double combine(wb_operator op, double x, double y) {
  return op == WB_MAX ? fmax(x, y) : op == WB_MIN ? fmin(x, y) : x + y;
}

// Elements a block folds.
static inline unsigned span(const wb_fold *fold) {
  return fold->per_thread > 1 ? fold->block * fold->per_thread : fold->block;
}

static inline double term(const wb_fold *fold, uint64_t i) {
  return fold->op == WB_DOT ? (double)fold->a[i] * (double)fold->b[i] : (double)fold->a[i];
}

// Elements first, first + step, … below end.
static inline double fold_range(const wb_fold *fold, uint64_t first, uint64_t end, uint64_t step) {
  double value = identity(fold->op);
  if (end > fold->n) end = fold->n;
  for (uint64_t i = first; i < end; i += step) value = combine(fold->op, value, term(fold, i));
  return value;
}

static inline double with_start(const wb_fold *fold, double value) {
  return fold->takes_start ? combine(fold->op, value, (double)float_of(fold->start_bits)) : value;
}

static inline bool is_right(double expected, double got, double tolerance) {
  if (isnan(expected)) return isnan(got);
  if (isinf(expected)) return got == expected;
  return fabs(got - expected) <= tolerance; // false for NaN
}

// The most specific mistake (judge_hypotheses.c) that gives `got` and not the right value; its
// words are in `out` [out_bytes]. WB_UNKNOWN when no mistake fits.
wb_why wb_hypotheses_name(const wb_fold *fold, float got, char *out, size_t out_bytes);

// Which mistakes give `got`, and which another value: also the right one where `got` is wrong, of a
// maximum or minimum. Otherwise one that makes no difference here is neither for nor against.
wb_evidence wb_hypotheses_weigh(const wb_fold *fold, float got);
// What a thread brings to a tree: its element, or all of its elements.
double wb_tree_slot(const wb_fold *fold, unsigned thread);
typedef enum wb_tree_barriers {
  WB_TREE_ALL_BARRIERS,
  WB_TREE_NONE_AFTER_STORE,
  WB_TREE_NONE_IN_LOOP
} wb_tree_barriers;
// What a halving tree gives that runs warp after warp, with the barriers given; `round_up` says
// which of two halves of an odd number of values is the larger: without it the odd one is lost.
// NaN: the fold is not that of one block.
double wb_tree_value(const wb_fold *fold, bool round_up, wb_tree_barriers present);

// "maximum", "sum": what is folded.
const char *wb_operator_name(const wb_fold *fold);

#endif
