// SPDX-License-Identifier: MIT
// 07_cooperative_groups.h - what the parts of lesson 07's suite share: the lesson's own kernels
// are judged in 07_cooperative_groups.c, the exercise's in 07_cooperative_groups_exercise.c, and
// 07_cooperative_groups_diagnose.c finds the cause of a wrong row.
#ifndef COOPERATIVE_GROUPS_SUITE_H
#define COOPERATIVE_GROUPS_SUITE_H

#include "inputs.h"
#include "judge.h"
#include "judge_blockwise.h"
#include "reference.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

enum { LANES = WB_LANES };

extern const wb_suite softmax_exercise;

typedef struct softmax_case {
  unsigned n_rows, n_columns, block;
  const float *in;                // [n_rows][n_columns]
  unsigned free_row, n_free_rows; // rows whose results are not asked for
  size_t offset_bytes;
  const float *start; // what `out` holds before; NULL: poison
} softmax_case;

bool softmax_is_base_two(void); // the variant: powers of 2 in place of those of e

// A part of a row, as in the exercise, in double.
typedef struct softmax_part {
  double max, sum;
} softmax_part;

softmax_part softmax_part_of(const float *x, unsigned n); // of the n elements of a row
double softmax_share(float x, softmax_part part);         // the result of an element of the row

// How far a result may be from softmax_share(), of an element that is `below_max` below the row's
// maximum.
double softmax_tolerance(double expected, double below_max, unsigned n_columns);

// Why got[c], of the row `got` [n_columns], is wrong; a why without text when no cause is known.
wb_why softmax_row_cause(const softmax_case *one, const float *got, unsigned row, unsigned c);

#endif
