// SPDX-License-Identifier: MIT
// 08_histogram.h - what the two halves of lesson 08's suite share: 08_histogram.c launches the
// kernels and says how often they may add, 08_histogram_diagnose.c compares the bins and finds out
// what went wrong.
#ifndef HISTOGRAM_SUITE_H
#define HISTOGRAM_SUITE_H

#include "judge.h"

enum { BINS = 256, LANES = WB_LANES };

typedef struct tally {
  const char *signature;
  unsigned element_bytes;                 // 4: int samples, 1: bytes
  bool one_each;                          // one element a thread: the grid must cover the input
  size_t (*shared_bytes)(unsigned block); // dynamic; NULL: none
  bool negative;                          // value v counts in bin 255 - v
} tally;

typedef enum pattern {
  UNIFORM,   // every value about as often
  SKEWED,    // half of the elements have one value, a quarter another …
  EQUAL,     // all the same, and not 0
  RUNS,      // one value 1 to 100 times, then another
  LONG_RUNS, // one value 500 to 1500 times, then another
  PIXELS,    // four values again and again
  ROUND,     // 0, 1, 2 … 255, 0, 1 …
  ONE_HOT    // all 7, but one: 200
} pattern;

typedef struct tally_case {
  unsigned n, grid, block;
  pattern pattern;
  unsigned hot;    // ONE_HOT: which
  unsigned offset; // of the input, in elements
  bool counted;    // the bins hold counts already
} tally_case;

// What a launch was given and what it left.
typedef struct evidence {
  const tally *tally;
  const tally_case *one;
  const unsigned char *x; // the bin of each element
  const uint32_t *got;    // [BINS]
  uint32_t bins[BINS];    // of the hypothesis at hand: scratch of judge_bins
} evidence;

// What a bin holds before the launch.
static inline uint32_t start_of(const tally_case *one, unsigned bin) {
  return one->counted ? 1000 + 3 * bin : 0;
}

// Ends the check as failed, with the likely cause, unless the bins are right.
void judge_bins(wb_judge *judge, evidence *e);

#endif
