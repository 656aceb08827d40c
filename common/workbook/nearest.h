// SPDX-License-Identifier: MIT
// nearest.h - where does a program differ from a right one? Two CUDA texts are compared as tokens;
// comments, layout, types' spelling, braces that change nothing and names do not count. If all
// that differs lies in one place, a wrong program's mistake is there.
#ifndef WB_NEAREST_H
#define WB_NEAREST_H

#include <stdbool.h>
#include <stddef.h>

// What kind of thing differs. Of several the first that fits.
typedef enum wb_difference_kind {
  WB_DIFFERENCE_BARRIER,    // __syncthreads(), __syncwarp(), sync()
  WB_DIFFERENCE_IN_PLACE,   // others' values are read and overwritten in one step
  WB_DIFFERENCE_STEPS,      // a wait is missing behind each of several statements
  WB_DIFFERENCE_MOVED,      // a wait in a block that not all take equally often
  WB_DIFFERENCE_BINDS,      // another operator binds first
  WB_DIFFERENCE_EMPTY,      // if (...);
  WB_DIFFERENCE_SHADOW,     // a variable is declared that exists
  WB_DIFFERENCE_NAN,        // a choice that takes the NaN
  WB_DIFFERENCE_UNSIGNED,   // compared with 0, and never below it
  WB_DIFFERENCE_OVERLAP,    // two arrays in one place
  WB_DIFFERENCE_EXCHANGED,  // two values, each stored in the other's place
  WB_DIFFERENCE_KEPT,       // a running value that does not run on
  WB_DIFFERENCE_DIVIDED,    // (a + b) / n
  WB_DIFFERENCE_CUT,        // bits of a word that are another value's
  WB_DIFFERENCE_ARGUMENTS,  // f(b, a) for f(a, b)
  WB_DIFFERENCE_SHUFFLE,    // one that reads another lane's value for another
  WB_DIFFERENCE_MASK,       // the first argument of a ..._sync() call
  WB_DIFFERENCE_CONVERSION, // __float_as_uint() and its like
  WB_DIFFERENCE_TYPE,       // int for float, (int)
  WB_DIFFERENCE_ATOMIC,
  WB_DIFFERENCE_NO_ATOMIC,  // the right one has one in this place, the judged one has none
  WB_DIFFERENCE_CONDITION,  // an `if` (or && ...) that one of the two lacks
  WB_DIFFERENCE_COMPARISON, // < for <=
  WB_DIFFERENCE_IDENTITY,   // what stands behind the : of ?:, or an infinity, NaN, limit
  WB_DIFFERENCE_START,      // `= 0` behind a variable that is declared without a value
  WB_DIFFERENCE_STEP,       // i += blockDim.x for i += gridDim.x * blockDim.x
  WB_DIFFERENCE_INDEX,      // between [ and ], or what is made of threadIdx and blockIdx
  WB_DIFFERENCE_ARRAY,      // a[i] for b[i]
  WB_DIFFERENCE_NUMBER,
  WB_DIFFERENCE_OPERATOR,
  WB_DIFFERENCE_ORDER,     // two neighbouring statements, interchanged
  WB_DIFFERENCE_STATEMENT, // a whole one
  WB_DIFFERENCE_OTHER,
} wb_difference_kind;

typedef struct wb_difference {
  wb_difference_kind kind;
  unsigned line; // from 1, in the judged text: of the first token there, or behind what is missing
  unsigned line_before; // of the token before
  bool is_missing;      // nothing of the judged text stands in place of what the right one has
  bool is_extra;        // the reverse
  char own[96];         // the judged text's tokens there, "" when is_missing
  unsigned last_line;   // of WB_DIFFERENCE_STEPS
  char waits[48];       // the judged text's own way to wait, where that is what is missing; or ""
} wb_difference;

// True: `judged` differs from `right` in one place, which `out` describes. False: in none, in
// several, in too much, or out of memory.
bool wb_nearest_difference(const char *judged, const char *right, wb_difference *out);

#endif
