// SPDX-License-Identifier: MIT
// repair.h - small changes of a CUDA text, each of which may be the one that mends it: another
// comparison, number, index, operator, guard, barrier. Whether one does is found by running it
// (judge_repair.c).
//
// Not here: what a right program looks like. Nothing is compared with one.
#ifndef WB_REPAIR_H
#define WB_REPAIR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

enum { WB_EDITS = 1536, WB_EDIT_BYTES = 160, WB_EDIT_MOST_BYTES = 512 };

// A call that waits and that is put in: __syncthreads(), __syncwarp(), or the program's own way.
typedef enum wb_wait { WB_WAITS_NOT, WB_WAITS_BLOCK, WB_WAITS_WARP, WB_WAITS_AS_ELSEWHERE } wb_wait;

// What a change is about, where a comparison of both texts would not tell.
typedef enum wb_sense {
  WB_SENSE_AS_COMPARED,
  WB_SENSE_IN_PLACE, // read, wait, then write
  WB_SENSE_STEPS,    // a wait behind each of several statements: `call`
  WB_SENSE_TYPE,
  WB_SENSE_MOVED,     // the wait behind the block that it ends
  WB_SENSE_BINDS,     // another operator binds first
  WB_SENSE_EMPTY,     // without the `;` behind an `if`
  WB_SENSE_SHADOW,    // no new variable, but the one that has the name
  WB_SENSE_NAN,       // the same choice, but where one of both is a NaN
  WB_SENSE_UNSIGNED,  // a sign, so that it can be below 0
  WB_SENSE_OVERLAP,   // an array of its own
  WB_SENSE_EXCHANGED, // what is stored in two places, interchanged
  WB_SENSE_KEPT,      // a variable that goes on with what is stored
  WB_SENSE_DIVIDED,   // one of two that are added up, not both
  WB_SENSE_CUT        // without the bits above it
} wb_sense;

// In place of the bytes [from, to) of the text stands `text`: at most WB_EDIT_BYTES of one
// statement, more of several.
typedef struct wb_edit {
  size_t from, to;
  char text[WB_EDIT_MOST_BYTES];
  unsigned rank; // the lower the likelier
  unsigned line;
  wb_wait waits;
  wb_sense sense;
  const char *call;   // of WB_SENSE_IN_PLACE and WB_SENSE_STEPS: what waits
  unsigned last_line; // of what is replaced
  bool takes_bits;    // of a float, in place of its value in another type
} wb_edit;

typedef struct wb_edit_list {
  wb_edit at[WB_EDITS];
  size_t n;
} wb_edit_list;

// The changes that come into question, the likeliest first: inside functions, and of one place
// each. What lies near `suspected_line` (0: unknown) is likelier; barriers only if threads may lack
// an order. False: out of memory.
typedef enum wb_orders { WB_ORDERS_KNOWN, WB_ORDERS_MAY_LACK, WB_ORDERS_LIKELY_LACK } wb_orders;
bool wb_repairs_find(const char *text, unsigned suspected_line, wb_orders orders,
                     wb_edit_list *out);

// The changed text, to be freed; NULL: out of memory.
char *wb_repair_apply(const char *text, const wb_edit *edit);

// One text with all of the programs that `edits` [n] make, so that they are compiled together. The
// kernels of program i are called NAME_tried_i. *first_lines [n + 1], if given, are the lines where
// programs begin, and the end. Programs with skip[i] (may be NULL) are left out.
bool wb_repairs_write(FILE *out, const char *text, const wb_edit *edits, size_t n, const bool *skip,
                      unsigned *first_lines);

#endif
