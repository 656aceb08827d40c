// SPDX-License-Identifier: MIT
// judge_tree.c - halving trees as they come out when something is missing: a barrier, or the odd
// one of an odd number of values.
//
// Pure host code over the fold's inputs. Not modelled: an order of warps other than one after the
// other.
#include "judge_fold.h"

#include <math.h>

enum { LANES = WB_LANES, MAX_THREADS = 1024 };

double wb_tree_slot(const wb_fold *fold, unsigned thread) {
  double value = identity(fold->op);
  for (uint64_t i = thread; i < fold->count; i += fold->block)
    value = combine(fold->op, value, term(fold, fold->first + i));
  return value;
}

// One halving step, s[t] = s[t] op s[t + half], for threads [from, to).
static void halve(const wb_fold *fold, double *s, unsigned active, unsigned half, unsigned from,
                  unsigned to) {
  double read[MAX_THREADS]; // a warp loads before it stores
  for (unsigned t = from; t < to && t < half; t++)
    read[t] = t + half < active ? combine(fold->op, s[t], s[t + half]) : s[t];
  for (unsigned t = from; t < to && t < half; t++) s[t] = read[t];
}

static unsigned half_of(unsigned active, bool round_up) {
  return (active + (round_up ? 1 : 0)) / 2;
}

double wb_tree_value(const wb_fold *fold, bool round_up, wb_tree_barriers present) {
  double s[MAX_THREADS];
  unsigned block = fold->block, first_half = half_of(block, round_up);
  if (block == 0 || block > MAX_THREADS || fold->count > span(fold)) return NAN;
  for (unsigned t = 0; t < block; t++)
    s[t] = present == WB_TREE_NONE_AFTER_STORE ? (double)float_of(WB_UNINITIALISED)
                                               : wb_tree_slot(fold, t);
  if (present == WB_TREE_NONE_AFTER_STORE) {
    // Every warp stores its values and takes the first step at once.
    for (unsigned w = 0; w < block; w += LANES) {
      for (unsigned t = w; t < w + LANES && t < block; t++) s[t] = wb_tree_slot(fold, t);
      if (block > 1) halve(fold, s, block, first_half, w, w + LANES);
    }
  }
  bool one_warp =
      present == WB_TREE_NONE_IN_LOOP; // the first warp is done before the second begins
  unsigned active = present == WB_TREE_NONE_AFTER_STORE ? first_half : block;
  while (active > 1) {
    unsigned half = half_of(active, round_up);
    halve(fold, s, round_up ? active : 2 * half, half, 0, one_warp ? LANES : block);
    active = half;
  }
  return s[0];
}
