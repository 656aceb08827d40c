// SPDX-License-Identifier: MIT
// 14_portable.h - what the two halves of lesson 14's suite share: the lesson's own kernels are
// judged in 14_portable.c, the exercise's in 14_portable_exercise.c.
#ifndef PORTABLE_SUITE_H
#define PORTABLE_SUITE_H

#include "inputs.h"
#include "judge.h"
#include "judge_blockwise.h"
#include "reference.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

extern const wb_suite portable_exercise;

// A variant of the exercise: the sum of |x|.
static inline bool sums_magnitudes(void) { return wb_judge_is_variant("magnitudes"); }

#endif
