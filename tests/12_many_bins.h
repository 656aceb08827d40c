// SPDX-License-Identifier: MIT
// 12_many_bins.h - what the two halves of lesson 12's suite share: samples for any number of bins,
// and a plain count of them.
#ifndef MANY_BINS_SUITE_H
#define MANY_BINS_SUITE_H

#include "inputs.h"
#include "judge.h"

#include <stdio.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

enum { LANES = WB_LANES };

extern const wb_suite many_bins_exercise;

// A variant of the exercise: sample s belongs to bin n_bins - 1 - s.
static inline bool is_mirrored(void) { return wb_judge_is_variant("mirrored"); }

typedef enum pattern {
  UNIFORM, // every value about as often
  SKEWED,  // half of the samples have one value, a quarter another …
  ZIPF,    // value v about as often as 1 / (v + 1)
  EQUAL,   // all the same
  ROUND,   // 0, 1, 2 … n_bins - 1, 0, 1 …
  WORD,    // the values hot … hot + 3 at random, so that their counters fill up together
  FILL,    // 255 of hot + 1, 255 of hot + 2, 255 of hot + 3, 256 of hot, and again: carries that go
           // through full counters
  SORTED,  // all 0, all 1 …
  N_PATTERNS
} pattern;

static inline const char *pattern_name(pattern p) {
  static const char *const names[] = {"all values alike often",   "skewed values",
                                      "small values most often",  "all values equal",
                                      "0, 1, 2 ... again",        "four neighbouring values",
                                      "neighbours that are full", "in ascending order"};
  return names[p];
}

typedef struct bins_case {
  unsigned n, n_bins, grid, block;
  pattern pattern;
  unsigned hot;    // EQUAL, WORD, FILL: the value, or the first
  unsigned offset; // of the input, in elements
  bool counted;    // the bins hold counts already
} bins_case;

// What a bin holds before the launch.
static inline uint32_t start_of(const bins_case *one, unsigned bin) {
  return one->counted ? 1000 + 3 * bin : 0;
}

static inline uint32_t sample_of(const bins_case *one, uint64_t seed, unsigned i) {
  const uint64_t random = wb_random(seed, i);
  const unsigned n_bins = one->n_bins, turn = i % (4 * 255 + 1);
  unsigned rank = 0, v = 0;
  switch (one->pattern) {
  case UNIFORM: v = (unsigned)((random >> 32) * n_bins >> 32); break;
  case SKEWED:
    while (rank < 40 && (random >> rank & 1)) rank++;
    v = n_bins - 1 - rank * 41 % n_bins;
    break;
  case ZIPF: // log-uniform: 2^k in a row share an octave
    while (rank < 31 && 2u << rank <= n_bins) rank++;
    rank = (unsigned)(random % (rank + 1));
    v = (1u << rank) - 1 + (unsigned)(random >> 33) % (1u << rank);
    break;
  case EQUAL: v = one->hot; break;
  case ROUND: v = i; break;
  case WORD: v = one->hot + (unsigned)(random >> 62); break;
  case FILL: v = one->hot + (turn < 765 ? 1 + turn / 255 : 0); break;
  case SORTED: v = (unsigned)((uint64_t)i * n_bins / (one->n > 0 ? one->n : 1)); break;
  case N_PATTERNS: break;
  }
  return v % n_bins;
}

static inline uint32_t *samples_of(wb_judge *judge, const bins_case *one) {
  uint32_t *x = (uint32_t *)wb_judge_host(judge, one->n * sizeof *x);
  const uint64_t seed = wb_random(wb_judge_seed(judge), (uint64_t)one->n * 64 + one->pattern);
  for (unsigned i = 0; i < one->n; i++) x[i] = sample_of(one, seed, i);
  return x;
}

#endif
